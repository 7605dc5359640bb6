#include "server/sim/collision/element_distance.h"

#include <algorithm>

namespace tryon::sim {

namespace {
constexpr Real kTiny = Real(1e-30);
Real ratio(Real numerator, Real denominator) { return denominator > kTiny ? numerator / denominator : Real(0); }
}  // namespace

std::array<Real, 3> nearest_on_triangle(const RVec3& p, const RVec3& a, const RVec3& b, const RVec3& c) {
  const RVec3 ab = b - a, ac = c - a, ap = p - a;
  const Real d1 = ab.dot(ap), d2 = ac.dot(ap);
  if (d1 <= 0 && d2 <= 0) return {1, 0, 0};
  const RVec3 bp = p - b;
  const Real d3 = ab.dot(bp), d4 = ac.dot(bp);
  if (d3 >= 0 && d4 <= d3) return {0, 1, 0};
  const RVec3 cp = p - c;
  const Real d5 = ab.dot(cp), d6 = ac.dot(cp);
  if (d6 >= 0 && d5 <= d6) return {0, 0, 1};
  const Real vc = d1 * d4 - d3 * d2;
  if (vc <= 0 && d1 >= 0 && d3 <= 0) {
    const Real t = ratio(d1, d1 - d3);
    return {1 - t, t, 0};
  }
  const Real vb = d5 * d2 - d1 * d6;
  if (vb <= 0 && d2 >= 0 && d6 <= 0) {
    const Real t = ratio(d2, d2 - d6);
    return {1 - t, 0, t};
  }
  const Real va = d3 * d6 - d5 * d4;
  if (va <= 0 && d4 >= d3 && d5 >= d6) {
    const Real t = ratio(d4 - d3, (d4 - d3) + (d5 - d6));
    return {0, 1 - t, t};
  }
  const Real v = ratio(vb, va + vb + vc), w = ratio(vc, va + vb + vc);
  return {1 - v - w, v, w};
}

std::array<Real, 2> nearest_on_segments(const RVec3& a, const RVec3& b, const RVec3& c, const RVec3& d) {
  const RVec3 u = b - a, v = d - c, r = a - c;
  const Real uu = u.squaredNorm(), vv = v.squaredNorm(), vr = v.dot(r);
  if (uu <= kTiny) return {0, std::clamp(ratio(vr, vv), Real(0), Real(1))};
  const Real ur = u.dot(r);
  if (vv <= kTiny) return {std::clamp(-ur / uu, Real(0), Real(1)), 0};
  const Real uv = u.dot(v), determinant = uu * vv - uv * uv;
  Real s = determinant > Real(1e-12) * uu * vv ? std::clamp((uv * vr - ur * vv) / determinant, Real(0), Real(1)) : 0;
  Real t = (uv * s + vr) / vv;
  if (t < 0) {
    t = 0;
    s = std::clamp(-ur / uu, Real(0), Real(1));
  } else if (t > 1) {
    t = 1;
    s = std::clamp((uv - ur) / uu, Real(0), Real(1));
  }
  return {s, t};
}

}  // namespace tryon::sim
