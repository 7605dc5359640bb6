#include "server/sim/constraints/bend.h"

#include <cmath>

namespace tryon::sim::bend {

namespace {
double cotangent(const Vec2& u, const Vec2& v) { return u.dot(v) / std::abs(u.x() * v.y() - u.y() * v.x()); }
}  // namespace

// cot1 x0 + cot0 x1 - (cot0 + cot1) x2 = (|e|/height)(foot - x2): the unit conormal times the edge length.
std::array<double, 3> side_weights(const Vec2& end0, const Vec2& end1, const Vec2& opposite) {
  const double cot0 = cotangent(end1 - end0, opposite - end0);
  const double cot1 = cotangent(end0 - end1, opposite - end1);
  return {cot1, cot0, -(cot0 + cot1)};
}

}  // namespace tryon::sim::bend
