#include "server/sim/solvers/lbfgs.h"

#include <algorithm>
#include <cmath>

#include "server/base/chunks.h"
#include "server/sim/solvers/pairs.h"

namespace tryon::sim {

namespace {

constexpr int kGrain = 1024;  // particles: a chunk of a vector stays in the cache while it meets all pairs

const Real* numbers(const std::vector<RVec3>& v, int64_t particle) { return v.data()->data() + 3 * particle; }

}  // namespace

double dot(const RunContext& run, const std::vector<RVec3>& a, const std::vector<RVec3>& b) {
  return sum_of(run, a.size(), [&](int64_t begin, int64_t end) {
    return pairs::best_kernels().product(numbers(a, begin), numbers(b, begin), static_cast<int>(3 * (end - begin)));
  });
}

double largest_norm(const RunContext& run, const std::vector<RVec3>& of) {
  return std::sqrt(largest_of(run, of.size(), [&](int64_t begin, int64_t end) {
    Real squared = 0;
    for (int64_t i = begin; i < end; ++i) squared = std::max(squared, of[i].squaredNorm());
    return static_cast<double>(squared);
  }));
}

Lbfgs::Lbfgs(int history, int particle_count, Kept kept)
    : history_(history),
      particle_count_(particle_count),
      inverse_sy_(history + 1, 0.0),
      sy_(Eigen::MatrixXd::Zero(history + 1, history + 1)),
      partial_(Eigen::MatrixXd::Zero((particle_count + kGrain - 1) / kGrain, history + 3)),
      by_age_(history, 0.0),
      alpha_(history, 0.0) {
  if (kept == Kept::kRough || sizeof(Real) == sizeof(float)) pairs_.emplace<Pairs<float>>();
  const auto make = [&](auto& pairs) {
    pairs.resize(history + 1);
    for (auto& pair : pairs)
      for (auto& numbers : pair) numbers.resize(3 * static_cast<size_t>(particle_count));
  };
  std::visit(make, pairs_);
}

double Lbfgs::sum_of(int column) const {
  double sum = 0;
  for (Eigen::Index chunk = 0; chunk < partial_.rows(); ++chunk) sum += partial_(chunk, column);
  return sum;
}

template <typename T>
Lbfgs::Pointers<T> Lbfgs::pointers(Member member, int64_t particle) const {
  Pointers<T> out;
  for (int age = 0; age < used_; ++age)
    out.at[age] = std::get<Pairs<T>>(pairs_)[slot(age)][member].data() + 3 * particle;
  return out;
}

// partial_[., age] = the pairs' s or y times a vector.
template <typename T>
void Lbfgs::products(const RunContext& run, Member member, const std::vector<RVec3>& with) {
  struct {
    Lbfgs& own;
    Member member;
    const std::vector<RVec3>& with;
  } task{*this, member, with};
  run.parallel_for(particle_count_, kGrain, [&task](int64_t begin, int64_t end) {
    Lbfgs& own = task.own;
    double out[kMostHistory];
    pairs::best_kernels().loops<T>().products(own.pointers<T>(task.member, begin).at, own.used_,
                                              numbers(task.with, begin), static_cast<int>(3 * (end - begin)), out);
    for (int age = 0; age < own.used_; ++age) own.partial_(begin / kGrain, age) = out[age];
  });
}

// to = sign (from + by_age_ times the pairs' s or y).
template <typename T>
void Lbfgs::combine(const RunContext& run, Member member, const std::vector<RVec3>& from, Real sign,
                    std::vector<RVec3>* to) const {
  struct {
    const Lbfgs& own;
    Member member;
    const std::vector<RVec3>& from;
    Real sign;
    std::vector<RVec3>* to;
  } task{*this, member, from, sign, to};
  run.parallel_for(particle_count_, kGrain, [&task](int64_t begin, int64_t end) {
    const Lbfgs& own = task.own;
    Real factor[kMostHistory];
    std::copy_n(own.by_age_.begin(), own.used_, factor);
    pairs::best_kernels().loops<T>().combine(own.pointers<T>(task.member, begin).at, factor, own.used_,
                                             numbers(task.from, begin), task.sign, static_cast<int>(3 * (end - begin)),
                                             (*task.to)[begin].data());
  });
}

// The new pair, its own products, and those of the older pairs' s with its y.
template <typename T>
void Lbfgs::write_pair(const RunContext& run, const std::vector<RVec3>& x, const std::vector<RVec3>& gradient,
                       const std::vector<RVec3>& next, const std::vector<RVec3>& next_gradient) {
  struct {
    Lbfgs& own;
    T *s, *y;
    const std::vector<RVec3>&x, &gradient, &next, &next_gradient;
  } task{*this,
         std::get<Pairs<T>>(pairs_)[next_][kS].data(),
         std::get<Pairs<T>>(pairs_)[next_][kY].data(),
         x,
         gradient,
         next,
         next_gradient};
  run.parallel_for(particle_count_, kGrain, [&task](int64_t begin, int64_t end) {
    Lbfgs& own = task.own;
    const pairs::Loops<T>& loops = pairs::best_kernels().loops<T>();
    const int n = static_cast<int>(3 * (end - begin));
    double out[kMostHistory];
    T* const y = task.y + 3 * begin;
    loops.differences(numbers(task.x, begin), numbers(task.next, begin), numbers(task.gradient, begin),
                      numbers(task.next_gradient, begin), n, task.s + 3 * begin, y, out);
    for (int k = 0; k < 3; ++k) own.partial_(begin / kGrain, own.history_ + k) = out[k];
    loops.own_products(own.pointers<T>(kS, begin).at, own.used_, y, n, out);
    for (int age = 0; age < own.used_; ++age) own.partial_(begin / kGrain, age) = out[age];
  });
}

void Lbfgs::push(const RunContext& run, const std::vector<RVec3>& x, const std::vector<RVec3>& gradient,
                 const std::vector<RVec3>& next, const std::vector<RVec3>& next_gradient) {
  if (history_ == 0) return;
  rough() ? write_pair<float>(run, x, gradient, next, next_gradient)
          : write_pair<double>(run, x, gradient, next, next_gradient);
  const double sy = sum_of(history_);
  if (!(sy > 1e-10 * std::sqrt(sum_of(history_ + 1) * sum_of(history_ + 2)))) return;
  inverse_sy_[next_] = 1 / sy;
  for (int age = 0; age < used_; ++age) sy_(slot(age), next_) = sum_of(age);
  next_ = (next_ + 1) % slot_count();
  used_ = std::min(used_ + 1, history_);
}

// alpha = rho s (r - sum of alpha y of the newer pairs), newest first.
template <typename T>
void Lbfgs::to_initial(const RunContext& run, const std::vector<RVec3>& gradient, std::vector<RVec3>* r) {
  if (used_ > 0) products<T>(run, kS, gradient);
  for (int age = 0; age < used_; ++age) {
    double product = sum_of(age);
    for (int newer = 0; newer < age; ++newer) product -= alpha_[newer] * sy_(slot(age), slot(newer));
    alpha_[age] = inverse_sy_[slot(age)] * product;
    by_age_[age] = -alpha_[age];
  }
  combine<T>(run, kY, gradient, Real(1), r);
}

// by_age = alpha - rho y (r + sum of by_age s of the older pairs), oldest first.
template <typename T>
void Lbfgs::from_initial(const RunContext& run, std::vector<RVec3>* r) {
  if (used_ > 0) products<T>(run, kY, *r);
  for (int age = used_ - 1; age >= 0; --age) {
    double product = sum_of(age);
    for (int older = age + 1; older < used_; ++older) product += by_age_[older] * sy_(slot(older), slot(age));
    by_age_[age] = alpha_[age] - inverse_sy_[slot(age)] * product;
  }
  combine<T>(run, kS, *r, Real(-1), r);
}

template void Lbfgs::to_initial<double>(const RunContext&, const std::vector<RVec3>&, std::vector<RVec3>*);
template void Lbfgs::to_initial<float>(const RunContext&, const std::vector<RVec3>&, std::vector<RVec3>*);
template void Lbfgs::from_initial<double>(const RunContext&, std::vector<RVec3>*);
template void Lbfgs::from_initial<float>(const RunContext&, std::vector<RVec3>*);

}  // namespace tryon::sim
