#include "server/sim/solvers/multigrid.h"

#include <algorithm>
#include <cmath>

#include "Eigen/Cholesky"

namespace tryon::sim {

namespace {

constexpr int kCoarsest = 150;
constexpr int kMaxLevels = 12;
constexpr double kStrong = 0.08;  // |a_ij| over sqrt(a_ii a_jj)
constexpr int kMaxIterations = 200;

bool strong(double a, double own, double other) { return std::abs(a) >= kStrong * std::sqrt(own * other); }

// First whole neighbourhoods that are still free, then leftovers to a strong neighbour's aggregate, then singles.
std::vector<int> aggregate(const RowMatrix& matrix, const Eigen::VectorXd& diagonal, int* count) {
  const int n = static_cast<int>(matrix.rows());
  std::vector<int> owner(n, -1);
  *count = 0;
  const auto each_strong = [&](int i, auto visit) {
    for (RowMatrix::InnerIterator it(matrix, i); it; ++it)
      if (it.col() != i && it.value() != 0 && strong(it.value(), diagonal[i], diagonal[it.col()])) visit(it.col());
  };
  for (int i = 0; i < n; ++i) {
    bool free = owner[i] < 0;
    if (free) each_strong(i, [&](Eigen::Index j) { free = free && owner[j] < 0; });
    if (!free) continue;
    owner[i] = *count;
    each_strong(i, [&](Eigen::Index j) { owner[j] = *count; });
    ++*count;
  }
  const std::vector<int> first = owner;
  for (int i = 0; i < n; ++i) {
    if (owner[i] >= 0) continue;
    each_strong(i, [&](Eigen::Index j) {
      if (owner[i] < 0 && first[j] >= 0) owner[i] = first[j];
    });
    if (owner[i] < 0) owner[i] = (*count)++;
  }
  return owner;
}

// The largest eigenvalue of D^-1 A is at most the largest row sum.
double row_bound(const RowMatrix& matrix, const Eigen::VectorXd& inverse_diagonal) {
  double bound = 0;
  for (int i = 0; i < matrix.rows(); ++i) {
    double sum = 0;
    for (RowMatrix::InnerIterator it(matrix, i); it; ++it) sum += std::abs(it.value());
    bound = std::max(bound, sum * inverse_diagonal[i]);
  }
  return bound;
}

RowMatrix smoothed_prolongation(const RowMatrix& matrix, const Eigen::VectorXd& inverse_diagonal,
                                const std::vector<int>& owner, int count) {
  std::vector<Eigen::Triplet<double>> ones;
  for (size_t i = 0; i < owner.size(); ++i) ones.emplace_back(static_cast<int>(i), owner[i], 1.0);
  RowMatrix tentative(matrix.rows(), count);
  tentative.setFromTriplets(ones.begin(), ones.end());
  const double weight = 4.0 / 3.0 / row_bound(matrix, inverse_diagonal);
  const RowMatrix product = matrix * tentative;
  const RowMatrix scaled = (weight * inverse_diagonal).asDiagonal() * product;
  return tentative - scaled;
}

}  // namespace

MultigridCycle::MultigridCycle(const Eigen::SparseMatrix<double>& matrix) {
  RowMatrix current = matrix;
  while (current.rows() > kCoarsest && static_cast<int>(levels_.size()) < kMaxLevels) {
    const Eigen::VectorXd diagonal = current.diagonal();
    int count = 0;
    const std::vector<int> owner = aggregate(current, diagonal, &count);
    if (count * 10 > 9 * current.rows()) break;  // nothing is strongly joined any more
    Level level;
    level.inverse_diagonal = diagonal.cwiseInverse();
    level.prolongation = smoothed_prolongation(current, level.inverse_diagonal, owner, count);
    const RowMatrix restricted = RowMatrix(level.prolongation.transpose()) * current;
    RowMatrix coarse = restricted * level.prolongation;
    level.matrix = std::move(current);
    levels_.push_back(std::move(level));
    current = std::move(coarse);
  }
  coarse_nonzeros_ = current.nonZeros();
  const Eigen::MatrixXd dense(current);
  coarse_inverse_ = Eigen::LLT<Eigen::MatrixXd>(dense).solve(Eigen::MatrixXd::Identity(dense.rows(), dense.cols()));
}

double MultigridCycle::operator_complexity() const {
  double sum = static_cast<double>(coarse_nonzeros_);
  for (const Level& level : levels_) sum += static_cast<double>(level.matrix.nonZeros());
  return levels_.empty() ? 1.0 : sum / static_cast<double>(levels_[0].matrix.nonZeros());
}

void MultigridCycle::smooth_down(const Level& level, const Columns3& r, Columns3* x) const {
  for (int i = 0; i < level.matrix.rows(); ++i) {
    Eigen::RowVector3d rest = r.row(i);
    for (RowMatrix::InnerIterator it(level.matrix, i); it; ++it) rest -= it.value() * x->row(it.col());
    x->row(i) += level.inverse_diagonal[i] * rest;
  }
}

void MultigridCycle::smooth_up(const Level& level, const Columns3& r, Columns3* x) const {
  for (int i = static_cast<int>(level.matrix.rows()) - 1; i >= 0; --i) {
    Eigen::RowVector3d rest = r.row(i);
    for (RowMatrix::InnerIterator it(level.matrix, i); it; ++it) rest -= it.value() * x->row(it.col());
    x->row(i) += level.inverse_diagonal[i] * rest;
  }
}

void MultigridCycle::cycle(size_t depth, const Columns3& r, Columns3* x) const {
  if (depth == levels_.size()) {
    *x = coarse_inverse_ * r;
    return;
  }
  const Level& level = levels_[depth];
  x->setZero(r.rows(), 3);
  smooth_down(level, r, x);
  const Columns3 rest = r - level.matrix * *x;
  const Columns3 coarse_right = level.prolongation.transpose() * rest;
  Columns3 coarse;
  cycle(depth + 1, coarse_right, &coarse);
  *x += level.prolongation * coarse;
  smooth_up(level, r, x);
}

void MultigridCycle::apply(const Columns3& r, Columns3* x) const { cycle(0, r, x); }

Columns3 multigrid_solve(const Eigen::SparseMatrix<double>& matrix, const MultigridCycle& cycle, const Columns3& right,
                         double reduction, MultigridReport* report, const RunContext& run) {
  Columns3 x = Columns3::Zero(right.rows(), 3), r = right, z(right.rows(), 3);
  const double start = r.norm();
  int iteration = 0;
  if (start > 0) {
    cycle.apply(r, &z);
    Columns3 p = z;
    Eigen::RowVector3d rz = r.cwiseProduct(z).colwise().sum();
    for (; iteration < kMaxIterations && r.norm() > reduction * start && run.check().ok(); ++iteration) {
      const Columns3 ap = matrix * p;
      const Eigen::RowVector3d pap = p.cwiseProduct(ap).colwise().sum();
      Eigen::RowVector3d alpha = Eigen::RowVector3d::Zero();
      for (int c = 0; c < 3; ++c)
        if (pap[c] > 0) alpha[c] = rz[c] / pap[c];
      x += p * alpha.asDiagonal();
      r -= ap * alpha.asDiagonal();
      cycle.apply(r, &z);
      const Eigen::RowVector3d next = r.cwiseProduct(z).colwise().sum();
      Eigen::RowVector3d beta = Eigen::RowVector3d::Zero();
      for (int c = 0; c < 3; ++c)
        if (rz[c] > 0) beta[c] = next[c] / rz[c];
      p = z + p * beta.asDiagonal();
      rz = next;
    }
  }
  if (report) *report = {iteration, start > 0 ? r.norm() / start : 0.0};
  return x;
}

}  // namespace tryon::sim
