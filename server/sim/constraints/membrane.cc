#include "server/sim/constraints/membrane.h"

#include <algorithm>
#include <cmath>

namespace tryon::sim::membrane {

namespace {

struct Strain {
  Real xx, yy, twice_xy;
};
Strain strain_of(const RVec3& fx, const RVec3& fy) {
  return {(fx.squaredNorm() - 1) / 2, (fy.squaredNorm() - 1) / 2, fx.dot(fy)};
}
Real beyond(const Stiffness& k, Real strain) { return k.limit > 0 ? std::max(Real(0), strain - k.limit) : Real(0); }

// Second Piola-Kirchhoff stress, dW/dE.
struct Stress {
  Real xx, yy, xy;
};
Stress stress_of(const Stiffness& k, const Strain& e) {
  const Real x = beyond(k, e.xx), y = beyond(k, e.yy);
  return {k.weft * e.xx + k.cross * e.yy + kLimitGain * k.weft * x * x,
          k.warp * e.yy + k.cross * e.xx + kLimitGain * k.warp * y * y, k.shear * e.twice_xy};
}

}  // namespace

Stiffness from_fabric(double stretch_warp, double stretch_weft, double shear, double poisson, double strain_limit) {
  const double share = 1 / (1 - poisson * poisson);
  const double limit = strain_limit > 0 ? strain_limit + 0.5 * strain_limit * strain_limit : 0.0;
  return {static_cast<Real>(share * stretch_weft), static_cast<Real>(share * stretch_warp),
          static_cast<Real>(share * poisson * std::sqrt(stretch_warp * stretch_weft)), static_cast<Real>(shear),
          static_cast<Real>(limit)};
}

Stiffness scaled(const Stiffness& k, Real area) {
  return {k.weft * area, k.warp * area, k.cross * area, k.shear * area, k.limit};
}

Real value(const Stiffness& k, const RVec3& fx, const RVec3& fy) {
  const Strain e = strain_of(fx, fy);
  const Real x = beyond(k, e.xx), y = beyond(k, e.yy);
  return (k.weft * e.xx * e.xx + k.warp * e.yy * e.yy + k.shear * e.twice_xy * e.twice_xy) / 2 + k.cross * e.xx * e.yy +
         kLimitGain / 3 * (k.weft * x * x * x + k.warp * y * y * y);
}

Vector6 gradient(const Stiffness& k, const RVec3& fx, const RVec3& fy) {
  const Stress s = stress_of(k, strain_of(fx, fy));
  Vector6 out;
  out.head<3>() = s.xx * fx + s.xy * fy;
  out.tail<3>() = s.yy * fy + s.xy * fx;
  return out;
}

Matrix6 hessian(const Stiffness& k, const RVec3& fx, const RVec3& fy) {
  const Strain e = strain_of(fx, fy);
  const Stress s = stress_of(k, e);
  const Real weft = k.weft * (1 + 2 * kLimitGain * beyond(k, e.xx));
  const Real warp = k.warp * (1 + 2 * kLimitGain * beyond(k, e.yy));
  const Eigen::Matrix<Real, 3, 3> one = Eigen::Matrix<Real, 3, 3>::Identity();
  Matrix6 out;
  out.topLeftCorner<3, 3>() = weft * fx * fx.transpose() + k.shear * fy * fy.transpose() + s.xx * one;
  out.bottomRightCorner<3, 3>() = warp * fy * fy.transpose() + k.shear * fx * fx.transpose() + s.yy * one;
  out.topRightCorner<3, 3>() = k.cross * fx * fy.transpose() + k.shear * fy * fx.transpose() + s.xy * one;
  out.bottomLeftCorner<3, 3>() = out.topRightCorner<3, 3>().transpose();
  return out;
}

}  // namespace tryon::sim::membrane
