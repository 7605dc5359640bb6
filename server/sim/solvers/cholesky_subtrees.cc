#include "server/sim/solvers/cholesky_subtrees.h"

#include <algorithm>
#include <numeric>
#include <vector>

namespace tryon::sim {

namespace {

class SubtreeFinder {
 public:
  explicit SubtreeFinder(CholeskyPattern* out)
      : out_(*out), count_(static_cast<int>(out->panel.size())), parent_(count_, -1), first_(count_), work_(count_, 0) {
    std::iota(first_.begin(), first_.end(), 0);
    for (int s = 0; s < count_; ++s) {
      const panels::Panel& p = out_.panel[s];
      work_[s] += out_.work(s);
      if (p.row_count() == 0) continue;
      const int up = parent_[s] = out_.panel_at(out_.row[p.rows_begin]);
      first_[up] = std::min(first_[up], first_[s]);
      work_[up] += work_[s];
    }
  }

  void find() {
    std::vector<int> roots;
    int64_t total = 0;
    for (int s = 0; s < count_; ++s)
      if (parent_[s] < 0) roots.push_back(s), total += work_[s];
    if (out_.values >= kWorthSharing) {
      split(&roots, total / kShares);
      std::sort(roots.begin(), roots.end());
      for (int root : roots)
        if (work_[root] >= total / kLeastShare) add_subtree(root);
    }
    std::vector<uint8_t> taken(count_, 0);
    for (int s : out_.order) taken[s] = 1;
    out_.top.begin = static_cast<int>(out_.order.size());
    for (int s = 0; s < count_; ++s)
      if (!taken[s]) out_.order.push_back(s);
    out_.top.end = count_;
    place_sums();
    for (const CholeskyPattern::Part& t : out_.subtree) add_needs(t, out_.subtree.size(), &out_.subtree_needs);
    add_needs(out_.top, 0, &out_.top_needs);
  }

 private:
  static constexpr int64_t kWorthSharing = 100'000;  // values: a solve of a tenth of a millisecond
  static constexpr int kShares = 8, kLeastShare = 64;

  // The largest gives way to its children until none is larger than `most`.
  void split(std::vector<int>* roots, int64_t most) const {
    for (;;) {
      const auto largest =
          std::max_element(roots->begin(), roots->end(), [this](int a, int b) { return work_[a] < work_[b]; });
      if (largest == roots->end() || work_[*largest] <= most) return;
      int piece = *largest;
      roots->erase(largest);
      const int last = piece;
      while (piece > 0 && out_.goes_on(piece)) --piece;
      for (int s = first_[last]; s < piece; ++s)
        if (parent_[s] >= piece) roots->push_back(s);
    }
  }

  void add_subtree(int root) {
    const int begin = static_cast<int>(out_.order.size());
    for (int s = first_[root]; s <= root; ++s) out_.order.push_back(s);
    out_.subtree.push_back({begin, static_cast<int>(out_.order.size()), 0});
  }

  void place_sums() {
    out_.row_in_subtree = out_.row;
    const int n = count_ == 0 ? 0 : out_.panel.back().first + out_.panel.back().width;
    out_.length = n;
    for (CholeskyPattern::Part& t : out_.subtree) {
      t.sums_begin = out_.length;
      const panels::Panel& root = out_.panel[out_.root(t)];
      const auto from = out_.row.begin() + root.rows_begin, to = out_.row.begin() + root.rows_end;
      for (int64_t k = out_.panel[out_.order[t.begin]].rows_begin; k < root.rows_end; ++k)
        if (out_.row[k] >= root.first + root.width)
          out_.row_in_subtree[k] = t.sums_begin + static_cast<int>(std::lower_bound(from, to, out_.row[k]) - from);
      out_.length += root.row_count();
    }
  }

  // Of a part with the subtrees from `subtree` on beneath it: their roots' updates are kept elsewhere.
  void add_needs(const CholeskyPattern::Part& part, size_t subtree, CholeskyPattern::Needs* needs) const {
    std::vector<int64_t> held;  // of the panels whose parents are still to come
    int64_t stack = 0;
    for (int at = part.begin; at < part.end; ++at) {
      const int s = out_.order[at];
      const panels::Panel& p = out_.panel[s];
      const int m = p.width + p.row_count();
      needs->largest_front = std::max(needs->largest_front, m);
      needs->below_values = std::max(needs->below_values, panels::below_values(m, p.width));
      for (; subtree < out_.subtree.size() && out_.root(out_.subtree[subtree]) < s; ++subtree) held.push_back(0);
      for (int c = 0; c < out_.child_count[s]; ++c) stack -= held.back(), held.pop_back();
      if (!out_.leaves_front(s)) continue;
      held.push_back(CholeskyPattern::update_values(p.row_count()));
      stack += held.back();
      needs->stack_values = std::max(needs->stack_values, stack);
    }
  }

  CholeskyPattern& out_;
  const int count_;
  std::vector<int> parent_, first_;  // [panel_count] -1: none; the first panel of its subtree
  std::vector<int64_t> work_;        // of its subtree
};

}  // namespace

void find_subtrees(CholeskyPattern* pattern) { SubtreeFinder(pattern).find(); }

}  // namespace tryon::sim
