// What it is: the flat format on the pipe from tryon-meshparse: magic, counts, positions, triangles, points, normals,
// notes; or a status. Units: the file's. How it fails: every length is checked against the bytes that are there; the
// reader trusts nothing. Thread rules: pure functions.
#pragma once

#include "absl/status/statusor.h"
#include "server/io/mesh_file.h"

namespace tryon {
std::string encode_mesh(const absl::StatusOr<ParsedMesh>& result);
absl::StatusOr<ParsedMesh> decode_mesh(std::string_view bytes, const ParseLimits& limits);
}  // namespace tryon
