// What it is: a frustum in its own frame (x along u, y along v, z along the axis, origin at the bottom's centre) and
// the distance to it there; shared by the one-point functions and the batch. Units: metres.
// How it fails: never; sizes are clamped to kMinSize. Thread rules: pure functions.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "server/shape/solids.h"

namespace tryon {

constexpr double kMinSize = 1e-9;       // metres: smaller heights and radii are clamped to it
constexpr double kFarthestQuery = 1e9;  // metres: a point beyond it, or not a number, is nowhere
constexpr double kOnSurface = 1e-10;    // metres: nearer than this the normal is the surface's own

inline double clamped_size(double size) { return size > kMinSize ? size : kMinSize; }  // NaN becomes kMinSize
inline bool is_somewhere(const Eigen::Vector3d& p) { return p.cwiseAbs().maxCoeff() <= kFarthestQuery && p == p; }
inline SurfacePoint nowhere() { return {std::numeric_limits<double>::infinity(), Eigen::Vector3d::UnitY()}; }

struct LocalFrustum {
  double ex, ey, height;  // the top centre
  double a0, b0, da, db;  // radii at the bottom and their growth to the top
  bool circular() const { return a0 == b0 && da == db; }
  bool upright() const { return ex * ex + ey * ey <= 1e-18; }
  // Sections of nearly one proportion, not too flat, above each other: outside such a solid feet do not compete.
  bool tame() const {
    const double a1 = a0 + da, b1 = b0 + db, least = std::min({a0, b0, a1, b1});
    const double lean = std::sqrt(ex * ex + ey * ey);
    return std::max(a0 * b1, a1 * b0) < 2.2 * std::min(a0 * b1, a1 * b0) &&
           std::max(std::max(a0, a1) / std::min(b0, b1), std::max(b0, b1) / std::min(a0, a1)) < 12.0 &&
           lean < std::max(height, 0.5 * least);
  }
  double level_squared(double t, double x, double y) const {  // 1 on the ellipse at height t
    const double px = (x - ex * t) / (a0 + da * t), py = (y - ey * t) / (b0 + db * t);
    return px * px + py * py;
  }
};
LocalFrustum local_frustum(const Frustum& f);

// What an end disc is: a wall; the door to the next solid of a chain; or buried in another solid, which is a wall for
// the distance (so that it stays continuous) but not for the normal of a point inside, which comes from the flank.
enum class End { kWall, kJoined, kBuried };
struct Ends {
  End bottom = End::kWall, top = End::kWall;
};
inline Ends ends_of(const Frustum& f) {
  return {f.open_bottom ? End::kJoined : End::kWall, f.open_top ? End::kJoined : End::kWall};
}
SurfacePoint distance_between(const Frustum& frustum, Ends ends, const Eigen::Vector3d& point);

}  // namespace tryon
