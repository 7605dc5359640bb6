// What it is: a real tryon-server process on loopback with a store of its own, and the tryon command run against it.
// How it fails: start() throws with the server's log. Thread rules: one test at a time.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace tryon::testing {

struct CommandResult {
  int exit_code = -1;
  std::string output;  // standard output and error together
};
CommandResult run_command(const std::vector<std::string>& arguments);

class LiveServer {
 public:
  explicit LiveServer(int workers = 1, const std::vector<std::string>& options = {});  // of tryon-server
  ~LiveServer();
  LiveServer(const LiveServer&) = delete;
  LiveServer& operator=(const LiveServer&) = delete;
  const std::string& address() const { return address_; }
  const std::string& data() const { return data_; }
  std::string log() const;
  int metrics_port() const;  // from the server's log
  bool alive() const;
  int terminate();  // SIGTERM, waits; the exit code
  // `tryon --server ADDRESS arguments...`
  CommandResult tryon(std::vector<std::string> arguments) const;

 private:
  std::string data_, address_;
  pid_t pid_ = -1;
};

}  // namespace tryon::testing
