#include "server/mesh/refine.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <queue>

#include "server/mesh/predicates.h"
#include "server/mesh/smooth.h"

namespace tryon {
namespace {

// Fractions of the local size. The first was chosen so that the mean inner edge comes out at the target.
constexpr double kCoverRadius = 0.75;    // points go in until no circle of this radius is empty
constexpr double kSideClearance = 0.55;  // of a new point from fixed edges ...
constexpr double kSideOffset = 0.80;     // ... and where it goes if the circle's centre is nearer
constexpr double kPointClearance = 0.60;
constexpr double kPoor = 1.08;  // radius over shortest edge of a triangle whose smallest angle is 27.6 degrees

Vec2 circumcentre(const Vec2& a, const Vec2& b, const Vec2& c) {
  const Vec2 u = b - a, v = c - a;
  const double twice = 2.0 * (u.x() * v.y() - u.y() * v.x());
  const double uu = u.squaredNorm(), vv = v.squaredNorm();
  return a + Vec2(v.y() * uu - u.y() * vv, u.x() * vv - v.x() * uu) / twice;
}

double squared_distance_to_segment(const Vec2& p, const Vec2& a, const Vec2& b) {
  const Vec2 d = b - a;
  const double t = std::clamp((p - a).dot(d) / d.squaredNorm(), 0.0, 1.0);
  return (p - a - t * d).squaredNorm();
}

// Farthest-point insertion: always the centre of the circle that is largest for its place, so the points spread evenly,
// follow the outline whatever its spacing, and make no lattice that could lie along the warp.
class Refiner {
 public:
  Refiner(Delaunay* mesh, double edge_length) : mesh_(*mesh), h_(edge_length), size_(local_sizes(*mesh, edge_length)) {}

  void run() {
    for (int t = 0; t < static_cast<int>(mesh_.triangles().size()); ++t) enqueue(t);
    while (!queue_.empty()) {
      const Entry top = queue_.top();
      queue_.pop();
      if (mesh_.triangles()[top.triangle].stamp == top.stamp) treat(top);
    }
  }

  const std::vector<double>& sizes() const { return size_; }

 private:
  struct Entry {
    double excess;  // radius over local size, squared
    double scale;   // what clearances are fractions of
    int triangle;
    uint32_t stamp;
    bool operator<(const Entry& o) const { return excess < o.excess || (excess == o.excess && o.triangle < triangle); }
  };
  struct Surroundings {
    double point_squared = std::numeric_limits<double>::infinity();
    double side_squared = std::numeric_limits<double>::infinity();
    int side_triangle = -1, side_corner = -1;  // the nearest fixed edge
    double size = 0.0;
  };

  const Vec2& corner(int t, int k) const { return mesh_.corner(t, k); }

  void enqueue(int t) {
    const Delaunay::Tri& tri = mesh_.triangles()[t];
    const Vec2 &a = corner(t, 0), &b = corner(t, 1), &c = corner(t, 2);
    const Vec2 u = b - a, v = c - a;
    const double twice = u.x() * v.y() - u.y() * v.x();
    const double uu = u.squaredNorm(), vv = v.squaredNorm(), ww = (c - b).squaredNorm();
    const double radius_squared = uu * vv * ww / std::max(4.0 * twice * twice, 1e-300);
    const double least = std::min({size_[tri.v[0]], size_[tri.v[1]], size_[tri.v[2]]});
    const double shortest = std::min({uu, vv, ww});
    // The cheap bound first: most triangles are good, and the size at the centre is never below `least`.
    const bool poor = radius_squared > kPoor * kPoor * shortest;
    if (!poor && radius_squared <= kCoverRadius * kCoverRadius * least * least) return;
    const double radius = std::sqrt(radius_squared), local = std::min(h_, least + kGrading * radius);
    const bool wide = radius > kCoverRadius * local;
    if (!wide && !poor) return;
    queue_.push({radius_squared / (local * local), wide ? local : radius / kCoverRadius, t, tri.stamp});
  }

  void treat(const Entry& entry) {
    const int t = entry.triangle;
    const Vec2 centre = circumcentre(corner(t, 0), corner(t, 1), corner(t, 2));
    if (!centre.allFinite()) return;
    const auto place = mesh_.locate(centre, t, Delaunay::Walk::kStopAtLines);
    int side_triangle = place.triangle, side_corner = place.blocked_edge;
    if (side_corner < 0) {
      const Surroundings near = look_round(centre, place.triangle);
      const double clearance = kSideClearance * entry.scale;
      if (near.side_squared >= clearance * clearance) {
        insert(centre, place.triangle, near.size);
        return;
      }
      side_triangle = near.side_triangle, side_corner = near.side_corner;
    }
    if (try_insert(beside(side_triangle, side_corner, centre, entry.scale), t, entry.scale)) return;
    try_insert((corner(t, 0) + corner(t, 1) + corner(t, 2)) / 3.0, t, entry.scale);
  }

