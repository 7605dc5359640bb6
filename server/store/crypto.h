// What it is: the ciphers of the stores: AES-256-GCM for what lies for good, AES-256-CTR for uploads on their way,
// which have to be resumable at any byte and are verified by their SHA-256 at the end. Private to the store. Sizes in
// bytes; a key is 32 bytes. How it fails: BLOB_CORRUPT for what was changed or sealed with another key. Thread rules:
// free functions.
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
// To and fro, from a byte of the stream on.
std::string ctr_crypt(std::string_view key, int64_t offset, std::string_view bytes);

// The keys of the stores under the key of a file: 64 hex digits, or 32 bytes. Without one they are kept as they are.
class MasterKey {
 public:
  MasterKey() = default;
  static absl::StatusOr<MasterKey> load(const std::string& path);  // MASTER_KEY_INVALID
  std::string wrap(std::string_view key, std::string_view name) const;
  // MASTER_KEY_WRONG for one that was wrapped by another, or where there is none.
  absl::StatusOr<std::string> unwrap(std::string_view wrapped, std::string_view name) const;

 private:
  std::string key_;
};

}  // namespace tryon
