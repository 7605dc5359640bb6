#include "server/mesh/triangulate.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <queue>
#include <tuple>

#include "server/base/status.h"
#include "server/base/text.h"
#include "server/mesh/delaunay.h"
#include "server/mesh/predicates.h"

namespace tryon {
namespace {

// Fractions of the target edge length. The first was chosen so that the mean inner edge comes out at the target.
constexpr double kCoverRadius = 0.75;    // points go in until no circle of this radius is empty
constexpr double kSideClearance = 0.55;  // of an inner point from the outline ...
constexpr double kSideOffset = 0.80;     // ... and where it goes if the circle's centre is nearer
constexpr double kPointClearance = 0.60;
constexpr int kSmoothingRounds = 12;

Vec2 circumcentre(const Vec2& a, const Vec2& b, const Vec2& c) {
  const Vec2 u = b - a, v = c - a;
  const double twice = 2.0 * (u.x() * v.y() - u.y() * v.x());
  const double uu = u.squaredNorm(), vv = v.squaredNorm();
  return a + Vec2(v.y() * uu - u.y() * vv, u.x() * vv - v.x() * uu) / twice;
}

double distance_to_segment(const Vec2& p, const Vec2& a, const Vec2& b) {
  const Vec2 d = b - a;
  const double t = std::clamp((p - a).dot(d) / d.squaredNorm(), 0.0, 1.0);
  return (p - a - t * d).norm();
}

// Farthest-point insertion: always the centre of the largest empty circle, so the points spread evenly, follow the
// outline whatever its spacing, and make no lattice that could lie along the warp.
class Refiner {
 public:
  Refiner(Delaunay* mesh, double edge_length) : mesh_(*mesh), h_(edge_length) {}

  void run() {
    for (int t = 0; t < static_cast<int>(mesh_.triangles().size()); ++t) enqueue(t);
    while (!queue_.empty()) {
      const Entry top = queue_.top();
      queue_.pop();
      if (mesh_.triangles()[top.triangle].stamp == top.stamp) treat(top.triangle);
    }
  }

 private:
  struct Entry {
    double radius_squared;
    int triangle;
    uint32_t stamp;
    bool operator<(const Entry& o) const {
      return std::tie(radius_squared, o.triangle) < std::tie(o.radius_squared, triangle);
    }
  };
  struct Surroundings {
    double point_distance = std::numeric_limits<double>::infinity();
    double side_distance = std::numeric_limits<double>::infinity();
    int side_triangle = -1, side_corner = -1;  // the nearest side of the outline
  };

  const Vec2& corner(int t, int k) const { return mesh_.positions()[mesh_.triangles()[t].v[k]]; }

  void enqueue(int t) {
    const Vec2 &a = corner(t, 0), &b = corner(t, 1), &c = corner(t, 2);
    const Vec2 u = b - a, v = c - a;
    const double twice = u.x() * v.y() - u.y() * v.x();
    const double radius_squared =
        u.squaredNorm() * v.squaredNorm() * (c - b).squaredNorm() / std::max(4.0 * twice * twice, 1e-300);
    const double limit = kCoverRadius * h_;
    if (radius_squared > limit * limit) queue_.push({radius_squared, t, mesh_.triangles()[t].stamp});
  }

  void treat(int t) {
    const Vec2 centre = circumcentre(corner(t, 0), corner(t, 1), corner(t, 2));
    if (!centre.allFinite()) return;
    const auto place = mesh_.locate(centre, t);
    int side_triangle = place.triangle, side_corner = place.blocked_edge;
    if (side_corner < 0) {
      const Surroundings near = look_round(centre, place.triangle);
      if (near.side_distance >= kSideClearance * h_) {
        insert(centre, place.triangle);
        return;
      }
      side_triangle = near.side_triangle, side_corner = near.side_corner;
    }
    if (try_insert(beside(side_triangle, side_corner, centre), t)) return;
    try_insert((corner(t, 0) + corner(t, 1) + corner(t, 2)) / 3.0, t);
  }

