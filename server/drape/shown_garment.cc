#include "server/drape/shown_garment.h"

#include <utility>

namespace tryon {
namespace {

// uv and triangles of the unsewn garment.
ShownGarment shown_cloth(const WeldedMesh& cloth, std::vector<Vec2> uv, const std::vector<Triangle>& triangles) {
  const std::vector<Vec3> smooth = vertex_normals(cloth.mesh);
  ShownGarment out;
  out.welded = cloth.source;
  out.mesh.positions = spread_to(out, cloth.mesh.positions);
  out.normals = spread_to(out, smooth);
  out.uv = std::move(uv);
  for (const Triangle& t : triangles) {
    const int a = cloth.source[static_cast<size_t>(t[0])], b = cloth.source[static_cast<size_t>(t[1])],
              c = cloth.source[static_cast<size_t>(t[2])];
    if (a != b && b != c && c != a) out.mesh.triangles.push_back(t);  // a gathered corner may close a triangle up
  }
  return out;
}

}  // namespace

ShownGarment shown_garment(const GarmentMesh& garment, const WeldedMesh& cloth) {
  return shown_cloth(cloth, garment.all_on_cloth(), garment.triangles);
}

ShownGarment shown_garment(const Worn& worn) {
  return shown_cloth(worn.garment.cloth, worn.garment.uv, worn.garment.shown);
}

ShownFrames shown_frames(size_t frame_count, double seconds) {
  const size_t stride = (frame_count + kMostShownFrames - 1) / kMostShownFrames;
  ShownFrames out;
  out.seconds = seconds * static_cast<double>(stride);
  for (size_t k = 0; k < frame_count; ++k) {
    if ((frame_count - 1 - k) % stride == 0) out.index.push_back(k);
  }
  return out;
}

}  // namespace tryon
