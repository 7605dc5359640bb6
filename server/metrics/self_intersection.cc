#include <CGAL/Exact_predicates_inexact_constructions_kernel.h>

#include <algorithm>
#include <utility>

#include "server/metrics/metrics.h"

namespace tryon {
namespace {

using Kernel = CGAL::Exact_predicates_inexact_constructions_kernel;

bool has_corner(const Triangle& t, int vertex) { return (t.array() == vertex).any(); }

int shared_corners(const Triangle& a, const Triangle& b) {
  return has_corner(b, a[0]) + has_corner(b, a[1]) + has_corner(b, a[2]);
}

Kernel::Point_3 point(const TriangleMesh& mesh, int vertex) {
  const Vec3& p = mesh.positions[vertex];
  return {p.x(), p.y(), p.z()};
}

Kernel::Triangle_3 exact(const TriangleMesh& mesh, int t) {
  const Triangle& tri = mesh.triangles[t];
  return {point(mesh, tri[0]), point(mesh, tri[1]), point(mesh, tri[2])};
}

// Of a triangle the one corner that it shares with another, and the edge that lies across.
int shared_corner(const Triangle& t, const Triangle& other) {
  return has_corner(other, t[0]) ? 0 : has_corner(other, t[1]) ? 1 : 2;
}

Kernel::Segment_3 edge_across(const TriangleMesh& mesh, int t, const Triangle& other) {
  const Triangle& tri = mesh.triangles[t];
  const int k = shared_corner(tri, other);
  return {point(mesh, tri[(k + 1) % 3]), point(mesh, tri[(k + 2) % 3])};
}

// Whether a plane through the corner that two triangles share surely keeps them apart: most pairs round a vertex, at a
// tenth of the exact test's time. Rounding is a thousand times smaller than the margin.
bool surely_apart(const TriangleMesh& mesh, const Triangle& a, const Triangle& b) {
  constexpr double kMargin = 1e-12;  // m
  const auto from_corner = [&](const Triangle& t, int k, int next) -> Vec3 {
    return mesh.positions[t[(k + next) % 3]] - mesh.positions[t[k]];
  };
  const int i = shared_corner(a, b), j = shared_corner(b, a);
  const Vec3 a1 = from_corner(a, i, 1), a2 = from_corner(a, i, 2), b1 = from_corner(b, j, 1), b2 = from_corner(b, j, 2);
  const Vec3 plane = a1 + a2 - b1 - b2;
  const double margin = kMargin * plane.norm();
  return plane.dot(a1) > margin && plane.dot(a2) > margin && plane.dot(b1) < -margin && plane.dot(b2) < -margin;
}

bool cross(const TriangleMesh& mesh, int a, int b) {
  const int shared = shared_corners(mesh.triangles[a], mesh.triangles[b]);
  if (shared > 1) return false;
  if (shared == 1 && surely_apart(mesh, mesh.triangles[a], mesh.triangles[b])) return false;
  const auto first = exact(mesh, a), second = exact(mesh, b);
  if (first.is_degenerate() || second.is_degenerate()) return false;
  if (shared == 0) return CGAL::do_intersect(first, second);
  return CGAL::do_intersect(edge_across(mesh, a, mesh.triangles[b]), second) ||
         CGAL::do_intersect(edge_across(mesh, b, mesh.triangles[a]), first);
}

// Boxes in an order by their lower y, dealt to strips by their lower x; none is wider than a strip, so that what meets
// a box begins in its own strip or in one beside it.
class Strips {
 public:
  Strips(const std::vector<Box3>& boxes, const std::vector<int>& order) {
    Box3 all;
    for (const Box3& box : boxes) all.extend(box), width_ = std::max(width_, box.sizes().x());
    if (boxes.empty()) return;
    left_ = all.min().x();
    const double span = all.sizes().x();
    width_ = kWider * std::max(width_, span / kMostStrips);
    strip_.resize(width_ > 0.0 ? static_cast<size_t>(span / width_) + 1 : 1);
    for (size_t i = 0; i < order.size(); ++i) {
      const Box3& box = boxes[order[i]];
      strip_[strip_of(box)].push_back({box, static_cast<int>(i)});
    }
  }

  // Later boxes of the order that meet this one, number i, ascending.
  void later_meeting(const Box3& box, int i, std::vector<int>* met) const {
    met->clear();
    const size_t own = strip_of(box);
    for (size_t s = own == 0 ? 0 : own - 1; s <= std::min(own + 1, strip_.size() - 1); ++s) {
      const auto& strip = strip_[s];
      const auto after = [](int at, const Member& member) { return at < member.index; };
      for (auto j = std::upper_bound(strip.begin(), strip.end(), i, after);
           j != strip.end() && j->box.min().y() <= box.max().y(); ++j)
        if (box.intersects(j->box)) met->push_back(j->index);
    }
    std::sort(met->begin(), met->end());
  }

 private:
  struct Member {  // side by side in memory as they are asked
    Box3 box;
    int index;
  };
  static constexpr double kMostStrips = 1024, kWider = 1 + 1e-9;  // than any box, whatever is rounded
  size_t strip_of(const Box3& box) const {
    const double at = (box.min().x() - left_) / width_, last = static_cast<double>(strip_.size() - 1);
    return at > 0.0 ? static_cast<size_t>(std::min(at, last)) : 0;
  }

  double left_ = 0.0, width_ = 0.0;
  std::vector<std::vector<Member>> strip_;
};

}  // namespace

// Sweep along y (a garment is tallest there), boxes first, then CGAL's exact test.
std::vector<std::pair<int, int>> self_intersections(const TriangleMesh& mesh, const RunContext& run) {
  std::vector<Box3> boxes(mesh.triangles.size());
  for (int t = 0; t < mesh.triangle_count(); ++t) {
    for (int k = 0; k < 3; ++k) boxes[t].extend(mesh.positions[mesh.triangles[t][k]]);
  }
  std::vector<std::pair<double, int>> by_y;
  for (int t = 0; t < mesh.triangle_count(); ++t) by_y.emplace_back(boxes[t].min().y(), t);
  std::sort(by_y.begin(), by_y.end());
  std::vector<int> order;
  for (const auto& [y, t] : by_y) order.push_back(t);
  const Strips strips(boxes, order);
  constexpr size_t kGrain = 512;
  std::vector<std::vector<std::pair<int, int>>> found((order.size() + kGrain - 1) / kGrain);
  run.parallel_for(static_cast<int64_t>(order.size()), kGrain, [&](int64_t begin, int64_t end) {
    std::vector<int> met;
    for (auto i = static_cast<size_t>(begin); i < static_cast<size_t>(end); ++i) {
      strips.later_meeting(boxes[order[i]], static_cast<int>(i), &met);
      for (const int j : met) {
        if (cross(mesh, order[i], order[j])) found[i / kGrain].push_back(std::minmax(order[i], order[j]));
      }
    }
  });
  std::vector<std::pair<int, int>> pairs;
  for (const auto& chunk : found) pairs.insert(pairs.end(), chunk.begin(), chunk.end());
  return pairs;
}

int count_self_intersections(const TriangleMesh& mesh, const RunContext& run) {
  return static_cast<int>(self_intersections(mesh, run).size());
}

}  // namespace tryon
