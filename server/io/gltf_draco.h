// What it is: a triangle mesh with its attributes in Draco's compressed form (edgebreaker), for
// KHR_draco_mesh_compression. Units: as given; places keep 14 bits of the largest side, normals 10, texture coordinates
// and fields 12. Shapes: attributes [components * vertex_count]. How it fails: INTERNAL with Draco's own words.
// Vertices may come out in another order and number; counts and bounds are those of the bytes read back. Thread rules:
// pure function.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "server/mesh/triangle_mesh.h"

namespace tryon {

struct DracoAttribute {
  enum class Kind { kPosition, kNormal, kTexture, kGeneric } kind = Kind::kGeneric;
  int components = 1;
  std::vector<float> values;
};

struct DracoMesh {
  std::string bytes;
  std::vector<int> ids;  // of the attributes, in their order
  size_t vertex_count = 0, index_count = 0;
  std::array<float, 3> low{}, high{};  // of the places
};

absl::StatusOr<DracoMesh> encode_draco(const std::vector<Triangle>& triangles,
                                       const std::vector<DracoAttribute>& attributes);

}  // namespace tryon
