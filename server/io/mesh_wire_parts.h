// What it is: inside of mesh_wire and cloud_wire: bytes out and bytes in, each length checked against what is there.
// Units: none; little-endian. How it fails: take_* gives false and leaves its target in a valid state.
// Thread rules: plain values.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "server/mesh/triangle_mesh.h"

namespace tryon::mesh_wire {

static_assert(std::endian::native == std::endian::little, "the wire is little-endian");
static_assert(sizeof(Vec3) == 24 && sizeof(Triangle) == 12);
constexpr size_t kMaxNotes = 64, kMaxText = 4096;
enum Kind : uint32_t { kMesh = 0, kStatus = 1, kSurface = 2, kRequest = 3 };
constexpr std::string_view kMagic = "tryonmsh";

template <typename T>
void put(std::string* out, const T* values, size_t count) {
  out->append(reinterpret_cast<const char*>(values), sizeof(T) * count);
}
void put_u32(std::string* out, size_t value);
void put_text(std::string* out, std::string_view text);  // cut at kMaxText
void put_notes(std::string* out, const std::vector<std::string>& notes);
std::string begin_answer(Kind kind, size_t payload_bytes);
std::string status_answer(const absl::Status& status);

absl::Status broken(std::string_view what);  // MESH_PARSER_CRASHED

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
  bool take_text(std::string* out);
  bool take_notes(std::vector<std::string>* out);  // control characters become '?'
  template <typename T>
  bool take_list(std::vector<T>* out, size_t count) {  // refuses before it allocates
    if (count > rest_.size() / sizeof(T)) return false;
    out->resize(count);
    return take(out->data(), count * sizeof(T));
  }
  size_t left() const { return rest_.size(); }

 private:
  std::string_view rest_;
};

// Magic and kind; a status is decoded and returned. OK: `in` stands before the payload of `wanted`.
absl::Status open_answer(WireReader* in, Kind wanted);

}  // namespace tryon::mesh_wire
