#include "server/sim/solvers/cholesky.h"

#include <algorithm>
#include <utility>

#include "server/sim/solvers/pattern_cache.h"

namespace tryon::sim {

namespace {
constexpr int64_t kWorkToShare = 500'000;  // multiplications of a front's rest from which threads share it
constexpr int kColumnsAtOnce = 32;         // a multiple of 4
}  // namespace

void Cholesky::analyse(const Eigen::SparseMatrix<double>& matrix, int block) {
  take(PatternCache::of_process().pattern_of(matrix, block), static_cast<int>(matrix.rows()));
}

void Cholesky::analyse_once(const Eigen::SparseMatrix<double>& matrix, int block) {
  take(std::make_shared<CholeskyPattern>(find_pattern(matrix, block)), static_cast<int>(matrix.rows()));
}

void Cholesky::take(std::shared_ptr<const CholeskyPattern> pattern, int n) {
  n_ = n;
  pattern_ = std::move(pattern);
  value_.assign(pattern_->values * int64_t{sizeof(Real)} / 32, Aligned{});
  inverse_pivot_.assign(n_, Real(0));
  const int64_t m = pattern_->largest_front;
  front_.assign(m * m, 0.0);
  stack_.assign(pattern_->stack_values, 0.0);
  below_.assign(pattern_->below_values, 0.0);
  inverse_.assign(panels::kWidest * panels::kWidest, 0.0);
  waiting_.clear();
  waiting_.reserve(pattern_->panel.size());
  lanes_.assign(n_, panels::Lane{});
  single_.assign(n_, Real(0));
  work_stride_ = panels::padded(pattern_->largest_front) + panels::kRowsTogether;
  rows_.assign(3 * work_stride_ * int64_t{sizeof(Real)} / 32, Aligned{});
}

// The matrix's own values, and what the children left: their updates are the top of the stack. A panel that goes on in
// the front of the one before it finds there what that one left.
void Cholesky::assemble(int index, const double* values, double* front) {
  const panels::Panel& panel = pattern_->panel[index];
  const int64_t m = panel.stride;
  if (!pattern_->goes_on(index)) std::fill(front, front + m * m, 0.0);
  for (int64_t e = pattern_->entry_begin[index]; e < pattern_->entry_begin[index + 1]; ++e)
    front[pattern_->entry_place[e]] += values[pattern_->entry_source[e]];
  for (int c = 0; c < pattern_->child_count[index]; ++c) {
    const panels::Panel& child = pattern_->panel[waiting_.back()];
    waiting_.pop_back();
    const int r = child.row_count();
    const int* to = pattern_->row_in_parent.data() + child.rows_begin;
    stack_end_ -= int64_t{r} * r;
    const double* update = stack_.data() + stack_end_;
    for (int j = 0; j < r; ++j, update += r) {
      double* column = front + to[j] * m;
      for (int i = j; i < r; ++i) column[to[i]] += update[i];
    }
  }
}

// What a panel leaves of its front is its parent's to take up.
void Cholesky::hand_up(int index, const double* front) {
  const panels::Panel& panel = pattern_->panel[index];
  const int w = panel.width, r = panel.row_count();
  for (int j = 0; j < r; ++j)
    std::copy_n(front + int64_t{w + j} * panel.stride + w + j, r - j, stack_.begin() + stack_end_ + int64_t{j} * r + j);
  stack_end_ += int64_t{r} * r;
  waiting_.push_back(index);
}

int64_t Cholesky::work_of(int panel) const {
  const panels::Panel& p = pattern_->panel[panel];
  const int64_t m = p.width + p.row_count();
  return m * m * (p.width + 1);
}

int64_t Cholesky::total_work() const {
  int64_t sum = 0;
  for (int s = 0; s < panel_count(); ++s) sum += work_of(s);
  return sum;
}

int64_t Cholesky::longest_stretch() const {
  int64_t longest = 0, work = kWorkBetweenChecks;
  for (int s = 0; s < panel_count(); ++s) {
    if (work >= kWorkBetweenChecks) work = 0;
    work += work_of(s);
    longest = std::max(longest, work);
  }
  return longest;
}

int Cholesky::row_at(int place) const {
  return static_cast<int>(std::find(pattern_->place.begin(), pattern_->place.end(), place) - pattern_->place.begin());
}

// -1, or the column without a positive pivot.
int Cholesky::eliminate(const panels::Panel& panel, double* front, const RunContext& run) {
  const panels::Kernels& kernels = panels::best_kernels();
  const int w = panel.width, r = panel.row_count(), m = w + r;
  const int failed = kernels.eliminate(front, m, w, panel.stride, below_.data());
  if (failed >= 0) return failed;
  const auto take_off = [&](int64_t begin, int64_t end) {
    kernels.take_off(front, m, w, panel.stride, below_.data(), static_cast<int>(begin), static_cast<int>(end));
  };
  if (int64_t{r} * r * w < kWorkToShare) {
    take_off(0, r);
  } else {
    run.parallel_for(r, kColumnsAtOnce, take_off);
  }
  for (int k = 0; k < w; ++k)
    inverse_pivot_[panel.first + k] = static_cast<Real>(1 / front[int64_t{k} * panel.stride + k]);
  kernels.pack(front, m, w, panel.stride, below_.data(), inverse_.data(), value_.data()->at + panel.value);
  return -1;
}

int Cholesky::factor(const double* values, const RunContext& run) {
  stack_end_ = 0;
  waiting_.clear();
  int64_t work = kWorkBetweenChecks;
  double* front = front_.data();
  for (int s = 0; s < panel_count(); ++s) {
    const panels::Panel& panel = pattern_->panel[s];
    if (work >= kWorkBetweenChecks) {
      if (!run.check().ok()) return kStopped;
      work = 0;
    }
    work += work_of(s);
    if (!pattern_->goes_on(s)) front = front_.data();
    assemble(s, values, front);
    const int failed = eliminate(panel, front, run);
    if (failed >= 0) return row_at(panel.first + failed);
    if (panel.row_count() == 0) continue;
    if (s + 1 < panel_count() && pattern_->goes_on(s + 1)) {
      front += int64_t{panel.width} * (panel.stride + 1);
    } else {
      hand_up(s, front);
    }
  }
  return -1;
}

panels::View Cholesky::view() {
  return {pattern_->panel.data(), panel_count(),    value_.data()->at, pattern_->row.data(),
          inverse_pivot_.data(),  rows_.data()->at, work_stride_};
}

void Cholesky::solve(const RVec3* right_side, RVec3* solution) {
  for (int i = 0; i < n_; ++i)
    for (int k = 0; k < 3; ++k) lanes_[pattern_->place[i]].at[k] = right_side[i][k];
  panels::best_kernels().solve(view(), lanes_.data());
  for (int i = 0; i < n_; ++i)
    for (int k = 0; k < 3; ++k) solution[i][k] = lanes_[pattern_->place[i]].at[k];
}

void Cholesky::solve(const double* right_side, double* solution) {
  for (int i = 0; i < n_; ++i) single_[pattern_->place[i]] = static_cast<Real>(right_side[i]);
  forward(single_.data());
  backward(single_.data());
  for (int i = 0; i < n_; ++i) solution[i] = static_cast<double>(single_[pattern_->place[i]]);
}

// Up the tree of panels: the next one holds the first row below.
std::vector<int> Cholesky::path_from(int row) const {
  const std::vector<panels::Panel>& panel = pattern_->panel;
  std::vector<int> path;
  int at = pattern_->place[row];
  for (;;) {
    const auto after = std::upper_bound(panel.begin(), panel.end(), at,
                                        [](int place, const panels::Panel& p) { return place < p.first; });
    path.push_back(static_cast<int>(after - panel.begin()) - 1);
    const panels::Panel& p = panel[path.back()];
    if (p.row_count() == 0) return path;
    at = pattern_->row[p.rows_begin];
  }
}

void Cholesky::forward(Real* x) { panels::best_kernels().forward_one(view(), nullptr, panel_count(), x); }

void Cholesky::forward(const std::vector<int>& path, Real* x) {
  panels::best_kernels().forward_one(view(), path.data(), static_cast<int>(path.size()), x);
}

void Cholesky::backward(Real* x) { panels::best_kernels().backward_one(view(), x); }

}  // namespace tryon::sim
