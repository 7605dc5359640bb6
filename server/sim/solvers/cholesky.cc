#include "server/sim/solvers/cholesky.h"

#include <algorithm>
#include <numeric>

#include "Eigen/OrderingMethods"

namespace tryon::sim {

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
  inverse_pivot_.resize(n_);
  filled_.resize(n_);
  work_.assign(n_, 0.0);
  permuted_.resize(n_);
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
      row_[filled_[j]] = k;
      value_[filled_[j]++] = static_cast<Real>(l);
    }
    if (!(pivot > 0)) {
      std::fill(work_.begin(), work_.end(), 0.0);
      return k;
    }
    inverse_pivot_[k] = static_cast<Real>(1 / pivot);
  }
  return -1;
}

void Cholesky::solve(const RVec3* right_side, RVec3* solution) {
  RVec3* x = permuted_.data();
  for (int i = 0; i < n_; ++i) x[place_[i]] = right_side[i];
  const int* row = row_.data();
  const Real* value = value_.data();
  for (int j = 0; j < n_; ++j) {
    const RVec3 xj = x[j];
    for (int p = begin_[j]; p < begin_[j + 1]; ++p) x[row[p]] -= value[p] * xj;
  }
  for (int j = n_ - 1; j >= 0; --j) {
    RVec3 sum = inverse_pivot_[j] * x[j];
    for (int p = begin_[j]; p < begin_[j + 1]; ++p) sum -= value[p] * x[row[p]];
    x[j] = sum;
  }
  for (int i = 0; i < n_; ++i) solution[i] = x[place_[i]];
}

}  // namespace tryon::sim
