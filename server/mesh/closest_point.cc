#include "server/mesh/closest_point.h"

#include <embree3/rtcore.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <mutex>
#include <numeric>
#include <optional>

#include "server/mesh/winding_number.h"

namespace tryon {
namespace {

// Where on its triangle a closest point lies: inside (0), on the edge k -> k+1 (1 + k) or on the corner k (4 + k).
using Feature = int;
constexpr Feature kFace = 0;
constexpr Feature edge_feature(int k) { return 1 + k; }
constexpr Feature corner_feature(int k) { return 4 + k; }

constexpr double kShallow = 1e-3;  // m; who seems deeper inside asks the winding number too

struct Candidate {
  Vec3 point = Vec3::Zero();
  Feature feature = kFace;
  double squared = std::numeric_limits<double>::infinity();
};

using Corners = std::array<Vec3, 3>;

// Closest point of the segment from corner k to corner k+1.
Candidate closest_on_edge(const Corners& c, int k, const Vec3& q) {
  const Vec3 &a = c[k], &b = c[(k + 1) % 3];
  const Vec3 ab = b - a;
  const double length_squared = ab.squaredNorm();
  const double s = length_squared > 0.0 ? (q - a).dot(ab) / length_squared : 0.0;
  Candidate out;
  if (s <= 0.0) {
    out.point = a, out.feature = corner_feature(k);
  } else if (s >= 1.0) {
    out.point = b, out.feature = corner_feature((k + 1) % 3);
  } else {
    out.point = a + s * ab, out.feature = edge_feature(k);
  }
  out.squared = (q - out.point).squaredNorm();
  return out;
}

// The foot of the perpendicular if it falls inside the triangle; else the best of the three edges. A triangle without
// area has no inside and is only its edges.
Candidate closest_on_triangle(const Corners& c, const Vec3& q) {
  const Vec3 n = (c[1] - c[0]).cross(c[2] - c[0]);
  const double area_squared = n.squaredNorm();
  if (area_squared > 0.0) {
    bool inside = true;
    for (int k = 0; k < 3 && inside; ++k) inside = (c[(k + 1) % 3] - c[k]).cross(q - c[k]).dot(n) > 0.0;
    if (inside) {
      const double height = (q - c[0]).dot(n) / area_squared;  // in units of n
      return {q - height * n, kFace, height * height * area_squared};
    }
  }
  Candidate best = closest_on_edge(c, 0, q);
  for (int k = 1; k < 3; ++k) {
    const Candidate other = closest_on_edge(c, k, q);
    if (other.squared < best.squared) best = other;
  }
  return best;
}

// Vertices at exactly the same place get one label, so that an unwelded closed mesh has the normals of a welded one.
std::vector<int> weld_labels(const std::vector<Vec3>& positions) {
  std::vector<int> order(positions.size()), label(positions.size());
  std::iota(order.begin(), order.end(), 0);
  auto key = [&](int i) { return std::array<double, 3>{positions[i].x(), positions[i].y(), positions[i].z()}; };
  std::sort(order.begin(), order.end(), [&](int a, int b) {
    const auto ka = key(a), kb = key(b);
    return ka != kb ? ka < kb : a < b;
  });
  for (size_t i = 0; i < order.size(); ++i) {
    label[order[i]] = i > 0 && positions[order[i]] == positions[order[i - 1]] ? label[order[i - 1]] : order[i];
  }
  return label;
}

double corner_angle(const Corners& c, int k) {
  const Vec3 u = c[(k + 1) % 3] - c[k], v = c[(k + 2) % 3] - c[k];
  return std::atan2(u.cross(v).norm(), u.dot(v));
}

}  // namespace

struct ClosestPointIndex::Impl {
  struct Ball {
    Vec3 centre;
    double radius;
  };
  std::vector<Vec3> positions;                // [vertex_count]
  std::vector<Triangle> triangles;            // [triangle_count]
  std::vector<Ball> balls;                    // [triangle_count], round each triangle
  std::vector<Vec3> face_normals;             // [triangle_count], unit or zero
  std::vector<Vec3> vertex_normals;           // [vertex_count], angle-weighted, of all triangles at that place
  std::vector<std::array<int, 3>> edge_slot;  // [triangle_count], edge k -> k+1, into edge_normals
  std::vector<Vec3> edge_normals;             // [edge_count], sum of the unit normals beside the edge
  std::vector<uint8_t> edge_open;             // [edge_count]: its triangles do not face each other in pairs
  std::vector<uint8_t> vertex_open;           // [vertex_count]: on such an edge
  SideRule rule;
  bool closed = false;  // no edge is open
  double extent = 0.0;  // largest absolute coordinate
  RTCDevice device = nullptr;
  RTCScene scene = nullptr;

