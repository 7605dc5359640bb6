#include "server/metrics/metrics.h"

#include <algorithm>
#include <cmath>
#include <span>

namespace tryon {
namespace {

constexpr int64_t kGrain = 512;

}  // namespace

Percentiles percentiles(std::vector<double> values) {
  if (values.empty()) return {};
  for (double& v : values) v = std::abs(v);
  std::sort(values.begin(), values.end());
  auto at = [&](double q) {
    return values[static_cast<size_t>(std::llround(q * static_cast<double>(values.size() - 1)))];
  };
  return {at(0.50), at(0.95), at(0.99), values.back()};
}

StrainField measure_strain(const TriangleMesh& mesh, const std::vector<std::array<Vec2, 3>>& corner_flat) {
  StrainField field;
  const size_t count = mesh.triangles.size();
  field.warp.assign(count, 0.0);
  field.weft.assign(count, 0.0);
  field.shear.assign(count, 0.0);
  field.first.assign(count, 0.0);
  field.second.assign(count, 0.0);
  field.area_ratio.assign(count, 1.0);
  for (size_t t = 0; t < count; ++t) {
    const auto& flat = corner_flat[t];
    Eigen::Matrix2d rest;
    rest << flat[1] - flat[0], flat[2] - flat[0];
    if (std::abs(rest.determinant()) < 1e-14) continue;  // no area: no strain to speak of
    const Triangle& tri = mesh.triangles[t];
    Eigen::Matrix<double, 3, 2> world;
    world << mesh.positions[tri[1]] - mesh.positions[tri[0]], mesh.positions[tri[2]] - mesh.positions[tri[0]];
    const Eigen::Matrix<double, 3, 2> gradient = world * rest.inverse();  // columns: weft (x), warp (y)
    const double weft = gradient.col(0).norm(), warp = gradient.col(1).norm();
    field.weft[t] = weft - 1.0;
    field.warp[t] = warp - 1.0;
    const double both = gradient.col(0).dot(gradient.col(1));
    if (weft > 0.0 && warp > 0.0) field.shear[t] = both / (weft * warp);
    // Singular values of the gradient; their product is the area, which gives the smaller one without cancellation.
    const double half = 0.5 * (weft - warp) * (weft + warp);
    const double first = std::sqrt(0.5 * (weft * weft + warp * warp) + std::hypot(half, both));
    field.area_ratio[t] = gradient.col(0).cross(gradient.col(1)).norm();
    field.first[t] = first - 1.0;
    field.second[t] = (first > 0.0 ? field.area_ratio[t] / first : 0.0) - 1.0;
  }
  return field;
}

Penetration penetration_of(const std::vector<double>& signed_distance) {
  Penetration out;
  for (const double distance : signed_distance) {
    const double depth_mm = -1e3 * distance;
    if (depth_mm <= kDepthToleranceMm) continue;
    ++out.vertices;
    out.max_depth_mm = std::max(out.max_depth_mm, depth_mm);
  }
  return out;
}

std::vector<ClosestPoint> nearest_points(const RunContext& run, const std::vector<Vec3>& points,
                                         const ClosestPointIndex& body) {
  std::vector<ClosestPoint> out(points.size());
  run.parallel_for(static_cast<int64_t>(points.size()), kGrain, [&](int64_t begin, int64_t end) {
    const auto first = static_cast<size_t>(begin), count = static_cast<size_t>(end - begin);
    body.query(std::span(points).subspan(first, count), 1e30, std::span(out).subspan(first, count));
  });
  return out;
}

std::vector<double> signed_distances(const RunContext& run, const std::vector<Vec3>& points,
                                     const ClosestPointIndex& body) {
  std::vector<double> out;
  out.reserve(points.size());
  for (const ClosestPoint& near : nearest_points(run, points, body)) out.push_back(near.signed_distance);
  return out;
}

Penetration measure_penetration(const RunContext& run, const std::vector<Vec3>& points, const ClosestPointIndex& body) {
  return penetration_of(signed_distances(run, points, body));
}

Penetration measure_penetration(const RunContext& run, const std::vector<Vec3>& points, const SolidSet& solids) {
  std::vector<double> distance(points.size());
  for_each(run, points.size(), [&](size_t i) {
    const SolidSet::Hit hit = solids.nearest(points[i], 0.05);
    distance[i] = hit.solid < 0 ? 0.05 : hit.surface.distance;
  });
  return penetration_of(distance);
}

SeamGap seam_gap(const std::vector<Vec3>& positions, const std::vector<std::pair<int, int>>& pairs) {
  SeamGap out;
  for (const auto& [a, b] : pairs) {
    const double gap_mm = 1e3 * (positions[a] - positions[b]).norm();
    out.max_mm = std::max(out.max_mm, gap_mm);
    out.mean_mm += gap_mm / static_cast<double>(pairs.size());
  }
  return out;
}

// Of a symmetric matrix with principal values a, b and 0: a + b is its trace, a^2 + b^2 the sum of its squares.
double largest_line_tension(const std::vector<Eigen::Matrix3d>& tension) {
  double largest = 0.0;
  for (const Eigen::Matrix3d& t : tension) {
    const double sum = t.trace(), apart_squared = 2.0 * t.squaredNorm() - sum * sum;
    largest = std::max(largest, 0.5 * (sum + std::sqrt(std::max(0.0, apart_squared))));
  }
  return largest;
}

}  // namespace tryon
