// What it is: the cheap look at a mesh file before a library reads it: structure, counts, indices, finite numbers.
// Runs inside tryon-meshparse. Units: none. How it fails: INVALID_ARGUMENT that names line, face, chunk or byte.
// Thread rules: pure function of the bytes.
#pragma once

#include "absl/status/status.h"
#include "server/io/mesh_file.h"

namespace tryon {
absl::Status preflight_mesh(std::string_view bytes, MeshFormat format, std::string_view file_name,
                            const ParseLimits& limits);
}  // namespace tryon
