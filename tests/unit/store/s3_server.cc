#include "tests/unit/store/s3_server.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>

#include "server/base/hash.h"
#include "server/base/text.h"
#include "tests/support/shared_data.h"

namespace tryon::testing {
namespace {

namespace fs = std::filesystem;
const std::string kServe = testing::source_dir() + "/tests/unit/store/s3rver/serve.js";

class ObjectStore {
 public:
  ObjectStore() {
    if (!fs::exists(testing::source_dir() + "/tests/unit/store/s3rver/node_modules/s3rver")) return;
    fs::create_directories(folder_);
    int fds[2];
    if (pipe(fds) != 0) return;
    pid_ = fork();
    if (pid_ == 0) {
      dup2(fds[1], STDOUT_FILENO);
      execlp("node", "node", kServe.c_str(), folder_.c_str(), nullptr);
      _exit(127);
    }
    close(fds[1]);
    char port[16] = {};
    if (read(fds[0], port, sizeof(port) - 1) > 1) address_ = cat("http://127.0.0.1:", atoi(port));
    close(fds[0]);
  }
  ~ObjectStore() {
    if (pid_ > 0) kill(pid_, SIGKILL);
    if (pid_ > 0) waitpid(pid_, nullptr, 0);
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }
  const std::string& address() const { return address_; }

 private:
  const std::string folder_ = fs::temp_directory_path() / cat("tryon-s3-", random_hex(4));
  pid_t pid_ = -1;
  std::string address_;
};

}  // namespace

const std::string& s3_server() {
  static ObjectStore one;
  return one.address();
}

}  // namespace tryon::testing
