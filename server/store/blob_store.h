// What it is: immutable bytes by their SHA-256, with uploads that resume at any byte. Sealed (sealed_blob_store.h), or
// in memory for a service that lasts as long as its process. Sizes in bytes. How it fails: NOT_FOUND (BLOB_NOT_FOUND),
// OUT_OF_RANGE (UPLOAD_OFFSET), INVALID_ARGUMENT (BLOB_DIGEST_MISMATCH, BLOB_TOO_LARGE), RESOURCE_EXHAUSTED for a full
// disk. Thread rules: all methods from any thread.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace tryon {

class BlobStore {
 public:
  virtual ~BlobStore() = default;
  // Uploads are named by the client's id ([A-Za-z0-9-], at most 64). Beginning twice continues the first.
  // Returns the committed size so far (the whole size if the blob is there already: then finish at once).
  virtual absl::StatusOr<int64_t> begin_upload(const std::string& upload, const std::string& digest, int64_t size) = 0;
  // `offset` must be the committed size. Returns the new committed size.
  virtual absl::StatusOr<int64_t> append_upload(const std::string& upload, int64_t offset, std::string_view bytes) = 0;
  virtual absl::StatusOr<int64_t> upload_size(const std::string& upload) = 0;
  // Verifies size and digest and makes the blob readable; the upload is gone either way.
  virtual absl::Status finish_upload(const std::string& upload) = 0;

  virtual absl::StatusOr<int64_t> blob_size(const std::string& digest) = 0;
  // At most `limit` bytes from `offset`; a limit of 0 means all the rest; at the end of the blob: no bytes.
  virtual absl::StatusOr<std::string> read(const std::string& digest, int64_t offset, int64_t limit) = 0;

  // Removes a blob for good; erasing what is not there is no error. Whoever reads it meanwhile may lose the rest.
  virtual absl::Status erase(const std::string& digest) = 0;

  // In one step, for results; returns the digest. Putting what is there already writes nothing.
  absl::StatusOr<std::string> put(std::string_view bytes);
  // The same where the digest is known; in a store of many tenants with the owner's name before it.
  virtual absl::Status put_named(const std::string& digest, std::string_view bytes) = 0;
};

inline constexpr int64_t kMaxBlobBytes = 64ll << 20;  // that a caller may store
std::unique_ptr<BlobStore> make_memory_blob_store();

}  // namespace tryon
