#include "server/body/slices.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

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

// Crossing points by mesh edge, and for each the (at most two) crossings that it is joined to. The edges stand in a
// table of open addresses; crossings are numbered in the order in which they are met, so the table's own order is not
// seen.
struct Crossings {
  std::vector<Vec3> point;
  std::vector<std::array<int, 2>> next;

  explicit Crossings(size_t triangles_cut) {
    point.reserve(triangles_cut + 1);
    next.reserve(triangles_cut + 1);
    size_t size = 16;
    while (size < 4 * triangles_cut) size *= 2;
    slots_.assign(size, {0, -1});
  }
  int of(int a, int b, const std::vector<Vec3>& p, double da, double db) {
    if (a > b) std::swap(a, b), std::swap(da, db);
    const uint64_t key = static_cast<uint64_t>(a) << 32 | static_cast<uint32_t>(b);
    size_t at = (key * 0x9E3779B97F4A7C15ull >> 20) & (slots_.size() - 1);
    while (slots_[at].second >= 0 && slots_[at].first != key) at = (at + 1) & (slots_.size() - 1);
    if (slots_[at].second < 0) {
      slots_[at] = {key, static_cast<int>(point.size())};
      point.push_back(p[a] + (da / (da - db)) * (p[b] - p[a]));
      next.push_back({-1, -1});
    }
    return slots_[at].second;
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

 private:
  std::vector<std::pair<uint64_t, int>> slots_;  // edge, index of its crossing or -1
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

struct CutTriangle {
  int triangle;
  double d[3];  // of the corners above the plane
};

void add_if_cut(const TriangleMesh& mesh, const PlaneFrame& frame, int t, std::vector<CutTriangle>* cut) {
  const Triangle& tri = mesh.triangles[t];
  CutTriangle found{t, {0, 0, 0}};
  int above = 0;
  for (int k = 0; k < 3; ++k) {
    found.d[k] = (mesh.positions[tri[k]] - frame.origin).dot(frame.normal);
    if (found.d[k] == 0.0) found.d[k] = 1e-12;  // a vertex on the plane counts as above it
    above += found.d[k] > 0;
  }
  if (above == 1 || above == 2) cut->push_back(found);
}

Crossings join_crossings(const TriangleMesh& mesh, const std::vector<CutTriangle>& cut) {
  Crossings crossings(cut.size());
  for (const CutTriangle& c : cut) {
    const Triangle& tri = mesh.triangles[c.triangle];
    int ends[2], count = 0;
    for (int k = 0; k < 3 && count < 2; ++k) {
      const int j = (k + 1) % 3;
      if ((c.d[k] > 0) != (c.d[j] > 0)) ends[count++] = crossings.of(tri[k], tri[j], mesh.positions, c.d[k], c.d[j]);
    }
    if (ends[0] != ends[1]) crossings.join(ends[0], ends[1]);
  }
  return crossings;
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
  std::vector<CutTriangle> triangles;
  if (triangle_subset != nullptr) {
    for (int t : *triangle_subset) add_if_cut(mesh, frame, t, &triangles);
  } else {
    for (int t = 0; t < mesh.triangle_count(); ++t) add_if_cut(mesh, frame, t, &triangles);
  }
  const Crossings cut = join_crossings(mesh, triangles);
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
