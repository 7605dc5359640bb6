#include "server/garment/hierarchy.h"

namespace tryon {

FlatCloth flat_cloth(const GarmentMesh& garment, const WeldedMesh& welded, const std::vector<int>& kept_vertices) {
  FlatCloth cloth;
  cloth.flat = garment.all_on_cloth();
  cloth.triangles = garment.triangles;
  cloth.vertex = welded.source;
  cloth.vertex_count = welded.mesh.vertex_count();
  for (const Seam& seam : garment.seams) {
    if (seam.left.empty()) continue;
    for (const int v : {seam.left.front(), seam.left.back(), seam.right.front(), seam.right.back()}) {
      cloth.locked.push_back(welded.source[v]);
    }
  }
  for (const ClothLine& line : garment.lines) cloth.lines.push_back(line.vertices);
  for (const int v : garment.marks) cloth.locked.push_back(welded.source[v]);
  for (const int v : kept_vertices) cloth.locked.push_back(welded.source[v]);
  return cloth;
}

absl::StatusOr<Hierarchy> build_hierarchy(const GarmentMesh& garment, const WeldedMesh& welded,
                                          const std::vector<int>& kept_vertices, const HierarchySettings& settings) {
  return build_hierarchy(flat_cloth(garment, welded, kept_vertices), settings);
}

}  // namespace tryon
