#include "server/io/cloud_reconstruct.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "server/base/status.h"
#include "server/base/text.h"
#include "server/io/cloud_grid.h"
#include "server/io/cloud_sheets.h"
#include "server/io/cloud_surfel.h"

namespace tryon {
namespace {

constexpr double kReach = 2.5;                      // neighbourhood, in details
constexpr int kPasses = 3;                          // of the projection
constexpr int kFewestSurfels = 200;                 // less is no surface
constexpr int kDeepest = 10;                        // of the octree
constexpr double kSmallestPiece = 0.02;             // of the largest piece's area
constexpr double kScales[] = {1.1, 1.3, 1.7, 1.2};  // tried in turn until the surface is closed

absl::Status failed(std::string_view what, std::string_view remedy) {
  return invalid_input("RECONSTRUCTION_FAILED", "cloud", cat("no surface could be made of the points: ", what), remedy);
}

// Depth at which a cell of the octree is no longer than the detail.
int octree_depth(const std::vector<Vec3>& points, double detail, double scale) {
  Box3 box;
  for (const Vec3& p : points) box.extend(p);
  const double cells = box.sizes().maxCoeff() * scale / detail;
  return std::clamp(static_cast<int>(std::ceil(std::log2(std::max(cells, 1.0)) - 0.1)), 4, kDeepest);
}

TriangleMesh pick_triangles(const TriangleMesh& mesh, const std::vector<char>& keep) {
  TriangleMesh out;
  std::vector<int> into(mesh.positions.size(), -1);
  for (int t = 0; t < mesh.triangle_count(); ++t) {
    if (!keep[t]) continue;
    Triangle corners = mesh.triangles[t];
    for (int k = 0; k < 3; ++k) {
      int& to = into[corners[k]];
      if (to < 0) {
        to = out.vertex_count();
        out.positions.push_back(mesh.positions[corners[k]]);
      }
      corners[k] = to;
    }
    out.triangles.push_back(corners);
  }
  return out;
}

// Pieces that are large and outward; bubbles inside and crumbs go.
TriangleMesh keep_large_pieces(const TriangleMesh& mesh, int* dropped) {
  const auto [piece, count] = connected_components(mesh);
  std::vector<double> area(static_cast<size_t>(count), 0.0), volume(static_cast<size_t>(count), 0.0);
  for (int t = 0; t < mesh.triangle_count(); ++t) {
    const Vec3 twice = triangle_normal(mesh, t);
    area[piece[t]] += 0.5 * twice.norm();
    volume[piece[t]] += mesh.positions[mesh.triangles[t][0]].dot(twice) / 6.0;
  }
  const double largest = count > 0 ? *std::max_element(area.begin(), area.end()) : 0.0;
  std::vector<char> keep;
  for (int t = 0; t < mesh.triangle_count(); ++t) {
    keep.push_back(area[piece[t]] >= kSmallestPiece * largest && volume[piece[t]] > 0.0);
  }
  for (int c = 0; c < count; ++c) *dropped += !(area[c] >= kSmallestPiece * largest && volume[c] > 0.0);
  return pick_triangles(mesh, keep);
}

void tell(int64_t count, std::string_view what, std::vector<std::string>* healed) {
  if (count > 0) healed->push_back(cat(what, " ", count, " points"));
}

// Tries until the surface is closed and in one sense outward.
absl::StatusOr<TriangleMesh> close_surface(const Surfels& surfels, double detail, const PoissonSolver& solve,
                                           std::vector<std::string>* healed) {
  for (double scale : kScales) {
    int dropped = 0;
    const int depth = octree_depth(surfels.positions, detail, scale);
    TriangleMesh mesh = solve(surfels.positions, surfels.normals, depth, scale);
    if (!separate_sheets(&mesh)) continue;  // the surface runs out of the cube
    mesh = keep_large_pieces(mesh, &dropped);
    if (mesh.triangles.empty()) continue;
    if (dropped > 0) healed->push_back(cat("dropped ", dropped, " small pieces of the surface"));
    return mesh;
  }
  return failed("it does not close", "Scan the person from all sides.");
}

Surfels sample_surface(const PointCloud& cloud, const ReconstructSettings& settings, std::vector<std::string>* healed) {
  const double spacing = 0.5 * settings.detail, reach = kReach * settings.detail;
  Surfels surfels = thin_cloud(cloud, spacing);
  if (surfels.size() < cloud.point_count()) {
    healed->push_back(cat("thinned ", cloud.point_count(), " points to ", surfels.size()));
  }
  if (settings.clean) tell(drop_outliers(reach, &surfels), "dropped as strays", healed);
  estimate_normals(reach, &surfels);
  orient_surfels(2.0 * spacing, settings.keep_normals, &surfels, healed);
  int64_t flying = 0;
  for (int pass = 0; pass < kPasses; ++pass) {
    flying += project_surfels(reach, &surfels);
    surfels = merge_surfels(surfels, spacing);
  }
  tell(flying, "dropped as flying", healed);
  return surfels;
}

}  // namespace

absl::StatusOr<Reconstruction> reconstruct_cloud(const PointCloud& cloud, const ReconstructSettings& settings,
                                                 const PoissonSolver& solve) {
  Reconstruction out;
  const Surfels surfels = sample_surface(cloud, settings, &out.healed);
  if (surfels.size() < kFewestSurfels) {
    return failed(cat(surfels.size(), " samples are left of ", cloud.point_count(), " points"),
                  "Scan again, with points no farther apart than a centimetre.");
  }
  ASSIGN_OR_RETURN(out.mesh, close_surface(surfels, settings.detail, solve, &out.healed));
  const CloudGrid measured(surfels.positions, settings.detail);
  Box3 box = bounds(out.mesh);
  for (const Vec3& p : surfels.positions) box.extend(p);
  const double farthest = box.sizes().norm();
  for (const Vec3& p : out.mesh.positions) out.support.push_back(measured.nearest(p, farthest));
  return out;
}

}  // namespace tryon
