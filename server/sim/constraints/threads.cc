#include "server/sim/constraints/threads.h"

#include <algorithm>
#include <cmath>

#include "server/sim/constraints/springs.h"

namespace tryon::sim::thread {

namespace {
const Real kHalfRoot = static_cast<Real>(0.70710678118654752440);
}

Stiffness from_fabric(double stretch_warp, double stretch_weft, double shear) {
  const double ratio = stretch_warp / stretch_weft;
  const double b = (stretch_warp + std::sqrt(stretch_warp * stretch_warp + 4 * shear * shear * ratio)) / (2 * ratio);
  const double a = ratio * b;
  return {static_cast<Real>(std::max(0.0, b - shear)), static_cast<Real>(std::max(0.0, a - shear)),
          static_cast<Real>(2 * shear)};
}

Real value(const Stiffness& k, const RVec3& fx, const RVec3& fy) {
  return spring::value(k.weft, 1, fx) + spring::value(k.warp, 1, fy) + spring::value(k.bias, 1, kHalfRoot * (fx + fy)) +
         spring::value(k.bias, 1, kHalfRoot * (fx - fy));
}

Vector6 gradient(const Stiffness& k, const RVec3& fx, const RVec3& fy) {
  const RVec3 plus = kHalfRoot * spring::gradient(k.bias, 1, kHalfRoot * (fx + fy));
  const RVec3 minus = kHalfRoot * spring::gradient(k.bias, 1, kHalfRoot * (fx - fy));
  Vector6 out;
  out.head<3>() = spring::gradient(k.weft, 1, fx) + plus + minus;
  out.tail<3>() = spring::gradient(k.warp, 1, fy) + plus - minus;
  return out;
}

Matrix6 hessian(const Stiffness& k, const RVec3& fx, const RVec3& fy) {
  const spring::Matrix3 plus = spring::hessian(k.bias, 1, kHalfRoot * (fx + fy)) / 2;
  const spring::Matrix3 minus = spring::hessian(k.bias, 1, kHalfRoot * (fx - fy)) / 2;
  Matrix6 out;
  out.topLeftCorner<3, 3>() = spring::hessian(k.weft, 1, fx) + plus + minus;
  out.bottomRightCorner<3, 3>() = spring::hessian(k.warp, 1, fy) + plus + minus;
  out.topRightCorner<3, 3>() = plus - minus;
  out.bottomLeftCorner<3, 3>() = plus - minus;
  return out;
}

}  // namespace tryon::sim::thread
