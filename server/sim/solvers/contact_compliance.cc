#include "server/sim/solvers/contact_compliance.h"

#include <algorithm>
#include <cmath>

#include "Eigen/LU"

namespace tryon::sim {

namespace {

constexpr int kRounds = 3;       // contacts that a corrected direction makes are looked for so often
constexpr size_t kAtOnce = 24;   // columns a round
constexpr double kShare = 0.03;  // of the largest force on a particle: less than that is no contact's business
constexpr int kNewtonSteps = 20, kHalvings = 8;
constexpr double kBalanced = 1e-3;  // of the ways

double largest(const std::vector<RVec3>& v) {
  Real most = 0;
  for (const RVec3& a : v) most = std::max(most, a.squaredNorm());
  return std::sqrt(static_cast<double>(most));
}

}  // namespace

ContactCompliance::ContactCompliance(const IncrementalPotential& potential, PotentialHessian* hessian)
    : potential_(potential), hessian_(*hessian), compliance_(kMost, kMost) {
  const size_t n = static_cast<size_t>(potential.model().particle_count);
  known_.assign(n, 0);
  member_.assign(n, 0);
  column_.assign(3 * n, RVec3::Zero());
  columns_.resize(static_cast<Eigen::Index>(3 * n), kMost);
  moved_.resize(static_cast<Eigen::Index>(3 * n));
}

void ContactCompliance::renew(const std::vector<RVec3>& x) {
  contact_.clear();
  normal_.clear();
  std::fill(member_.begin(), member_.end(), uint8_t{0});
  for (size_t i = 0; i < x.size(); ++i)
    known_[i] = static_cast<double>(potential_.contact().pressing(static_cast<int>(i), x[i], 0).curvature);
}

// What a way `out` along the normal changes, less what the factor expects of it.
ContactCompliance::Change ContactCompliance::mismatch(const std::vector<RVec3>& x, int i, double out) const {
  const Push now = potential_.contact().pressing(i, x[i], 0);
  const Push then = potential_.contact().pressing(i, x[i], static_cast<Real>(out));
  return {static_cast<double>(then.energy - now.energy) + static_cast<double>(now.force) * out -
              0.5 * known_[i] * out * out,
          static_cast<double>(now.force - then.force) - known_[i] * out,
          static_cast<double>(then.curvature) - known_[i]};
}

std::vector<int> ContactCompliance::choose(const std::vector<RVec3>& x, const std::vector<RVec3>& way,
                                           double least) const {
  std::vector<std::pair<double, int>> found;
  for (int i = 0; i < static_cast<int>(x.size()); ++i) {
    if (member_[i] || potential_.pinned(i)) continue;
    const double wrong =
        std::abs(mismatch(x, i, -static_cast<double>(potential_.contact().normal(i).dot(way[i]))).force);
    if (wrong > least) found.emplace_back(-wrong, i);
  }
  std::sort(found.begin(), found.end());
  if (found.size() > kAtOnce) found.resize(kAtOnce);
  std::vector<int> chosen;
  for (const auto& [wrong, i] : found) chosen.push_back(i);
  return chosen;
}

void ContactCompliance::add_columns(const std::vector<int>& chosen) {
  for (size_t k = 0; k < chosen.size(); k += 3) {
    std::fill(column_.begin(), column_.end(), RVec3::Zero());
    const size_t first = contact_.size(), count = std::min<size_t>(3, chosen.size() - k);
    for (size_t c = 0; c < count; ++c) {
      const int i = chosen[k + c];
      contact_.push_back(i);
      normal_.push_back(potential_.contact().normal(i));
      member_[i] = 1;
      for (int axis = 0; axis < 3; ++axis) column_[3 * i + axis][static_cast<int>(c)] = normal_.back()[axis];
    }
    hessian_.solve_three(&column_);
    for (size_t c = 0; c < count; ++c) keep_column(static_cast<int>(first + c), static_cast<int>(c));
  }
}

void ContactCompliance::keep_column(int index, int which) {
  for (Eigen::Index r = 0; r < columns_.rows(); ++r) columns_(r, index) = static_cast<float>(column_[r][which]);
  for (int a = 0; a <= index; ++a) {
    const int i = contact_[a];
    const double sum = normal_[a].cast<double>().dot(columns_.col(index).segment<3>(3 * i).cast<double>());
    compliance_(a, index) = compliance_(index, a) = sum;
  }
}

// Where the ways are u = q - C force: the energy whose minimum has force = r(u).
double ContactCompliance::energy(const std::vector<RVec3>& x, const Balance& at) const {
  const int m = static_cast<int>(contact_.size());
  double sum = 0.5 * at.force.dot(compliance_.topLeftCorner(m, m) * at.force);
  for (int a = 0; a < m; ++a) sum += mismatch(x, contact_[a], at.out[a]).energy;
  return sum;
}

// One Newton step of u - q + C r(u) = 0, as long as lowers the energy. False where none does.
bool ContactCompliance::improve(const std::vector<RVec3>& x, Balance* at) const {
  const int m = static_cast<int>(contact_.size());
  const auto compliance = compliance_.topLeftCorner(m, m);
  Eigen::MatrixXd slope = compliance;
  Eigen::VectorXd wanted(m), rise(m);
  for (int a = 0; a < m; ++a) {
    const Change change = mismatch(x, contact_[a], at->out[a]);
    wanted[a] = change.force, rise[a] = change.slope;
    slope.col(a) *= change.slope;
  }
  slope.diagonal().array() += 1;
  const Eigen::VectorXd out = slope.partialPivLu().solve(compliance * (at->force - wanted));
  const Eigen::VectorXd force = wanted + rise.cwiseProduct(out) - at->force;
  if (!out.allFinite() || !force.allFinite()) return false;
  const double before = energy(x, *at);
  double length = 1;
  for (int h = 0; h < kHalvings; ++h, length *= 0.5) {
    const Balance next{at->out + length * out, at->force + length * force};
    if (energy(x, next) >= before) continue;
    *at = next;
    return true;
  }
  return false;
}

// The forces that bring the ways from those of the factor alone to the balance.
ContactCompliance::Balance ContactCompliance::balance(const std::vector<RVec3>& x,
                                                      const std::vector<RVec3>& free_way) const {
  const int m = static_cast<int>(contact_.size());
  Balance at{Eigen::VectorXd(m), Eigen::VectorXd::Zero(m)};
  for (int a = 0; a < m; ++a) at.out[a] = -static_cast<double>(normal_[a].dot(free_way[contact_[a]]));
  const double enough = kBalanced * at.out.norm();
  for (int k = 0; k < kNewtonSteps; ++k) {
    const Eigen::VectorXd before = at.out;
    if (!improve(x, &at) || (at.out - before).norm() < enough) break;
  }
  return at;
}

bool ContactCompliance::correct(const std::vector<RVec3>& x, const std::vector<RVec3>& right, std::vector<RVec3>* way) {
  const double least = kShare * largest(right);
  const std::vector<RVec3> free_way = *way;
  for (int round = 0; round < kRounds; ++round) {
    std::vector<int> chosen = choose(x, *way, least);
    if (chosen.empty() && (round > 0 || contact_.empty())) return true;
    chosen.resize(std::min(chosen.size(), static_cast<size_t>(kMost) - contact_.size()));
    add_columns(chosen);
    const Balance balanced = balance(x, free_way);
    const int m = static_cast<int>(contact_.size());
    moved_.noalias() = columns_.leftCols(m) * balanced.force.cast<float>();
    for (size_t i = 0; i < way->size(); ++i) (*way)[i] = free_way[i] + moved_.segment<3>(3 * i).cast<Real>();
    if (static_cast<int>(contact_.size()) == kMost) return false;
  }
  return true;
}

}  // namespace tryon::sim
