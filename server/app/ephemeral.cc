#include "server/app/ephemeral.h"

#include <linux/magic.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/vfs.h>

#include <filesystem>

#include "server/base/status.h"
#include "server/base/text.h"

namespace tryon {
namespace {

bool in_memory(const std::string& folder) {
  struct statfs info {};
  return statfs(folder.c_str(), &info) == 0 && (info.f_type == TMPFS_MAGIC || info.f_type == RAMFS_MAGIC);
}

}  // namespace

absl::Status begin_ephemeral(const std::string& data) {
  if (!in_memory(data)) {
    return invalid_input("EPHEMERAL_NOT_IN_MEMORY", "--data", cat(data, " does not lie in memory"),
                         "Name a folder of a tmpfs, such as /dev/shm/tryon, or leave --ephemeral out.");
  }
  end_ephemeral(data);  // what a server that was killed has left
  const rlimit no_dumps{0, 0};
  if (setrlimit(RLIMIT_CORE, &no_dumps) != 0 || setenv("SQLITE_TMPDIR", data.c_str(), 1) != 0) {
    return internal_fault("core dumps cannot be turned off");
  }
  return absl::OkStatus();
}

void end_ephemeral(const std::string& data) {
  std::error_code ignored;
  for (const char* part : {"tasks.sqlite", "tasks.sqlite-wal", "tasks.sqlite-shm", "blobs", "uploads"}) {
    std::filesystem::remove_all(cat(data, "/", part), ignored);
  }
}

}  // namespace tryon
