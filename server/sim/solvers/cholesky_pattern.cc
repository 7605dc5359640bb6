#include "server/sim/solvers/cholesky_pattern.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "server/sim/solvers/cholesky_subtrees.h"
#include "server/sim/solvers/order_memo.h"

namespace tryon::sim {

namespace {

// What a solve spends, both ways; found by measuring. The optimum is wide (half or twice any of them changes a solve by
// 3 %); values are dear because a large factor's solve waits for them.
constexpr double kPanelCost = 200, kRowCost = 4, kColumnCost = 6, kValueCost = 2;

constexpr double kMostFill = 1.15;  // numbers in L by a known order, over those that it was made for

double cost(int width, int rows) {
  const panels::Panel panel{0, width, 0, 0, rows};
  return kPanelCost + kRowCost * rows + kColumnCost * width + kValueCost * static_cast<double>(panel.values());
}

using Matrix = Eigen::SparseMatrix<double>;

// Visits the lower triangle as given: visit(row, column, where the value stands).
template <typename Visit>
void each_lower(const Matrix& matrix, Visit visit) {
  for (int j = 0; j < matrix.cols(); ++j)
    for (int p = matrix.outerIndexPtr()[j]; p < matrix.outerIndexPtr()[j + 1]; ++p)
      if (matrix.innerIndexPtr()[p] >= j) visit(matrix.innerIndexPtr()[p], j, p);
}

// Which blocks of `size` rows share one, below the diagonal. A tree of blocks has one vertex where that of rows has
// `size`, and the same shape: a block's rows follow each other.
struct BlockGraph {
  int size = 1, count = 0;
  std::vector<std::pair<int, int>> edge;  // row, column
};

// A block's corner is enough.
BlockGraph graph_of(const Matrix& matrix, int size) {
  BlockGraph graph{size, static_cast<int>(matrix.cols()) / size, {}};
  for (int j = 0; j < graph.count; ++j)
    for (int p = matrix.outerIndexPtr()[size * j]; p < matrix.outerIndexPtr()[size * j + 1]; ++p)
      if (const int i = matrix.innerIndexPtr()[p]; i > size * j && i % size == 0) graph.edge.emplace_back(i / size, j);
  return graph;
}

// The graph by places, its upper triangle by columns: each edge with the later of its two places.
struct Upper {
  std::vector<int> begin, row;
};

Upper upper_of(const BlockGraph& graph, const std::vector<int>& place) {
  Upper upper;
  upper.begin.assign(graph.count + 1, 0);
  for (const auto& [i, j] : graph.edge) ++upper.begin[std::max(place[i], place[j]) + 1];
  std::partial_sum(upper.begin.begin(), upper.begin.end(), upper.begin.begin());
  upper.row.resize(upper.begin.back());
  std::vector<int> next(upper.begin.begin(), upper.begin.end() - 1);
  for (const auto& [i, j] : graph.edge) upper.row[next[std::max(place[i], place[j])]++] = std::min(place[i], place[j]);
  return upper;
}

// The matrix by places, its lower triangle by columns: what stands in each column of the factor's matrix.
struct Lower {
  std::vector<int> begin, row, source;
};

Lower lower_of(const Matrix& matrix, const std::vector<int>& place) {
  const int n = static_cast<int>(matrix.cols());
  Lower lower;
  lower.begin.assign(n + 1, 0);
  each_lower(matrix, [&](int i, int j, int) { ++lower.begin[std::min(place[i], place[j]) + 1]; });
  std::partial_sum(lower.begin.begin(), lower.begin.end(), lower.begin.begin());
  lower.row.resize(lower.begin.back());
  lower.source.resize(lower.begin.back());
  std::vector<int> next(lower.begin.begin(), lower.begin.end() - 1);
  each_lower(matrix, [&](int i, int j, int p) {
    const int at = next[std::min(place[i], place[j])]++;
    lower.row[at] = std::max(place[i], place[j]);
    lower.source[at] = p;
  });
  return lower;
}

std::vector<int> elimination_tree(const Upper& upper, int n) {
  std::vector<int> parent(n, -1), ancestor(n, -1);
  for (int k = 0; k < n; ++k)
    for (int p = upper.begin[k]; p < upper.begin[k + 1]; ++p)
      for (int i = upper.row[p]; i != -1 && i < k;) {
        const int next = ancestor[i];
        ancestor[i] = k;
        if (next == -1) parent[i] = k;
        i = next;
      }
  return parent;
}

// Places so that children come right before their parents; `parent` by the new places too.
void postorder(std::vector<int>* place, std::vector<int>* parent) {
  const int n = static_cast<int>(parent->size());
  std::vector<std::vector<int>> children(n);
  std::vector<int> roots, renamed(n), open;
  for (int j = 0; j < n; ++j) ((*parent)[j] < 0 ? roots : children[(*parent)[j]]).push_back(j);
  int next = n;  // backwards: a parent, then its last child with all below it
  for (int root : roots) open.push_back(root);
  while (!open.empty()) {
    const int j = open.back();
    open.pop_back();
    renamed[j] = --next;
    for (int child : children[j]) open.push_back(child);
  }
  std::vector<int> new_parent(n);
  for (int j = 0; j < n; ++j) new_parent[renamed[j]] = (*parent)[j] < 0 ? -1 : renamed[(*parent)[j]];
  parent->swap(new_parent);
  for (int& at : *place) at = renamed[at];
}

// Blocks of each column of L below the diagonal: every row marks the columns that reach into it. Ends where there are
// more numbers than `most`; returns how many there are.
int64_t count_columns(const Upper& upper, const std::vector<int>& parent, int size, int64_t most,
                      std::vector<int>* count) {
  const int n = static_cast<int>(parent.size());
  std::vector<int> mark(n, -1);
  const int64_t in_block = int64_t{size} * size;
  int64_t sum = int64_t{n} * (in_block - size) / 2;
  count->assign(n, 0);
  for (int k = 0; k < n && sum <= most; ++k) {
    mark[k] = k;
    for (int p = upper.begin[k]; p < upper.begin[k + 1]; ++p)
      for (int i = upper.row[p]; mark[i] != k; i = parent[i]) {
        mark[i] = k;
        ++(*count)[i];
        sum += in_block;
      }
  }
  return sum;
}

// Columns of blocks in groups that become panels. A group is named by its last column.
struct Groups {
  std::vector<int> group;   // [block count] of each column
  std::vector<int> parent;  // [block count] of a group: a group, -1 for roots and for what is no group
};

struct Supernode {
  int width = 0, rows = 0;  // of the matrix
  std::vector<int> children;
};

int find(std::vector<int>* joined, int j) {
  while ((*joined)[j] != j) j = (*joined)[j] = (*joined)[(*joined)[j]];
  return j;
}

// Supernodes, then children joined to their parents while that makes a solve faster.
Groups join(const std::vector<int>& parent, const std::vector<int>& count, int size) {
  const int n = static_cast<int>(parent.size());
  std::vector<int> last(n);
  for (int j = n - 1; j >= 0; --j) last[j] = parent[j] == j + 1 && count[j] == count[j + 1] + 1 ? last[j + 1] : j;
  std::vector<Supernode> node(n);
  std::vector<int> joined(n);
  std::iota(joined.begin(), joined.end(), 0);
  for (int j = 0; j < n; ++j) {
    node[last[j]].width += size;
    joined[j] = last[j];
    if (last[j] == j && parent[j] >= 0) node[last[parent[j]]].children.push_back(j);
    if (last[j] == j) node[j].rows = size * count[j];
  }
  for (int s = 0; s < n; ++s) {
    if (last[s] != s) continue;
    const auto gain = [&](int child) {
      return cost(node[child].width, node[child].rows) + cost(node[s].width, node[s].rows) -
             cost(node[child].width + node[s].width, node[s].rows);
    };
    std::vector<int> waiting;
    waiting.swap(node[s].children);
    while (!waiting.empty()) {
      const auto best =
          std::max_element(waiting.begin(), waiting.end(), [&](int a, int b) { return gain(a) < gain(b); });
      if (gain(*best) <= 0) break;
      const int child = *best;
      waiting.erase(best);
      joined[child] = s;
      node[s].width += node[child].width;
      waiting.insert(waiting.end(), node[child].children.begin(), node[child].children.end());
    }
    node[s].children.swap(waiting);
  }
  Groups groups{std::vector<int>(n), std::vector<int>(n, -1)};
  for (int j = 0; j < n; ++j) groups.group[j] = find(&joined, j);
  for (int s = 0; s < n; ++s)
    for (int child : node[s].children) groups.parent[child] = s;
  return groups;
}

// The groups' columns side by side, children before parents; how many columns of blocks each group has, in that order.
std::vector<int> gather_groups(const Groups& groups, std::vector<int>* place) {
  const int n = static_cast<int>(groups.group.size());
  std::vector<std::vector<int>> columns(n), children(n);
  std::vector<int> open, width;
  for (int j = 0; j < n; ++j) {
    columns[groups.group[j]].push_back(j);
    if (groups.group[j] == j) {
      if (groups.parent[j] < 0) {
        open.push_back(j);
      } else {
        children[groups.parent[j]].push_back(j);
      }
    }
  }
  std::vector<int> renamed(n);
  int next = n;
  while (!open.empty()) {
    const int s = open.back();
    open.pop_back();
    width.push_back(static_cast<int>(columns[s].size()));
    for (auto j = columns[s].rbegin(); j != columns[s].rend(); ++j) renamed[*j] = --next;
    for (int child : children[s]) open.push_back(child);
  }
  std::reverse(width.begin(), width.end());
  for (int& at : *place) at = renamed[at];
  return width;
}

// Panels no wider than kWidest with their rows: those of the matrix and those that children hand up.
class PanelFinder {
 public:
  PanelFinder(const Matrix& matrix, CholeskyPattern* out)
      : out_(*out), matrix_(lower_of(matrix, out->place)), mark_(matrix.cols(), -1) {}

