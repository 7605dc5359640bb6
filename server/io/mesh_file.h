// What it is: mesh files in and out as bytes. Reading untrusted files happens only in the tryon-meshparse child:
// parse_mesh_sandboxed forks it with resource limits, no new privileges and a wall clock limit, and checks its flat
// output again. Units and frame: the file's on reading (no unit is guessed here); metres, +Y up on writing.
// Shapes: see TriangleMesh. How it fails: names the file, the element (line, face, chunk) and the remedy.
// Thread rules: any thread; one child a call.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "server/base/run_context.h"
#include "server/mesh/point_cloud.h"
#include "server/mesh/triangle_mesh.h"

namespace tryon {

enum class MeshFormat { kObj, kPly, kStl, kGlb, kPcd };
std::string_view mesh_format_name(MeshFormat format);                          // "obj", ...
absl::StatusOr<MeshFormat> mesh_format_from_name(std::string_view file_name);  // by extension
absl::StatusOr<MeshFormat> sniff_mesh_format(std::string_view bytes);          // by content, where it is plain

struct ParseLimits {
  int64_t max_file_bytes = 64ll << 20;
  int max_vertices = 2'000'000, max_triangles = 4'000'000;
  int64_t address_space_bytes = 4ll << 30;
  int cpu_seconds = 20;
  absl::Duration wall_clock = absl::Seconds(90);  // the rest is waiting: for a busy machine, never for the file
};

struct ParsedMesh {
  TriangleMesh mesh;                // welded, without degenerate triangles; empty where the file holds points only
  PointCloud cloud;                 // the points of a file without faces
  std::vector<std::string> healed;  // "welded 80268 vertices into 13380"
};

// `parser` is the path of the tryon-meshparse binary (see default_meshparse_path).
absl::StatusOr<ParsedMesh> parse_mesh_sandboxed(const RunContext& run, const std::string& parser,
                                                std::string_view bytes, MeshFormat format, std::string_view file_name,
                                                const ParseLimits& limits);
// A surface of points in the same sandboxed child (Open3D: outliers, consistent normals, Poisson). Deterministic.
// How it fails: RECONSTRUCTION_FAILED, MESH_PARSER_* as above.
absl::StatusOr<Reconstruction> reconstruct_sandboxed(const RunContext& run, const std::string& parser,
                                                     const PointCloud& cloud, const ReconstructSettings& settings,
                                                     const ParseLimits& limits);
std::string default_meshparse_path();  // beside the running binary

}  // namespace tryon
