// What it is: dry friction of one contact as a Huber energy of the tangential offset u from the point where it stuck:
// a spring of stiffness k up to the Coulomb limit mu N, a constant force beyond. Holding costs no creep, since the
// anchor moves only when the limit is passed; N and mu stand still within a minimisation (lagged).
// Units: N, N/m, m, J. Shapes: one contact a call. How it fails: never; limit 0 gives no force.
// Thread rules: pure functions. Cites: Ji 2004 section 1.2 (static and kinetic coefficients); Li 2018 (lagging).
#pragma once

#include "server/sim/real.h"

namespace tryon::sim::friction {

inline Real value(Real k, Real limit, const RVec3& u) {
  const Real length = u.norm();
  if (k * length <= limit) return Real(0.5) * k * length * length;
  return limit * (length - limit / (2 * k));
}
inline RVec3 gradient(Real k, Real limit, const RVec3& u) {
  const Real length = u.norm();
  if (k * length <= limit) return k * u;
  return (limit / length) * u;
}
inline Eigen::Matrix<Real, 3, 3> hessian(Real k, Real limit, const RVec3& u) {
  const Real length = u.norm();
  const auto identity = Eigen::Matrix<Real, 3, 3>::Identity();
  if (k * length <= limit) return k * identity;
  return (limit / length) * (identity - u * u.transpose() / (length * length));
}
// Where the anchor's offset ends after the step: within limit / k of the contact.
inline RVec3 kept_offset(Real k, Real limit, const RVec3& u) { return gradient(k, limit, u) / k; }

}  // namespace tryon::sim::friction