  void add_group(int first, int width) {
    std::vector<int> rows = rows_below(first, width);
    int done = 0;
    const int pieces = (width + panels::kWidest - 1) / panels::kWidest;
    for (int piece = 0; piece < pieces; ++piece) {
      const int w = (width - done + pieces - piece - 1) / (pieces - piece);
      add_panel(first + done, w, first + width, rows, width + static_cast<int>(rows.size()));
      done += w;
    }
  }

 private:
  std::vector<int> rows_below(int first, int width) {
    std::vector<int> rows;
    const int end = first + width, id = first;
    const auto take = [&](int row) {
      if (row < end || mark_[row] == id) return;
      mark_[row] = id;
      rows.push_back(row);
    };
    for (int j = first; j < end; ++j)
      for (int p = matrix_.begin[j]; p < matrix_.begin[j + 1]; ++p) take(matrix_.row[p]);
    for (auto child = orphans_.rbegin(); child != orphans_.rend(); ++child) {
      const panels::Panel& p = out_.panel[*child];
      if (out_.row[p.rows_begin] >= end) break;
      for (int64_t k = p.rows_begin; k < p.rows_end; ++k) take(out_.row[k]);
    }
    std::sort(rows.begin(), rows.end());
    return rows;
  }

  void add_panel(int first, int width, int end, const std::vector<int>& rows, int stride) {
    panels::Panel p{first, width, out_.values, static_cast<int64_t>(out_.row.size()), 0, stride};
    for (int j = first + width; j < end; ++j) out_.row.push_back(j);
    out_.row.insert(out_.row.end(), rows.begin(), rows.end());
    p.rows_end = static_cast<int64_t>(out_.row.size());
    out_.row_in_parent.resize(out_.row.size(), -1);
    out_.values += p.values();
    adopt(p, end);
    add_entries(p);
    if (first + width == end && p.row_count() > 0) orphans_.push_back(static_cast<int>(out_.panel.size()));
    out_.panel.push_back(p);
  }

