#include "server/drape/shown_garment.h"

namespace tryon {
ShownGarment shown_garment(const GarmentMesh& garment, const WeldedMesh& cloth) {
  const std::vector<Vec3> smooth = vertex_normals(cloth.mesh);
  ShownGarment out;
  out.welded = cloth.source;
  out.mesh.positions = spread_to(out, cloth.mesh.positions);
  out.normals = spread_to(out, smooth);
  out.uv = garment.all_on_cloth();
  for (const Triangle& t : garment.triangles) {
    const int a = cloth.source[static_cast<size_t>(t[0])], b = cloth.source[static_cast<size_t>(t[1])],
              c = cloth.source[static_cast<size_t>(t[2])];
    if (a != b && b != c && c != a) out.mesh.triangles.push_back(t);  // a gathered corner may close a triangle up
  }
  return out;
}

}  // namespace tryon
