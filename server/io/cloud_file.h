// What it is: a file of points, not triangles, as a PointCloud: PLY, PCD, and OBJ with `v` lines only. Runs inside
// tryon-meshparse. Units and frame: the file's. Shapes: see PointCloud. How it fails: as inspect_mesh;
// MESH_UNSUPPORTED for a file with triangles or of another format. Thread rules: pure function of the bytes.
#pragma once

#include "absl/status/statusor.h"
#include "server/io/mesh_file.h"

namespace tryon {
absl::StatusOr<ParsedMesh> read_cloud(std::string_view bytes, MeshFormat format, std::string_view file_name,
                                      const ParseLimits& limits);
}  // namespace tryon
