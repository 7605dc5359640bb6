#include "server/io/mesh_export.h"

#include <charconv>
#include <cmath>
#include <cstdint>

#include "server/base/status.h"
#include "server/base/text.h"

namespace tryon {
namespace {

absl::Status check_fields(const ExportPiece& piece) {
  const size_t count = piece.mesh.positions.size();
  for (const ExportField& field : piece.fields) {
    if (field.values.size() == count && field.high > field.low) continue;
    return internal_fault(cat("field ", field.attribute, " of piece '", piece.name, "' has ", field.values.size(),
                              " values for ", count, " vertices and a scale from ", field.low, " to ", field.high));
  }
  for (const auto& frame : piece.frames) {
    if (frame.size() == count) continue;
    return internal_fault(cat("a frame of piece '", piece.name, "' has ", frame.size(), " of ", count, " vertices"));
  }
  return absl::OkStatus();
}

void append_float(double value, std::string* out) {  // shortest text that reads back as the same float
  char buffer[32];
  const float stored = static_cast<float>(value);
  const auto end = std::to_chars(buffer, buffer + sizeof(buffer), stored == 0.0f ? 0.0f : stored).ptr;
  out->append(buffer, end);
}

template <typename Vector>
void append_line(std::string_view key, const Vector& v, std::string* out) {
  out->append(key);
  for (int k = 0; k < v.size(); ++k) {
    out->push_back(' ');
    append_float(v[k], out);
  }
  out->push_back('\n');
}

void append_obj_faces(const ExportPiece& piece, size_t first_vertex, size_t first_uv, std::string* out) {
  for (const Triangle& t : piece.mesh.triangles) {
    out->push_back('f');
    for (int k = 0; k < 3; ++k) {
      const std::string v = std::to_string(first_vertex + static_cast<size_t>(t[k]));
      out->append(cat(" ", v, "/"));
      if (!piece.uv.empty()) out->append(std::to_string(first_uv + static_cast<size_t>(t[k])));
      out->append(cat("/", v));
    }
    out->push_back('\n');
  }
}

template <typename T>
void append_bytes(T value, std::string* out) {
  out->append(reinterpret_cast<const char*>(&value), sizeof(T));
}

template <typename Vector>
void append_floats(const Vector& v, std::string* out) {
  for (int k = 0; k < v.size(); ++k) append_bytes(static_cast<float>(v[k]), out);
}

// "_STRAIN_WARP" as PLY writes names.
std::string property_name(const std::string& attribute) {
  std::string out;
  for (const char c : attribute) {
    if (c != '_' || !out.empty()) out.push_back(c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c);
  }
  return out;
}

std::string ply_header(const ExportPiece& piece) {
  std::string out = cat("ply\nformat binary_little_endian 1.0\ncomment tryon: metres, +Y up\nelement vertex ",
                        piece.mesh.positions.size(), "\n");
  for (const char* name : {"x", "y", "z", "nx", "ny", "nz"}) out += cat("property float ", name, "\n");
  if (!piece.uv.empty()) out += "property float s\nproperty float t\n";
  for (const ExportField& field : piece.fields) out += cat("property float ", property_name(field.attribute), "\n");
  return cat(out, "element face ", piece.mesh.triangles.size(),
             "\nproperty list uchar int vertex_indices\nend_header\n");
}

}  // namespace

absl::Status check_piece(const ExportPiece& piece) {
  if (piece.mesh.triangles.empty()) return internal_fault(cat("piece '", piece.name, "' has no triangles to export"));
  const absl::Status sound = validate(piece.mesh, piece.name);
  if (!sound.ok()) return internal_fault(cat("piece to export: ", sound.message()));
  const size_t count = piece.mesh.positions.size();
  if (piece.normals.size() != count || (!piece.uv.empty() && piece.uv.size() != count)) {
    return internal_fault(cat("piece '", piece.name, "' has ", count, " vertices, ", piece.normals.size(),
                              " normals and ", piece.uv.size(), " texture coordinates"));
  }
  for (const Vec2& uv : piece.uv) {
    if (!uv.allFinite())
      return internal_fault(cat("piece '", piece.name, "' has a texture coordinate that is not finite"));
  }
  return check_fields(piece);
}

Vec3 unit_normal(const Vec3& n) {
  const double length = n.norm();
  return length > 1e-12 && std::isfinite(length) ? Vec3(n / length) : Vec3(Vec3::UnitY());
}

// Names end up in JSON and in OBJ lines: no control characters, no quotes that need thought.
std::string plain_name(const std::string& name) {
  std::string out;
  for (char c : name) out.push_back(static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? '_' : c);
  return out.empty() ? "piece" : out;
}

absl::StatusOr<std::string> write_obj(const std::vector<ExportPiece>& pieces) {
  if (pieces.empty()) return internal_fault("nothing to export");
  std::string out = "# tryon: metres, +Y up\n";
  size_t vertex = 1, uv = 1;
  for (const ExportPiece& piece : pieces) {
    RETURN_IF_ERROR(check_piece(piece));
    out.append(cat("g ", plain_name(piece.name), "\n"));
    for (const Vec3& p : piece.mesh.positions) append_line("v", p, &out);
    for (const Vec2& t : piece.uv) append_line("vt", t, &out);
    for (const Vec3& n : piece.normals) append_line("vn", unit_normal(n), &out);
    append_obj_faces(piece, vertex, uv, &out);
    vertex += piece.mesh.positions.size();
    uv += piece.uv.size();
  }
  return out;
}

absl::StatusOr<std::string> write_ply(const ExportPiece& piece) {
  RETURN_IF_ERROR(check_piece(piece));
  std::string out = ply_header(piece);
  for (size_t v = 0; v < piece.mesh.positions.size(); ++v) {
    append_floats(piece.mesh.positions[v], &out);
    append_floats(unit_normal(piece.normals[v]), &out);
    if (!piece.uv.empty()) append_floats(piece.uv[v], &out);
    for (const ExportField& field : piece.fields) append_bytes(static_cast<float>(field.values[v]), &out);
  }
  for (const Triangle& t : piece.mesh.triangles) {
    append_bytes(uint8_t{3}, &out);
    for (int k = 0; k < 3; ++k) append_bytes(static_cast<int32_t>(t[k]), &out);
  }
  return out;
}

absl::StatusOr<std::string> write_stl(const std::vector<ExportPiece>& pieces) {
  constexpr size_t kHead = 80;
  std::string out = "tryon: binary STL, metres, +Y up", faces;
  out.resize(kHead, ' ');
  uint32_t count = 0;
  for (const ExportPiece& piece : pieces) {
    RETURN_IF_ERROR(check_piece(piece));
    for (int t = 0; t < piece.mesh.triangle_count(); ++t) {
      append_floats(unit_normal(triangle_normal(piece.mesh, t)), &faces);
      const Triangle& corners = piece.mesh.triangles[static_cast<size_t>(t)];
      for (int k = 0; k < 3; ++k) append_floats(piece.mesh.positions[static_cast<size_t>(corners[k])], &faces);
      append_bytes(uint16_t{0}, &faces);
      ++count;
    }
  }
  if (count == 0) return internal_fault("nothing to export");
  append_bytes(count, &out);
  return out + faces;
}

}  // namespace tryon
