#include "server/body/slices.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "server/body/bounding.h"

namespace tryon {
namespace {

struct PlaneFrame {
  Vec3 origin, normal, u, v;
  PlaneFrame(const Vec3& o, const Vec3& n) : origin(o), normal(n.normalized()) {
    const Vec3 seed = std::abs(normal.x()) < 0.9 ? Vec3::UnitX() : Vec3::UnitY();
    u = (seed - seed.dot(normal) * normal).normalized();
    v = normal.cross(u);
  }
  Vec2 flat(const Vec3& p) const { return {(p - origin).dot(u), (p - origin).dot(v)}; }
};

void measure(const PlaneFrame& frame, SliceLoop* loop) {
  const size_t n = loop->points.size();
  std::vector<Vec2> flat(n);
  for (size_t i = 0; i < n; ++i) flat[i] = frame.flat(loop->points[i]);
  double twice_area = 0.0;
  Vec2 moment = Vec2::Zero();
  for (size_t i = 0; i < n; ++i) {
    const size_t j = (i + 1) % n;
    if (j != 0 || loop->closed) loop->perimeter += (loop->points[j] - loop->points[i]).norm();
    const double c = flat[i].x() * flat[j].y() - flat[j].x() * flat[i].y();
    twice_area += c;
    moment += c * (flat[i] + flat[j]);
  }
  loop->area = 0.5 * std::abs(twice_area);
  Vec2 middle = Vec2::Zero();
  if (std::abs(twice_area) > 1e-12) {
    middle = moment / (3.0 * twice_area);
  } else {
    for (const Vec2& p : flat) middle += p / static_cast<double>(n);
  }
  loop->centroid = frame.origin + middle.x() * frame.u + middle.y() * frame.v;
  loop->hull_perimeter = hull_perimeter(loop->points, frame.normal);
}

// Crossing points by mesh edge, and for each the (at most two) crossings that it is joined to.
struct Crossings {
  std::vector<Vec3> point;
  std::vector<std::array<int, 2>> next;
  std::map<std::pair<int, int>, int> index;

  int of(int a, int b, const std::vector<Vec3>& p, double da, double db) {
    const auto key = std::minmax(a, b);
    const auto [it, fresh] = index.try_emplace(key, static_cast<int>(point.size()));
    if (fresh) {
      point.push_back(p[a] + (da / (da - db)) * (p[b] - p[a]));
      next.push_back({-1, -1});
    }
    return it->second;
  }
  void join(int a, int b) {
    for (const auto& [from, to] : {std::pair(a, b), std::pair(b, a)}) {
      if (next[from][0] < 0) {
        next[from][0] = to;
      } else if (next[from][1] < 0) {
        next[from][1] = to;
      }
    }
  }
};

SliceLoop walk(const Crossings& cut, int start, std::vector<char>* seen) {
  SliceLoop loop;
  int previous = -1, at = start;
  while (at >= 0 && !(*seen)[at]) {
    (*seen)[at] = 1;
    loop.points.push_back(cut.point[at]);
    const int go = cut.next[at][0] != previous ? cut.next[at][0] : cut.next[at][1];
    previous = at;
    at = go;
  }
  loop.closed = at == start && loop.points.size() >= 3;
  return loop;
}

void add_triangle(const TriangleMesh& mesh, const PlaneFrame& frame, int t, Crossings* cut) {
  const Triangle& tri = mesh.triangles[t];
  double d[3];
  for (int k = 0; k < 3; ++k) {
    d[k] = (mesh.positions[tri[k]] - frame.origin).dot(frame.normal);
    if (d[k] == 0.0) d[k] = 1e-12;  // a vertex on the plane counts as above it
  }
  int ends[2], count = 0;
  for (int k = 0; k < 3 && count < 2; ++k) {
    const int j = (k + 1) % 3;
    if ((d[k] > 0) != (d[j] > 0)) ends[count++] = cut->of(tri[k], tri[j], mesh.positions, d[k], d[j]);
  }
  if (count == 2 && ends[0] != ends[1]) cut->join(ends[0], ends[1]);
}

constexpr int kBands = 200;

}  // namespace

LevelSlicer::LevelSlicer(const TriangleMesh& mesh, const std::vector<int>* triangle_subset, const Vec3& unit_axis)
    : mesh_(mesh), axis_(unit_axis), bands_(kBands) {
  const int count = triangle_subset != nullptr ? static_cast<int>(triangle_subset->size()) : mesh.triangle_count();
  std::vector<Vec2> reach(static_cast<size_t>(count));
  low_ = 1e300, high_ = -1e300;
  for (int i = 0; i < count; ++i) {
    const Triangle& tri = mesh.triangles[triangle_subset != nullptr ? (*triangle_subset)[i] : i];
    const Vec3 along(mesh.positions[tri[0]].dot(axis_), mesh.positions[tri[1]].dot(axis_),
                     mesh.positions[tri[2]].dot(axis_));
    reach[i] = {along.minCoeff(), along.maxCoeff()};
    low_ = std::min(low_, reach[i].x());
    high_ = std::max(high_, reach[i].y());
  }
  for (int i = 0; i < count; ++i) {
    for (int b = band(reach[i].x()); b <= band(reach[i].y()); ++b) {
      bands_[b].push_back(triangle_subset != nullptr ? (*triangle_subset)[i] : i);
    }
  }
}

int LevelSlicer::band(double offset) const {
  if (!(high_ > low_)) return 0;
  return std::clamp(static_cast<int>((offset - low_) / (high_ - low_) * kBands), 0, kBands - 1);
}

std::vector<SliceLoop> LevelSlicer::at(double offset) const {
  if (offset < low_ || offset > high_) return {};
  return slice_mesh(mesh_, &bands_[band(offset)], offset * axis_, axis_);
}

double hull_perimeter(const std::vector<Vec3>& points, const Vec3& normal) {
  if (points.empty()) return 0.0;
  const PlaneFrame frame(points[0], normal);
  std::vector<Vec2> flat;
  flat.reserve(points.size());
  for (const Vec3& p : points) flat.push_back(frame.flat(p));
  return polygon_perimeter(convex_hull(std::move(flat)));
}

std::vector<SliceLoop> slice_mesh(const TriangleMesh& mesh, const std::vector<int>* triangle_subset, const Vec3& origin,
                                  const Vec3& normal) {
  const PlaneFrame frame(origin, normal);
  Crossings cut;
  if (triangle_subset != nullptr) {
    for (int t : *triangle_subset) add_triangle(mesh, frame, t, &cut);
  } else {
    for (int t = 0; t < mesh.triangle_count(); ++t) add_triangle(mesh, frame, t, &cut);
  }
  std::vector<char> seen(cut.point.size(), 0);
  std::vector<SliceLoop> loops;
  for (int pass = 0; pass < 2; ++pass) {  // open chains from their ends first, then closed loops
    for (size_t i = 0; i < cut.point.size(); ++i) {
      if (seen[i] || (pass == 0 && cut.next[i][1] >= 0)) continue;
      SliceLoop loop = walk(cut, static_cast<int>(i), &seen);
      if (loop.points.size() < 3) continue;
      measure(frame, &loop);
      loops.push_back(std::move(loop));
    }
  }
  std::stable_sort(loops.begin(), loops.end(), [](const SliceLoop& a, const SliceLoop& b) { return a.area > b.area; });
  return loops;
}

}  // namespace tryon
