#include "server/io/mesh_preflight.h"

#include <array>

#include "server/io/cloud_file.h"
#include "server/io/cloud_points.h"
#include "server/io/mesh_inspect.h"

namespace tryon {
namespace mesh_inspect {

absl::Status MeshSource::empty(std::string_view what) const {
  return invalid_input("MESH_EMPTY", name, cat(name, " ", what), "Export the body again and check that it is visible.");
}

absl::Status MeshSource::truncated(std::string_view element, std::string_view what) const {
  return invalid_input("MESH_TRUNCATED", field(element), cat(name, " is cut short: ", what),
                       "Upload the file again, whole.");
}

absl::Status MeshSource::contradictory(std::string_view element, std::string_view what) const {
  return invalid_input("MESH_CONTRADICTORY", field(element), cat(name, " contradicts itself: ", what),
                       "Export the mesh again with another program.");
}

absl::Status MeshSource::not_finite(std::string_view element) const {
  return invalid_input(
      "MESH_NOT_FINITE", field(element),
      cat(name, ": ", element, " has a coordinate that is not a usable number (NaN, infinite or above ",
          kLargestCoordinate, ")"),
      "Repair the mesh and export it again without NaN or infinity.");
}

absl::Status MeshSource::index_out_of_range(std::string_view element, int64_t index, int64_t count) const {
  return invalid_input("MESH_INDEX_OUT_OF_RANGE", field(element),
                       cat(name, ": ", element, " asks for number ", index, ", but there are ", count),
                       "Export the mesh again; its faces do not fit its vertices.");
}

absl::Status MeshSource::has_no_faces(std::string_view what) const {
  return invalid_input("MESH_HAS_NO_FACES", name, cat(name, " ", what), "Export the body as triangles or as points.");
}

absl::Status MeshSource::unsupported(std::string_view element, std::string_view what, std::string_view remedy) const {
  return invalid_input("MESH_UNSUPPORTED", field(element), cat(name, ": ", what), remedy);
}

absl::Status MeshSource::external_file(std::string_view element) const {
  return invalid_input("MESH_EXTERNAL_FILE", field(element), cat(name, ": ", element, " lies in another file"),
                       "Export as one self-contained file.");
}

absl::Status MeshSource::wrong_type(std::string_view what) const {
  return invalid_input("MESH_WRONG_TYPE", name, cat(name, " ", what),
                       "Send an OBJ, PLY, STL, GLB, glTF or PCD file under its own type.");
}

absl::Status MeshSource::check_counts(int64_t vertices, int64_t triangles) const {
  const bool too_many_vertices = vertices > limits.max_vertices;
  if (!too_many_vertices && triangles <= limits.max_triangles) return absl::OkStatus();
  return invalid_input("MESH_TOO_LARGE", name,
                       too_many_vertices
                           ? cat(name, " has ", vertices, " vertices; the limit is ", limits.max_vertices)
                           : cat(name, " has ", triangles, " triangles; the limit is ", limits.max_triangles),
                       "Decimate the mesh; 50,000 vertices describe a body well.");
}

}  // namespace mesh_inspect

namespace {

struct Magic {
  std::string_view bytes, what;
};
constexpr std::array<Magic, 8> kForeign = {{{"\x89PNG", "a PNG picture"},
                                            {"\xff\xd8\xff", "a JPEG picture"},
                                            {"PK\x03\x04", "a ZIP archive"},
                                            {"%PDF", "a PDF document"},
                                            {"\x1f\x8b", "a gzip archive"},
                                            {"GIF8", "a GIF picture"},
                                            {"Kaydara FBX", "an FBX file"},
                                            {"\x7f"
                                             "ELF",
                                             "a program"}}};

// A file that is plainly something else than it is called.
absl::Status check_type(const mesh_inspect::MeshSource& source, MeshFormat format) {
  for (const Magic& magic : kForeign) {
    if (source.bytes.starts_with(magic.bytes)) return source.wrong_type(cat("is ", magic.what, ", not a mesh"));
  }
  const auto sniffed = sniff_mesh_format(source.bytes);
  if (sniffed.ok() && *sniffed != format) {
    return source.wrong_type(
        cat("was sent as ", mesh_format_name(format), " but holds ", mesh_format_name(*sniffed), " data"));
  }
  return absl::OkStatus();
}

}  // namespace

std::string clean_file_name(std::string_view name) {
  const size_t slash = name.find_last_of("/\\");
  if (slash != std::string_view::npos) name.remove_prefix(slash + 1);
  std::string out;
  int characters = 0;
  for (char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    const bool continues = (byte & 0xc0) == 0x80;  // inside a UTF-8 character
    if (!continues && ++characters > 100) break;
    if (out.size() >= 400) break;
    out.push_back(byte < 0x20 || byte == 0x7f ? '?' : c);
  }
  return out.empty() ? "mesh" : out;
}

absl::StatusOr<MeshFacts> inspect_mesh(std::string_view bytes, MeshFormat format, std::string_view file_name,
                                       const ParseLimits& limits) {
  return inspect_mesh(bytes, format, file_name, limits, nullptr);
}

absl::StatusOr<MeshFacts> inspect_mesh(std::string_view bytes, MeshFormat format, std::string_view file_name,
                                       const ParseLimits& limits, ParsedMesh* cloud) {
  const mesh_inspect::MeshSource source{bytes, clean_file_name(file_name), limits};
  if (bytes.empty()) return source.empty("has no bytes at all");
  if (static_cast<int64_t>(bytes.size()) > limits.max_file_bytes) {
    return invalid_input("MESH_TOO_LARGE", source.name,
                         cat(source.name, " has ", bytes.size(), " bytes; the limit is ", limits.max_file_bytes),
                         "Decimate the mesh; 50,000 vertices describe a body well.");
  }
  RETURN_IF_ERROR(check_type(source, format));
  switch (format) {
    case MeshFormat::kObj:
      return mesh_inspect::inspect_obj(source, nullptr, cloud);
    case MeshFormat::kPly:
      return mesh_inspect::inspect_ply(source, cloud);
    case MeshFormat::kStl:
      return mesh_inspect::inspect_stl(source);
    case MeshFormat::kGlb:
      return source.bytes.starts_with("glTF") ? mesh_inspect::inspect_glb(source) : mesh_inspect::inspect_gltf(source);
    case MeshFormat::kPcd:
      return mesh_inspect::inspect_pcd(source, cloud);
  }
  return internal_fault("unknown mesh format");
}

absl::StatusOr<std::string> gltf_as_glb(std::string_view bytes, std::string_view file_name, const ParseLimits& limits) {
  return mesh_inspect::glb_of_gltf(mesh_inspect::MeshSource{bytes, clean_file_name(file_name), limits});
}

absl::StatusOr<ParsedMesh> read_cloud(std::string_view bytes, MeshFormat format, std::string_view file_name,
                                      const ParseLimits& limits) {
  ParsedMesh out;
  ASSIGN_OR_RETURN(const MeshFacts facts, inspect_mesh(bytes, format, file_name, limits, &out));
  if (facts.points > 0 && !out.cloud.positions.empty()) return out;
  const std::string name = clean_file_name(file_name);
  return invalid_input("MESH_UNSUPPORTED", name, cat(name, " holds no bare points that are read"),
                       "Send a point cloud.");
}

absl::Status check_mesh_counts(int64_t vertices, int64_t triangles, std::string_view file_name,
                               const ParseLimits& limits) {
  return mesh_inspect::MeshSource{{}, clean_file_name(file_name), limits}.check_counts(vertices, triangles);
}

absl::Status preflight_mesh(std::string_view bytes, MeshFormat format, std::string_view file_name,
                            const ParseLimits& limits) {
  return inspect_mesh(bytes, format, file_name, limits).status();
}

}  // namespace tryon
