#include <map>
#include <mutex>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "server/base/hash.h"
#include "server/base/status.h"
#include "server/store/blob_rules.h"
#include "server/store/blob_store.h"

namespace tryon {
namespace {

class MemoryBlobStore : public BlobStore {
 public:
  absl::StatusOr<int64_t> begin_upload(const std::string& upload, const std::string& digest, int64_t size) override {
    RETURN_IF_ERROR(check_new_upload(upload, digest, size));
    std::lock_guard lock(mutex_);
    const auto [it, is_new] = uploads_.try_emplace(upload, Upload{digest, size, {}});
    if (!is_new) RETURN_IF_ERROR(check_same_upload(it->second.digest, it->second.size, digest, size));
    return committed(it->second);
  }

  absl::StatusOr<int64_t> append_upload(const std::string& upload, int64_t offset, std::string_view bytes) override {
    RETURN_IF_ERROR(check_upload_name(upload));
    std::lock_guard lock(mutex_);
    const auto found = uploads_.find(upload);
    if (found == uploads_.end()) return upload_not_found(upload);
    Upload& to = found->second;
    RETURN_IF_ERROR(check_append(committed(to), to.size, offset, static_cast<int64_t>(bytes.size())));
    if (!bytes.empty()) to.bytes.append(bytes);
    return committed(to);
  }

  absl::StatusOr<int64_t> upload_size(const std::string& upload) override {
    RETURN_IF_ERROR(check_upload_name(upload));
    std::lock_guard lock(mutex_);
    const auto found = uploads_.find(upload);
    if (found == uploads_.end()) return upload_not_found(upload);
    return committed(found->second);
  }

  absl::Status finish_upload(const std::string& upload) override {
    RETURN_IF_ERROR(check_upload_name(upload));
    std::lock_guard lock(mutex_);
    const auto found = uploads_.find(upload);
    if (found == uploads_.end()) return upload_not_found(upload);
    const Upload done = std::move(found->second);
    uploads_.erase(found);
    if (is_there(done)) return absl::OkStatus();
    const auto size = static_cast<int64_t>(done.bytes.size());
    if (size != done.size) return upload_incomplete(size, done.size);
    const std::string got = sha256_hex(done.bytes);
    if (got != done.digest) return digest_mismatch(done.digest, got);
    blobs_.emplace(got, done.bytes);
    return absl::OkStatus();
  }

  absl::StatusOr<int64_t> blob_size(const std::string& digest) override {
    RETURN_IF_ERROR(check_digest(digest));
    std::lock_guard lock(mutex_);
    const auto found = blobs_.find(digest);
    if (found == blobs_.end()) return blob_not_found(digest);
    return static_cast<int64_t>(found->second.size());
  }

  absl::StatusOr<std::string> read(const std::string& digest, int64_t offset, int64_t limit) override {
    RETURN_IF_ERROR(check_digest(digest));
    std::lock_guard lock(mutex_);
    const auto found = blobs_.find(digest);
    if (found == blobs_.end()) return blob_not_found(digest);
    const auto size = static_cast<int64_t>(found->second.size());
    RETURN_IF_ERROR(check_read(size, offset, limit));
    return found->second.substr(static_cast<size_t>(offset), static_cast<size_t>(read_count(size, offset, limit)));
  }

  absl::Status erase(const std::string& digest) override {
    RETURN_IF_ERROR(check_digest(digest));
    std::lock_guard lock(mutex_);
    blobs_.erase(digest);
    return absl::OkStatus();
  }

  absl::Status put_named(const std::string& digest, std::string_view bytes) override {
    RETURN_IF_ERROR(check_new_upload("put", digest, static_cast<int64_t>(bytes.size())));
    std::lock_guard lock(mutex_);
    blobs_.emplace(digest, bytes);
    return absl::OkStatus();
  }

 private:
  struct Upload {
    std::string digest;
    int64_t size = 0;
    std::string bytes;
  };

  bool is_there(const Upload& upload) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    const auto found = blobs_.find(upload.digest);
    return found != blobs_.end() && static_cast<int64_t>(found->second.size()) == upload.size;
  }

  int64_t committed(const Upload& upload) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return is_there(upload) ? upload.size : static_cast<int64_t>(upload.bytes.size());
  }

  std::mutex mutex_;
  std::map<std::string, Upload> uploads_ ABSL_GUARDED_BY(mutex_);
  std::map<std::string, std::string> blobs_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace

std::unique_ptr<BlobStore> make_memory_blob_store() { return std::make_unique<MemoryBlobStore>(); }

}  // namespace tryon
