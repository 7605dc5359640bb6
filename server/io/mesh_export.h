// What it is: finished meshes to bytes: GLB (normals, texture coordinates, fields as attributes and as coloured
// variants, wind as an animation, on request quantised or Draco-compressed), OBJ, PLY and STL, all in one vertex order.
// Units and frame: metres, +Y up, body facing +Z, triangles, outward normals; fields SI. Deterministic bytes.
// Shapes: per piece positions [n], normals [n], uv [n] or empty, fields [n], frames [frame][n].
// How it fails: INTERNAL if a piece breaks those shapes. Thread rules: pure functions.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "server/mesh/triangle_mesh.h"

namespace tryon {

// A value per vertex: a custom attribute, and a variant of the material that shows it on a colour scale.
struct ExportField {
  std::string attribute;       // "_STRAIN_WARP"; of PLY "strain_warp"
  std::string title;           // of the variant: "Strain along the warp"
  std::string unit;            // of the values: "", "m", "Pa"
  std::vector<double> values;  // [vertex_count]
  double low = 0.0, high = 1.0;
  bool about_zero = false;  // which of the ramps
  bool is_shown = true;     // false: an attribute without a variant
};

struct ExportPiece {
  std::string name;  // "garment", "body", "proxy torso 3"
  TriangleMesh mesh;
  std::vector<Vec3> normals;      // [vertex_count]
  std::vector<Vec2> uv;           // [vertex_count] or empty; metres on the cloth along weft and warp, v up
  Vec3 colour = {0.6, 0.6, 0.6};  // linear RGB
  double opacity = 1.0;
  double roughness = 0.9;
  bool double_sided = true;
  std::vector<ExportField> fields;
  std::vector<std::vector<Vec3>> frames;  // an animation that begins with the first, or empty
  double frame_seconds = 0.1;
};

// PNG files with a colour scale along u (from the left) or along v (from the top): amounts, values about zero.
struct ExportRamps {
  std::array<std::string, 2> across, down;
};

struct GlbOptions {
  ExportRamps ramps;      // needed where a piece has fields that are shown
  bool quantise = false;  // places in 16 bits, normals in 8 (KHR_mesh_quantization)
  bool draco = false;     // KHR_draco_mesh_compression; instead of `quantise`, without frames
};

absl::StatusOr<std::string> write_glb(const std::vector<ExportPiece>& pieces, const GlbOptions& options = {});
absl::StatusOr<std::string> write_obj(const std::vector<ExportPiece>& pieces);
absl::StatusOr<std::string> write_ply(const ExportPiece& piece);                // binary, little-endian, with fields
absl::StatusOr<std::string> write_stl(const std::vector<ExportPiece>& pieces);  // binary

// For the writers: what a piece must hold, a normal that is one, a name fit for JSON and lines.
absl::Status check_piece(const ExportPiece& piece);
Vec3 unit_normal(const Vec3& n);
std::string plain_name(const std::string& name);

}  // namespace tryon
