#include "server/sim/solvers/path_columns.h"

#include <algorithm>

namespace tryon::sim {

template <typename Visit>
void PathColumns::visit(const Column& column, Visit visit) const {
  const Real* value = column.value.data();
  for (int index : column.path) {
    const panels::Panel& panel = factor_.panel(index);
    for (int k = 0; k < panel.width; ++k) visit(panel.first + k, *value++);
  }
}

void PathColumns::solve(const Start& start, int thread, Column* column) {
  column->path = factor_.path_from(start.row);
  int length = 0;
  for (int index : column->path) length += factor_.panel(index).width;
  column->value.assign(length, Real(0));
  std::vector<Real>& x = work_[thread];
  x.resize(factor_.length());
  visit(*column, [&x](int place, Real) { x[place] = 0; });
  for (int axis = 0; axis < 3; ++axis) x[factor_.place(start.row + axis)] = start.n[axis];
  factor_.forward(column->path, x.data(), thread);
  Real* value = column->value.data();
  visit(*column, [&](int place, Real) { *value++ = x[place]; });
}

void PathColumns::add(const RunContext& run, const std::vector<Start>& starts) {
  const int first = count_, count = static_cast<int>(starts.size());
  count_ += count;
  column_.resize(std::max(column_.size(), static_cast<size_t>(count_)));
  work_.resize(std::max(work_.size(), static_cast<size_t>(Cholesky::threads_of(run, count))));
  factor_.each_shared(run, count, [&](int k, int thread) { solve(starts[k], thread, &column_[first + k]); });
}

// Two paths that meet stay together.
double PathColumns::product(int a, int b) const {
  const Column &one = column_[a], &two = column_[b];
  const Real *x = one.value.data() + one.value.size(), *y = two.value.data() + two.value.size();
  double sum = 0;
  for (auto i = one.path.rbegin(), j = two.path.rbegin(); i != one.path.rend() && j != two.path.rend() && *i == *j;
       ++i, ++j) {
    const panels::Panel& panel = factor_.panel(*i);
    x -= panel.width, y -= panel.width;
    for (int k = 0; k < panel.width; ++k)
      sum += static_cast<double>(x[k] * y[k] * factor_.inverse_pivot(panel.first + k));
  }
  return sum;
}

void PathColumns::begin(const RunContext& run, const std::vector<RVec3>& g) {
  right_.resize(factor_.length());
  if (work_.empty()) work_.emplace_back();
  for_each(run, g.size(), [this, &g](size_t i) {
    for (int axis = 0; axis < 3; ++axis) right_[factor_.place(static_cast<int>(3 * i) + axis)] = g[i][axis];
  });
  factor_.forward(right_.data(), run);
}

double PathColumns::product(int a) const {
  double sum = 0;
  visit(column_[a], [&](int place, Real value) {
    sum += static_cast<double>(value * right_[place] * factor_.inverse_pivot(place));
  });
  return sum;
}

void PathColumns::combine(const RunContext& run, const Eigen::VectorXd& weight, std::vector<RVec3>* solution) {
  std::vector<Real>& x = work_[0];
  x = right_;
  for (int a = 0; a < count_; ++a) {
    const Real w = static_cast<Real>(weight[a]);
    visit(column_[a], [&](int place, Real value) { x[place] += w * value; });
  }
  factor_.backward(x.data(), run);
  for_each(run, solution->size(), [this, &x, solution](size_t i) {
    for (int axis = 0; axis < 3; ++axis) (*solution)[i][axis] = x[factor_.place(static_cast<int>(3 * i) + axis)];
  });
}

}  // namespace tryon::sim