  // A point inside, at the height of a good triangle over the given side of the outline.
  Vec2 beside(int t, int k, const Vec2& wish) const {
    const Vec2 &a = corner(t, (k + 1) % 3), &b = corner(t, (k + 2) % 3);
    const Vec2 d = b - a;
    const double margin = std::min(0.5, 0.9 * h_ / d.norm());
    const double s = std::clamp((wish - a).dot(d) / d.squaredNorm(), margin, 1.0 - margin);
    return a + s * d + Vec2(-d.y(), d.x()).normalized() * (kSideOffset * h_);
  }

  bool try_insert(const Vec2& p, int from) {
    const auto place = mesh_.locate(p, from);
    if (place.blocked_edge >= 0) return false;
    const Surroundings near = look_round(p, place.triangle);
    if (near.point_distance < kPointClearance * h_ || near.side_distance < kSideClearance * h_) return false;
    return insert(p, place.triangle);
  }

  bool insert(const Vec2& p, int triangle) {
    if (mesh_.insert(p, triangle) < 0) return false;
    for (const int t : mesh_.touched()) enqueue(t);
    return true;
  }

  // Nearest point and side among the triangles whose circles hold p: those that a new point would reshape.
  Surroundings look_round(const Vec2& p, int triangle) {
    Surroundings near;
    reached_.assign(1, triangle);
    for (size_t i = 0; i < reached_.size(); ++i) {
      const int t = reached_[i];
      for (int k = 0; k < 3; ++k) {
        near.point_distance = std::min(near.point_distance, (corner(t, k) - p).norm());
        const int beyond = mesh_.triangles()[t].n[k];
        if (beyond < 0) {
          note_side(p, t, k, &near);
        } else if (std::find(reached_.begin(), reached_.end(), beyond) == reached_.end() && circle_holds(beyond, p)) {
          reached_.push_back(beyond);
        }
      }
    }
    return near;
  }

  void note_side(const Vec2& p, int t, int k, Surroundings* near) const {
    const double distance = distance_to_segment(p, corner(t, (k + 1) % 3), corner(t, (k + 2) % 3));
    if (distance >= near->side_distance) return;
    near->side_distance = distance, near->side_triangle = t, near->side_corner = k;
  }

  bool circle_holds(int t, const Vec2& p) const {
    const Vec2 a = corner(t, 0) - p, b = corner(t, 1) - p, c = corner(t, 2) - p;
    return a.squaredNorm() * (b.x() * c.y() - b.y() * c.x()) - b.squaredNorm() * (a.x() * c.y() - a.y() * c.x()) +
               c.squaredNorm() * (a.x() * b.y() - a.y() * b.x()) >
           0.0;
  }

