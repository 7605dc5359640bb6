#include "server/sim/solvers/lbfgs.h"

#include <algorithm>
#include <cmath>

namespace tryon::sim {

namespace {

constexpr int kGrain = 1024;  // particles: a chunk of a vector stays in the cache while it meets all pairs

using Flat = Eigen::Map<const Eigen::Matrix<Real, Eigen::Dynamic, 1>>;
using MutableFlat = Eigen::Map<Eigen::Matrix<Real, Eigen::Dynamic, 1>>;

Flat part(const std::vector<RVec3>& v, int64_t begin, int64_t end) { return {v[begin].data(), 3 * (end - begin)}; }
MutableFlat part(std::vector<RVec3>* v, int64_t begin, int64_t end) { return {(*v)[begin].data(), 3 * (end - begin)}; }

}  // namespace

double dot(const std::vector<RVec3>& a, const std::vector<RVec3>& b) {
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i) sum += static_cast<double>(a[i].dot(b[i]));
  return sum;
}

Lbfgs::Lbfgs(int history, int particle_count)
    : history_(history),
      pairs_(history + 1),
      sy_(Eigen::MatrixXd::Zero(history + 1, history + 1)),
      partial_(Eigen::MatrixXd::Zero((particle_count + kGrain - 1) / kGrain, history + 3)),
      by_age_(history, 0.0),
      alpha_(history, 0.0) {
  for (Pair& pair : pairs_) {
    pair.s.resize(particle_count);
    pair.y.resize(particle_count);
  }
}

double Lbfgs::sum_of(int column) const {
  double sum = 0;
  for (Eigen::Index chunk = 0; chunk < partial_.rows(); ++chunk) sum += partial_(chunk, column);
  return sum;
}

// partial_[., age] = the pairs' s or y times a vector.
void Lbfgs::products(const RunContext& run, Member member, const std::vector<RVec3>& with) {
  struct {
    Lbfgs& own;
    Member member;
    const std::vector<RVec3>& with;
  } task{*this, member, with};
  run.parallel_for(static_cast<int64_t>(with.size()), kGrain, [&task](int64_t begin, int64_t end) {
    Lbfgs& own = task.own;
    const Flat with_part = part(task.with, begin, end);
    for (int age = 0; age < own.used_; ++age)
      own.partial_(begin / kGrain, age) =
          static_cast<double>(part(own.pairs_[own.slot(age)].*task.member, begin, end).dot(with_part));
  });
}

// Adds by_age_ times the pairs' s or y.
void Lbfgs::add(const RunContext& run, Member member, std::vector<RVec3>* to) const {
  struct {
    const Lbfgs& own;
    Member member;
    std::vector<RVec3>* to;
  } task{*this, member, to};
  run.parallel_for(static_cast<int64_t>(to->size()), kGrain, [&task](int64_t begin, int64_t end) {
    MutableFlat sum = part(task.to, begin, end);
    for (int age = 0; age < task.own.used_; ++age)
      sum +=
          static_cast<Real>(task.own.by_age_[age]) * part(task.own.pairs_[task.own.slot(age)].*task.member, begin, end);
  });
}

void Lbfgs::push(const RunContext& run, const std::vector<RVec3>& x, const std::vector<RVec3>& gradient,
                 const std::vector<RVec3>& next, const std::vector<RVec3>& next_gradient) {
  if (history_ == 0) return;
  Pair& made = pairs_[next_];
  struct {
    Lbfgs& own;
    Pair& made;
    const std::vector<RVec3>&x, &gradient, &next, &next_gradient;
  } task{*this, made, x, gradient, next, next_gradient};
  run.parallel_for(static_cast<int64_t>(x.size()), kGrain, [&task](int64_t begin, int64_t end) {
    MutableFlat s = part(&task.made.s, begin, end), y = part(&task.made.y, begin, end);
    s = part(task.next, begin, end) - part(task.x, begin, end);
    y = part(task.next_gradient, begin, end) - part(task.gradient, begin, end);
    auto partial = task.own.partial_.row(begin / kGrain);
    const int h = task.own.history_;
    partial[h] = static_cast<double>(s.dot(y));
    partial[h + 1] = static_cast<double>(s.squaredNorm());
    partial[h + 2] = static_cast<double>(y.squaredNorm());
  });
  const double sy = sum_of(history_);
  if (!(sy > 1e-10 * std::sqrt(sum_of(history_ + 1) * sum_of(history_ + 2)))) return;
  made.inverse_sy = 1 / sy;
  products(run, &Pair::s, made.y);
  for (int age = 0; age < used_; ++age) sy_(slot(age), next_) = sum_of(age);
  next_ = (next_ + 1) % slot_count();
  used_ = std::min(used_ + 1, history_);
}

// alpha = rho s (r - sum of alpha y of the newer pairs), newest first.
void Lbfgs::to_initial(const RunContext& run, std::vector<RVec3>* r) {
  products(run, &Pair::s, *r);
  for (int age = 0; age < used_; ++age) {
    double product = sum_of(age);
    for (int newer = 0; newer < age; ++newer) product -= alpha_[newer] * sy_(slot(age), slot(newer));
    alpha_[age] = pairs_[slot(age)].inverse_sy * product;
    by_age_[age] = -alpha_[age];
  }
  add(run, &Pair::y, r);
}

// by_age = alpha - rho y (r + sum of by_age s of the older pairs), oldest first.
void Lbfgs::from_initial(const RunContext& run, std::vector<RVec3>* r) {
  products(run, &Pair::y, *r);
  for (int age = used_ - 1; age >= 0; --age) {
    double product = sum_of(age);
    for (int older = age + 1; older < used_; ++older) product += by_age_[older] * sy_(slot(older), slot(age));
    by_age_[age] = alpha_[age] - pairs_[slot(age)].inverse_sy * product;
  }
  add(run, &Pair::s, r);
}

}  // namespace tryon::sim
