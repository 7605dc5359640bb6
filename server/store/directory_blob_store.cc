// The folder:  aa/bb/<sha>         a finished blob, aa and bb being the digest's first digits
//              uploads/<id>.meta   "<sha> <size>": appears whole, by link()
//              uploads/<id>        the bytes so far; its length is the committed size; locked while it changes
// Names reach a path only after check_upload_name or check_digest.
#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <ctime>
#include <utility>

#include "server/base/hash.h"
#include "server/base/status.h"
#include "server/base/text.h"
#include "server/store/blob_rules.h"
#include "server/store/blob_store.h"

namespace tryon {
namespace {

constexpr size_t kChunk = 1 << 20;
constexpr time_t kForgottenUploadSeconds = 24 * 3600;

class File {
 public:
  explicit File(int fd = -1) : fd_(fd) {}
  File(File&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  File& operator=(File&&) = delete;
  ~File() {
    if (fd_ >= 0) close(fd_);  // also unlocks
  }
  int fd() const { return fd_; }
  bool ok() const { return fd_ >= 0; }

 private:
  int fd_;
};

absl::Status disk_error(std::string_view doing, int error) {
  const bool full = error == ENOSPC || error == EDQUOT || error == EFBIG;
  return make_error(full ? absl::StatusCode::kResourceExhausted : absl::StatusCode::kUnavailable,
                    full ? "DISK_FULL" : "BLOB_STORE_UNAVAILABLE", "",
                    cat("the blob store failed while ", doing, ": ", strerror(error)),
                    full ? "Free space on the server's disk, then try again." : "Check the server's data folder.");
}

absl::Status make_folder(const std::string& path) {
  if (mkdir(path.c_str(), 0700) == 0 || errno == EEXIST) return absl::OkStatus();
  return disk_error("making a folder", errno);
}

absl::Status sync_folder(const std::string& path) {
  const File folder(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder.ok() || fsync(folder.fd()) != 0) return disk_error("writing a folder", errno);
  return absl::OkStatus();
}

absl::StatusOr<int64_t> length(const File& file) {
  struct stat info {};
  if (fstat(file.fd(), &info) != 0) return disk_error("looking at a file", errno);
  return static_cast<int64_t>(info.st_size);
}

absl::Status write_all(const File& file, int64_t offset, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = pwrite(file.fd(), bytes.data(), bytes.size(), offset);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return disk_error("writing", errno);
    bytes.remove_prefix(static_cast<size_t>(count));
    offset += count;
  }
  return absl::OkStatus();
}

absl::StatusOr<std::string> read_at(const File& file, int64_t offset, int64_t count) {
  std::string out(static_cast<size_t>(count), '\0');
  size_t done = 0;
  while (done < out.size()) {
    const ssize_t got = pread(file.fd(), out.data() + done, out.size() - done, offset + static_cast<int64_t>(done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return disk_error("reading", errno);
    if (got == 0) break;  // cut short behind our back: the digest will tell
    done += static_cast<size_t>(got);
  }
  out.resize(done);
  return out;
}

absl::StatusOr<std::string> digest_of(const File& file, int64_t size) {
  Sha256 hash;
  for (int64_t offset = 0; offset < size; offset += static_cast<int64_t>(kChunk)) {
    ASSIGN_OR_RETURN(const std::string chunk, read_at(file, offset, std::min<int64_t>(kChunk, size - offset)));
    hash.update(chunk);
  }
  return hash.finish_hex();
}

class DirectoryBlobStore : public SpoolStore {
 public:
  explicit DirectoryBlobStore(std::string root) : root_(std::move(root)) {}

  absl::StatusOr<int64_t> begin_upload(const std::string& upload, const std::string& digest, int64_t size) override {
    RETURN_IF_ERROR(check_new_upload(upload, digest, size, kMaxSealedBytes));
    auto meta = read_meta(upload);
    if (absl::IsNotFound(meta.status())) {
      RETURN_IF_ERROR(write_meta(upload, {digest, size}));
      meta = read_meta(upload);  // another process may have been first
    }
    RETURN_IF_ERROR(meta.status());
    RETURN_IF_ERROR(check_same_upload(meta->digest, meta->size, digest, size));
    return committed(upload, *meta);
  }

  absl::StatusOr<int64_t> append_upload(const std::string& upload, int64_t offset, std::string_view bytes) override {
    RETURN_IF_ERROR(check_upload_name(upload));
    ASSIGN_OR_RETURN(const Meta meta, read_meta(upload));
    if (is_there(meta)) {
      RETURN_IF_ERROR(check_append(meta.size, meta.size, offset, static_cast<int64_t>(bytes.size())));
      return meta.size;
    }
    ASSIGN_OR_RETURN(const File file, open_locked(upload));
    ASSIGN_OR_RETURN(const int64_t before, length(file));
    RETURN_IF_ERROR(check_append(before, meta.size, offset, static_cast<int64_t>(bytes.size())));
    if (auto status = write_all(file, before, bytes); !status.ok()) {
      if (ftruncate(file.fd(), before) != 0) return disk_error("taking back a partial write", errno);
      return status;
    }
    return before + static_cast<int64_t>(bytes.size());
  }

  absl::StatusOr<int64_t> upload_size(const std::string& upload) override {
    RETURN_IF_ERROR(check_upload_name(upload));
    ASSIGN_OR_RETURN(const Meta meta, read_meta(upload));
    return committed(upload, meta);
  }

  absl::Status finish_upload(const std::string& upload) override {
    RETURN_IF_ERROR(check_upload_name(upload));
    ASSIGN_OR_RETURN(const Meta meta, read_meta(upload));
    ASSIGN_OR_RETURN(const File file, open_locked(upload));
    auto status = is_there(meta) ? absl::OkStatus() : verify_and_place(file, upload, meta);
    // The world's faults leave the upload for another try; the caller's end it.
    if (!status.ok() && !absl::IsInvalidArgument(status)) return status;
    unlink(data_path(upload).c_str());
    unlink(meta_path(upload).c_str());
    return status;
  }

  absl::StatusOr<int64_t> blob_size(const std::string& digest) override {
    RETURN_IF_ERROR(check_digest(digest));
    struct stat info {};
    if (stat(blob_path(digest).c_str(), &info) == 0) return static_cast<int64_t>(info.st_size);
    if (errno == ENOENT || errno == ENOTDIR) return blob_not_found(digest);
    return disk_error("looking for a blob", errno);
  }

  absl::StatusOr<std::string> read(const std::string& digest, int64_t offset, int64_t limit) override {
    RETURN_IF_ERROR(check_digest(digest));
    const File file(open(blob_path(digest).c_str(), O_RDONLY | O_CLOEXEC));
    if (!file.ok() && (errno == ENOENT || errno == ENOTDIR)) return blob_not_found(digest);
    if (!file.ok()) return disk_error("opening a blob", errno);
    ASSIGN_OR_RETURN(const int64_t size, length(file));
    RETURN_IF_ERROR(check_read(size, offset, limit));
    return read_at(file, offset, read_count(size, offset, limit));
  }

  absl::Status erase(const std::string& digest) override {
    RETURN_IF_ERROR(check_digest(digest));
    const std::string path = blob_path(digest);
    if (unlink(path.c_str()) != 0) {
      return errno == ENOENT || errno == ENOTDIR ? absl::OkStatus() : disk_error("erasing a blob", errno);
    }
    return sync_folder(path.substr(0, path.rfind('/')));
  }

  absl::StatusOr<std::string> read_upload(const std::string& upload) override {
    RETURN_IF_ERROR(check_upload_name(upload));
    RETURN_IF_ERROR(read_meta(upload).status());
    ASSIGN_OR_RETURN(const File file, open_locked(upload));
    ASSIGN_OR_RETURN(const int64_t size, length(file));
    return read_at(file, 0, size);
  }

  absl::Status drop_upload(const std::string& upload) override {
    RETURN_IF_ERROR(check_upload_name(upload));
    unlink(data_path(upload).c_str());
    unlink(meta_path(upload).c_str());
    return absl::OkStatus();
  }

  absl::Status prepare() {
    RETURN_IF_ERROR(make_folder(root_));
    RETURN_IF_ERROR(make_folder(cat(root_, "/uploads")));
    return remove_forgotten_uploads();
  }

 private:
  struct Meta {
    std::string digest;
    int64_t size = 0;
  };

  std::string data_path(const std::string& upload) const { return cat(root_, "/uploads/", upload); }
  std::string meta_path(const std::string& upload) const { return cat(data_path(upload), ".meta"); }
  std::string blob_path(const std::string& digest) const {
    return cat(root_, "/", digest.substr(0, 2), "/", digest.substr(2, 2), "/", digest);
  }

  bool is_there(const Meta& meta) {
    const auto size = blob_size(meta.digest);
    return size.ok() && *size == meta.size;
  }

  absl::StatusOr<int64_t> committed(const std::string& upload, const Meta& meta) {
    if (is_there(meta)) return meta.size;
    struct stat info {};
    if (stat(data_path(upload).c_str(), &info) == 0) return static_cast<int64_t>(info.st_size);
    if (errno == ENOENT) return 0;
    return disk_error("looking at an upload", errno);
  }

  absl::StatusOr<Meta> read_meta(const std::string& upload) const {
    const File file(open(meta_path(upload).c_str(), O_RDONLY | O_CLOEXEC));
    if (!file.ok() && errno == ENOENT) return upload_not_found(upload);
    if (!file.ok()) return disk_error("opening an upload", errno);
    ASSIGN_OR_RETURN(const std::string text, read_at(file, 0, 128));
    const std::vector<std::string> parts = split(text, ' ');
    Meta meta;
    if (parts.size() != 2 || !is_sha256_hex(parts[0]) ||
        std::from_chars(parts[1].data(), parts[1].data() + parts[1].size(), meta.size).ec != std::errc()) {
      return upload_not_found(upload);
    }
    meta.digest = parts[0];
    return meta;
  }

  // The file appears with its whole content or not at all, whoever is first.
  absl::Status write_meta(const std::string& upload, const Meta& meta) const {
    const std::string draft = cat(root_, "/uploads/draft.", random_hex(8));
    {
      const File file(open(draft.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
      if (!file.ok()) return disk_error("beginning an upload", errno);
      RETURN_IF_ERROR(write_all(file, 0, cat(meta.digest, " ", meta.size)));
      if (fsync(file.fd()) != 0) return disk_error("beginning an upload", errno);
    }
    const bool linked = link(draft.c_str(), meta_path(upload).c_str()) == 0 || errno == EEXIST;
    const int error = errno;
    unlink(draft.c_str());
    return linked ? absl::OkStatus() : disk_error("beginning an upload", error);
  }

  // One writer at a time over all threads and processes.
  absl::StatusOr<File> open_locked(const std::string& upload) const {
    const std::string path = data_path(upload);
    for (;;) {
      File file(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
      if (!file.ok()) return disk_error("opening an upload", errno);
      while (flock(file.fd(), LOCK_EX) != 0) {
        if (errno != EINTR) return disk_error("locking an upload", errno);
      }
      if (!still_named(file, path)) continue;  // finished by another while we waited: what we hold is a blob now
      if (auto meta = read_meta(upload); !meta.ok()) {
        unlink(path.c_str());
        return meta.status();
      }
      return file;
    }
  }

  static bool still_named(const File& file, const std::string& path) {
    struct stat held {
    }, named{};
    return fstat(file.fd(), &held) == 0 && stat(path.c_str(), &named) == 0 && held.st_ino == named.st_ino;
  }

  absl::Status verify_and_place(const File& file, const std::string& upload, const Meta& meta) {
    ASSIGN_OR_RETURN(const int64_t size, length(file));
    if (size != meta.size) return upload_incomplete(size, meta.size);
    ASSIGN_OR_RETURN(const std::string got, digest_of(file, size));
    if (got != meta.digest) return digest_mismatch(meta.digest, got);
    if (fsync(file.fd()) != 0) return disk_error("writing a blob", errno);
    const std::string outer = cat(root_, "/", got.substr(0, 2)), inner = cat(outer, "/", got.substr(2, 2));
    RETURN_IF_ERROR(make_folder(outer));
    RETURN_IF_ERROR(make_folder(inner));
    if (rename(data_path(upload).c_str(), blob_path(got).c_str()) != 0) return disk_error("placing a blob", errno);
    for (const std::string& folder : {inner, outer, root_}) RETURN_IF_ERROR(sync_folder(folder));
    return absl::OkStatus();
  }

  absl::Status remove_forgotten_uploads() const {
    const std::string folder = cat(root_, "/uploads");
    DIR* const listing = opendir(folder.c_str());
    if (listing == nullptr) return disk_error("listing uploads", errno);
    while (const dirent* entry = readdir(listing)) {
      const std::string path = cat(folder, "/", entry->d_name);
      const std::string data = path.ends_with(".meta") ? path.substr(0, path.size() - 5) : path;
      struct stat info {};
      if (stat(data.c_str(), &info) != 0 && stat(path.c_str(), &info) != 0) continue;
      if (S_ISREG(info.st_mode) && info.st_mtime + kForgottenUploadSeconds < time(nullptr)) unlink(path.c_str());
    }
    closedir(listing);
    return absl::OkStatus();
  }

  const std::string root_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<SpoolStore>> open_directory_blob_store(const std::string& root) {
  auto store = std::make_unique<DirectoryBlobStore>(root);
  RETURN_IF_ERROR(store->prepare());
  return store;
}

}  // namespace tryon
