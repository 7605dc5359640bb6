// What it is: materials of a GLB: what a piece looks like, and one more for each of its fields, coloured by a scale
// that the viewer chooses as a variant (KHR_materials_variants). Two fields share a texture coordinate: one runs along
// u, the other along v. Units: colours linear. How it fails: it does not. Thread rules: as GltfBuilder.
#pragma once

#include <vector>

#include "server/io/gltf_builder.h"
#include "server/io/mesh_export.h"

namespace tryon {

int add_material(const ExportPiece& piece, const std::string& name, GltfBuilder* gltf);

// The pairs of shares 0 .. 1 of TEXCOORD_1, _2, ...: [set][2 * vertex_count].
std::vector<std::vector<double>> field_coordinates(const ExportPiece& piece);

// Variants of the whole file; every piece that has fields maps its own.
class VariantList {
 public:
  VariantList(const ExportRamps& ramps, GltfBuilder* gltf) : ramps_(ramps), gltf_(gltf) {}
  // The primitive's own material and one a field.
  GltfJson mappings(const ExportPiece& piece, int own_material);
  void finish();

 private:
  int variant(const std::string& name);
  int texture(bool about_zero, bool down);

  const ExportRamps& ramps_;
  GltfBuilder* gltf_;
  std::vector<std::string> names_;
  int textures_[2][2] = {{-1, -1}, {-1, -1}};
};

}  // namespace tryon
