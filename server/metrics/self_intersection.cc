#include <CGAL/Exact_predicates_inexact_constructions_kernel.h>

#include <algorithm>
#include <numeric>

#include "server/metrics/metrics.h"

namespace tryon {
namespace {

using Kernel = CGAL::Exact_predicates_inexact_constructions_kernel;

bool share_vertex(const Triangle& a, const Triangle& b) {
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      if (a[i] == b[j]) return true;
    }
  }
  return false;
}

Kernel::Triangle_3 exact(const TriangleMesh& mesh, int t) {
  auto point = [&](int v) {
    const Vec3& p = mesh.positions[v];
    return Kernel::Point_3(p.x(), p.y(), p.z());
  };
  const Triangle& tri = mesh.triangles[t];
  return {point(tri[0]), point(tri[1]), point(tri[2])};
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
      if (!boxes[a].intersects(boxes[b]) || share_vertex(mesh.triangles[a], mesh.triangles[b])) continue;
      const auto first = exact(mesh, a), second = exact(mesh, b);
      if (first.is_degenerate() || second.is_degenerate()) continue;
      if (CGAL::do_intersect(first, second)) pairs.push_back(std::minmax(a, b));
    }
  }
  return pairs;
}

int count_self_intersections(const TriangleMesh& mesh) { return static_cast<int>(self_intersections(mesh).size()); }

}  // namespace tryon
