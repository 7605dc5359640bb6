#include "tests/integration/support/live_server.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <filesystem>
#include <regex>
#include <stdexcept>
#include <thread>

#include "tests/support/shared_data.h"

namespace tryon::testing {
namespace {

const std::string kBin = testing::bin_dir() + "/";

pid_t spawn(const std::vector<std::string>& arguments, int out_fd) {
  std::vector<char*> argv;
  for (const std::string& a : arguments) argv.push_back(const_cast<char*>(a.c_str()));
  argv.push_back(nullptr);
  const pid_t pid = fork();
  if (pid == 0) {
    dup2(out_fd, STDOUT_FILENO);
    dup2(out_fd, STDERR_FILENO);
    execv(argv[0], argv.data());
    _exit(127);
  }
  return pid;
}

}  // namespace

CommandResult run_command(const std::vector<std::string>& arguments) {
  int fds[2];
  if (pipe2(fds, O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
  const pid_t pid = spawn(arguments, fds[1]);
  close(fds[1]);
  CommandResult result;
  std::array<char, 4096> buffer{};
  for (ssize_t n; (n = read(fds[0], buffer.data(), buffer.size())) > 0;) {
    result.output.append(buffer.data(), static_cast<size_t>(n));
  }
  close(fds[0]);
  int status = 0;
  waitpid(pid, &status, 0);
  result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return result;
}

LiveServer::LiveServer(int workers, const std::vector<std::string>& options) : data_(make_temp_dir()) {
  const std::string port_file = data_ + "/port", log_file = data_ + "/log";
  const int fd = open(log_file.c_str(), O_CREAT | O_WRONLY | O_TRUNC | O_CLOEXEC, 0600);
  std::vector<std::string> command = {kBin + "tryon-server",   "--data",      data_ + "/store", "--listen",
                                      "127.0.0.1:0",           "--metrics",   "127.0.0.1:0",    "--workers",
                                      std::to_string(workers), "--port-file", port_file};
  command.insert(command.end(), options.begin(), options.end());
  pid_ = spawn(command, fd);
  close(fd);
  for (int i = 0; i < 300; ++i) {
    if (std::filesystem::exists(port_file) && std::filesystem::file_size(port_file) > 0) {
      std::string port = read_file(port_file);
      while (!port.empty() && (port.back() == '\n' || port.back() == ' ')) port.pop_back();
      address_ = "127.0.0.1:" + port;
      return;
    }
    if (!alive()) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  throw std::runtime_error("tryon-server did not start:\n" + log());
}

LiveServer::~LiveServer() {
  if (pid_ > 0) {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
}

std::string LiveServer::log() const { return read_file(data_ + "/log"); }

int LiveServer::metrics_port() const {
  const std::string text = log();
  std::smatch match;
  const std::regex pattern("\"metrics_port\":\"?([0-9]+)");
  return std::regex_search(text, match, pattern) ? std::stoi(match[1]) : 0;
}

bool LiveServer::alive() const { return pid_ > 0 && waitpid(pid_, nullptr, WNOHANG) == 0; }

int LiveServer::terminate() {
  kill(pid_, SIGTERM);
  int status = 0;
  waitpid(pid_, &status, 0);
  pid_ = -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

CommandResult LiveServer::tryon(std::vector<std::string> arguments) const {
  std::vector<std::string> all = {kBin + "tryon", "--server", address_};
  all.insert(all.end(), arguments.begin(), arguments.end());
  return run_command(all);
}

}  // namespace tryon::testing
