// What it is: the cloth's own damping of shear, beside that of bending (bend_damping.h): threads that turn on each
// other rub (KES 2HG). Over a step the dissipation potential D = 1/(2h) sum c (g(x) - g(x_n))^2, g = f_x . f_y the
// shear of a triangle's weft and warp. Units: J, N; c in N m s (DrapeModel::shear_viscosity). Shapes: x, gradient
// [particle_count]; a triangle's slopes [3]. How it fails: never; nothing where the model has no viscosity. Thread
// rules: one object, one thread. Cites: Yong 2021 section 3 (Rayleigh damping); Baraff and Witkin 1998, 4.3 (shear).
#pragma once

#include <array>
#include <vector>

#include "Eigen/Sparse"
#include "server/sim/model.h"

namespace tryon::sim {

class ShearDamping {
 public:
  ShearDamping(const DrapeModel& model, double time_step);
  bool any() const { return !model_.shear_viscosity.empty(); }
  void begin_step(const std::vector<RVec3>& x);
  // D at x; adds its gradient.
  double add(const std::vector<RVec3>& x, std::vector<RVec3>* gradient) const;
  // dg/dx of a triangle's corners: D's Hessian is c/h of their outer product, what g's own curvature adds left out.
  std::array<RVec3, 3> slopes(int triangle, const std::vector<RVec3>& x) const;
  Real rate_stiffness(int triangle) const { return model_.shear_viscosity[triangle] * inverse_h_; }  // c/h, N m
  // No smaller than that Hessian of cloth that is not stretched, constant and the same for each coordinate:
  // [particle_count, particle_count], symmetric, full.
  Eigen::SparseMatrix<double> matrix() const;

 private:
  struct Frame {
    std::array<Real, 3> cx, cy;  // f_x = sum cx x, f_y = sum cy x over the corners
  };
  Frame frame(int triangle) const;
  Real shear(int triangle, const std::vector<RVec3>& x) const;

  const DrapeModel& model_;
  const Real inverse_h_;
  std::vector<Real> before_;  // [triangle_count]
};

}  // namespace tryon::sim
