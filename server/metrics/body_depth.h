// What it is: how deep cloth lies in a body between its vertices too: samples at vertices, edges' middles and
// triangles' centroids, each with its part of the area. Units and frame: SI, the body's; mm and cm3 where a name says
// so. Shapes: samples are all vertices, then all edges as mesh_edges() has them, then all triangles.
// How it fails: it does not; cloth without triangles has depth 0. Thread rules: as RunContext; the same bytes for any
// number of threads.
#pragma once

#include <optional>
#include <vector>

#include "server/base/run_context.h"
#include "server/mesh/closest_point.h"
#include "server/mesh/triangle_mesh.h"
#include "server/shape/solids.h"

namespace tryon {

struct DepthSample {
  Vec3 point = Vec3::Zero();
  double area = 0.0;             // m2 of the cloth as it lies; all together are the cloth's
  std::array<int, 3> near = {};  // vertices that it lies between, some of them twice
};
// Each triangle gives its area by the rule that integrates cubics exactly: 1/20 to a corner, 2/15 to an edge's middle,
// 9/20 to the centroid.
std::vector<DepthSample> depth_samples(const TriangleMesh& cloth);

struct BodyDepth {
  int samples = 0;
  double deepest_mm = 0;           // of all samples; 0: none lies inside
  double mean_mm = 0;              // over the area of what lies inside
  double share = 0;                // of the cloth's area, deeper than kDepthToleranceMm
  double volume_cm3 = 0;           // sum of depth times area
  std::optional<int> inside_both;  // samples deeper than kDepthToleranceMm in body and solids; none without solids
};
// `at_vertices` [vertex_count] m: what the body answers there. Elsewhere it is asked only where that leaves room for
// doubt: no point is nearer to a surface than a vertex is, less the way between them.
BodyDepth measure_body_depth(const RunContext& run, const TriangleMesh& cloth, const std::vector<double>& at_vertices,
                             const ClosestPointIndex& body, const SolidSet& solids);

}  // namespace tryon
