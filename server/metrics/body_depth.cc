#include "server/metrics/body_depth.h"

#include <algorithm>
#include <limits>

#include "server/metrics/metrics.h"

namespace tryon {
namespace {

constexpr double kCorner = 1.0 / 20, kMiddle = 2.0 / 15, kCentroid = 9.0 / 20;
constexpr double kFar = 0.05;  // m, how far the solids are asked
constexpr int64_t kGrain = 256;

// What the distances at its vertices leave open of a sample's own: at least, and how far off the surface is at most.
struct Bounds {
  double least = -std::numeric_limits<double>::infinity(), reach = std::numeric_limits<double>::infinity();
};

Bounds bounds_at(const DepthSample& sample, const TriangleMesh& cloth, const std::vector<double>& at_vertices) {
  Bounds out;
  for (const int v : sample.near) {
    const double way = (sample.point - cloth.positions[v]).norm();
    out.least = std::max(out.least, at_vertices[v] - way);
    out.reach = std::min(out.reach, std::abs(at_vertices[v]) + way);
  }
  return out;
}

// [sample_count] m, 0 outside. The first samples are the vertices.
std::vector<double> depths(const RunContext& run, const TriangleMesh& cloth, const std::vector<DepthSample>& samples,
                           const std::vector<double>& at_vertices, const ClosestPointIndex& body) {
  std::vector<double> depth(samples.size(), 0.0);
  for (size_t v = 0; v < at_vertices.size(); ++v) depth[v] = std::max(0.0, -at_vertices[v]);
  const size_t first = at_vertices.size();
  run.parallel_for(static_cast<int64_t>(samples.size() - first), kGrain, [&](int64_t begin, int64_t end) {
    for (size_t i = first + static_cast<size_t>(begin); i < first + static_cast<size_t>(end); ++i) {
      const Bounds bounds = bounds_at(samples[i], cloth, at_vertices);
      if (bounds.least >= 0.0) continue;
      const ClosestPoint near = body.query(samples[i].point, 1.001 * bounds.reach + 1e-6);
      if (near.triangle >= 0) depth[i] = std::max(0.0, -near.signed_distance);
    }
  });
  return depth;
}

}  // namespace

std::vector<DepthSample> depth_samples(const TriangleMesh& cloth) {
  const std::vector<EdgeUse> edges = mesh_edges(cloth);
  std::vector<DepthSample> out(cloth.positions.size());
  out.reserve(cloth.positions.size() + edges.size() + cloth.triangles.size());
  for (int v = 0; v < cloth.vertex_count(); ++v) out[v] = {cloth.positions[v], 0.0, {v, v, v}};
  std::vector<double> area;
  for (int t = 0; t < cloth.triangle_count(); ++t) {
    area.push_back(0.5 * triangle_normal(cloth, t).norm());
    for (const int corner : cloth.triangles[t]) out[corner].area += kCorner * area.back();
  }
  for (const EdgeUse& e : edges) {
    const double beside = area[e.left] + (e.right >= 0 ? area[e.right] : 0.0);
    out.push_back({0.5 * (cloth.positions[e.a] + cloth.positions[e.b]), kMiddle * beside, {e.a, e.b, e.b}});
  }
  for (int t = 0; t < cloth.triangle_count(); ++t) {
    const Triangle& c = cloth.triangles[t];
    const Vec3 sum = cloth.positions[c[0]] + cloth.positions[c[1]] + cloth.positions[c[2]];
    out.push_back({sum / 3.0, kCentroid * area[t], {c[0], c[1], c[2]}});
  }
  return out;
}

BodyDepth measure_body_depth(const RunContext& run, const TriangleMesh& cloth, const std::vector<double>& at_vertices,
                             const ClosestPointIndex& body, const SolidSet& solids) {
  const std::vector<DepthSample> samples = depth_samples(cloth);
  const std::vector<double> depth = depths(run, cloth, samples, at_vertices, body);
  BodyDepth out;
  out.samples = static_cast<int>(samples.size());
  if (!solids.solids().empty()) out.inside_both = 0;
  double whole = 0.0, inside = 0.0, beyond = 0.0, volume = 0.0;
  for (size_t i = 0; i < samples.size(); ++i) {
    whole += samples[i].area;
    if (depth[i] <= 0.0) continue;
    inside += samples[i].area, volume += depth[i] * samples[i].area;
    out.deepest_mm = std::max(out.deepest_mm, 1e3 * depth[i]);
    if (1e3 * depth[i] <= kDepthToleranceMm) continue;
    beyond += samples[i].area;
    if (!out.inside_both) continue;
    const SolidSet::Hit hit = solids.nearest(samples[i].point, kFar);
    *out.inside_both += hit.solid >= 0 && -1e3 * hit.surface.distance > kDepthToleranceMm;
  }
  if (inside > 0.0) out.mean_mm = 1e3 * volume / inside;
  if (whole > 0.0) out.share = beyond / whole;
  out.volume_cm3 = 1e6 * volume;
  return out;
}

}  // namespace tryon
