// What it is: the cipher of the stores, AES-256-GCM. Private to the store. Sizes in bytes; a key is 32 bytes. How it
// fails: BLOB_CORRUPT for what was changed or sealed with another key. Thread rules: free functions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace tryon {

inline constexpr int64_t kKeyBytes = 32, kTagBytes = 16;

std::string random_key();
// `number` says which message under this key it is: never two with the same. The tag is behind the bytes.
std::string gcm_seal(std::string_view key, uint64_t number, std::string_view about, std::string_view bytes);
absl::StatusOr<std::string> gcm_open(std::string_view key, uint64_t number, std::string_view about,
                                     std::string_view sealed);
// The same at the end of `out`, about nothing. A message that goes on has no tag: sealed again with more bytes behind
// these it begins alike.
void gcm_seal_onto(std::string_view key, uint64_t number, std::string_view bytes, bool with_tag, std::string* out);
// Of a message without its tag: whoever changed it is not found out.
std::string gcm_open_unverified(std::string_view key, uint64_t number, std::string_view sealed);

// The keys of the stores under the key of a file: 64 hex digits, or 32 bytes. Without one they are kept as they are.
class MasterKey {
 public:
  MasterKey() = default;
  static absl::StatusOr<MasterKey> load(const std::string& path);  // MASTER_KEY_INVALID
  std::string wrap(std::string_view key, std::string_view name) const;
  // MASTER_KEY_WRONG for one that was wrapped by another, or where there is none.
  absl::StatusOr<std::string> unwrap(std::string_view wrapped, std::string_view name) const;
  // The same for a row's text (JSON, or nothing). One that was kept before there was a master key is opened as it is.
  std::string seal_text(std::string_view text, std::string_view name) const;
  absl::StatusOr<std::string> open_text(std::string text, std::string_view name) const;

 private:
  std::string sealed(std::string_view bytes, std::string_view name) const;
  absl::StatusOr<std::string> opened(std::string_view sealed, std::string_view name) const;

  std::string key_;
};

}  // namespace tryon
