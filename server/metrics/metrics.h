// What it is: what a drape is worth, as pure functions of meshes: strain, penetration, seam gaps, ease, hang.
// Units: SI in fields, mm where a name says so. Strain is a ratio, 0 = rest. Shapes: [triangle_count] or
// [vertex_count]. How it fails: empty input gives empty or zero-count results. Thread rules: pure functions.
#pragma once

#include <array>
#include <vector>

#include "server/base/run_context.h"
#include "server/mesh/closest_point.h"
#include "server/mesh/triangle_mesh.h"
#include "server/shape/solids.h"

namespace tryon {

struct Percentiles {
  double p50 = 0, p95 = 0, p99 = 0, max = 0;
};
Percentiles percentiles(std::vector<double> values);  // of absolute values

struct StrainField {
  std::vector<double> warp, weft, shear;  // [triangle_count]: stretch - 1 along +y and +x of the rest
                                          // shape; shear: cosine of the angle between the two directions
  std::vector<double> first, second;      // [triangle_count]: principal stretches - 1, first >= second
  std::vector<double> area_ratio;         // [triangle_count]: area as it lies over the rest area; 1 where that is none
};
StrainField measure_strain(const TriangleMesh& mesh, const std::vector<std::array<Vec2, 3>>& corner_flat);

inline constexpr double kDepthToleranceMm = 0.1;  // of depth: shallower is numerical, not a fault of the drape

struct Penetration {
  int vertices = 0;         // deeper than that
  double max_depth_mm = 0;  // 0 if none
};
Penetration measure_penetration(const RunContext& run, const std::vector<Vec3>& points, const ClosestPointIndex& body);
// What each point is nearest to: [point_count]
std::vector<ClosestPoint> nearest_points(const RunContext& run, const std::vector<Vec3>& points,
                                         const ClosestPointIndex& body);
// The two halves of a penetration, for who needs the distances too: [point_count] m, positive outside.
std::vector<double> signed_distances(const RunContext& run, const std::vector<Vec3>& points,
                                     const ClosestPointIndex& body);
Penetration penetration_of(const std::vector<double>& signed_distance);
Penetration measure_penetration(const RunContext& run, const std::vector<Vec3>& points, const SolidSet& solids);

// Distances between partners, mm; 0 without any.
struct SeamGap {
  double max_mm = 0, mean_mm = 0;
};
SeamGap seam_gap(const std::vector<Vec3>& positions, const std::vector<std::pair<int, int>>& pairs);

// The largest pull across any line in the cloth, N/m: the larger principal value of all tensions [triangle_count], each
// symmetric and in the plane of its triangle (as sim::ClothForces). 0 where nothing pulls, or there are none.
double largest_line_tension(const std::vector<Eigen::Matrix3d>& tension);

// Intersecting triangle pairs (exact orientation predicates, box-culled), the lower index first, in a fixed order: by
// any point where they share no corner, beyond it where they share one; those that share an edge never count.
std::vector<std::pair<int, int>> self_intersections(const TriangleMesh& mesh, const RunContext& run = {});
int count_self_intersections(const TriangleMesh& mesh, const RunContext& run = {});

}  // namespace tryon
