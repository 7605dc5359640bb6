#include "server/io/cloud_lzf.h"

#include "server/base/text.h"

namespace tryon {
namespace {

absl::Status wrong(size_t at, std::string_view what) {
  return absl::InvalidArgumentError(cat("its compressed data is broken: at byte ", at, " ", what));
}

}  // namespace

// A control byte below 32 starts a run of that many literals and one; else its upper three bits are the length of a
// reference less 2 (7: one more byte adds to it) and its lower five with the next byte the distance less 1.
absl::StatusOr<std::string> lzf_decompress(std::string_view in, size_t output_size) {
  if (output_size > lzf_longest_output(in.size())) {
    return wrong(0, cat(in.size(), " bytes are said to become ", output_size));
  }
  std::string out;
  out.reserve(output_size);
  size_t at = 0;
  while (at < in.size()) {
    const size_t start = at;
    const auto control = static_cast<unsigned char>(in[at++]);
    if (control < 32) {
      const size_t run = control + size_t{1};
      if (run > in.size() - at) return wrong(start, "a run of literals ends early");
      if (run > output_size - out.size()) return wrong(start, "it becomes longer than declared");
      out.append(in.substr(at, run));
      at += run;
      continue;
    }
    size_t length = control >> 5;
    if (in.size() - at < (length == 7 ? 2u : 1u)) return wrong(start, "a reference ends early");
    if (length == 7) length += static_cast<unsigned char>(in[at++]);
    length += 2;
    const size_t distance = (static_cast<size_t>(control & 0x1f) << 8 | static_cast<unsigned char>(in[at++])) + 1;
    if (distance > out.size()) return wrong(start, "a reference points before the beginning");
    if (length > output_size - out.size()) return wrong(start, "it becomes longer than declared");
    for (size_t from = out.size() - distance; length > 0; --length) out.push_back(out[from++]);  // may overlap
  }
  if (out.size() != output_size) return wrong(at, cat("it ends with ", out.size(), " of ", output_size, " bytes"));
  return out;
}

}  // namespace tryon
