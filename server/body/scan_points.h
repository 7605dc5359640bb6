// What it is: a scan as bare points: samples of a surface, cells of a grid, and groups of cells that touch.
// Units and frame: the scan's own. Shapes: one group index a point; groups are numbered by falling point count.
// How it fails: it does not; points in cells of too few neighbours belong to no group (-1).
// Thread rules: pure functions; equal input gives equal bytes.
#pragma once

#include <utility>
#include <vector>

#include "server/mesh/triangle_mesh.h"

namespace tryon {

// All vertices that triangles use, and points inside the larger triangles no farther apart than `spacing`.
std::vector<Vec3> sample_surface(const TriangleMesh& mesh, double spacing);

// Of every cell of a grid the first point: their indices, rising.
std::vector<int> thin_points(const std::vector<Vec3>& points, double cell);

struct PointGroups {
  std::vector<int> group;  // [point_count] or -1: stray
  std::vector<int> size;   // [group_count] points, falling
};
// Cells with at least `min_points` points in them and their neighbours; cells that touch (26 ways) are one group.
PointGroups group_points(const std::vector<Vec3>& points, double cell, int min_points);

// Which points are near a set of others, by cells of a grid: the grid's 27 cells about a point reach 1 .. 2 cells.
class PointGrid {
 public:
  PointGrid(const std::vector<Vec3>& points, double cell);
  // Indices of points within `radius` <= cell of `p`.
  template <typename Visit>
  void for_near(const Vec3& p, double radius, Visit visit) const {
    const Vec3 at = (p - origin_) / cell_;
    const long long x = cell_of(at.x()), y = cell_of(at.y()), z = cell_of(at.z());
    for (long long i = x - 1; i <= x + 1; ++i) {
      for (long long j = y - 1; j <= y + 1; ++j) {
        for (long long k = z - 1; k <= z + 1; ++k) {
          const auto [from, to] = range_of(i, j, k);
          for (int n = from; n < to; ++n) {
            if ((points_[order_[n]] - p).squaredNorm() <= radius * radius) visit(order_[n]);
          }
        }
      }
    }
  }
  bool any_near(const Vec3& p, double radius) const;
  double nearest(const Vec3& p, double radius) const;  // distance, or `radius` where none is nearer

 private:
  static long long cell_of(double x);
  std::pair<int, int> range_of(long long i, long long j, long long k) const;
  std::vector<Vec3> points_;
  double cell_;
  Vec3 origin_ = Vec3::Zero();
  std::vector<int> order_;                // points by cell
  std::vector<unsigned long long> keys_;  // [cell_count] rising
  std::vector<int> starts_;               // [cell_count + 1] into order_
  std::vector<int> buckets_;              // open addresses into keys_, -1 empty
};

Box3 bounds_of(const std::vector<Vec3>& points);

}  // namespace tryon
