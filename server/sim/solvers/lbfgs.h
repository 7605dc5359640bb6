// What it is: the two loops of limited-memory BFGS with a caller's matrix as initial inverse Hessian (Liu 2017).
// Units: s in m, y in N. Shapes: vectors [particle_count] of 3. No allocation after the constructor.
// How it fails: pairs without positive curvature are dropped (the energy is not convex). History 0 is A^-1 alone.
// Thread rules: one object, one thread; sums run in index order. Cites: Nocedal and Wright 2006, alg. 7.4; Liu 2017.
#pragma once

#include <vector>

#include "server/sim/real.h"

namespace tryon::sim {

double dot(const std::vector<RVec3>& a, const std::vector<RVec3>& b);

class Lbfgs {
 public:
  Lbfgs(int history, int particle_count);
  void clear() { used_ = 0; }
  int pairs() const { return used_; }
  // One pair: s = x_new - x_old, y = gradient_new - gradient_old; both are copied.
  void push(const std::vector<RVec3>& s, const std::vector<RVec3>& y);
  // r <- H r; `solve(r)` applies the initial inverse Hessian in place.
  template <typename Solve>
  void apply(std::vector<RVec3>* r, Solve solve) {
    to_initial(r);
    solve(r);
    from_initial(r);
  }

 private:
  struct Pair {
    std::vector<RVec3> s, y;
    double inverse_sy = 0, alpha = 0;
  };
  Pair& newest(int age) { return pairs_[(next_ - 1 - age + 2 * history_) % history_]; }
  void to_initial(std::vector<RVec3>* r);
  void from_initial(std::vector<RVec3>* r);

  int history_, used_ = 0, next_ = 0;
  std::vector<Pair> pairs_;
};

}  // namespace tryon::sim
