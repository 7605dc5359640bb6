#include "server/sim/solvers/cholesky_subtrees.h"

#include <algorithm>
#include <numeric>
#include <vector>

namespace tryon::sim {

namespace {

class SubtreeFinder {
 public:
  explicit SubtreeFinder(CholeskyPattern* out)
      : out_(*out),
        count_(static_cast<int>(out->panel.size())),
        parent_(count_, kNone),
        first_(count_),
        in_part_(count_, kNone) {
    std::iota(first_.begin(), first_.end(), 0);
    for (int s = 0; s < count_; ++s) {
      const panels::Panel& p = out_.panel[s];
      if (p.row_count() == 0) continue;
      const int up = parent_[s] = out_.panel_at(out_.row[p.rows_begin]);
      first_[up] = std::min(first_[up], first_[s]);
    }
  }

  void find() {
    if (out_.values >= kWorthSharing) {
      add_parts(kShares);
      out_.subtree_count = static_cast<int>(out_.part.size());
      add_parts(kBranches);
    }
    out_.top.begin = static_cast<int>(out_.order.size());
    for (int s = 0; s < count_; ++s)
      if (in_part_[s] == kNone) out_.order.push_back(s);
    out_.top.end = count_;
    place_sums();
    for (const CholeskyPattern::Part& t : out_.part) add_needs(t, &out_.part_needs);
    add_needs(out_.top, &out_.top_needs);
  }

 private:
  static constexpr int64_t kWorthSharing = 100'000;  // values: a solve of a tenth of a millisecond
  static constexpr int kShares = 8, kBranches = 3, kLeastShare = 64;
  static constexpr int kNone = -1;

  // Of the panels that are in no part yet, those beneath panels that have at most so much of their work.
  void add_parts(int shares) {
    std::vector<int64_t> work(count_, 0);
    std::vector<int> roots;
    int64_t total = 0;
    for (int s = 0; s < count_; ++s) {
      if (in_part_[s] != kNone) continue;
      work[s] += out_.work(s);
      (parent_[s] < 0 ? total : work[parent_[s]]) += work[s];
      if (parent_[s] < 0) roots.push_back(s);
    }
    split(work, total / shares, &roots);
    std::erase_if(roots, [&](int root) { return work[root] == 0 || work[root] < total / kLeastShare; });
    if (roots.size() < 2) return;  // one alone is not shared
    std::sort(roots.begin(), roots.end());
    for (const int root : roots) add_part(root);
  }

  // The largest gives way to its children until none is larger than `most`.
  void split(const std::vector<int64_t>& work, int64_t most, std::vector<int>* roots) const {
    for (;;) {
      const auto largest =
          std::max_element(roots->begin(), roots->end(), [&](int a, int b) { return work[a] < work[b]; });
      if (largest == roots->end() || work[*largest] <= most) return;
      int piece = *largest;
      roots->erase(largest);
      const int last = piece;
      while (piece > 0 && out_.goes_on(piece)) --piece;
      for (int s = first_[last]; s < piece; ++s)
        if (parent_[s] >= piece && in_part_[s] == kNone) roots->push_back(s);
    }
  }

  void add_part(int root) {
    CholeskyPattern::Part made;
    made.begin = static_cast<int>(out_.order.size());
    for (int s = first_[root]; s <= root; ++s) {
      if (in_part_[s] != kNone) continue;
      in_part_[s] = static_cast<int>(out_.part.size());
      out_.order.push_back(s);
    }
    made.end = static_cast<int>(out_.order.size());
    out_.part.push_back(made);
  }

  // Where a row is that a part's root has, or one further up.
  int place_in(const CholeskyPattern::Part& part, int row) const {
    const panels::Panel& root = out_.panel[out_.root(part)];
    if (row < root.first + root.width) return row;
    const auto from = out_.row.begin() + root.rows_begin, to = out_.row.begin() + root.rows_end;
    return part.sums_begin + static_cast<int>(std::lower_bound(from, to, row) - from);
  }

  void place_sums() {
    const int n = count_ == 0 ? 0 : out_.panel.back().first + out_.panel.back().width;
    out_.length = n;
    for (CholeskyPattern::Part& t : out_.part) {
      t.sums_begin = out_.length;
      out_.length += out_.panel[out_.root(t)].row_count();
    }
    out_.row_in_part = out_.row;
    for (const CholeskyPattern::Part& t : out_.part)
      for (int at = t.begin; at < t.end; ++at) {
        const panels::Panel& p = out_.panel[out_.order[at]];
        for (int64_t k = p.rows_begin; k < p.rows_end; ++k) out_.row_in_part[k] = place_in(t, out_.row[k]);
      }
    for (size_t t = 0; t < out_.part.size(); ++t) place_above(static_cast<int>(t));
    const auto by_root = [this](int a, int b) { return out_.root(out_.part[a]) < out_.root(out_.part[b]); };
    std::sort(out_.top.beneath.begin(), out_.top.beneath.end(), by_root);
  }

  void place_above(int index) {
    const int root = out_.root(out_.part[index]);
    const int above = parent_[root] < 0 ? kNone : in_part_[parent_[root]];
    (above == kNone ? out_.top : out_.part[above]).beneath.push_back(index);
    const panels::Panel& p = out_.panel[root];
    for (int64_t k = p.rows_begin; k < p.rows_end; ++k)
      out_.sum_goes_to.push_back(above == kNone ? out_.row[k] : place_in(out_.part[above], out_.row[k]));
  }

  // The updates of the parts beneath are kept elsewhere.
  void add_needs(const CholeskyPattern::Part& part, CholeskyPattern::Needs* needs) const {
    std::vector<int64_t> held;  // of the panels whose parents are still to come
    int64_t stack = 0;
    auto beneath = part.beneath.begin();
    for (int at = part.begin; at < part.end; ++at) {
      const int s = out_.order[at];
      const panels::Panel& p = out_.panel[s];
      const int m = p.width + p.row_count();
      needs->largest_front = std::max(needs->largest_front, m);
      needs->below_values = std::max(needs->below_values, panels::below_values(m, p.width));
      for (; beneath != part.beneath.end() && out_.root(out_.part[*beneath]) < s; ++beneath) held.push_back(0);
      for (int c = 0; c < out_.child_count[s]; ++c) stack -= held.back(), held.pop_back();
      if (!out_.leaves_front(s)) continue;
      held.push_back(CholeskyPattern::update_values(p.row_count()));
      stack += held.back();
      needs->stack_values = std::max(needs->stack_values, stack);
    }
  }

  CholeskyPattern& out_;
  const int count_;
  std::vector<int> parent_, first_;  // [panel_count] the first panel of its subtree
  std::vector<int> in_part_;         // [panel_count]
};

}  // namespace

void find_subtrees(CholeskyPattern* pattern) { SubtreeFinder(pattern).find(); }

}  // namespace tryon::sim