  Delaunay& mesh_;
  const double h_;
  std::priority_queue<Entry> queue_;
  std::vector<int> reached_;
};

// One round of centroidal smoothing (Chen 2004): every inner point goes to the area-weighted centre of the triangles
// round it, except where that would turn a triangle over.
void smooth(Delaunay* mesh) {
  const std::vector<Vec2> before = mesh->positions();
  const int n = static_cast<int>(before.size());
  std::vector<Vec2> sum(n, Vec2::Zero());
  std::vector<double> weight(n, 0.0);
  for (const auto& tri : mesh->triangles()) {
    const Vec2 &a = before[tri.v[0]], &b = before[tri.v[1]], &c = before[tri.v[2]];
    const double area = (b - a).x() * (c - a).y() - (b - a).y() * (c - a).x();
    for (const int v : tri.v) sum[v] += area * (a + b + c), weight[v] += 3.0 * area;
  }
  for (int i = mesh->boundary_count(); i < n; ++i) mesh->move(i, sum[i] / weight[i]);
  for (bool clean = false; !clean;) {
    clean = true;
    for (const auto& tri : mesh->triangles()) {
      const auto& now = mesh->positions();
      if (orientation(now[tri.v[0]], now[tri.v[1]], now[tri.v[2]]) > 0) continue;
      for (const int v : tri.v) mesh->move(v, before[v]);
      clean = false;
    }
  }
  mesh->restore();
}

// Inner points in bands four edges high, walked to and fro, so that neighbours in the plane are near in memory.
std::vector<int> storage_order(const Delaunay& mesh, double h) {
  std::vector<std::tuple<double, double, int>> keys;
  for (int i = mesh.boundary_count(); i < static_cast<int>(mesh.positions().size()); ++i) {
    const Vec2& p = mesh.positions()[i];
    const double band = std::floor(p.y() / (4.0 * h));
    const bool back = std::fmod(std::abs(band), 2.0) == 1.0;
    keys.emplace_back(band, back ? -p.x() : p.x(), i);
  }
  std::sort(keys.begin(), keys.end());
  std::vector<int> place(mesh.positions().size());
  for (int i = 0; i < mesh.boundary_count(); ++i) place[i] = i;
  for (size_t k = 0; k < keys.size(); ++k) {
    place[std::get<2>(keys[k])] = mesh.boundary_count() + static_cast<int>(k);
  }
  return place;
}

PlanarMesh stored(const Delaunay& mesh, double h, double mirror) {
  const std::vector<int> place = storage_order(mesh, h);
  PlanarMesh out;
  out.positions.resize(place.size());
  for (size_t i = 0; i < place.size(); ++i) {
    out.positions[place[i]] = {mirror * mesh.positions()[i].x(), mesh.positions()[i].y()};
  }
  for (const auto& tri : mesh.triangles()) {
    std::array<int, 3> v = {place[tri.v[0]], place[tri.v[1]], place[tri.v[2]]};
    std::rotate(v.begin(), std::min_element(v.begin(), v.end()), v.end());
    out.triangles.emplace_back(v[0], v[1], v[2]);
  }
  std::sort(out.triangles.begin(), out.triangles.end(), [](const Triangle& a, const Triangle& b) {
    return std::tie(a[0], a[1], a[2]) < std::tie(b[0], b[1], b[2]);
  });
  return out;
}

absl::Status check_loop(const std::vector<Vec2>& boundary, double edge_length) {
  const char kRemedy[] = "Draw the outline as one closed loop that never meets itself.";
  if (!(edge_length > 0.0) || !std::isfinite(edge_length)) {
    return invalid_input("EDGE_LENGTH", "edge_length", cat("the edge length ", edge_length, " is no length"),
                         "Give a length above zero.");
  }
  if (boundary.size() < 3) {
    return invalid_input("OUTLINE_TOO_SHORT", "outline", cat("the outline has ", boundary.size(), " points"), kRemedy);
  }
  for (size_t i = 0; i < boundary.size(); ++i) {
    if (boundary[i].allFinite()) continue;
    return invalid_input("OUTLINE_NOT_FINITE", cat("outline[", i, "]"), cat("point ", i, " is not finite"), kRemedy);
  }
  if (const auto crossing = find_crossing(boundary)) {
    return invalid_input("OUTLINE_CROSSES_ITSELF", cat("outline[", crossing->first, "]"),
                         cat("side ", crossing->first, " meets side ", crossing->second), kRemedy);
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<PlanarMesh> triangulate(const std::vector<Vec2>& boundary, double edge_length) {
  RETURN_IF_ERROR(check_loop(boundary, edge_length));
  // A clockwise loop is meshed as its mirror image, so that a mirrored panel gets the mirrored mesh.
  const double mirror = signed_area(boundary) < 0.0 ? -1.0 : 1.0;
  std::vector<Vec2> loop = boundary;
  for (Vec2& p : loop) p.x() *= mirror;
  Delaunay mesh;
  if (!mesh.build(loop)) {
    return invalid_input("OUTLINE_CROSSES_ITSELF", "outline", "the outline has no inside",
                         "Draw the outline as one closed loop that never meets itself.");
  }
  Refiner(&mesh, edge_length).run();
  for (int round = 0; round < kSmoothingRounds; ++round) smooth(&mesh);
  return stored(mesh, edge_length, mirror);
}

}  // namespace tryon
