// What it is: the form of a sealed blob: pieces of 64 KiB, each followed by its tag of AES-256-GCM; the last may be
// shorter, and is there even of an empty blob. Piece n is message n under the blob's key, which seals this blob alone.
// So a blob can be sealed while it comes, and read from any byte. Sizes and offsets in bytes. How it fails:
// BLOB_CORRUPT for what was changed. Thread rules: free functions; one SealedSum, one thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "server/base/hash.h"

namespace tryon {

inline constexpr int64_t kPieceBytes = 64 << 10;
inline constexpr int64_t kSealedPieceBytes = kPieceBytes + 16;

int64_t sealed_size(int64_t size);
// Of a blob of `size` bytes: how many of them the first `length` sealed bytes hold.
int64_t bytes_within(int64_t length, int64_t size);
// What a blob of `size` bytes is, sealed, from a piece on, as far as `bytes` reach. A piece that they do not end has no
// tag yet, and may be sealed again with more: it begins with the same bytes.
std::string seal_from(std::string_view key, int64_t piece, std::string_view bytes, int64_t size);
absl::StatusOr<std::string> open_from(std::string_view key, int64_t piece, std::string_view sealed);
std::string open_without_tag(std::string_view key, int64_t piece, std::string_view sealed);

// The name of a sealed blob: the SHA-256 of its tags, which no two sealings share.
class SealedSum {
 public:
  // Of the pieces from `piece` on, in order, each once; one without its tag does not count.
  void add(int64_t piece, std::string_view sealed, int64_t size);
  std::string finish_hex() { return tags_.finish_hex(); }  // call once

 private:
  Sha256 tags_;
};

}  // namespace tryon
