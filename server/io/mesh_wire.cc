#include "server/io/mesh_wire.h"

#include <bit>
#include <cstring>

#include "server/base/status.h"
#include "server/base/text.h"

namespace tryon {
namespace {

// Layout, little-endian: magic [8], kind u32 (0 mesh, 1 status), then
//   mesh:   vertex_count u32, triangle_count u32, note_count u32, positions f64 [3 v], triangles i32 [3 t],
//           note_count times (length u32, bytes)
//   status: length u32, encode_status bytes
static_assert(std::endian::native == std::endian::little, "the wire is little-endian");
constexpr std::string_view kMagic = "tryonmsh";
constexpr uint32_t kMesh = 0, kStatus = 1;
constexpr size_t kMaxNotes = 64, kMaxText = 4096;

template <typename T>
void put(std::string* out, const T* values, size_t count) {
  out->append(reinterpret_cast<const char*>(values), sizeof(T) * count);
}
void put_u32(std::string* out, size_t value) {
  const auto narrow = static_cast<uint32_t>(value);
  put(out, &narrow, 1);
}
void put_text(std::string* out, std::string_view text) {
  text = text.substr(0, kMaxText);
  put_u32(out, text.size());
  out->append(text);
}

absl::Status broken(std::string_view what) {
  return invalid_input("MESH_PARSER_CRASHED", "mesh", cat("the mesh reader gave back ", what),
                       "The file upsets the reader; export it again with another program.");
}

class WireReader {
 public:
  explicit WireReader(std::string_view bytes) : rest_(bytes) {}
  bool take(void* out, size_t bytes) {
    if (rest_.size() < bytes) return false;
    if (bytes > 0) std::memcpy(out, rest_.data(), bytes);
    rest_.remove_prefix(bytes);
    return true;
  }
  bool take_u32(uint32_t* out) { return take(out, sizeof(*out)); }
  bool take_text(std::string* out) {
    uint32_t length = 0;
    if (!take_u32(&length) || length > kMaxText || length > rest_.size()) return false;
    out->resize(length);
    return take(out->data(), length);
  }
  size_t left() const { return rest_.size(); }

 private:
  std::string_view rest_;
};

absl::StatusOr<ParsedMesh> decode_body(WireReader* in, const ParseLimits& limits) {
  uint32_t vertices = 0, triangles = 0, notes = 0;
  if (!in->take_u32(&vertices) || !in->take_u32(&triangles) || !in->take_u32(&notes)) return broken("a cut header");
  if (vertices > static_cast<uint32_t>(limits.max_vertices) ||
      triangles > static_cast<uint32_t>(limits.max_triangles) || notes > kMaxNotes) {
    return broken("more than was allowed");
  }
  if (in->left() < size_t{24} * vertices + size_t{12} * triangles) return broken("fewer bytes than it declared");
  ParsedMesh out;
  static_assert(sizeof(Vec3) == 24 && sizeof(Triangle) == 12);
  out.mesh.positions.resize(vertices);
  out.mesh.triangles.resize(triangles);
  in->take(out.mesh.positions.data(), size_t{24} * vertices);
  in->take(out.mesh.triangles.data(), size_t{12} * triangles);
  for (uint32_t i = 0; i < notes; ++i) {
    std::string note;
    if (!in->take_text(&note)) return broken("a cut note");
    for (char& c : note) {
      if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
    }
    out.healed.push_back(std::move(note));
  }
  if (in->left() != 0) return broken("bytes after its end");
  if (vertices == 0 || triangles == 0) return broken("a mesh without triangles");
  RETURN_IF_ERROR(validate(out.mesh, "mesh"));
  return out;
}

}  // namespace

std::string encode_mesh(const absl::StatusOr<ParsedMesh>& result) {
  std::string out(kMagic);
  if (!result.ok()) {
    put_u32(&out, kStatus);
    put_text(&out, encode_status(result.status()));
    return out;
  }
  const TriangleMesh& mesh = result->mesh;
  out.reserve(64 + mesh.positions.size() * 24 + mesh.triangles.size() * 12);
  put_u32(&out, kMesh);
  put_u32(&out, mesh.positions.size());
  put_u32(&out, mesh.triangles.size());
  const size_t notes = std::min(result->healed.size(), kMaxNotes);
  put_u32(&out, notes);
  put(&out, mesh.positions.data(), mesh.positions.size());
  put(&out, mesh.triangles.data(), mesh.triangles.size());
  for (size_t i = 0; i < notes; ++i) put_text(&out, result->healed[i]);
  return out;
}

absl::StatusOr<ParsedMesh> decode_mesh(std::string_view bytes, const ParseLimits& limits) {
  WireReader in(bytes);
  std::string magic(kMagic.size(), '\0');
  uint32_t kind = 0;
  if (!in.take(magic.data(), magic.size()) || magic != kMagic || !in.take_u32(&kind)) return broken("no answer");
  if (kind == kMesh) return decode_body(&in, limits);
  std::string text;
  if (kind != kStatus || !in.take_text(&text) || in.left() != 0) return broken("no readable answer");
  const absl::Status status = decode_status(text);
  return status.ok() ? broken("no readable answer") : status;
}

}  // namespace tryon
