// What it is: an orthotropic membrane triangle: the St. Venant-Kirchhoff energy of Green's strain in warp, weft and
// shear, with Poisson coupling, and a stiffening term past the fabric's strain limit.
//   E = 1/2 (F^T F - 1);  W = 1/2 c_weft E_xx^2 + 1/2 c_warp E_yy^2 + c_cross E_xx E_yy + 1/2 G (2 E_xy)^2
//   + 1/3 limit_gain (c_weft <E_xx - limit>^3 + c_warp <E_yy - limit>^3),  <s> = max(s, 0): twice differentiable.
// f_x, f_y are the images of the unit weft and warp vectors. A free-edged patch pulled along warp answers with exactly
// Y_warp for small strains: c_warp = Y_warp / (1 - nu^2), c_cross = nu sqrt(Y_warp Y_weft) / (1 - nu^2).
// Units: N/m times area. Shapes: one triangle a call. How it fails: never. Thread rules: pure functions.
// Cites: Yong 2021, section 2 (continuum triangles); Volino 2009 (strains of cloth triangles).
#pragma once

#include "Eigen/Core"
#include "server/sim/real.h"

namespace tryon::sim::membrane {

struct Stiffness {  // of one triangle: per width, times its rest area
  Real weft = 0, warp = 0, cross = 0, shear = 0;
  Real limit = 0;  // Green strain beyond which the cloth stiffens; 0 = nowhere
};
inline constexpr Real kLimitGain = Real(50);  // 1 / strain: at 2 % beyond the limit the modulus has tripled

// Per width from the fabric's, `poisson` in -0.9 .. 0.9; strain_limit as engineering strain, 0 = none.
Stiffness from_fabric(double stretch_warp, double stretch_weft, double shear, double poisson, double strain_limit);
Stiffness scaled(const Stiffness& k, Real area);

using Vector6 = Eigen::Matrix<Real, 6, 1>;
using Matrix6 = Eigen::Matrix<Real, 6, 6>;
Real value(const Stiffness& k, const RVec3& fx, const RVec3& fy);
Vector6 gradient(const Stiffness& k, const RVec3& fx, const RVec3& fy);  // by (f_x, f_y)
Matrix6 hessian(const Stiffness& k, const RVec3& fx, const RVec3& fy);

}  // namespace tryon::sim::membrane