  // A point inside, at the height of a good triangle over the given fixed edge.
  Vec2 beside(int t, int k, const Vec2& wish, double scale) const {
    const Vec2 &a = corner(t, (k + 1) % 3), &b = corner(t, (k + 2) % 3);
    const Vec2 d = b - a;
    const double margin = std::min(0.5, 0.9 * scale / d.norm());
    const double s = std::clamp((wish - a).dot(d) / d.squaredNorm(), margin, 1.0 - margin);
    return a + s * d + Vec2(-d.y(), d.x()).normalized() * (kSideOffset * scale);
  }

  bool try_insert(const Vec2& p, int from, double scale) {
    const auto place = mesh_.locate(p, from, Delaunay::Walk::kStopAtLines);
    if (place.blocked_edge >= 0) return false;
    const Surroundings near = look_round(p, place.triangle);
    if (near.point_squared < kPointClearance * kPointClearance * scale * scale ||
        near.side_squared < kSideClearance * kSideClearance * scale * scale) {
      return false;
    }
    return insert(p, place.triangle, near.size);
  }

  bool insert(const Vec2& p, int triangle, double size) {
    if (mesh_.insert(p, triangle) < 0) return false;
    size_.push_back(size);
    // A triangle touched twice is enqueued twice; the second entry finds the same stamp and does nothing new.
    for (const int t : mesh_.touched()) {
      if (seen_.size() <= static_cast<size_t>(t)) seen_.resize(2 * t + 64, -1);
      if (seen_[t] == mesh_.triangles()[t].stamp) continue;
      seen_[t] = mesh_.triangles()[t].stamp;
      enqueue(t);
    }
    return true;
  }

  // Nearest point and fixed edge among the triangles whose circles hold p: those that a new point would reshape.
  Surroundings look_round(const Vec2& p, int triangle) {
    Surroundings near;
    near.size = h_;
    reached_.assign(1, triangle);
    for (size_t i = 0; i < reached_.size(); ++i) {
      const int t = reached_[i];
      const Delaunay::Tri& tri = mesh_.triangles()[t];
      for (int k = 0; k < 3; ++k) {
        const double squared = (corner(t, k) - p).squaredNorm();
        near.point_squared = std::min(near.point_squared, squared);
        if (size_[tri.v[k]] < near.size) {
          near.size = std::min(near.size, size_[tri.v[k]] + kGrading * std::sqrt(squared));
        }
        if (tri.is_fixed(k)) {
          note_side(p, t, k, &near);
        } else if (std::find(reached_.begin(), reached_.end(), tri.n[k]) == reached_.end() &&
                   circle_holds(tri.n[k], p)) {
          reached_.push_back(tri.n[k]);
        }
      }
    }
    return near;
  }

  void note_side(const Vec2& p, int t, int k, Surroundings* near) const {
    const double squared = squared_distance_to_segment(p, corner(t, (k + 1) % 3), corner(t, (k + 2) % 3));
    if (squared >= near->side_squared) return;
    near->side_squared = squared, near->side_triangle = t, near->side_corner = k;
  }

  bool circle_holds(int t, const Vec2& p) const {
    const Vec2 a = corner(t, 0) - p, b = corner(t, 1) - p, c = corner(t, 2) - p;
    return a.squaredNorm() * (b.x() * c.y() - b.y() * c.x()) - b.squaredNorm() * (a.x() * c.y() - a.y() * c.x()) +
               c.squaredNorm() * (a.x() * b.y() - a.y() * b.x()) >
           0.0;
  }

  Delaunay& mesh_;
  const double h_;
  std::vector<double> size_;  // [point_count]
  std::priority_queue<Entry> queue_;
  std::vector<int> reached_;
  std::vector<int64_t> seen_;  // [triangle_count] stamp that was last enqueued
};

}  // namespace

void refine(Delaunay* mesh, double edge_length) {
  const int given = static_cast<int>(mesh->positions().size());
  Refiner refiner(mesh, edge_length);
  refiner.run();
  smooth(mesh, given, refiner.sizes());
}

}  // namespace tryon
