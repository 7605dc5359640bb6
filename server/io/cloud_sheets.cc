#include "server/io/cloud_sheets.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace tryon {
namespace {

struct HalfEdge {
  int low, high;  // vertices, low < high
  int triangle, corner;
  bool rising;  // runs from low to high
};

std::vector<HalfEdge> half_edges(const TriangleMesh& mesh) {
  std::vector<HalfEdge> out;
  out.reserve(mesh.triangles.size() * 3);
  for (int t = 0; t < mesh.triangle_count(); ++t) {
    for (int k = 0; k < 3; ++k) {
      const int a = mesh.triangles[t][k], b = mesh.triangles[t][(k + 1) % 3];
      out.push_back({std::min(a, b), std::max(a, b), t, k, a < b});
    }
  }
  std::sort(out.begin(), out.end(), [](const HalfEdge& x, const HalfEdge& y) {
    return std::array{x.low, x.high, x.triangle, x.corner} < std::array{y.low, y.high, y.triangle, y.corner};
  });
  return out;
}

// Corners that are one vertex: union by the smallest.
class Corners {
 public:
  explicit Corners(size_t count) : parent_(count) { std::iota(parent_.begin(), parent_.end(), 0); }
  int find(int i) {
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }
  void join(int a, int b) {
    a = find(a), b = find(b);
    parent_[std::max(a, b)] = std::min(a, b);
  }
  // The two triangles continue each other over this edge.
  void sew(const HalfEdge& up, const HalfEdge& down) {
    join(up.triangle * 3 + up.corner, down.triangle * 3 + (down.corner + 1) % 3);
    join(up.triangle * 3 + (up.corner + 1) % 3, down.triangle * 3 + down.corner);
  }

 private:
  std::vector<int> parent_;
};

// The direction in which a triangle leaves the edge, as an angle about it.
double angle_about(const TriangleMesh& mesh, const HalfEdge& edge, const Vec3& u, const Vec3& v) {
  const Vec3 away = mesh.positions[mesh.triangles[edge.triangle][(edge.corner + 2) % 3]] - mesh.positions[edge.low];
  return std::atan2(away.dot(v), away.dot(u));
}

// Where more than two meet, each rising half goes with the falling one that comes next when turning through the inside.
bool sew_edge(const TriangleMesh& mesh, const HalfEdge* begin, const HalfEdge* end, Corners* corners) {
  std::vector<const HalfEdge*> up, down;
  for (const HalfEdge* e = begin; e != end; ++e) (e->rising ? up : down).push_back(e);
  if (up.size() != down.size()) return false;
  if (up.size() == 1) {
    corners->sew(*up[0], *down[0]);
    return true;
  }
  const Vec3 axis = (mesh.positions[begin->high] - mesh.positions[begin->low]).normalized();
  const Vec3 u = axis.allFinite() && axis.norm() > 0.5 ? axis.unitOrthogonal() : Vec3(Vec3::UnitX());
  const Vec3 v = axis.cross(u);
  for (const HalfEdge* rise : up) {
    const double from = angle_about(mesh, *rise, u, v);
    size_t best = 0;
    double least = 1e9;
    for (size_t k = 0; k < down.size(); ++k) {
      double turn = from - angle_about(mesh, *down[k], u, v);  // a rising triangle has its inside at smaller angles
      if (turn < 0.0) turn += 2.0 * M_PI;
      if (turn < least) least = turn, best = k;
    }
    corners->sew(*rise, *down[best]);
    down.erase(down.begin() + static_cast<std::ptrdiff_t>(best));
  }
  return true;
}

}  // namespace

bool separate_sheets(TriangleMesh* mesh) {
  const std::vector<HalfEdge> edges = half_edges(*mesh);
  Corners corners(edges.size());
  for (size_t i = 0; i < edges.size();) {
    size_t end = i;
    while (end < edges.size() && edges[end].low == edges[i].low && edges[end].high == edges[i].high) ++end;
    if (!sew_edge(*mesh, edges.data() + i, edges.data() + end, &corners)) return false;
    i = end;
  }
  TriangleMesh out;
  std::vector<int> vertex(edges.size(), -1);
  for (int t = 0; t < mesh->triangle_count(); ++t) {
    Triangle triangle;
    for (int k = 0; k < 3; ++k) {
      int& index = vertex[corners.find(t * 3 + k)];
      if (index < 0) {
        index = out.vertex_count();
        out.positions.push_back(mesh->positions[mesh->triangles[t][k]]);
      }
      triangle[k] = index;
    }
    out.triangles.push_back(triangle);
  }
  *mesh = std::move(out);
  return true;
}

}  // namespace tryon
