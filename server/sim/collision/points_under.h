// What it is: which sharp points of a body (mesh/sharp_points.h) a triangle of cloth lies over, and how near: the
// height is along the point's normal, negative where the point has come through. A grid of pitch `reach` says at once
// that no point is near, and else has them in its rows. Units: m. Shapes: none. How it fails: it does not; triangles
// that go farther from their middle than `reach` may miss a point, and a reach that is no length has none. Thread
// rules: const queries from any thread.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "server/mesh/sharp_points.h"
#include "server/sim/model.h"

namespace tryon::sim {

class PointsUnder {
 public:
  static constexpr Real kNone = std::numeric_limits<Real>::max();

  PointsUnder() = default;
  PointsUnder(std::span<const SharpPoint> points, Real reach);
  // How far cloth of these triangles reaches from the middle of one, stretched by a third.
  static Real reach_of(const DrapeModel& model);

  bool empty() const { return points_.empty(); }
  // The least height over any point, but not below `lowest`; kNone where there is none.
  Real least_height(const RVec3& a, const RVec3& b, const RVec3& c, Real lowest) const;

 private:
  struct Point {
    int cell = 0;
    RVec3 at, normal;
  };
  using Cell = Eigen::Vector3i;
  // Outside the grid, or no number: a corner cell, which is empty.
  Cell cell_of(const RVec3& p) const {
    const RVec3 at = (p - low_) / pitch_;
    const bool inside = (at.array() >= 0).all() && (at.array() < size_.cast<Real>().array()).all();
    return inside ? Cell(at.cast<int>()) : Cell::Zero();
  }
  int index_of(const Cell& c) const { return (c.z() * size_.y() + c.y()) * size_.x() + c.x(); }
  static Real height_over(const Point& p, const RVec3& a, const RVec3& b, const RVec3& c);
  void mark_round(const Cell& c);
  bool any_round(const Cell& c) const;

  Real reach_ = 0, pitch_ = 1;
  RVec3 low_ = RVec3::Zero();  // of the grid, with two empty cells on each side
  Cell size_ = Cell::Zero();
  std::vector<Point> points_;   // by cell, rows along x
  std::vector<uint64_t> near_;  // a bit a cell: there is a point in it or beside it
};

}  // namespace tryon::sim
