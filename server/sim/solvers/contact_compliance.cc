#include "server/sim/solvers/contact_compliance.h"

#include <algorithm>
#include <cmath>

#include "Eigen/LU"
#include "server/sim/solvers/lbfgs.h"

namespace tryon::sim {

namespace {

constexpr int kRounds = 3;       // contacts that a corrected direction makes are looked for so often
constexpr size_t kAtOnce = 24;   // columns a round
constexpr double kShare = 0.03;  // of the largest force on a particle: less than that is no contact's business
constexpr int kNewtonSteps = 20, kHalvings = 8;
constexpr double kBalanced = 1e-3;  // of the ways

}  // namespace

ContactCompliance::ContactCompliance(const IncrementalPotential& potential, PotentialHessian* hessian)
    : potential_(potential), compliance_(kMost, kMost), columns_(&hessian->cholesky()) {
  const size_t n = static_cast<size_t>(potential.model().particle_count);
  known_.assign(n, 0);
  member_.assign(n, 0);
  wrong_.assign(n, 0);
}

void ContactCompliance::renew(const std::vector<RVec3>& x) {
  contact_.clear();
  normal_.clear();
  columns_.clear();
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

std::vector<int> ContactCompliance::choose(const RunContext& run, const std::vector<RVec3>& x,
                                           const std::vector<RVec3>& way, double least) {
  for_each(run, x.size(), [&](size_t at) {
    const int i = static_cast<int>(at);
    const auto out = -static_cast<double>(potential_.contact().normal(i).dot(way[i]));
    wrong_[i] = member_[i] || potential_.pinned(i) ? 0 : std::abs(mismatch(x, i, out).force);
  });
  std::vector<std::pair<double, int>> found;
  for (int i = 0; i < static_cast<int>(x.size()); ++i)
    if (wrong_[i] > least) found.emplace_back(-wrong_[i], i);
  std::sort(found.begin(), found.end());
  if (found.size() > kAtOnce) found.resize(kAtOnce);
  std::vector<int> chosen;
  for (const auto& [wrong, i] : found) chosen.push_back(i);
  return chosen;
}

void ContactCompliance::add_columns(const RunContext& run, const std::vector<int>& chosen) {
  std::vector<PathColumns::Start> starts;
  for (int i : chosen) {
    contact_.push_back(i);
    normal_.push_back(potential_.contact().normal(i));
    member_[i] = 1;
    starts.push_back({3 * i, normal_.back()});
  }
  const int first = columns_.count();
  columns_.add(run, starts);
  run.parallel_for(columns_.count() - first, 1, [this, first](int64_t at, int64_t) {
    const int index = first + static_cast<int>(at);
    for (int a = 0; a <= index; ++a) compliance_(a, index) = compliance_(index, a) = columns_.product(a, index);
  });
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
ContactCompliance::Balance ContactCompliance::balance(const std::vector<RVec3>& x) const {
  const int m = static_cast<int>(contact_.size());
  Balance at{Eigen::VectorXd(m), Eigen::VectorXd::Zero(m)};
  for (int a = 0; a < m; ++a) at.out[a] = -columns_.product(a);
  const double enough = kBalanced * at.out.norm();
  for (int k = 0; k < kNewtonSteps; ++k) {
    const Eigen::VectorXd before = at.out;
    if (!improve(x, &at) || (at.out - before).norm() < enough) break;
  }
  return at;
}

bool ContactCompliance::solve(const RunContext& run, const std::vector<RVec3>& x, const std::vector<RVec3>& right,
                              std::vector<RVec3>* way) {
  const double least = kShare * largest_norm(run, right);
  columns_.begin(run, right);
  columns_.combine(run, balance(x).force, way);
  for (int round = 0; round < kRounds; ++round) {
    std::vector<int> chosen = choose(run, x, *way, least);
    if (chosen.empty()) return true;
    chosen.resize(std::min(chosen.size(), static_cast<size_t>(kMost) - contact_.size()));
    if (chosen.empty()) return false;
    add_columns(run, chosen);
    columns_.combine(run, balance(x).force, way);
  }
  return static_cast<int>(contact_.size()) < kMost;
}

}  // namespace tryon::sim
