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

void PathColumns::add(int row, const RVec3& n) {
  if (static_cast<int>(column_.size()) == count_) column_.emplace_back();
  Column& column = column_[count_++];
  column.path = factor_.path_from(row);
  int length = 0;
  for (int index : column.path) length += factor_.panel(index).width;
  column.value.assign(length, Real(0));
  work_.resize(factor_.length());
  visit(column, [&](int place, Real) { work_[place] = 0; });
  for (int axis = 0; axis < 3; ++axis) work_[factor_.place(row + axis)] = n[axis];
  factor_.forward(column.path, work_.data());
  Real* value = column.value.data();
  visit(column, [&](int place, Real) { *value++ = work_[place]; });
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
  for (size_t i = 0; i < g.size(); ++i)
    for (int axis = 0; axis < 3; ++axis) right_[factor_.place(static_cast<int>(3 * i) + axis)] = g[i][axis];
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
  work_ = right_;
  for (int a = 0; a < count_; ++a) {
    const Real w = static_cast<Real>(weight[a]);
    visit(column_[a], [&](int place, Real value) { work_[place] += w * value; });
  }
  factor_.backward(work_.data(), run);
  for (size_t i = 0; i < solution->size(); ++i)
    for (int axis = 0; axis < 3; ++axis) (*solution)[i][axis] = work_[factor_.place(static_cast<int>(3 * i) + axis)];
}

}  // namespace tryon::sim