  Impl(const TriangleMesh& mesh, SideRule side_rule)
      : positions(mesh.positions), triangles(mesh.triangles), rule(side_rule) {
    if (triangles.empty()) return;
    build_normals();
    build_scene();
    closed = std::find(edge_open.begin(), edge_open.end(), 1) == edge_open.end();
  }
  ~Impl() {
    if (scene != nullptr) rtcReleaseScene(scene);
    if (device != nullptr) rtcReleaseDevice(device);
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  Corners corners(int t) const {
    return {positions[triangles[t][0]], positions[triangles[t][1]], positions[triangles[t][2]]};
  }

  void build_normals();
  void build_edge_normals(const std::vector<int>& label);
  void build_scene();
  Vec3 pseudo_normal(int triangle, Feature feature) const;
  bool on_rim(int triangle, Feature feature) const;
  bool is_inside(int triangle, const Candidate& at, const Vec3& pseudo, const Vec3& point) const;
  bool is_within(const Vec3& point) const;

 private:
  mutable std::once_flag winding_made;
  mutable std::optional<WindingNumber> winding;  // made when it is first asked
};

void ClosestPointIndex::Impl::build_normals() {
  const std::vector<int> label = weld_labels(positions);
  face_normals.reserve(triangles.size());
  balls.reserve(triangles.size());
  std::vector<Vec3> sum(positions.size(), Vec3::Zero());
  for (size_t t = 0; t < triangles.size(); ++t) {
    const Corners c = corners(static_cast<int>(t));
    const Vec3 n = (c[1] - c[0]).cross(c[2] - c[0]);
    const double length = n.norm();
    const Vec3 centre = (c[0] + c[1] + c[2]) / 3.0;
    balls.push_back({centre, std::sqrt(std::max({(c[0] - centre).squaredNorm(), (c[1] - centre).squaredNorm(),
                                                 (c[2] - centre).squaredNorm()}))});
    face_normals.push_back(length > 0.0 ? Vec3(n / length) : Vec3(Vec3::Zero()));
    for (int k = 0; k < 3; ++k) sum[label[triangles[t][k]]] += corner_angle(c, k) * face_normals[t];
  }
  vertex_normals.reserve(positions.size());
  for (size_t v = 0; v < positions.size(); ++v) vertex_normals.push_back(sum[label[v]]);
  for (const Triangle& t : triangles) {
    for (int k = 0; k < 3; ++k) extent = std::max(extent, positions[t[k]].cwiseAbs().maxCoeff());
  }
  build_edge_normals(label);
}

void ClosestPointIndex::Impl::build_edge_normals(const std::vector<int>& label) {
  std::vector<std::array<int, 4>> half;  // smaller label, larger label, triangle, edge
  half.reserve(triangles.size() * 3);
  for (size_t t = 0; t < triangles.size(); ++t) {
    for (int k = 0; k < 3; ++k) {
      const int a = label[triangles[t][k]], b = label[triangles[t][(k + 1) % 3]];
      half.push_back({std::min(a, b), std::max(a, b), static_cast<int>(t), k});
    }
  }
  std::sort(half.begin(), half.end());
  edge_slot.resize(triangles.size());
  std::vector<int> balance;  // [edge_count], uses one way minus uses the other way
  for (size_t i = 0; i < half.size(); ++i) {
    if (i == 0 || half[i][0] != half[i - 1][0] || half[i][1] != half[i - 1][1]) {
      edge_normals.push_back(Vec3::Zero()), balance.push_back(0);
    }
    edge_normals.back() += face_normals[half[i][2]];
    balance.back() += label[triangles[half[i][2]][half[i][3]]] == half[i][0] ? 1 : -1;
    edge_slot[half[i][2]][half[i][3]] = static_cast<int>(edge_normals.size()) - 1;
  }
  std::vector<uint8_t> open_label(positions.size(), 0);
  for (size_t e = 0; e < balance.size(); ++e) edge_open.push_back(balance[e] != 0);
  for (size_t i = 0; i < half.size(); ++i) {
    if (edge_open[edge_slot[half[i][2]][half[i][3]]]) open_label[half[i][0]] = open_label[half[i][1]] = 1;
  }
  for (size_t v = 0; v < positions.size(); ++v) vertex_open.push_back(open_label[label[v]]);
}

void ClosestPointIndex::Impl::build_scene() {
  device = rtcNewDevice("threads=1");
  scene = rtcNewScene(device);
  rtcSetSceneFlags(scene, RTC_SCENE_FLAG_ROBUST);
  RTCGeometry geometry = rtcNewGeometry(device, RTC_GEOMETRY_TYPE_TRIANGLE);
  auto* vertex = static_cast<float*>(rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3,
                                                             3 * sizeof(float), positions.size()));
  for (size_t v = 0; v < positions.size(); ++v) {
    for (int k = 0; k < 3; ++k) vertex[3 * v + k] = static_cast<float>(positions[v][k]);
  }
  auto* index = static_cast<unsigned*>(rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3,
                                                               3 * sizeof(unsigned), triangles.size()));
  for (size_t t = 0; t < triangles.size(); ++t) {
    for (int k = 0; k < 3; ++k) index[3 * t + k] = static_cast<unsigned>(triangles[t][k]);
  }
  rtcCommitGeometry(geometry);
  rtcAttachGeometry(scene, geometry);
  rtcReleaseGeometry(geometry);
  rtcCommitScene(scene);
}

