// What it is: the four thread springs of a triangle: weft, warp and the two bias directions (weft +- warp)/sqrt(2).
// f_x, f_y are the images of the unit weft and warp vectors (columns of the deformation gradient); rest length is 1.
// Stiffness per width: bias 2G, weft and warp so that a free-edged patch pulled along either has exactly the fabric's
// stiffness: with a = warp + G, b = weft + G, coupling G: a - G^2/b = Y_warp, b - G^2/a = Y_weft. Four springs in a
// plane always couple the axes by C_1122 = C_1212 = G: the Poisson ratio of the model is G/b, small for wovens.
// Past the fabric's strain limit warp and weft stiffen: with s = |f| - 1 the pull is k (s + limit_gain <s - limit>^2).
// Units: N m (stiffness times area). Shapes: one triangle a call. How it fails: never. Thread rules: pure functions.
// Cites: Wan 2020 eqs. 9-13 (a thread is a spring); Ji 2004, 3.2 (why stretch must be limited).
#pragma once

#include "Eigen/Core"
#include "server/sim/constraints/membrane.h"
#include "server/sim/real.h"

namespace tryon::sim::thread {

inline constexpr Real kNoLimit = Real(1e6);  // strain that nothing reaches
struct Stiffness {
  Real weft = 0, warp = 0, bias = 0;
  Real limit_weft = kNoLimit, limit_warp = kNoLimit;  // engineering strain beyond which the thread stiffens
};
using membrane::kLimitGain;
// Per width (N/m) from the fabric's; warp and weft are never below zero (a fabric that shears harder than it stretches
// is then too stiff to stretch; the result is clamped, not refused).
Stiffness from_fabric(double stretch_warp, double stretch_weft, double shear);

using Vector6 = Eigen::Matrix<Real, 6, 1>;
using Matrix6 = Eigen::Matrix<Real, 6, 6>;
Real value(const Stiffness& k, const RVec3& fx, const RVec3& fy);
Vector6 gradient(const Stiffness& k, const RVec3& fx, const RVec3& fy);  // by (f_x, f_y)
Matrix6 hessian(const Stiffness& k, const RVec3& fx, const RVec3& fy);

}  // namespace tryon::sim::thread
