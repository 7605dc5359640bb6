// What it is: keeps N worker processes running beside the server: starts them, starts again one that dies (waiting
// longer each time it dies young), and ends them: SIGTERM lets a worker end its task, SIGINT makes it give the task
// back, SIGKILL is for one that does not hear. A dead worker's leases end at once.
// How it fails: start() says when the program cannot be run; later deaths are counted and told to `on_exit`.
// Thread rules: start(), drain() and stop() from one thread; the rest from any. One own thread, which is the workers'
// parent (so PR_SET_PDEATHSIG in a worker means: the supervisor is gone).
#pragma once

#include <sys/types.h>

#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/time/time.h"
#include "server/store/job_store.h"

namespace tryon {

struct SupervisorOptions {
  std::string program;                 // a path
  std::vector<std::string> arguments;  // the supervisor adds: --name NAME --parent PID
  int count = 1;
  std::string name_prefix = "local";  // workers are local-0, local-1, ...
  absl::Duration restart_delay = absl::Milliseconds(200), restart_delay_max = absl::Seconds(30);
  absl::Duration healthy = absl::Seconds(10);  // one that lived this long starts again without the longer wait
  absl::Duration grace = absl::Seconds(5);     // between SIGINT and SIGKILL
};

struct WorkerExit {
  std::string worker;
  int exit_code = 0;     // 128 + signal, as in a shell
  int leases_ended = 0;  // tasks that went back to the queue
};

class WorkerSupervisor {
 public:
  // `jobs` may be null. `on_exit` is called from the supervisor's thread for every end that stop() did not ask for.
  WorkerSupervisor(JobStore* jobs, SupervisorOptions options, std::function<void(const WorkerExit&)> on_exit = {});
  ~WorkerSupervisor();  // stop()
  WorkerSupervisor(const WorkerSupervisor&) = delete;
  WorkerSupervisor& operator=(const WorkerSupervisor&) = delete;

  absl::Status start();
  void drain();  // SIGTERM to all, and none is started again; returns at once, alive() tells how far it is
  void stop();   // SIGINT to those that are left; returns when all have ended
  int alive();
  int64_t restarts();

 private:
  struct Worker {
    std::string name;
    pid_t pid = 0;  // 0: not running
    absl::Time started, start_at = absl::InfinitePast();
    absl::Duration delay = absl::ZeroDuration();
  };

  void watch();  // the thread
  absl::Status launch(Worker* worker);
  void tend(Worker* worker);
  void bury(Worker* worker, int wait_status);
  void tell_all(int signal);
  bool told_to_drain();  // the first time that it is so
  void end_all();
  bool nap(absl::Duration duration);  // false once stopping
  void publish(absl::Status first_start);

  JobStore* const jobs_;
  const SupervisorOptions options_;
  const std::function<void(const WorkerExit&)> on_exit_;
  std::vector<Worker> workers_;  // the thread's own
  bool ending_ = false;          // the thread's own: none is started again

  std::mutex mutex_;
  std::condition_variable changed_;
  bool draining_ ABSL_GUARDED_BY(mutex_) = false;
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  bool started_ ABSL_GUARDED_BY(mutex_) = false;
  absl::Status start_status_ ABSL_GUARDED_BY(mutex_);
  int alive_ ABSL_GUARDED_BY(mutex_) = 0;
  int64_t restarts_ ABSL_GUARDED_BY(mutex_) = 0;
  std::thread thread_;
};

}  // namespace tryon
