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
};
StrainField measure_strain(const TriangleMesh& mesh, const std::vector<std::array<Vec2, 3>>& corner_flat);

struct Penetration {
  int vertices = 0;         // deeper than 0.1 mm
  double max_depth_mm = 0;  // 0 if none
};
Penetration measure_penetration(const RunContext& run, const std::vector<Vec3>& points, const ClosestPointIndex& body);
Penetration measure_penetration(const RunContext& run, const std::vector<Vec3>& points, const SolidSet& solids);

// Largest distance between partners, mm.
double max_gap_mm(const std::vector<Vec3>& positions, const std::vector<std::pair<int, int>>& pairs);

// Intersecting triangle pairs (exact orientation predicates, box-culled), the lower index first, in a fixed order: by
// any point where they share no corner, beyond it where they share one; those that share an edge never count.
std::vector<std::pair<int, int>> self_intersections(const TriangleMesh& mesh);
int count_self_intersections(const TriangleMesh& mesh);

}  // namespace tryon
