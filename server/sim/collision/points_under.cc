#include "server/sim/collision/points_under.h"

#include <algorithm>
#include <cmath>

namespace tryon::sim {

namespace {
constexpr Real kStretched = Real(4.0 / 3.0);
constexpr Real kMostCells = 256;     // along an axis
constexpr Real kFacing = Real(0.3);  // cosine of triangle and point's normal: steeper, it stands beside it
}  // namespace

PointsUnder::PointsUnder(std::span<const SharpPoint> points, Real reach) : reach_(reach), pitch_(reach) {
  if (points.empty() || !(reach > 0) || !std::isfinite(reach)) return;
  Eigen::AlignedBox<Real, 3> box;
  for (const SharpPoint& p : points) box.extend(p.at.cast<Real>());
  pitch_ = std::max(reach_, box.sizes().maxCoeff() / kMostCells);
  low_ = box.min() - RVec3::Constant(2 * pitch_);
  size_ = (box.sizes() / pitch_).array().floor().matrix().cast<int>() + Cell::Constant(5);
  near_.assign(static_cast<size_t>(size_.x()) * size_.y() * size_.z() / 64 + 1, 0);
  for (const SharpPoint& p : points) {
    const RVec3 at = p.at.cast<Real>();
    const Cell cell = cell_of(at);
    points_.push_back({index_of(cell), at, p.normal.cast<Real>()});
    mark_round(cell);
  }
  std::stable_sort(points_.begin(), points_.end(), [](const Point& a, const Point& b) { return a.cell < b.cell; });
}

void PointsUnder::mark_round(const Cell& c) {
  for (int k = 0; k < 27; ++k) {
    const auto cell = static_cast<size_t>(index_of(c + Cell(k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1)));
    near_[cell / 64] |= uint64_t{1} << cell % 64;
  }
}

bool PointsUnder::any_round(const Cell& c) const {
  if ((c.array() < 1).any() || (c.array() >= size_.array() - 1).any()) return false;
  const auto cell = static_cast<size_t>(index_of(c));
  return near_[cell / 64] >> cell % 64 & 1;
}

Real PointsUnder::reach_of(const DrapeModel& model) {
  Real longest = 0;
  for (const auto& flat : model.corner_flat) {
    const auto middle = (flat[0] + flat[1] + flat[2]) / 3;
    for (const auto& corner : flat) longest = std::max(longest, static_cast<Real>((corner - middle).norm()));
  }
  return kStretched * longest + static_cast<Real>(kMostLift);
}

// Seen along the point's normal.
Real PointsUnder::height_over(const Point& p, const RVec3& a, const RVec3& b, const RVec3& c) {
  const RVec3 normal = (b - a).cross(c - a);
  const Real facing = normal.dot(p.normal);
  if (!(std::abs(facing) > kFacing * normal.norm())) return kNone;
  const Real height = normal.dot(a - p.at) / facing;
  const RVec3 on = p.at + height * p.normal;
  const Real u = (b - a).cross(on - a).dot(normal), v = (c - b).cross(on - b).dot(normal),
             w = (a - c).cross(on - c).dot(normal);
  return u >= 0 && v >= 0 && w >= 0 ? height : kNone;
}

Real PointsUnder::least_height(const RVec3& a, const RVec3& b, const RVec3& c, Real lowest) const {
  Real least = kNone;
  if (points_.empty()) return least;
  const RVec3 middle = (a + b + c) / 3;
  const Cell cell = cell_of(middle);
  if (!any_round(cell)) return least;
  for (int row = 0; row < 9; ++row) {
    const int centre = index_of(cell + Cell(0, row % 3 - 1, row / 3 - 1));
    auto p = std::lower_bound(points_.begin(), points_.end(), centre - 1,
                              [](const Point& point, int first) { return point.cell < first; });
    for (; p != points_.end() && p->cell <= centre + 1; ++p) {
      if ((p->at - middle).squaredNorm() > reach_ * reach_) continue;
      const Real height = height_over(*p, a, b, c);
      if (height >= lowest) least = std::min(least, height);
    }
  }
  return least;
}

}  // namespace tryon::sim
