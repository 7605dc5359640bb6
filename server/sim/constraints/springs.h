// What it is: one spring, E = 1/2 k (|e| - rest)^2 of its vector e = sum of weighted particles (p1 - p2 for an edge).
// Units: N/m, m, J. Shapes: one spring a call. The local step of Wan 2020 (after its eq. 10) is direction() * rest.
// How it fails: never; a vanished spring has direction zero, and its Hessian is the isotropic k I.
// Thread rules: pure functions. Cites: Wan 2020 eqs. 9-13.
#pragma once

#include <algorithm>

#include "Eigen/Core"
#include "server/sim/real.h"

namespace tryon::sim::spring {

using Matrix3 = Eigen::Matrix<Real, 3, 3>;
inline constexpr Real kTinyLength = static_cast<Real>(1e-12);

inline RVec3 direction(const RVec3& e) {
  const Real length = e.norm();
  if (length <= kTinyLength) return RVec3::Zero();
  return e / length;
}
inline Real value(Real k, Real rest, const RVec3& e) {
  const Real stretch = e.norm() - rest;
  return Real(0.5) * k * stretch * stretch;
}
// k (e - d), where d = rest * direction is the answer of the local step.
inline RVec3 gradient(Real k, Real rest, const RVec3& e) { return k * (e - rest * direction(e)); }
inline Matrix3 hessian(Real k, Real rest, const RVec3& e) {
  const Real length = e.norm();
  if (length <= kTinyLength) return k * Matrix3::Identity();
  const RVec3 u = e / length;
  return k * (Matrix3::Identity() - (rest / length) * (Matrix3::Identity() - u * u.transpose()));
}

// Slack at or below the rest length.
inline bool is_slack(Real rest, const RVec3& e) { return e.squaredNorm() <= rest * rest; }

}  // namespace tryon::sim::spring
