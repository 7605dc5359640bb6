// What it is: a closed surface of the points of a scan: strays dropped, noise projected away, normals turned outward,
// screened Poisson, small pieces dropped. Runs inside tryon-meshparse, which brings the Poisson solver.
// Units and frame: the cloud's. Shapes: see Reconstruction; the mesh is edge-manifold, closed and outward.
// How it fails: RECONSTRUCTION_FAILED with what is wrong. Thread rules: pure function; equal input gives equal bytes.
#pragma once

#include <functional>

#include "absl/status/statusor.h"
#include "server/mesh/point_cloud.h"

namespace tryon {

// Oriented samples, the depth of the octree, and the cube's size over that of the samples' bounds -> a surface.
using PoissonSolver = std::function<TriangleMesh(const std::vector<Vec3>& points, const std::vector<Vec3>& normals,
                                                 int depth, double scale)>;

absl::StatusOr<Reconstruction> reconstruct_cloud(const PointCloud& cloud, const ReconstructSettings& settings,
                                                 const PoissonSolver& solve);

}  // namespace tryon
