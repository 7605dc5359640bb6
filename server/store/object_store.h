// What it is: bytes by a name of 64 hex digits, which says nothing of them: what lies beneath the seals
// (sealed_blob_store.h). A directory (write, fsync, rename, fsync of the folders; names never become paths without
// is_sha256_hex) or S3. Sizes in bytes. How it fails: NOT_FOUND (BLOB_NOT_FOUND), OUT_OF_RANGE (READ_OFFSET,
// UPLOAD_OFFSET), RESOURCE_EXHAUSTED (DISK_FULL), UNAVAILABLE (BLOB_STORE_UNAVAILABLE). Thread rules: all methods from
// any thread and process.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace tryon {

class ObjectStore {
 public:
  virtual ~ObjectStore() = default;
  virtual absl::StatusOr<int64_t> size(const std::string& name) = 0;
  // At most `limit` bytes from `offset`; a limit of 0 means all the rest; at the end: no bytes.
  virtual absl::StatusOr<std::string> read(const std::string& name, int64_t offset, int64_t limit) = 0;
  // Appears whole, lasting, or not at all; replaces what has the name.
  virtual absl::Status put(const std::string& name, std::string_view bytes) = 0;
  virtual absl::Status erase(const std::string& name) = 0;  // no error where there is none
};

// A store in which an object can also grow before it gets its name: where uploads are until they are whole.
class SpoolStore : public ObjectStore {
 public:
  // Beginning again continues. Returns the length so far.
  virtual absl::StatusOr<int64_t> begin_growing(const std::string& name) = 0;
  virtual absl::StatusOr<int64_t> grown(const std::string& name) = 0;
  // `offset` must be the length so far: of two at one place one wins.
  virtual absl::Status grow(const std::string& name, int64_t offset, std::string_view bytes) = 0;
  virtual absl::StatusOr<std::string> read_grown(const std::string& name, int64_t offset, int64_t limit) = 0;
  // What has grown becomes `object` without being written again.
  virtual absl::Status place(const std::string& name, const std::string& object) = 0;
  virtual absl::Status drop(const std::string& name) = 0;  // no error where there is none
};

// Creates the folder where there is none. What grew and was not touched for a day is removed on opening.
absl::StatusOr<std::unique_ptr<SpoolStore>> open_directory_object_store(const std::string& root);

}  // namespace tryon
