#include "server/io/mesh_wire_parts.h"

#include "server/base/status.h"
#include "server/base/text.h"

namespace tryon::mesh_wire {

void put_u32(std::string* out, size_t value) {
  const auto narrow = static_cast<uint32_t>(value);
  put(out, &narrow, 1);
}

void put_text(std::string* out, std::string_view text) {
  text = text.substr(0, kMaxText);
  put_u32(out, text.size());
  out->append(text);
}

void put_notes(std::string* out, const std::vector<std::string>& notes) {
  const size_t count = std::min(notes.size(), kMaxNotes);
  put_u32(out, count);
  for (size_t i = 0; i < count; ++i) put_text(out, notes[i]);
}

std::string begin_answer(Kind kind, size_t payload_bytes) {
  std::string out;
  out.reserve(64 + payload_bytes);
  out.append(kMagic);
  put_u32(&out, kind);
  return out;
}

std::string status_answer(const absl::Status& status) {
  std::string out = begin_answer(kStatus, kMaxText);
  put_text(&out, encode_status(status));
  return out;
}

absl::Status broken(std::string_view what) {
  return invalid_input("MESH_PARSER_CRASHED", "mesh", cat("the mesh reader gave back ", what),
                       "The file upsets the reader; export it again with another program.");
}

bool WireReader::take_text(std::string* out) {
  uint32_t length = 0;
  if (!take_u32(&length) || length > kMaxText || length > rest_.size()) return false;
  out->resize(length);
  return take(out->data(), length);
}

bool WireReader::take_notes(std::vector<std::string>* out) {
  uint32_t count = 0;
  if (!take_u32(&count) || count > kMaxNotes) return false;
  for (uint32_t i = 0; i < count; ++i) {
    std::string note;
    if (!take_text(&note)) return false;
    for (char& c : note) {
      if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
    }
    out->push_back(std::move(note));
  }
  return true;
}

absl::Status open_answer(WireReader* in, Kind wanted) {
  std::string magic(kMagic.size(), '\0');
  uint32_t kind = 0;
  if (!in->take(magic.data(), magic.size()) || magic != kMagic || !in->take_u32(&kind)) return broken("no answer");
  if (kind == wanted) return absl::OkStatus();
  std::string text;
  if (kind != kStatus || !in->take_text(&text) || in->left() != 0) return broken("no readable answer");
  const absl::Status status = decode_status(text);
  return status.ok() ? broken("no readable answer") : status;
}

}  // namespace tryon::mesh_wire
