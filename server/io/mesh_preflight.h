// What it is: the cheap look at a mesh file before a library reads it: structure, counts, indices, finite numbers.
// Runs inside tryon-meshparse. Units: none. How it fails: INVALID_ARGUMENT that names line, face, chunk or byte.
// Thread rules: pure function of the bytes.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "server/io/mesh_file.h"

namespace tryon {

// What the file itself says, before any library has touched it.
struct MeshFacts {
  int64_t vertices = 0;    // stored; an STL stores three a triangle
  int64_t referenced = 0;  // of these, used by a face
  int64_t triangles = 0;   // after cutting each n-gon into n - 2
  int64_t points = 0;      // usable ones of a file that holds points only; 0: a mesh
};

absl::StatusOr<MeshFacts> inspect_mesh(std::string_view bytes, MeshFormat format, std::string_view file_name,
                                       const ParseLimits& limits);
// The same, and the points themselves where the file holds only points (PLY, PCD, OBJ).
absl::StatusOr<MeshFacts> inspect_mesh(std::string_view bytes, MeshFormat format, std::string_view file_name,
                                       const ParseLimits& limits, ParsedMesh* cloud);
absl::Status preflight_mesh(std::string_view bytes, MeshFormat format, std::string_view file_name,
                            const ParseLimits& limits);

// An OBJ as it stands: vertices in the order of the file, its faces cut into triangles without new vertices. Assimp
// gives every corner a vertex of its own there, which loses who is sewn to whom (closed lips are not one lip).
absl::StatusOr<TriangleMesh> read_obj(std::string_view bytes, std::string_view file_name, const ParseLimits& limits,
                                      MeshFacts* facts);

// A glTF whose one buffer is embedded as base64, as the GLB that it stands for.
absl::StatusOr<std::string> gltf_as_glb(std::string_view bytes, std::string_view file_name, const ParseLimits& limits);

// Sews vertices at exactly the same place where both lie on an open edge; elsewhere the file's own connections stand.
// The freed vertices stay, unused. Returns how many.
int64_t weld_open_edges(TriangleMesh* mesh);

// MESH_TOO_LARGE with the number and the limit.
absl::Status check_mesh_counts(int64_t vertices, int64_t triangles, std::string_view file_name,
                               const ParseLimits& limits);

// A file name fit for a message: no folders, no control characters, at most 100 characters.
std::string clean_file_name(std::string_view name);

}  // namespace tryon
