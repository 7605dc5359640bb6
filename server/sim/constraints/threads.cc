#include "server/sim/constraints/threads.h"

#include <algorithm>
#include <cmath>

#include "server/sim/constraints/springs.h"

namespace tryon::sim::thread {

namespace {
const Real kHalfRoot = static_cast<Real>(0.70710678118654752440);

Real beyond(Real limit, const RVec3& e) { return std::max(Real(0), e.norm() - 1 - limit); }

// What a thread of rest length 1 has past its limit.
Real limit_value(Real k, Real limit, const RVec3& e) {
  const Real over = beyond(limit, e);
  return kLimitGain / 3 * k * over * over * over;
}
RVec3 limit_gradient(Real k, Real limit, const RVec3& e) {
  const Real over = beyond(limit, e);
  return k * kLimitGain * over * over * spring::direction(e);
}
spring::Matrix3 limit_hessian(Real k, Real limit, const RVec3& e) {
  const Real over = beyond(limit, e);
  if (over <= 0) return spring::Matrix3::Zero();
  const RVec3 u = spring::direction(e);
  const spring::Matrix3 along = u * u.transpose();
  return k * kLimitGain * over * (2 * along + over / e.norm() * (spring::Matrix3::Identity() - along));
}
}  // namespace

Stiffness from_fabric(double stretch_warp, double stretch_weft, double shear) {
  const double ratio = stretch_warp / stretch_weft;
  const double b = (stretch_warp + std::sqrt(stretch_warp * stretch_warp + 4 * shear * shear * ratio)) / (2 * ratio);
  const double a = ratio * b;
  return {static_cast<Real>(std::max(0.0, b - shear)), static_cast<Real>(std::max(0.0, a - shear)),
          static_cast<Real>(2 * shear)};
}

Real value(const Stiffness& k, const RVec3& fx, const RVec3& fy) {
  return spring::value(k.weft, 1, fx) + spring::value(k.warp, 1, fy) + spring::value(k.bias, 1, kHalfRoot * (fx + fy)) +
         spring::value(k.bias, 1, kHalfRoot * (fx - fy)) + limit_value(k.weft, k.limit_weft, fx) +
         limit_value(k.warp, k.limit_warp, fy);
}

Vector6 gradient(const Stiffness& k, const RVec3& fx, const RVec3& fy) {
  const RVec3 plus = kHalfRoot * spring::gradient(k.bias, 1, kHalfRoot * (fx + fy));
  const RVec3 minus = kHalfRoot * spring::gradient(k.bias, 1, kHalfRoot * (fx - fy));
  Vector6 out;
  out.head<3>() = spring::gradient(k.weft, 1, fx) + limit_gradient(k.weft, k.limit_weft, fx) + plus + minus;
  out.tail<3>() = spring::gradient(k.warp, 1, fy) + limit_gradient(k.warp, k.limit_warp, fy) + plus - minus;
  return out;
}

Matrix6 hessian(const Stiffness& k, const RVec3& fx, const RVec3& fy) {
  const spring::Matrix3 plus = spring::hessian(k.bias, 1, kHalfRoot * (fx + fy)) / 2;
  const spring::Matrix3 minus = spring::hessian(k.bias, 1, kHalfRoot * (fx - fy)) / 2;
  Matrix6 out;
  out.topLeftCorner<3, 3>() = spring::hessian(k.weft, 1, fx) + limit_hessian(k.weft, k.limit_weft, fx) + plus + minus;
  out.bottomRightCorner<3, 3>() =
      spring::hessian(k.warp, 1, fy) + limit_hessian(k.warp, k.limit_warp, fy) + plus + minus;
  out.topRightCorner<3, 3>() = plus - minus;
  out.bottomLeftCorner<3, 3>() = plus - minus;
  return out;
}

}  // namespace tryon::sim::thread
