#include "server/service/tasks/supervisor.h"

#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <utility>

#include "absl/time/clock.h"
#include "server/base/status.h"
#include "server/base/text.h"

namespace tryon {
namespace {

constexpr absl::Duration kPoll = absl::Milliseconds(50);

// Children begin with a clean slate: no inherited files, no blocked signals, and a process group of their own, so that
// Ctrl-C on a terminal reaches the server alone, which then ends them in order.
class SpawnSettings {
 public:
  SpawnSettings() {
    posix_spawn_file_actions_init(&actions_);
    posix_spawn_file_actions_addclosefrom_np(&actions_, STDERR_FILENO + 1);
    posix_spawnattr_init(&attributes_);
    sigset_t none, defaults;
    sigemptyset(&none);
    sigemptyset(&defaults);
    for (const int signal : {SIGTERM, SIGINT, SIGPIPE, SIGHUP}) sigaddset(&defaults, signal);
    posix_spawnattr_setsigmask(&attributes_, &none);
    posix_spawnattr_setsigdefault(&attributes_, &defaults);
    posix_spawnattr_setpgroup(&attributes_, 0);
    posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
  }
  ~SpawnSettings() {
    posix_spawn_file_actions_destroy(&actions_);
    posix_spawnattr_destroy(&attributes_);
  }
  SpawnSettings(const SpawnSettings&) = delete;
  SpawnSettings& operator=(const SpawnSettings&) = delete;

  int spawn(const std::string& program, std::vector<std::string> arguments, pid_t* pid) {
    std::vector<char*> argv = {const_cast<char*>(program.c_str())};
    for (std::string& argument : arguments) argv.push_back(argument.data());
    argv.push_back(nullptr);
    return posix_spawn(pid, program.c_str(), &actions_, &attributes_, argv.data(), environ);
  }

 private:
  posix_spawn_file_actions_t actions_;
  posix_spawnattr_t attributes_;
};

int exit_code(int wait_status) {
  return WIFSIGNALED(wait_status) ? 128 + WTERMSIG(wait_status) : WEXITSTATUS(wait_status);
}

}  // namespace

WorkerSupervisor::WorkerSupervisor(JobStore* jobs, SupervisorOptions options,
                                   std::function<void(const WorkerExit&)> on_exit)
    : jobs_(jobs), options_(std::move(options)), on_exit_(std::move(on_exit)) {
  for (int i = 0; i < options_.count; ++i) {
    workers_.emplace_back();
    workers_.back().name = cat(options_.name_prefix, "-", i);
  }
}

WorkerSupervisor::~WorkerSupervisor() { stop(); }

absl::Status WorkerSupervisor::start() {
  thread_ = std::thread([this] { watch(); });
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return started_; });
  return start_status_;
}

void WorkerSupervisor::drain() {
  std::lock_guard lock(mutex_);
  draining_ = true;
}

void WorkerSupervisor::stop() {
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

int WorkerSupervisor::alive() {
  std::lock_guard lock(mutex_);
  return alive_;
}

int64_t WorkerSupervisor::restarts() {
  std::lock_guard lock(mutex_);
  return restarts_;
}

void WorkerSupervisor::watch() {
  absl::Status first;
  for (Worker& worker : workers_) first.Update(launch(&worker));
  publish(first);
  while (first.ok() && nap(kPoll)) {
    if (told_to_drain()) tell_all(SIGTERM);
    for (Worker& worker : workers_) tend(&worker);
  }
  end_all();
}

bool WorkerSupervisor::told_to_drain() {
  std::lock_guard lock(mutex_);
  return draining_ && !std::exchange(ending_, draining_);
}

void WorkerSupervisor::tell_all(int signal) {
  for (const Worker& worker : workers_) {
    if (worker.pid != 0) kill(worker.pid, signal);
  }
}

void WorkerSupervisor::publish(absl::Status first_start) {
  std::lock_guard lock(mutex_);
  started_ = true;
  start_status_ = std::move(first_start);
  changed_.notify_all();
}

bool WorkerSupervisor::nap(absl::Duration duration) {
  std::unique_lock lock(mutex_);
  return !changed_.wait_for(lock, absl::ToChronoMilliseconds(duration), [this] { return stopping_; });
}

absl::Status WorkerSupervisor::launch(Worker* worker) {
  // Leases under this name belong to a process of the past, perhaps of a server that was killed.
  if (jobs_ != nullptr) jobs_->expire_worker(worker->name).status().IgnoreError();
  std::vector<std::string> arguments = options_.arguments;
  for (const std::string& more : {std::string("--name"), worker->name, std::string("--parent"), cat(getpid())}) {
    arguments.push_back(more);
  }
  const int error = SpawnSettings().spawn(options_.program, std::move(arguments), &worker->pid);
  if (error != 0) {
    worker->pid = 0;
    return make_error(absl::StatusCode::kUnavailable, "WORKER_NOT_STARTED", "worker",
                      cat("cannot start ", options_.program, ": ", strerror(error)),
                      "Check that the program is installed beside the server.");
  }
  worker->started = absl::Now();
  std::lock_guard lock(mutex_);
  ++alive_;
  return absl::OkStatus();
}

void WorkerSupervisor::tend(Worker* worker) {
  if (worker->pid != 0) {
    int status = 0;
    if (waitpid(worker->pid, &status, WNOHANG) == worker->pid) bury(worker, status);
    return;
  }
  if (ending_ || absl::Now() < worker->start_at) return;
  if (launch(worker).ok()) {
    std::lock_guard lock(mutex_);
    ++restarts_;
  } else {
    worker->start_at = absl::Now() + options_.restart_delay_max;
  }
}

void WorkerSupervisor::bury(Worker* worker, int wait_status) {
  worker->pid = 0;
  const bool died_young = absl::Now() - worker->started < options_.healthy;
  worker->delay = died_young ? std::clamp(2 * worker->delay, options_.restart_delay, options_.restart_delay_max)
                             : absl::ZeroDuration();
  worker->start_at = absl::Now() + worker->delay;
  {
    std::lock_guard lock(mutex_);
    --alive_;
  }
  WorkerExit exit{worker->name, exit_code(wait_status), 0};
  if (jobs_ != nullptr) exit.leases_ended = jobs_->expire_worker(worker->name).value_or(0);
  if (on_exit_ && !ending_) on_exit_(exit);
}

void WorkerSupervisor::end_all() {
  tell_all(SIGINT);
  const absl::Time end = absl::Now() + options_.grace;
  for (Worker& worker : workers_) {
    if (worker.pid == 0) continue;
    while (waitpid(worker.pid, nullptr, WNOHANG) == 0) {
      if (absl::Now() > end) kill(worker.pid, SIGKILL);
      absl::SleepFor(absl::Milliseconds(5));
    }
    worker.pid = 0;
    if (jobs_ != nullptr) jobs_->expire_worker(worker.name).status().IgnoreError();  // what it could not release
    std::lock_guard lock(mutex_);
    --alive_;
  }
}

}  // namespace tryon
