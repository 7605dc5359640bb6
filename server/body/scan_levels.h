// What it is: a scan cut into thin horizontal bands of points, each band into patches that hang together: what plane
// cuts are to a whole mesh, for points, torn meshes and scans of one side.
// Units and frame: the scan's own; `up` is any unit direction, offsets are measured along it.
// Shapes: patches by falling area of their convex hulls. How it fails: an empty band gives no patches.
// Thread rules: pure functions; keeps a reference to the points.
#pragma once

#include <utility>
#include <vector>

#include "server/mesh/triangle_mesh.h"

namespace tryon {

struct LevelPatch {
  Vec3 centroid = Vec3::Zero();                  // of its hull
  double area = 0.0;                             // of its hull
  Vec2 low = Vec2::Zero(), high = Vec2::Zero();  // of the points along PointLevels::side() and ahead()
  std::vector<int> points;                       // indices
};

class PointLevels {
 public:
  PointLevels(const std::vector<Vec3>& points, const Vec3& up);
  double low() const { return low_; }
  double high() const { return high_; }
  double height() const { return high_ - low_; }
  const Vec3& side() const { return side_; }
  const Vec3& ahead() const { return ahead_; }
  std::vector<LevelPatch> at(double offset) const;         // a band of 2 % of the height
  std::vector<int> between(double from, double to) const;  // points with from <= offset < to, lowest first

 private:
  const std::vector<Vec3>& points_;
  Vec3 up_, side_, ahead_;
  size_t slab_of(double height) const;
  double low_ = 0, high_ = 0;
  std::vector<size_t> slab_begin_;               // of slabs of equal height: [slab_count + 1]
  std::vector<std::pair<double, int>> by_slab_;  // height and point; within a slab as they came
};

// How much a direction looks like up: two legs below, one head above.
struct Stance {
  Vec3 up = Vec3::UnitY();
  int leg_levels = 0, head_levels = 0;
  Vec3 across = Vec3::Zero();                        // from one leg to the other, unnormalised mean
  Vec3 ankles = Vec3::Zero(), crown = Vec3::Zero();  // middles of the lowest level with legs and the highest with head
  int score() const { return leg_levels + head_levels; }
  bool legs() const { return leg_levels >= 3; }
  bool stands() const { return legs() && head_levels >= 2; }
};
Stance judge_stance(const PointLevels& levels, const Vec3& up);

// The largest area of the convex hull of a patch between two shares of the height.
double widest_area(const PointLevels& levels, double from_ratio, double to_ratio);

}  // namespace tryon
