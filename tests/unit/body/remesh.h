// What it is: the same surface in fewer or more triangles, for tests that the answer does not hang on the mesh.
// Units and frame: kept. Shapes: closed meshes stay closed. How it fails: it does not. Thread rules: pure functions.
#pragma once

#include <cmath>
#include <map>
#include <vector>

// A false alarm of g++ 12 inside boost::optional, seen only where CGAL is inlined.
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"

#include <CGAL/Simple_cartesian.h>
#include <CGAL/Surface_mesh.h>
#include <CGAL/Surface_mesh_simplification/Policies/Edge_collapse/Count_ratio_stop_predicate.h>
#include <CGAL/Surface_mesh_simplification/edge_collapse.h>

#include "server/mesh/triangle_mesh.h"

namespace tryon::testing {

// Collapsed edge by edge, keeping volume and shape (Lindstrom and Turk 1998), by CGAL.
inline TriangleMesh decimated(const TriangleMesh& mesh, int triangles) {
  using Point = CGAL::Simple_cartesian<double>::Point_3;
  CGAL::Surface_mesh<Point> surface;
  for (const Vec3& p : mesh.positions) surface.add_vertex(Point(p.x(), p.y(), p.z()));
  auto at = [](int v) { return CGAL::SM_Vertex_index(static_cast<unsigned>(v)); };
  for (const Triangle& t : mesh.triangles) surface.add_face(at(t[0]), at(t[1]), at(t[2]));
  namespace Simplify = CGAL::Surface_mesh_simplification;
  const double share = 1.5 * triangles / static_cast<double>(surface.number_of_edges());
  Simplify::edge_collapse(surface, Simplify::Count_ratio_stop_predicate<CGAL::Surface_mesh<Point>>(share));
  TriangleMesh out;
  std::map<CGAL::SM_Vertex_index, int> index;
  for (const auto v : surface.vertices()) {
    index[v] = out.vertex_count();
    out.positions.push_back({surface.point(v).x(), surface.point(v).y(), surface.point(v).z()});
  }
  for (const auto f : surface.faces()) {
    Triangle corners;
    int k = 0;
    for (const auto v : surface.vertices_around_face(surface.halfedge(f))) corners[k++] = index.at(v);
    out.triangles.push_back(corners);
  }
  return out;
}

// Each triangle in four; `round` moves the vertices as Loop 1987 does, else they stay on the old triangles.
inline TriangleMesh subdivided(const TriangleMesh& mesh, bool round) {
  TriangleMesh out;
  std::vector<Vec3> sum(mesh.positions.size(), Vec3::Zero());
  std::vector<int> valence(mesh.positions.size(), 0);
  std::map<std::pair<int, int>, int> middle;
  std::vector<EdgeUse> edges = mesh_edges(mesh);
  auto opposite = [&](int t, const EdgeUse& e) {
    for (int k = 0; k < 3; ++k) {
      const int v = mesh.triangles[t][k];
      if (v != e.a && v != e.b) return mesh.positions[v];
    }
    return mesh.positions[e.a];
  };
  out.positions = mesh.positions;
  for (const EdgeUse& e : edges) {
    const Vec3 &a = mesh.positions[e.a], &b = mesh.positions[e.b];
    sum[e.a] += b, sum[e.b] += a, ++valence[e.a], ++valence[e.b];
    middle[{e.a, e.b}] = out.vertex_count();
    const bool smooth = round && e.right >= 0;
    out.positions.push_back(smooth ? Vec3(0.375 * (a + b) + 0.125 * (opposite(e.left, e) + opposite(e.right, e)))
                                   : Vec3(0.5 * (a + b)));
  }
  for (size_t v = 0; round && v < sum.size(); ++v) {
    const double n = valence[v], c = 0.375 + 0.25 * std::cos(2 * 3.14159265358979323846 / n);
    const double beta = (0.625 - c * c) / n;
    out.positions[v] = (1 - n * beta) * mesh.positions[v] + beta * sum[v];
  }
  for (const Triangle& t : mesh.triangles) {
    int m[3];
    for (int k = 0; k < 3; ++k) m[k] = middle.at(std::minmax(t[k], t[(k + 1) % 3]));
    for (int k = 0; k < 3; ++k) out.triangles.push_back({t[k], m[k], m[(k + 2) % 3]});
    out.triangles.push_back({m[0], m[1], m[2]});
  }
  return out;
}

}  // namespace tryon::testing
