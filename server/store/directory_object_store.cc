// The folder:  aa/bb/<name>     an object, aa and bb being the name's first digits
//              uploads/<name>   what grows; locked while it changes
//              uploads/put.<n>  what is being put
// Names reach a path only after check_digest.
#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <utility>

#include "server/base/hash.h"
#include "server/base/status.h"
#include "server/base/text.h"
#include "server/store/blob_rules.h"
#include "server/store/object_store.h"

namespace tryon {
namespace {

constexpr time_t kForgottenSeconds = 24 * 3600;

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

// `lasts` becomes false where it was not there.
absl::Status make_folder(const std::string& path, bool* lasts) {
  if (mkdir(path.c_str(), 0700) == 0) {
    *lasts = false;
    return absl::OkStatus();
  }
  return errno == EEXIST ? absl::OkStatus() : disk_error("making a folder", errno);
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

// The disk begins with what has grown in whole steps, so that little is left to wait for at the end.
void begin_writing(const File& file, int64_t before, int64_t after) {
  constexpr int64_t kStep = 8 << 20;
  const int64_t from = before / kStep * kStep, to = after / kStep * kStep;
  if (to > from) (void)sync_file_range(file.fd(), from, to - from, SYNC_FILE_RANGE_WRITE);
}

bool is_absent(int error) { return error == ENOENT || error == ENOTDIR; }

class DirectoryObjectStore : public SpoolStore {
 public:
  explicit DirectoryObjectStore(std::string root) : root_(std::move(root)) {}

  absl::StatusOr<int64_t> size(const std::string& name) override {
    RETURN_IF_ERROR(check_digest(name));
    return size_at(object_path(name), name);
  }

  absl::StatusOr<std::string> read(const std::string& name, int64_t offset, int64_t limit) override {
    RETURN_IF_ERROR(check_digest(name));
    return read_range(object_path(name), name, offset, limit);
  }

  absl::Status put(const std::string& name, std::string_view bytes) override {
    RETURN_IF_ERROR(check_digest(name));
    const std::string draft = cat(root_, "/uploads/put.", random_hex(8));
    const File file(open(draft.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    if (!file.ok()) return disk_error("beginning to write", errno);
    auto status = write_all(file, 0, bytes);
    if (status.ok()) status = rename_to(file, draft, name);
    if (!status.ok()) unlink(draft.c_str());
    return status;
  }

  absl::Status erase(const std::string& name) override {
    RETURN_IF_ERROR(check_digest(name));
    const std::string path = object_path(name);
    if (unlink(path.c_str()) != 0) return is_absent(errno) ? absl::OkStatus() : disk_error("erasing a blob", errno);
    return sync_folder(path.substr(0, path.rfind('/')));
  }

  absl::StatusOr<int64_t> begin_growing(const std::string& name) override {
    RETURN_IF_ERROR(check_digest(name));
    const File file(open(growing_path(name).c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
    if (!file.ok()) return disk_error("beginning an upload", errno);
    return length(file);
  }

  absl::StatusOr<int64_t> grown(const std::string& name) override {
    RETURN_IF_ERROR(check_digest(name));
    return size_at(growing_path(name), name);
  }

  absl::Status grow(const std::string& name, int64_t offset, std::string_view bytes) override {
    RETURN_IF_ERROR(check_digest(name));
    ASSIGN_OR_RETURN(const File file, open_locked(name));
    ASSIGN_OR_RETURN(const int64_t before, length(file));
    RETURN_IF_ERROR(check_offset(before, offset));
    if (auto status = write_all(file, before, bytes); !status.ok()) {
      if (ftruncate(file.fd(), before) != 0) return disk_error("taking back a partial write", errno);
      return status;
    }
    begin_writing(file, before, before + static_cast<int64_t>(bytes.size()));
    return absl::OkStatus();
  }

  absl::StatusOr<std::string> read_grown(const std::string& name, int64_t offset, int64_t limit) override {
    RETURN_IF_ERROR(check_digest(name));
    return read_range(growing_path(name), name, offset, limit);
  }

  absl::Status place(const std::string& name, const std::string& object) override {
    RETURN_IF_ERROR(check_digest(name));
    RETURN_IF_ERROR(check_digest(object));
    ASSIGN_OR_RETURN(const File file, open_locked(name));
    return rename_to(file, growing_path(name), object);
  }

  absl::Status drop(const std::string& name) override {
    RETURN_IF_ERROR(check_digest(name));
    if (unlink(growing_path(name).c_str()) == 0 || is_absent(errno)) return absl::OkStatus();
    return disk_error("dropping an upload", errno);
  }

  absl::Status prepare() {
    bool ignored = false;
    RETURN_IF_ERROR(make_folder(root_, &ignored));
    RETURN_IF_ERROR(make_folder(cat(root_, "/uploads"), &ignored));
    return remove_forgotten();
  }

 private:
  std::string growing_path(const std::string& name) const { return cat(root_, "/uploads/", name); }
  std::string object_path(const std::string& name) const {
    return cat(root_, "/", name.substr(0, 2), "/", name.substr(2, 2), "/", name);
  }

  static absl::StatusOr<int64_t> size_at(const std::string& path, const std::string& name) {
    struct stat info {};
    if (stat(path.c_str(), &info) == 0) return static_cast<int64_t>(info.st_size);
    return is_absent(errno) ? blob_not_found(name) : disk_error("looking for a blob", errno);
  }

  static absl::StatusOr<std::string> read_range(const std::string& path, const std::string& name, int64_t offset,
                                                int64_t limit) {
    const File file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!file.ok()) return is_absent(errno) ? blob_not_found(name) : disk_error("opening a blob", errno);
    ASSIGN_OR_RETURN(const int64_t size, length(file));
    RETURN_IF_ERROR(check_read(size, offset, limit));
    return read_at(file, offset, read_count(size, offset, limit));
  }

  // One writer at a time over all threads and processes.
  absl::StatusOr<File> open_locked(const std::string& name) const {
    const std::string path = growing_path(name);
    for (;;) {
      File file(open(path.c_str(), O_RDWR | O_CLOEXEC));
      if (!file.ok()) return is_absent(errno) ? blob_not_found(name) : disk_error("opening an upload", errno);
      while (flock(file.fd(), LOCK_EX) != 0) {
        if (errno != EINTR) return disk_error("locking an upload", errno);
      }
      if (still_named(file, path)) return file;  // else it was placed or dropped while we waited
    }
  }

  static bool still_named(const File& file, const std::string& path) {
    struct stat held {
    }, named{};
    return fstat(file.fd(), &held) == 0 && stat(path.c_str(), &named) == 0 && held.st_ino == named.st_ino;
  }

  absl::Status rename_to(const File& file, const std::string& path, const std::string& name) {
    if (fsync(file.fd()) != 0) return disk_error("writing a blob", errno);
    const std::string outer = cat(root_, "/", name.substr(0, 2)), inner = cat(outer, "/", name.substr(2, 2));
    Lasting& lasting = lasting_[std::stoul(name.substr(0, 2), nullptr, 16)];
    const size_t at = std::stoul(name.substr(2, 2), nullptr, 16);
    bool outer_lasts = lasting.outer, inner_lasts = lasting.inner[at];
    RETURN_IF_ERROR(make_folder(outer, &outer_lasts));
    RETURN_IF_ERROR(make_folder(inner, &inner_lasts));
    if (rename(path.c_str(), object_path(name).c_str()) != 0) return disk_error("placing a blob", errno);
    RETURN_IF_ERROR(sync_folder(inner));
    if (!inner_lasts) RETURN_IF_ERROR(sync_folder(outer));
    if (!outer_lasts) RETURN_IF_ERROR(sync_folder(root_));
    lasting.outer = lasting.inner[at] = true;
    return absl::OkStatus();
  }

  absl::Status remove_forgotten() const {
    const std::string folder = cat(root_, "/uploads");
    DIR* const listing = opendir(folder.c_str());
    if (listing == nullptr) return disk_error("listing uploads", errno);
    while (const dirent* entry = readdir(listing)) {
      const std::string path = cat(folder, "/", entry->d_name);
      struct stat info {};
      if (stat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) continue;
      if (info.st_mtime + kForgottenSeconds < time(nullptr)) unlink(path.c_str());
    }
    closedir(listing);
    return absl::OkStatus();
  }

  // Folders whose entries this process has brought to the disk: a place in them needs no more than their own fsync.
  struct Lasting {
    std::atomic<bool> outer = false;
    std::array<std::atomic<bool>, 256> inner = {};
  };

  const std::string root_;
  std::array<Lasting, 256> lasting_;  // by the first two digits of a name
};

}  // namespace

absl::StatusOr<std::unique_ptr<SpoolStore>> open_directory_object_store(const std::string& root) {
  auto store = std::make_unique<DirectoryObjectStore>(root);
  RETURN_IF_ERROR(store->prepare());
  return store;
}

}  // namespace tryon
