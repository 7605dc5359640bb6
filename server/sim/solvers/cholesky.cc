#include "server/sim/solvers/cholesky.h"

#include <algorithm>
#include <utility>

#include "server/sim/solvers/pattern_cache.h"

namespace tryon::sim {

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
  work_.assign(panels::kWidest * panels::kWidest, 0.0);
  waiting_.clear();
  waiting_.reserve(pattern_->panel.size());
  lanes_.assign(n_, panels::Lane{});
  work_stride_ = panels::padded(pattern_->largest_front) + panels::kRowsTogether;
  rows_.assign(3 * work_stride_ * int64_t{sizeof(Real)} / 32, Aligned{});
}

// The matrix's own values, then what the children left: their updates are the top of the stack.
void Cholesky::assemble(int index, const double* values) {
  const panels::Panel& panel = pattern_->panel[index];
  const int64_t m = panel.width + panel.row_count();
  std::fill(front_.begin(), front_.begin() + m * m, 0.0);
  for (int64_t e = pattern_->entry_begin[index]; e < pattern_->entry_begin[index + 1]; ++e)
    front_[pattern_->entry_place[e]] += values[pattern_->entry_source[e]];
  for (int c = 0; c < pattern_->child_count[index]; ++c) {
    const panels::Panel& child = pattern_->panel[waiting_.back()];
    waiting_.pop_back();
    const int r = child.row_count();
    const int* to = pattern_->row_in_parent.data() + child.rows_begin;
    stack_end_ -= int64_t{r} * r;
    const double* update = stack_.data() + stack_end_;
    for (int j = 0; j < r; ++j, update += r) {
      double* column = front_.data() + to[j] * m;
      for (int i = j; i < r; ++i) column[to[i]] += update[i];
    }
  }
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

int Cholesky::factor(const double* values, const RunContext& run) {
  const panels::Kernels& kernels = panels::best_kernels();
  stack_end_ = 0;
  waiting_.clear();
  int64_t work = kWorkBetweenChecks;
  for (int s = 0; s < panel_count(); ++s) {
    const panels::Panel& panel = pattern_->panel[s];
    const int w = panel.width, r = panel.row_count(), m = w + r;
    if (work >= kWorkBetweenChecks) {
      if (!run.check().ok()) return kStopped;
      work = 0;
    }
    work += work_of(s);
    assemble(s, values);
    const int failed = kernels.eliminate(front_.data(), m, w, work_.data());
    if (failed >= 0) return row_at(panel.first + failed);
    for (int k = 0; k < w; ++k) inverse_pivot_[panel.first + k] = static_cast<Real>(1 / front_[int64_t{k} * m + k]);
    kernels.pack(front_.data(), m, w, work_.data(), value_.data()->at + panel.value);
    if (r == 0) continue;
    for (int j = 0; j < r; ++j)
      std::copy_n(front_.begin() + int64_t{w + j} * m + w + j, r - j, stack_.begin() + stack_end_ + int64_t{j} * r + j);
    stack_end_ += int64_t{r} * r;
    waiting_.push_back(s);
  }
  return -1;
}

void Cholesky::solve_lanes() {
  panels::best_kernels().solve({pattern_->panel.data(), panel_count(), value_.data()->at, pattern_->row.data(),
                                inverse_pivot_.data(), rows_.data()->at, work_stride_},
                               lanes_.data());
}

void Cholesky::solve(const RVec3* right_side, RVec3* solution) {
  for (int i = 0; i < n_; ++i)
    for (int k = 0; k < 3; ++k) lanes_[pattern_->place[i]].at[k] = right_side[i][k];
  solve_lanes();
  for (int i = 0; i < n_; ++i)
    for (int k = 0; k < 3; ++k) solution[i][k] = lanes_[pattern_->place[i]].at[k];
}

void Cholesky::solve(const double* right_side, double* solution) {
  for (int i = 0; i < n_; ++i) lanes_[pattern_->place[i]] = {{static_cast<Real>(right_side[i]), 0, 0, 0}};
  solve_lanes();
  for (int i = 0; i < n_; ++i) solution[i] = static_cast<double>(lanes_[pattern_->place[i]].at[0]);
}

}  // namespace tryon::sim
