#include "server/mesh/simplify.h"

#include <cstdint>

#include "meshoptimizer.h"

namespace tryon {
namespace {

std::vector<uint32_t> fewer_corners(const TriangleMesh& mesh, int most_triangles) {
  std::vector<uint32_t> corners;
  corners.reserve(3 * mesh.triangles.size());
  for (const Triangle& t : mesh.triangles) {
    for (int k = 0; k < 3; ++k) corners.push_back(static_cast<uint32_t>(t[k]));
  }
  if (mesh.triangle_count() <= most_triangles) return corners;
  std::vector<float> places;
  places.reserve(3 * mesh.positions.size());
  for (const Vec3& p : mesh.positions) {
    for (int k = 0; k < 3; ++k) places.push_back(static_cast<float>(p[k]));
  }
  constexpr float kAnyError = 1.0f;  // of the mesh's size: the number of triangles decides
  std::vector<uint32_t> out(corners.size());
  out.resize(meshopt_simplify(out.data(), corners.data(), corners.size(), places.data(), mesh.positions.size(),
                              3 * sizeof(float), 3 * static_cast<size_t>(most_triangles), kAnyError));
  return out;
}

}  // namespace

SimplifiedMesh simplify_mesh(const TriangleMesh& mesh, int most_triangles) {
  const std::vector<uint32_t> corners = fewer_corners(mesh, most_triangles);
  std::vector<int> kept(mesh.positions.size(), -1);
  for (const uint32_t v : corners) kept[v] = 0;
  SimplifiedMesh out;
  for (size_t v = 0; v < kept.size(); ++v) {
    if (kept[v] < 0) continue;
    kept[v] = out.mesh.vertex_count();
    out.mesh.positions.push_back(mesh.positions[v]);
    out.source.push_back(static_cast<int>(v));
  }
  for (size_t i = 0; i + 2 < corners.size(); i += 3) {
    out.mesh.triangles.emplace_back(kept[corners[i]], kept[corners[i + 1]], kept[corners[i + 2]]);
  }
  return out;
}

}  // namespace tryon
