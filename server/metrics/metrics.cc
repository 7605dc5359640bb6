#include "server/metrics/metrics.h"

#include <algorithm>
#include <cmath>
#include <functional>

namespace tryon {
namespace {

constexpr double kToleranceMm = 0.1;  // shallower is numerical, not a fault of the drape
constexpr int64_t kGrain = 512;

// One partial result a chunk, joined in order: the same for any thread count.
Penetration measure(const RunContext& run, const std::vector<Vec3>& points,
                    const std::function<double(const Vec3&)>& signed_distance) {
  const int64_t count = static_cast<int64_t>(points.size());
  std::vector<Penetration> partial(static_cast<size_t>((count + kGrain - 1) / kGrain));
  run.parallel_for(count, kGrain, [&](int64_t begin, int64_t end) {
    Penetration& p = partial[static_cast<size_t>(begin / kGrain)];
    for (int64_t i = begin; i < end; ++i) {
      const double depth_mm = -1e3 * signed_distance(points[static_cast<size_t>(i)]);
      if (depth_mm <= kToleranceMm) continue;
      ++p.vertices;
      p.max_depth_mm = std::max(p.max_depth_mm, depth_mm);
    }
  });
  Penetration total;
  for (const Penetration& p : partial) {
    total.vertices += p.vertices;
    total.max_depth_mm = std::max(total.max_depth_mm, p.max_depth_mm);
  }
  return total;
}

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
    if (weft > 0.0 && warp > 0.0) field.shear[t] = gradient.col(0).dot(gradient.col(1)) / (weft * warp);
  }
  return field;
}

Penetration measure_penetration(const RunContext& run, const std::vector<Vec3>& points, const ClosestPointIndex& body) {
  return measure(run, points, [&](const Vec3& p) { return body.query(p).signed_distance; });
}

Penetration measure_penetration(const RunContext& run, const std::vector<Vec3>& points, const SolidSet& solids) {
  return measure(run, points, [&](const Vec3& p) {
    const SolidSet::Hit hit = solids.nearest(p, 0.05);
    return hit.solid < 0 ? 0.05 : hit.surface.distance;
  });
}

double max_gap_mm(const std::vector<Vec3>& positions, const std::vector<std::pair<int, int>>& pairs) {
  double gap = 0.0;
  for (const auto& [a, b] : pairs) gap = std::max(gap, (positions[a] - positions[b]).norm());
  return 1e3 * gap;
}

}  // namespace tryon
