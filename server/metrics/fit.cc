#include "server/metrics/fit.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "server/metrics/metrics.h"

namespace tryon {
namespace {

constexpr int64_t kGrain = 512;

std::pair<int, int> sides_of(int a, int b) { return {std::min(a, b), std::max(a, b)}; }

Vec3 centroid(const TriangleMesh& mesh, const Triangle& t) {
  return (mesh.positions[t[0]] + mesh.positions[t[1]] + mesh.positions[t[2]]) / 3.0;
}

double area_of(const TriangleMesh& mesh, int t) { return 0.5 * triangle_normal(mesh, t).norm(); }

// The zone of at least two corners; otherwise of the first that has one.
int zone_of(const Triangle& t, const std::vector<int>& vertex_zone) {
  const int a = vertex_zone[t[0]], b = vertex_zone[t[1]], c = vertex_zone[t[2]];
  if (a == b || a == c) return a;
  if (b == c) return b;
  return a >= 0 ? a : b >= 0 ? b : c;
}

struct FreeEdges {
  std::vector<uint8_t> sides;  // [triangle_count] a bit for each side that no other triangle shares
  std::vector<uint8_t> ends;   // [vertex_count] whether such a side ends there
  explicit FreeEdges(const TriangleMesh& mesh) : sides(mesh.triangles.size(), 0), ends(mesh.positions.size(), 0) {
    for (const EdgeUse& edge : mesh_edges(mesh)) {
      if (edge.right >= 0) continue;
      ends[edge.a] = ends[edge.b] = 1;
      const Triangle& t = mesh.triangles[edge.left];
      for (int k = 0; k < 3; ++k) {
        if (sides_of(t[k], t[(k + 1) % 3]) == sides_of(edge.a, edge.b)) sides[edge.left] |= uint8_t(1u << k);
      }
    }
  }
  bool holds(const TriangleMesh& mesh, int triangle, const Vec3& point) const {
    const Triangle& t = mesh.triangles[triangle];
    for (int k = 0; k < 3; ++k) {
      if (ends[t[k]] && (mesh.positions[t[k]] - point).norm() < 1e-6) return true;
      if ((sides[triangle] >> k & 1) == 0) continue;
      const Vec3 &a = mesh.positions[t[k]], &b = mesh.positions[t[(k + 1) % 3]];
      const double share = std::clamp((point - a).dot(b - a) / std::max((b - a).squaredNorm(), 1e-30), 0.0, 1.0);
      if ((a + share * (b - a) - point).norm() < 1e-6) return true;
    }
    return false;
  }
};

}  // namespace

Distribution distribution(std::vector<std::pair<double, double>> values) {
  Distribution out;
  std::sort(values.begin(), values.end());
  for (const auto& [value, weight] : values) {
    out.mean += value * weight;
    out.weight += weight;
  }
  if (out.weight <= 0) return Distribution();
  out.mean /= out.weight;
  out.min = values.front().first, out.max = values.back().first;
  const auto at = [&](double share) {
    double sum = 0;
    for (const auto& [value, weight] : values) {
      sum += weight;
      if (sum >= share * out.weight) return value;
    }
    return values.back().first;
  };
  out.p5 = at(0.05), out.p50 = at(0.5), out.p95 = at(0.95);
  return out;
}

FibreStrain fibre_strain(const TriangleMesh& mesh, const std::vector<std::array<Vec2, 3>>& corner_flat) {
  FibreStrain out;
  const double r = std::sqrt(0.5);
  for (size_t t = 0; t < mesh.triangles.size(); ++t) {
    const auto& flat = corner_flat[t];
    const Triangle& tri = mesh.triangles[t];
    Eigen::Matrix2d rest;
    rest << flat[1] - flat[0], flat[2] - flat[0];
    Eigen::Matrix<double, 3, 2> world;
    world << mesh.positions[tri[1]] - mesh.positions[tri[0]], mesh.positions[tri[2]] - mesh.positions[tri[0]];
    const bool flat_rest = std::abs(rest.determinant()) < 1e-14;
    const Eigen::Matrix<double, 3, 2> f = flat_rest ? Eigen::Matrix<double, 3, 2>(Eigen::Matrix<double, 3, 2>::Zero())
                                                    : Eigen::Matrix<double, 3, 2>(world * rest.inverse());
    const double bias = std::max((r * (f.col(0) + f.col(1))).norm(), (r * (f.col(0) - f.col(1))).norm());
    out.weft.push_back(flat_rest ? 0.0 : f.col(0).norm() - 1.0);
    out.warp.push_back(flat_rest ? 0.0 : f.col(1).norm() - 1.0);
    out.bias.push_back(flat_rest ? 0.0 : bias - 1.0);
  }
  return out;
}

std::vector<double> vertex_areas(const TriangleMesh& mesh) {
  std::vector<double> out(mesh.positions.size(), 0.0);
  for (int t = 0; t < mesh.triangle_count(); ++t) {
    const double third = area_of(mesh, t) / 3.0;
    for (int corner : mesh.triangles[t]) out[corner] += third;
  }
  return out;
}

namespace {

PressureFit pressure_of(const std::vector<std::pair<double, double>>& force_and_area) {
  PressureFit out;
  std::vector<std::pair<double, double>> values;
  for (const auto& [force, area] : force_and_area) {
    if (force <= 0 || area <= 0) continue;
    out.force += force;
    out.contact_area += area;
    values.emplace_back(force / area, area);
  }
  out.pressure = distribution(std::move(values));
  return out;
}

}  // namespace

PressureFit contact_pressure(const TriangleMesh& mesh, const std::vector<double>& press) {
  const std::vector<double> area = vertex_areas(mesh);
  std::vector<std::pair<double, double>> both;
  for (size_t v = 0; v < press.size(); ++v) both.emplace_back(press[v], area[v]);
  return pressure_of(both);
}

std::vector<ZoneFit> fit_by_zone(const ClothOnBody& cloth, const FibreStrain& strain, int zone_count) {
  using Values = std::vector<std::vector<std::pair<double, double>>>;
  const size_t count = static_cast<size_t>(zone_count);
  Values distance(count), press(count), warp(count), weft(count), bias(count);
  const std::vector<double> area = vertex_areas(cloth.mesh);
  for (size_t v = 0; v < area.size(); ++v) {
    if (cloth.zone[v] < 0 || area[v] <= 0) continue;
    const size_t z = static_cast<size_t>(cloth.zone[v]);
    distance[z].emplace_back(cloth.distance[v], area[v]);
    press[z].emplace_back(cloth.press[v], area[v]);
  }
  std::vector<ZoneFit> out(count);
  for (int t = 0; t < cloth.mesh.triangle_count(); ++t) {
    const int zone = zone_of(cloth.mesh.triangles[t], cloth.zone);
    if (zone < 0) continue;
    const size_t z = static_cast<size_t>(zone);
    const double a = area_of(cloth.mesh, t);
    out[z].area += a;
    warp[z].emplace_back(strain.warp[t], a);
    weft[z].emplace_back(strain.weft[t], a);
    bias[z].emplace_back(strain.bias[t], a);
  }
  for (size_t z = 0; z < count; ++z) {
    out[z].distance = distribution(std::move(distance[z]));
    out[z].warp = distribution(std::move(warp[z]));
    out[z].weft = distribution(std::move(weft[z]));
    out[z].bias = distribution(std::move(bias[z]));
    out[z].contact = pressure_of(press[z]);
  }
  return out;
}

std::vector<double> coverage_by_zone(const RunContext& run, const TriangleMesh& body,
                                     const std::vector<int>& triangle_zone, const TriangleMesh& cloth, int zone_count) {
  const ClosestPointIndex surface(cloth, SideRule::kPseudoNormal);
  const FreeEdges free(cloth);
  std::vector<Vec3> middles;
  middles.reserve(body.triangles.size());
  for (const Triangle& t : body.triangles) middles.push_back(centroid(body, t));
  const std::vector<ClosestPoint> nearest = nearest_points(run, middles, surface);
  std::vector<uint8_t> covered(body.triangles.size(), 0);
  run.parallel_for(body.triangle_count(), kGrain, [&](int64_t begin, int64_t end) {
    for (int64_t t = begin; t < end; ++t) {
      const ClosestPoint& near = nearest[static_cast<size_t>(t)];
      if (near.triangle < 0 || near.signed_distance > 0) continue;
      covered[static_cast<size_t>(t)] = !free.holds(cloth, near.triangle, near.point);
    }
  });
  const size_t count = static_cast<size_t>(zone_count);
  std::vector<double> under(count + 1, 0.0), all(count + 1, 0.0);
  for (int t = 0; t < body.triangle_count(); ++t) {
    const double area = area_of(body, t);
    for (const int z : {triangle_zone[t], zone_count}) {
      if (z < 0) continue;
      all[static_cast<size_t>(z)] += area;
      if (covered[t]) under[static_cast<size_t>(z)] += area;
    }
  }
  for (size_t z = 0; z <= count; ++z) under[z] = all[z] > 0 ? under[z] / all[z] : 0.0;
  return under;
}

std::vector<std::pair<double, double>> seam_tension(const TriangleMesh& mesh,
                                                    const std::vector<Eigen::Matrix3d>& tension,
                                                    const std::vector<std::pair<int, int>>& edges) {
  std::map<std::pair<int, int>, std::vector<int>> beside;
  for (const auto& [a, b] : edges) beside[sides_of(a, b)];
  for (int t = 0; t < mesh.triangle_count(); ++t) {
    for (int k = 0; k < 3; ++k) {
      const auto found = beside.find(sides_of(mesh.triangles[t][k], mesh.triangles[t][(k + 1) % 3]));
      if (found != beside.end()) found->second.push_back(t);
    }
  }
  std::vector<std::pair<double, double>> out;
  for (const auto& [edge, triangles] : beside) {
    const Vec3 along = mesh.positions[edge.second] - mesh.positions[edge.first];
    double sum = 0;
    for (int t : triangles) {
      const Vec3 across = triangle_normal(mesh, t).cross(along).normalized();
      sum += across.dot(tension[t] * across);
    }
    if (!triangles.empty()) out.emplace_back(sum / static_cast<double>(triangles.size()), along.norm());
  }
  return out;
}

double drape_coefficient(double hem_area, double support_area, double rest_area_between) {
  return rest_area_between > 0 ? (hem_area - support_area) / rest_area_between : 0.0;
}

}  // namespace tryon
