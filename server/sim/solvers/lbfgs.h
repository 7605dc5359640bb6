// What it is: limited-memory BFGS with a caller's matrix as initial inverse Hessian (Liu 2017): the two loops over its
// pairs, done with the pairs' products known beforehand, so that all pairs are read four times an iteration in loops
// that threads share. Units: s in m, y in N. Shapes: vectors [particle_count] of 3. Pairs are kept whole, or rounded to
// float, which a third less time reads: for minimising alone, for what falls freely would stray by it.
// No allocation after the constructor. How it fails: pairs without positive curvature are dropped (the energy is not
// convex). History 0 is A^-1 alone. Thread rules: one object, one thread; sums by chunks, the same for any number of
// threads. Cites: Nocedal and Wright 2006, alg. 7.4; Liu 2017; Chen 2014 (the loops by products).
#pragma once

#include <array>
#include <variant>
#include <vector>

#include "Eigen/Core"
#include "server/base/run_context.h"
#include "server/sim/real.h"

namespace tryon::sim {

// By chunks, as below.
double dot(const RunContext& run, const std::vector<RVec3>& a, const std::vector<RVec3>& b);
double largest_norm(const RunContext& run, const std::vector<RVec3>& of);

class Lbfgs {
 public:
  static constexpr int kMostHistory = 20;

  enum class Kept { kWhole, kRough };

  Lbfgs(int history, int particle_count, Kept kept = Kept::kWhole);
  void clear() { used_ = 0; }
  int pairs() const { return used_; }
  // The pair of a step from x, with its gradient, to `next`.
  void push(const RunContext& run, const std::vector<RVec3>& x, const std::vector<RVec3>& gradient,
            const std::vector<RVec3>& next, const std::vector<RVec3>& next_gradient);
  // The way down: -H gradient; `solve(r)` applies the initial inverse Hessian in place.
  template <typename Solve>
  void find_way(const RunContext& run, const std::vector<RVec3>& gradient, std::vector<RVec3>* way, Solve solve) {
    rough() ? to_initial<float>(run, gradient, way) : to_initial<double>(run, gradient, way);
    solve(way);
    rough() ? from_initial<float>(run, way) : from_initial<double>(run, way);
  }

 private:
  bool rough() const { return std::holds_alternative<Pairs<float>>(pairs_); }
  enum Member { kS, kY };
  template <typename T>
  using Pairs = std::vector<std::array<std::vector<T>, 2>>;  // [history + 1], by Member: [3 particle_count]
  template <typename T>
  struct Pointers {  // the pairs' s or y from a particle on, by age
    const T* at[kMostHistory];
  };
  int slot(int age) const { return (next_ - 1 - age + 2 * slot_count()) % slot_count(); }
  int slot_count() const { return history_ + 1; }
  template <typename T>
  Pointers<T> pointers(Member member, int64_t particle) const;
  template <typename T>
  void products(const RunContext& run, Member member, const std::vector<RVec3>& with);
  template <typename T>
  void combine(const RunContext& run, Member member, const std::vector<RVec3>& from, Real sign,
               std::vector<RVec3>* to) const;
  template <typename T>
  void write_pair(const RunContext& run, const std::vector<RVec3>& x, const std::vector<RVec3>& gradient,
                  const std::vector<RVec3>& next, const std::vector<RVec3>& next_gradient);
  double sum_of(int column) const;
  template <typename T>
  void to_initial(const RunContext& run, const std::vector<RVec3>& gradient, std::vector<RVec3>* r);
  template <typename T>
  void from_initial(const RunContext& run, std::vector<RVec3>* r);

  const int history_, particle_count_;
  int used_ = 0, next_ = 0;  // next_: the slot that the next pair is written to, never one in use
  std::variant<Pairs<double>, Pairs<float>> pairs_;
  std::vector<double> inverse_sy_;      // [slot]
  Eigen::MatrixXd sy_;                  // [slot, slot] s of the older times y of the newer
  Eigen::MatrixXd partial_;             // [chunk, history + 3] sums
  std::vector<double> by_age_, alpha_;  // [history] products or factors; of the first loop
};

}  // namespace tryon::sim
