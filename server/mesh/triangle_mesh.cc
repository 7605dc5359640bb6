#include "server/mesh/triangle_mesh.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "server/base/status.h"
#include "server/base/text.h"

namespace tryon {

absl::Status validate(const TriangleMesh& mesh, std::string_view name) {
  for (int i = 0; i < mesh.vertex_count(); ++i) {
    if (!mesh.positions[i].allFinite()) {
      return invalid_input("MESH_NOT_FINITE", cat(name, ".vertex[", i, "]"),
                           cat("vertex ", i, " has a coordinate that is not a finite number"),
                           "Export the mesh again without NaN or infinity.");
    }
  }
  for (int t = 0; t < mesh.triangle_count(); ++t) {
    const Triangle& tri = mesh.triangles[t];
    for (int k = 0; k < 3; ++k) {
      if (tri[k] < 0 || tri[k] >= mesh.vertex_count()) {
        return invalid_input("MESH_INDEX_OUT_OF_RANGE", cat(name, ".triangle[", t, "]"),
                             cat("triangle ", t, " uses vertex ", tri[k], " of ", mesh.vertex_count()),
                             "Export the mesh again; its face list does not fit its vertex list.");
      }
    }
    if (tri[0] == tri[1] || tri[1] == tri[2] || tri[2] == tri[0]) {
      return invalid_input("MESH_DEGENERATE_TRIANGLE", cat(name, ".triangle[", t, "]"),
                           cat("triangle ", t, " uses a vertex twice"),
                           "Remove degenerate triangles before the upload.");
    }
  }
  return absl::OkStatus();
}

Box3 bounds(const TriangleMesh& mesh) {
  Box3 box;
  for (const Vec3& p : mesh.positions) box.extend(p);
  return box;
}

Vec3 triangle_normal(const TriangleMesh& mesh, int triangle) {
  const Triangle& t = mesh.triangles[triangle];
  const Vec3& a = mesh.positions[t[0]];
  return (mesh.positions[t[1]] - a).cross(mesh.positions[t[2]] - a);
}

double surface_area(const TriangleMesh& mesh) {
  double sum = 0.0;
  for (int t = 0; t < mesh.triangle_count(); ++t) sum += 0.5 * triangle_normal(mesh, t).norm();
  return sum;
}

double signed_volume(const TriangleMesh& mesh) {
  double sum = 0.0;
  for (const Triangle& t : mesh.triangles) {
    sum += mesh.positions[t[0]].dot(mesh.positions[t[1]].cross(mesh.positions[t[2]]));
  }
  return sum / 6.0;
}

std::vector<Vec3> vertex_normals(const TriangleMesh& mesh) {
  std::vector<Vec3> normals(mesh.positions.size(), Vec3::Zero());
  for (int t = 0; t < mesh.triangle_count(); ++t) {
    const Vec3 n = triangle_normal(mesh, t);
    for (int k = 0; k < 3; ++k) normals[mesh.triangles[t][k]] += n;
  }
  for (Vec3& n : normals) {
    const double length = n.norm();
    n = length > 0.0 ? Vec3(n / length) : Vec3(Vec3::UnitY());
  }
  return normals;
}

std::vector<EdgeUse> mesh_edges(const TriangleMesh& mesh) {
  std::vector<std::array<int, 3>> half;  // a, b, triangle
  half.reserve(mesh.triangles.size() * 3);
  for (int t = 0; t < mesh.triangle_count(); ++t) {
    for (int k = 0; k < 3; ++k) {
      const int a = mesh.triangles[t][k], b = mesh.triangles[t][(k + 1) % 3];
      half.push_back({std::min(a, b), std::max(a, b), t});
    }
  }
  std::sort(half.begin(), half.end());
  std::vector<EdgeUse> edges;
  for (size_t i = 0; i < half.size();) {
    size_t j = i;
    while (j < half.size() && half[j][0] == half[i][0] && half[j][1] == half[i][1]) ++j;
    if (j - i == 1) edges.push_back({half[i][0], half[i][1], half[i][2], -1});
    for (size_t k = i; k + 1 < j; ++k) edges.push_back({half[i][0], half[i][1], half[k][2], half[k + 1][2]});
    i = j;
  }
  return edges;
}

std::pair<std::vector<int>, int> connected_components(const TriangleMesh& mesh) {
  std::vector<int> parent(mesh.positions.size());
  std::iota(parent.begin(), parent.end(), 0);
  auto root = [&](int v) {
    while (parent[v] != v) v = parent[v] = parent[parent[v]];
    return v;
  };
  for (const Triangle& t : mesh.triangles) {
    for (int k = 1; k < 3; ++k) {
      const int a = root(t[0]), b = root(t[k]);
      parent[std::max(a, b)] = std::min(a, b);
    }
  }
  std::vector<int> label(mesh.positions.size(), -1), component(mesh.triangles.size());
  int count = 0;
  for (int t = 0; t < mesh.triangle_count(); ++t) {
    int& l = label[root(mesh.triangles[t][0])];
    if (l < 0) l = count++;
    component[t] = l;
  }
  return {component, count};
}

}  // namespace tryon
