#include <CGAL/Exact_predicates_inexact_constructions_kernel.h>

#include <algorithm>
#include <numeric>

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

// The edge of a triangle that lies across the one corner that it shares with another.
Kernel::Segment_3 edge_across(const TriangleMesh& mesh, int t, const Triangle& other) {
  const Triangle& tri = mesh.triangles[t];
  const int k = has_corner(other, tri[0]) ? 0 : has_corner(other, tri[1]) ? 1 : 2;
  return {point(mesh, tri[(k + 1) % 3]), point(mesh, tri[(k + 2) % 3])};
}

bool cross(const TriangleMesh& mesh, int a, int b) {
  const int shared = shared_corners(mesh.triangles[a], mesh.triangles[b]);
  if (shared > 1) return false;
  const auto first = exact(mesh, a), second = exact(mesh, b);
  if (first.is_degenerate() || second.is_degenerate()) return false;
  if (shared == 0) return CGAL::do_intersect(first, second);
  return CGAL::do_intersect(edge_across(mesh, a, mesh.triangles[b]), second) ||
         CGAL::do_intersect(edge_across(mesh, b, mesh.triangles[a]), first);
}

}  // namespace

// Sweep along y (a garment is tallest there), boxes first, then CGAL's exact test.
std::vector<std::pair<int, int>> self_intersections(const TriangleMesh& mesh) {
  std::vector<Box3> boxes(mesh.triangles.size());
  for (int t = 0; t < mesh.triangle_count(); ++t) {
    for (int k = 0; k < 3; ++k) boxes[t].extend(mesh.positions[mesh.triangles[t][k]]);
  }
  std::vector<int> order(boxes.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](int a, int b) {
    return std::make_pair(boxes[a].min().y(), a) < std::make_pair(boxes[b].min().y(), b);
  });
  std::vector<std::pair<int, int>> pairs;
  for (size_t i = 0; i < order.size(); ++i) {
    const int a = order[i];
    for (size_t j = i + 1; j < order.size() && boxes[order[j]].min().y() <= boxes[a].max().y(); ++j) {
      const int b = order[j];
      if (boxes[a].intersects(boxes[b]) && cross(mesh, a, b)) pairs.push_back(std::minmax(a, b));
    }
  }
  return pairs;
}

int count_self_intersections(const TriangleMesh& mesh) { return static_cast<int>(self_intersections(mesh).size()); }

}  // namespace tryon