// Baerentzen and Aanaes 2005, section 3: the normal whose dot product with (query - closest point) has the sign of
// the side, whichever feature the closest point lies on. Not unit.
Vec3 ClosestPointIndex::Impl::pseudo_normal(int triangle, Feature feature) const {
  if (feature == kFace) return face_normals[triangle];
  if (feature < corner_feature(0)) return edge_normals[edge_slot[triangle][feature - edge_feature(0)]];
  return vertex_normals[triangles[triangle][feature - corner_feature(0)]];
}

bool ClosestPointIndex::Impl::on_rim(int triangle, Feature feature) const {
  if (feature == kFace) return false;
  if (feature < corner_feature(0)) return edge_open[edge_slot[triangle][feature - edge_feature(0)]] != 0;
  return vertex_open[triangles[triangle][feature - corner_feature(0)]] != 0;
}

bool ClosestPointIndex::Impl::is_within(const Vec3& point) const {
  std::call_once(winding_made, [this] { winding.emplace(TriangleMesh{positions, triangles}); });
  return winding->at(point) > 0.5;
}

bool ClosestPointIndex::Impl::is_inside(int triangle, const Candidate& at, const Vec3& pseudo,
                                        const Vec3& point) const {
  if (rule == SideRule::kWindingNumber || (rule == SideRule::kAutomatic && on_rim(triangle, at.feature)))
    return is_within(point);
  const Vec3 away = point - at.point;
  if (away.dot(pseudo) >= 0.0) return false;
  const bool doubtful = rule == SideRule::kAutomatic && closed && at.squared > kShallow * kShallow;
  return !doubtful || is_within(point);
}

namespace {

// Embree walks its boxes in float; the distances that decide are computed here in double from the mesh itself. The
// radius handed back is widened by what float may have rounded, so no better triangle is ever cut away. Most triangles
// of a box are farther than the best so far, which a ball round each tells at a tenth of the price.
template <typename Impl>
struct Search {
  const Impl* impl;
  Vec3 query;
  double slack;
  int triangle = -1;
  Candidate best{};
  double reach = std::numeric_limits<double>::infinity();  // of the best, with the slack

  static bool visit(RTCPointQueryFunctionArguments* args) {
    auto* search = static_cast<Search*>(args->userPtr);
    const int t = static_cast<int>(args->primID);
    const auto& ball = search->impl->balls[t];
    const double apart = ball.radius + search->reach;
    if ((ball.centre - search->query).squaredNorm() > apart * apart) return false;
    const Candidate found = closest_on_triangle(search->impl->corners(t), search->query);
    const bool better = found.squared < search->best.squared ||
                        (found.squared == search->best.squared && t < search->triangle);  // ties: the lowest triangle
    if (!better) return false;
    search->best = found;
    search->triangle = t;
    search->reach = std::sqrt(found.squared) + search->slack;
    const float radius = static_cast<float>(search->reach);
    if (radius >= args->query->radius) return false;
    args->query->radius = radius;
    return true;
  }
};

}  // namespace

