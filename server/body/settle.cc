#include "server/body/settle.h"

#include <algorithm>
#include <cmath>

namespace tryon {
namespace {

constexpr int kMostTips = 30;

// Turns `up` about `axis` (unit, horizontal; points on it touch the floor) so that the side `towards` goes down until
// the next point touches; that point's index, or -1 where nothing lies on that side.
int tip(const std::vector<Vec3>& points, const Vec3& foot, const Vec3& axis, const Vec3& towards, Vec3* up) {
  int touched = -1;
  double least = 1e300;
  for (size_t i = 0; i < points.size(); ++i) {
    const Vec3 from = points[i] - foot;
    const double out = from.dot(towards);
    if (out <= 1e-9 * std::abs(from.norm()) + 1e-12) continue;
    const double slope = std::max(from.dot(*up), 0.0) / out;
    if (slope >= least) continue;
    least = slope;
    touched = static_cast<int>(i);
  }
  if (touched < 0) return -1;
  const Vec3 along = (points[touched] - foot) - (points[touched] - foot).dot(axis) * axis;
  Vec3 turned = axis.cross(along).normalized();
  if (turned.dot(*up) < 0) turned = -turned;
  *up = turned;
  return touched;
}

Vec3 level(const Vec3& v, const Vec3& up) { return v - v.dot(up) * up; }

}  // namespace

Vec3 settle(const std::vector<Vec3>& points, const Vec3& start) {
  if (points.size() < 3) return start;
  Vec3 up = start, middle = Vec3::Zero();
  for (const Vec3& p : points) middle += p / static_cast<double>(points.size());
  int a = 0;
  for (size_t i = 0; i < points.size(); ++i) {
    if (points[i].dot(up) < points[a].dot(up)) a = static_cast<int>(i);
  }
  const Vec3 first = level(middle - points[a], up).normalized();
  int b = tip(points, points[a], up.cross(first).normalized(), first, &up);
  for (int k = 0; k < kMostTips && b >= 0; ++k) {
    const Vec3 edge = level(points[b] - points[a], up).normalized();
    Vec3 towards = up.cross(edge);
    if (towards.dot(middle - points[a]) < 0) towards = -towards;
    const int c = tip(points, points[a], edge, towards, &up);
    if (c < 0) break;
    // Over the triangle: at rest. Else the next edge is the one beyond which the middle lies.
    const Vec3 m = level(middle - points[a], up), ab = points[b] - points[a], ac = points[c] - points[a];
    const double side = ab.cross(ac).dot(up) > 0 ? 1.0 : -1.0;
    const bool beyond_ac = side * m.cross(ac).dot(up) < 0;
    const bool beyond_bc = side * (points[c] - points[b]).cross(middle - points[b]).dot(up) < 0;
    if (!beyond_ac && !beyond_bc) break;
    (beyond_ac ? b : a) = c;
  }
  return up;
}

}  // namespace tryon
