// What it is: an object store in memory: the judge of the directory's, and for tests that need none on a disk.
// How it fails: as object_store.h. Thread rules: all methods from any thread.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "server/base/status.h"
#include "server/store/blob_rules.h"
#include "server/store/object_store.h"

namespace tryon::testing {

class MemoryObjectStore : public SpoolStore {
 public:
  absl::StatusOr<int64_t> size(const std::string& name) override {
    RETURN_IF_ERROR(check_digest(name));
    std::lock_guard lock(mutex_);
    const auto found = objects_.find(name);
    if (found == objects_.end()) return blob_not_found(name);
    return static_cast<int64_t>(found->second.size());
  }

  absl::StatusOr<std::string> read(const std::string& name, int64_t offset, int64_t limit) override {
    RETURN_IF_ERROR(check_digest(name));
    std::lock_guard lock(mutex_);
    const auto found = objects_.find(name);
    if (found == objects_.end()) return blob_not_found(name);
    return range_of(found->second, offset, limit);
  }

  absl::Status put(const std::string& name, std::string_view bytes) override {
    RETURN_IF_ERROR(check_digest(name));
    std::lock_guard lock(mutex_);
    objects_[name] = std::string(bytes);
    return absl::OkStatus();
  }

  absl::Status erase(const std::string& name) override {
    RETURN_IF_ERROR(check_digest(name));
    std::lock_guard lock(mutex_);
    objects_.erase(name);
    return absl::OkStatus();
  }

  absl::StatusOr<int64_t> begin_growing(const std::string& name) override {
    RETURN_IF_ERROR(check_digest(name));
    std::lock_guard lock(mutex_);
    return static_cast<int64_t>(growing_[name].size());
  }

  absl::StatusOr<int64_t> grown(const std::string& name) override {
    RETURN_IF_ERROR(check_digest(name));
    std::lock_guard lock(mutex_);
    const auto found = growing_.find(name);
    if (found == growing_.end()) return blob_not_found(name);
    return static_cast<int64_t>(found->second.size());
  }

  absl::Status grow(const std::string& name, int64_t offset, std::string_view bytes) override {
    RETURN_IF_ERROR(check_digest(name));
    std::lock_guard lock(mutex_);
    const auto found = growing_.find(name);
    if (found == growing_.end()) return blob_not_found(name);
    RETURN_IF_ERROR(check_offset(static_cast<int64_t>(found->second.size()), offset));
    found->second.append(bytes);
    return absl::OkStatus();
  }

  absl::StatusOr<std::string> read_grown(const std::string& name, int64_t offset, int64_t limit) override {
    RETURN_IF_ERROR(check_digest(name));
    std::lock_guard lock(mutex_);
    const auto found = growing_.find(name);
    if (found == growing_.end()) return blob_not_found(name);
    return range_of(found->second, offset, limit);
  }

  absl::Status place(const std::string& name, const std::string& object) override {
    RETURN_IF_ERROR(check_digest(name));
    RETURN_IF_ERROR(check_digest(object));
    std::lock_guard lock(mutex_);
    const auto found = growing_.find(name);
    if (found == growing_.end()) return blob_not_found(name);
    objects_[object] = std::move(found->second);
    growing_.erase(found);
    return absl::OkStatus();
  }

  absl::Status drop(const std::string& name) override {
    RETURN_IF_ERROR(check_digest(name));
    std::lock_guard lock(mutex_);
    growing_.erase(name);
    return absl::OkStatus();
  }

 private:
  static absl::StatusOr<std::string> range_of(const std::string& bytes, int64_t offset, int64_t limit) {
    const auto size = static_cast<int64_t>(bytes.size());
    RETURN_IF_ERROR(check_read(size, offset, limit));
    return bytes.substr(static_cast<size_t>(offset), static_cast<size_t>(read_count(size, offset, limit)));
  }

  std::mutex mutex_;
  std::map<std::string, std::string> objects_ ABSL_GUARDED_BY(mutex_), growing_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace tryon::testing
