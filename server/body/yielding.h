// What it is: skin that gives way to cloth. Where parts of a body touch or lie in one another (thighs, an arm on the
// trunk) there is no place for the cloth between them, though in life there is: flesh yields. Each side gives way by
// half of what is lacking. Units: metres, the body's frame. Shapes: depth [vertex_count], 0 where nothing is near.
// How it fails: CANCELLED or DEADLINE_EXCEEDED; parts that lie deeper in one another than kDeepest keep lying so.
// Thread rules: pure function.
#pragma once

#include <algorithm>
#include <vector>

#include "absl/status/statusor.h"
#include "server/base/run_context.h"
#include "server/body/body.h"
#include "server/mesh/triangle_mesh.h"

namespace tryon {

inline constexpr double kOppositeNormals = -0.3;  // dot product, below which surfaces face each other

struct YieldingSkin {
  TriangleMesh mesh;          // the body's triangles
  std::vector<double> depth;  // how far each vertex gave way, inward
  double deepest() const { return depth.empty() ? 0.0 : *std::max_element(depth.begin(), depth.end()); }
};

// So that surfaces that face each other are `room` apart at least. `body` closed, outward.
absl::StatusOr<YieldingSkin> give_way(const RunContext& run, const TriangleMesh& body, double room);
// The same of legs that are bounded by solids, which overlap where thighs touch: their ends become narrower on the side
// that faces the other leg. In the order of the proxies.
std::vector<Solid> solids_that_yield(const ProxySet& proxies, double room);

}  // namespace tryon