  // Children are the last of those without a parent yet whose first row is a column of this group.
  void adopt(const panels::Panel& p, int end) {
    const auto in_front = [&](int row) {
      if (row < p.first + p.width) return row - p.first;
      const auto from = out_.row.begin() + p.rows_begin, to = out_.row.begin() + p.rows_end;
      return p.width + static_cast<int>(std::lower_bound(from, to, row) - from);
    };
    int children = 0;
    while (!orphans_.empty() && out_.row[out_.panel[orphans_.back()].rows_begin] < end) {
      const panels::Panel& child = out_.panel[orphans_.back()];
      for (int64_t k = child.rows_begin; k < child.rows_end; ++k) out_.row_in_parent[k] = in_front(out_.row[k]);
      orphans_.pop_back();
      ++children;
    }
    out_.child_count.push_back(children);
  }

  void add_entries(const panels::Panel& p) {
    out_.entry_begin.push_back(static_cast<int64_t>(out_.entry_source.size()));
    for (int k = 0; k < p.row_count(); ++k) mark_[out_.row[p.rows_begin + k]] = p.width + k;
    for (int j = 0; j < p.width; ++j) mark_[p.first + j] = j;
    for (int j = 0; j < p.width; ++j)
      for (int k = matrix_.begin[p.first + j]; k < matrix_.begin[p.first + j + 1]; ++k) {
        out_.entry_source.push_back(matrix_.source[k]);
        out_.entry_place.push_back(j * p.stride + mark_[matrix_.row[k]]);
      }
    for (int64_t k = p.rows_begin; k < p.rows_end; ++k) mark_[out_.row[k]] = -1;
  }

