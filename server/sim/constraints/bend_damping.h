// What it is: the cloth's own damping. Bending it costs more than unbending gives back (KES 2HB: friction between the
// threads); over a step that is the dissipation potential D = 1/(2h) sum c |e(x) - e(x_n)|^2 of the curvature vectors e
// of bend.h, whatever law resists bending. Units: J, N; c in N s/m (DrapeModel::viscous). Shapes: x, gradient
// [particle_count]. How it fails: never. Thread rules: one object, one thread. Cites: Yong 2021 section 3 (Rayleigh
// damping); Bergou 2006 (the curvature vectors).
#pragma once

#include <vector>

#include "Eigen/Sparse"
#include "server/sim/model.h"

namespace tryon::sim {

class BendDamping {
 public:
  BendDamping(const DrapeModel& model, double time_step);
  void begin_step(const std::vector<RVec3>& x);
  // D at x; adds its gradient.
  double add(const std::vector<RVec3>& x, std::vector<RVec3>* gradient) const;
  // Its constant Hessian, the same for each coordinate: [particle_count, particle_count], symmetric, full.
  Eigen::SparseMatrix<double> matrix() const;

 private:
  RVec3 curvature(int hinge, const std::vector<RVec3>& x) const;

  const Hinges& hinges_;
  const int particle_count_;
  const Real inverse_h_;
  std::vector<RVec3> before_;  // [hinge_count]
};

}  // namespace tryon::sim
