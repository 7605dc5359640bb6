// What it is: finished meshes to bytes: GLB with normals, UVs and a material, and OBJ with the same vertex order.
// Units and frame: metres, +Y up, body facing +Z, triangles, outward normals. Deterministic bytes.
// Shapes: per piece positions [n], normals [n], uv [n] or empty. How it fails: INTERNAL if a piece breaks those shapes.
// Thread rules: pure functions.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "server/mesh/triangle_mesh.h"

namespace tryon {

struct ExportPiece {
  std::string name;  // "garment", "body", "proxy torso 3"
  TriangleMesh mesh;
  std::vector<Vec3> normals;      // [vertex_count]
  std::vector<Vec2> uv;           // [vertex_count] or empty; metres on the cloth, v up
  Vec3 colour = {0.6, 0.6, 0.6};  // linear RGB
  double opacity = 1.0;
  double roughness = 0.9;
  bool double_sided = true;
};

absl::StatusOr<std::string> write_glb(const std::vector<ExportPiece>& pieces);
absl::StatusOr<std::string> write_obj(const std::vector<ExportPiece>& pieces);

}  // namespace tryon
