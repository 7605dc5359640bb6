// What it is: what every BlobStore checks alike: names, digests, sizes, offsets; and its errors.
// Units: bytes. How it fails: each check returns the error of blob_store.h. Thread rules: pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "server/store/blob_store.h"

namespace tryon {

absl::Status check_upload_name(const std::string& upload);  // [A-Za-z0-9-], 1 to 64 characters
absl::Status check_digest(const std::string& digest);
absl::Status check_new_upload(const std::string& upload, const std::string& digest, int64_t size);
absl::Status check_offset(int64_t committed, int64_t offset);
absl::Status check_append(int64_t committed, int64_t size, int64_t offset, int64_t count);
absl::Status check_same_upload(const std::string& was_digest, int64_t was_size, const std::string& digest,
                               int64_t size);
// The bytes [begin, begin + count) of a blob that a read may have.
absl::Status check_read(int64_t size, int64_t offset, int64_t limit);
int64_t read_count(int64_t size, int64_t offset, int64_t limit);

absl::Status blob_not_found(const std::string& digest);
absl::Status upload_not_found(const std::string& upload);
absl::Status upload_incomplete(int64_t committed, int64_t size);
absl::Status digest_mismatch(const std::string& expected, const std::string& got);

}  // namespace tryon
