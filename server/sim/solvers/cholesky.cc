#include "server/sim/solvers/cholesky.h"

#include <algorithm>
#include <numeric>

#include "Eigen/OrderingMethods"

namespace tryon::sim {

namespace {

// A run of columns: `rows` below the run, values in its triangle and below that are not padding.
struct Run {
  int first = 0, last = 0;
  int64_t rows = 0, own = 0;
  int width() const { return last - first + 1; }
  int64_t dense() const { return int64_t{width()} * (width() - 1) / 2 + width() * rows; }
};

// Padding is worth its bytes while panels are narrow.
bool worth_joining(const Run& child, const Run& parent) {
  Run both{child.first, parent.last, parent.rows, child.own + parent.own};
  const double padding = static_cast<double>(both.dense() - both.own) / static_cast<double>(both.dense());
  if (both.width() <= 4) return padding < 0.4;
  return padding < (both.width() <= 16 ? 0.12 : 0.03);
}

}  // namespace

void Cholesky::order(const Eigen::SparseMatrix<double>& matrix) {
  Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, int> inverse;
  Eigen::AMDOrdering<int>()(matrix, inverse);
  place_.resize(n_);
  for (int k = 0; k < n_; ++k) place_[inverse.indices()[k]] = k;

  upper_begin_.assign(n_ + 1, 0);
  const int *outer = matrix.outerIndexPtr(), *inner = matrix.innerIndexPtr();
  for (int j = 0; j < n_; ++j)
    for (int p = outer[j]; p < outer[j + 1]; ++p)
      if (place_[inner[p]] <= place_[j]) ++upper_begin_[place_[j] + 1];
  std::partial_sum(upper_begin_.begin(), upper_begin_.end(), upper_begin_.begin());
  upper_row_.resize(upper_begin_.back());
  upper_source_.resize(upper_begin_.back());
  std::vector<int> next(upper_begin_.begin(), upper_begin_.end() - 1);
  for (int j = 0; j < n_; ++j)
    for (int p = outer[j]; p < outer[j + 1]; ++p) {
      if (place_[inner[p]] > place_[j]) continue;
      upper_row_[next[place_[j]]] = place_[inner[p]];
      upper_source_[next[place_[j]]++] = p;
    }
}

// Columns of L that reach into this row, in an order in which each comes before its ancestors: stack[result .. n).
int Cholesky::reach(int column, int* stack) {
  int top = n_;
  mark_[column] = column;
  for (int p = upper_begin_[column]; p < upper_begin_[column + 1]; ++p) {
    int length = 0;
    for (int i = upper_row_[p]; i >= 0 && mark_[i] != column; i = parent_[i]) {
      stack[length++] = i;
      mark_[i] = column;
    }
    while (length > 0) stack[--top] = stack[--length];
  }
  return top;
}

void Cholesky::analyse(const Eigen::SparseMatrix<double>& matrix) {
  n_ = static_cast<int>(matrix.rows());
  order(matrix);
  parent_.assign(n_, -1);
  std::vector<int> ancestor(n_, -1);
  for (int k = 0; k < n_; ++k)
    for (int p = upper_begin_[k]; p < upper_begin_[k + 1]; ++p)
      for (int i = upper_row_[p]; i != -1 && i < k;) {
        const int next = ancestor[i];
        ancestor[i] = k;
        if (next == -1) parent_[i] = k;
        i = next;
      }
  mark_.assign(n_, -1);
  stack_.resize(n_);
  std::vector<int> count(n_ + 1, 0);
  for (int k = 0; k < n_; ++k)
    for (int t = reach(k, stack_.data()); t < n_; ++t) ++count[stack_[t] + 1];
  begin_.resize(n_ + 1);
  std::partial_sum(count.begin(), count.end(), begin_.begin());
  row_.resize(begin_.back());
  value_.resize(begin_.back());
  find_pattern();
  find_panels();
  inverse_pivot_.resize(n_);
  filled_.resize(n_);
  work_.assign(n_, 0.0);
  lanes_.assign(n_, panels::Lane{});
}

// Rows of every column, ascending: column by column of the upper triangle each row is reached in turn.
void Cholesky::find_pattern() {
  filled_.assign(begin_.begin(), begin_.end() - 1);
  std::fill(mark_.begin(), mark_.end(), -1);
  for (int k = 0; k < n_; ++k)
    for (int t = reach(k, stack_.data()); t < n_; ++t) row_[filled_[stack_[t]]++] = k;
}

void Cholesky::find_panels() {
  std::vector<Run> runs;
  for (int j = 0; j < n_; ++j) {
    const int64_t below = begin_[j + 1] - begin_[j];
    runs.push_back({j, j, below, below});
    while (runs.size() > 1) {
      const Run &child = runs[runs.size() - 2], &parent = runs.back();
      if (parent_[child.last] != parent.first || !worth_joining(child, parent)) break;
      const Run both{child.first, parent.last, parent.rows, child.own + parent.own};
      runs.pop_back();
      runs.back() = both;
    }
  }
  panel_.clear();
  panel_row_.clear();
  panel_place_.assign(row_.size(), 0);
  int64_t value = 0;
  std::vector<int64_t> at(n_, 0);  // line of a row inside the panel
  for (const Run& run : runs) {
    const int w = run.width();
    panels::Panel panel{run.first, w, value, static_cast<int64_t>(panel_row_.size()), 0};
    panel_row_.insert(panel_row_.end(), row_.begin() + begin_[run.last], row_.begin() + begin_[run.last + 1]);
    panel.rows_end = static_cast<int64_t>(panel_row_.size());
    for (int k = 0; k < w; ++k) at[run.first + k] = k;
    for (int64_t r = panel.rows_begin; r < panel.rows_end; ++r) at[panel_row_[r]] = w + r - panel.rows_begin;
    for (int j = run.first; j <= run.last; ++j)
      for (int p = begin_[j]; p < begin_[j + 1]; ++p) panel_place_[p] = value + at[row_[p]] * w + (j - run.first);
    value += int64_t{w} * (w + panel.rows_end - panel.rows_begin);
    panel_.push_back(panel);
  }
  panel_value_.assign(value, Real(0));
}

int Cholesky::factor(const double* values) {
  std::fill(mark_.begin(), mark_.end(), -1);
  std::copy(begin_.begin(), begin_.end() - 1, filled_.begin());
  for (int k = 0; k < n_; ++k) {
    for (int p = upper_begin_[k]; p < upper_begin_[k + 1]; ++p) work_[upper_row_[p]] += values[upper_source_[p]];
    double pivot = work_[k];
    work_[k] = 0;
    for (int t = reach(k, stack_.data()); t < n_; ++t) {
      const int j = stack_[t];
      const double y = work_[j];
      work_[j] = 0;
      for (int p = begin_[j]; p < filled_[j]; ++p) work_[row_[p]] -= static_cast<double>(value_[p]) * y;
      const double l = y * static_cast<double>(inverse_pivot_[j]);
      pivot -= l * y;
      value_[filled_[j]++] = static_cast<Real>(l);
    }
    if (!(pivot > 0)) {
      std::fill(work_.begin(), work_.end(), 0.0);
      return k;
    }
    inverse_pivot_[k] = static_cast<Real>(1 / pivot);
  }
  for (size_t p = 0; p < value_.size(); ++p) panel_value_[panel_place_[p]] = value_[p];
  return -1;
}

void Cholesky::solve(const RVec3* right_side, RVec3* solution) {
  for (int i = 0; i < n_; ++i)
    for (int k = 0; k < 3; ++k) lanes_[place_[i]].at[k] = right_side[i][k];
  panels::best_kernels().solve(
      {panel_.data(), static_cast<int>(panel_.size()), panel_value_.data(), panel_row_.data(), inverse_pivot_.data()},
      lanes_.data());
  for (int i = 0; i < n_; ++i)
    for (int k = 0; k < 3; ++k) solution[i][k] = lanes_[place_[i]].at[k];
}

}  // namespace tryon::sim
