#include "server/drape/shown_garment.h"

namespace tryon {
namespace {

Vec2 along_grain(const Vec2& flat, const Panel* panel) {
  if (panel == nullptr || !panel->grain_given) return flat;
  const Vec2& g = panel->grain;
  return {flat.x() * g.y() - flat.y() * g.x(), flat.dot(g)};
}

}  // namespace

ShownGarment shown_garment(const GarmentMesh& garment, const Pattern& pattern, const WeldedMesh& cloth) {
  const std::vector<Vec3> smooth = vertex_normals(cloth.mesh);
  ShownGarment out;
  out.welded = cloth.source;
  out.mesh.positions = spread_to(out, cloth.mesh.positions);
  out.normals = spread_to(out, smooth);
  for (size_t v = 0; v < garment.flat.size(); ++v) {
    const auto p = static_cast<size_t>(garment.panel[v]);
    out.uv.push_back(along_grain(garment.flat[v], p < pattern.panels.size() ? &pattern.panels[p] : nullptr));
  }
  for (const Triangle& t : garment.triangles) {
    const int a = cloth.source[static_cast<size_t>(t[0])], b = cloth.source[static_cast<size_t>(t[1])],
              c = cloth.source[static_cast<size_t>(t[2])];
    if (a != b && b != c && c != a) out.mesh.triangles.push_back(t);  // a gathered corner may close a triangle up
  }
  return out;
}

}  // namespace tryon