Vec3 ClosestPointIndex::smooth_normal(const ClosestPoint& found) const {
  if (found.triangle < 0) return found.normal;
  const Triangle& t = impl_->triangles[found.triangle];
  const Corners c = impl_->corners(found.triangle);
  const Vec3 n = (c[1] - c[0]).cross(c[2] - c[0]);
  const double doubled = n.squaredNorm();
  if (!(doubled > 0.0)) return found.normal;
  Vec3 sum = Vec3::Zero();
  for (int k = 0; k < 3; ++k) {
    const double weight = (c[(k + 2) % 3] - c[(k + 1) % 3]).cross(found.point - c[(k + 1) % 3]).dot(n) / doubled;
    sum += weight * impl_->vertex_normals[t[k]].normalized();
  }
  const double length = sum.norm();
  return length > 1e-6 ? Vec3(sum / length) : found.normal;
}

ClosestPointIndex::ClosestPointIndex(const TriangleMesh& mesh, SideRule rule)
    : impl_(std::make_unique<Impl>(mesh, rule)) {}
ClosestPointIndex::~ClosestPointIndex() = default;
ClosestPointIndex::ClosestPointIndex(ClosestPointIndex&&) noexcept = default;
ClosestPointIndex& ClosestPointIndex::operator=(ClosestPointIndex&&) noexcept = default;

ClosestPoint ClosestPointIndex::query(const Vec3& point, double max_distance) const {
  ClosestPoint out;
  if (impl_->scene == nullptr || !point.allFinite()) return out;
  const double scale = std::max(impl_->extent, point.cwiseAbs().maxCoeff());
  Search<Impl> search{impl_.get(), point, 8.0 * std::numeric_limits<float>::epsilon() * scale};
  RTCPointQueryContext context;
  rtcInitPointQueryContext(&context);
  RTCPointQuery query;
  query.x = static_cast<float>(point.x());
  query.y = static_cast<float>(point.y());
  query.z = static_cast<float>(point.z());
  query.time = 0.0f;
  const double reach = max_distance + search.slack;
  query.radius = reach < 1e30 ? static_cast<float>(reach) : std::numeric_limits<float>::infinity();
  rtcPointQuery(impl_->scene, &query, &context, Search<Impl>::visit, &search);

  const double distance = std::sqrt(search.best.squared);
  if (search.triangle < 0 || distance > max_distance) return out;
  const Vec3 pseudo = impl_->pseudo_normal(search.triangle, search.best.feature);
  const Vec3 away = point - search.best.point;
  out.triangle = search.triangle;
  out.point = search.best.point;
  out.signed_distance = impl_->is_inside(search.triangle, search.best, pseudo, point) ? -distance : distance;
  const bool on_surface = distance <= 1e-12 * scale;
  if (!on_surface) {
    out.normal = away / out.signed_distance;
  } else if (pseudo.norm() > 0.0) {
    out.normal = pseudo.normalized();
  }
  return out;
}

// What is nearest to the last one is no farther from the next than it is: the same answers from a shorter search.
void ClosestPointIndex::query(std::span<const Vec3> points, double max_distance, std::span<ClosestPoint> out) const {
  double within = max_distance;
  for (size_t i = 0; i < points.size(); ++i) {
    out[i] = query(points[i], within);
    within = max_distance;
    if (out[i].triangle < 0 || i + 1 == points.size()) continue;
    const double way = 1.001 * (points[i + 1] - out[i].point).norm() + 1e-6;  // no less, whatever was rounded
    if (way < within) within = way;
  }
}

SurfaceAnswer ClosestPointIndex::surface(const Vec3& point, double max_distance) const {
  const ClosestPoint found = query(point, max_distance);
  if (found.triangle < 0) return {-1, max_distance, Vec3::UnitY()};
  return {found.triangle, found.signed_distance, found.normal};
}

void ClosestPointIndex::surface(std::span<const Vec3> points, double max_distance,
                                std::span<SurfaceAnswer> answers) const {
  for (size_t i = 0; i < points.size(); ++i) answers[i] = surface(points[i], max_distance);
}

}  // namespace tryon
