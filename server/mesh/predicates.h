// What it is: exact signs for points in the plane, and the outline test built on them.
// Units: any; the sign is that of the exact real value for the given doubles, rounding never decides: plain arithmetic
// answers where its error bound allows (Shewchuk 1997, bounds A), exact arithmetic (CGAL's kernel) where it does not.
// How it fails: coordinates must be finite (validate first). Thread rules: pure functions.
#pragma once

#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "server/mesh/triangle_mesh.h"

namespace tryon {

int orientation_exact(const Vec2& a, const Vec2& b, const Vec2& c);
int in_circle_exact(const Vec2& a, const Vec2& b, const Vec2& c, const Vec2& d);

// +1 left turn, 0 on one line, -1 right turn.
inline int orientation(const Vec2& a, const Vec2& b, const Vec2& c) {
  constexpr double kBound = 3.3306690738754716e-16, kUnderflow = 1e-290;
  const double left = (a.x() - c.x()) * (b.y() - c.y()), right = (a.y() - c.y()) * (b.x() - c.x());
  const double value = left - right, error = kBound * (std::abs(left) + std::abs(right)) + kUnderflow;
  if (value > error) return 1;
  if (value < -error) return -1;
  return orientation_exact(a, b, c);
}

// +1 where d lies inside the circle through a, b, c (counter-clockwise), 0 on it, -1 outside.
inline int in_circle(const Vec2& a, const Vec2& b, const Vec2& c, const Vec2& d) {
  constexpr double kBound = 1.1102230246251577e-15, kUnderflow = 1e-290;
  const double ax = a.x() - d.x(), ay = a.y() - d.y(), bx = b.x() - d.x(), by = b.y() - d.y();
  const double cx = c.x() - d.x(), cy = c.y() - d.y();
  const double bc1 = bx * cy, bc2 = cx * by, ca1 = cx * ay, ca2 = ax * cy, ab1 = ax * by, ab2 = bx * ay;
  const double aa = ax * ax + ay * ay, bb = bx * bx + by * by, cc = cx * cx + cy * cy;
  const double value = aa * (bc1 - bc2) + bb * (ca1 - ca2) + cc * (ab1 - ab2);
  const double size = aa * (std::abs(bc1) + std::abs(bc2)) + bb * (std::abs(ca1) + std::abs(ca2)) +
                      cc * (std::abs(ab1) + std::abs(ab2));
  const double error = kBound * size + kUnderflow;
  if (value > error) return 1;
  if (value < -error) return -1;
  return in_circle_exact(a, b, c, d);
}

double signed_area(const std::vector<Vec2>& loop);  // positive for a counter-clockwise loop

bool segments_meet(const Vec2& a, const Vec2& b, const Vec2& c, const Vec2& d);  // cross, touch or overlap

// The first two sides (i: from point i to the next) of a closed loop that cross, touch or fold onto each other,
// i < j; nothing for a simple loop. A repeated point counts as touching. O(n log n) for outlines of cloth.
std::optional<std::pair<int, int>> find_crossing(const std::vector<Vec2>& loop);

}  // namespace tryon