  CholeskyPattern& out_;
  const Lower matrix_;
  std::vector<int> mark_;     // [n] work
  std::vector<int> orphans_;  // panels whose parent is still to come
};

// By nested dissection.
std::vector<int> first_order(const BlockGraph& graph) {
  std::vector<std::vector<int>> near(graph.count);
  for (const auto& [i, j] : graph.edge) {
    near[i].push_back(j);
    near[j].push_back(i);
  }
  std::vector<int> begin(1, 0), neighbour;
  for (std::vector<int>& list : near) {
    std::sort(list.begin(), list.end());
    neighbour.insert(neighbour.end(), list.begin(), list.end());
    begin.push_back(static_cast<int>(neighbour.size()));
  }
  const std::vector<int> order = OrderMemo::of_process().order_of(std::move(begin), std::move(neighbour));
  std::vector<int> place(graph.count);
  for (int k = 0; k < graph.count; ++k) place[order[k]] = k;
  return place;
}

struct Tree {  // of blocks, in post-order
  std::vector<int> place, parent, count;
  int64_t nonzeros = 0, ordered_nonzeros = 0;  // of rows
};

// Of no use where L has more than `most` numbers.
Tree tree_by(const BlockGraph& graph, std::vector<int> place, int64_t most = std::numeric_limits<int64_t>::max()) {
  Tree tree;
  tree.place = std::move(place);
  tree.parent = elimination_tree(upper_of(graph, tree.place), graph.count);
  postorder(&tree.place, &tree.parent);
  tree.nonzeros = tree.ordered_nonzeros =
      count_columns(upper_of(graph, tree.place), tree.parent, graph.size, most, &tree.count);
  return tree;
}

std::vector<int> of_blocks(const std::vector<int>& place, int size) {
  std::vector<int> out(place.size() / size);
  for (size_t b = 0; b < out.size(); ++b) out[b] = place[size * b] / size;
  return out;
}

std::vector<int> of_rows(const std::vector<int>& place, int size) {
  std::vector<int> out(place.size() * size);
  for (size_t i = 0; i < out.size(); ++i) out[i] = size * place[i / size] + static_cast<int>(i % size);
  return out;
}

Tree find_tree(const BlockGraph& graph, const KnownOrder& known) {
  if (!known.place.empty()) {
    const auto most = static_cast<int64_t>(kMostFill * static_cast<double>(known.nonzeros));
    Tree kept = tree_by(graph, of_blocks(known.place, graph.size), most);
    kept.ordered_nonzeros = known.nonzeros;
    if (kept.nonzeros <= most) return kept;
  }
  return tree_by(graph, first_order(graph));
}

}  // namespace

CholeskyPattern find_pattern(const Matrix& matrix, int block, const KnownOrder& known) {
  Tree tree = find_tree(graph_of(matrix, block), known);
  CholeskyPattern out;
  out.nonzeros = tree.nonzeros;
  out.ordered_nonzeros = tree.ordered_nonzeros;
  const std::vector<int> width = gather_groups(join(tree.parent, tree.count, block), &tree.place);
  out.place = of_rows(tree.place, block);
  PanelFinder finder(matrix, &out);
  int first = 0;
  for (int w : width) {
    finder.add_group(first, block * w);
    first += block * w;
  }
  out.entry_begin.push_back(static_cast<int64_t>(out.entry_source.size()));
  find_subtrees(&out);
  return out;
}

}  // namespace tryon::sim
