// tryon-worker: leases tasks from DIR/tasks.sqlite, or from PostgreSQL, until told to stop, or until its parent dies.
// SIGTERM lets it end the task that it does; SIGINT, a second signal and the parent's death give that task back.
#include <signal.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdlib>
#include <future>
#include <string>

#include "server/app/layered_settings.h"
#include "server/app/stores.h"
#include "server/base/hash.h"
#include "server/base/text.h"
#include "server/ops/log.h"
#include "server/ops/process.h"
#include "server/service/tasks/runner.h"

namespace {

using namespace tryon;

struct Settings {
  std::string data, postgres, blobs, master_key;
  pid_t parent = 0;
  double drain_s = 8.0;
  RunnerOptions runner;
};

void log_task(const TaskEventLog& task) {
  log_info("task", {{"task", task.id},
                    {"kind", task.kind},
                    {"outcome", task.outcome},
                    {"reason", task.reason},
                    {"seconds", cat(task.seconds)}});
}

int fail(std::string_view what, const absl::Status& status) {
  log_error(what, {{"message", std::string(status.message())}});
  return EXIT_FAILURE;
}

int work(const Settings& settings) {
  auto stores = open_stores({settings.data, settings.postgres, settings.blobs, settings.master_key});
  if (!stores.ok()) return fail("store_unavailable", stores.status());
  auto& [jobs, blobs] = *stores;

  TaskRunner runner(jobs.get(), blobs.get(), settings.runner, log_task);
  auto ended = std::async(std::launch::async, [&runner] {
    const absl::Status status = runner.run();
    raise_stop_signal();
    return status;
  });
  const int told = wait_for_stop_signal();
  runner.finish();
  if (told == SIGTERM) wait_for_stop_signal(settings.drain_s);  // or the runner's own, once it has ended
  runner.stop();
  // Work that cannot stop in time is left behind: its lease ends with this process.
  if (ended.wait_for(std::chrono::milliseconds(900)) != std::future_status::ready) _exit(EXIT_SUCCESS);
  const absl::Status status = ended.get();
  return status.ok() ? EXIT_SUCCESS : fail("worker_gave_up", status);
}

}  // namespace

int main(int argc, char** argv) {
  Settings settings;
  settings.runner.worker = cat("worker-", random_hex(4), "-", getpid());
  LayeredSettings layers("Runs tryon tasks from a queue on this machine.");
  CLI::App& app = layers.app();
  app.add_option("--data", settings.data,
                 "the server's data folder; with --postgres and --blobs a folder of this worker's own")
      ->required()
      ->check(CLI::ExistingDirectory);
  app.add_option("--postgres", settings.postgres, "the queue of many machines instead of DATA/tasks.sqlite");
  app.add_option("--blobs", settings.blobs,
                 "an object store instead of DATA/blobs: s3+https://HOST/BUCKET?region=REGION, keys from "
                 "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY");
  app.add_option("--master-key-file", settings.master_key, "the key file of the server");
  app.add_option("--meshparse", settings.runner.meshparse_path,
                 "path of tryon-meshparse (default: beside this program)");
  app.add_option("--name", settings.runner.worker, "the name that leases are taken under");
  app.add_option("--drain-timeout", settings.drain_s, "seconds that a task gets to end on SIGTERM")
      ->check(CLI::Range(0.0, 3600.0))
      ->capture_default_str();
  app.add_option("--parent", settings.parent, "end if this is not the parent process");
  if (const int code = layers.read(argc, argv); code >= 0) return code;
  if (layers.checks_only()) return EXIT_SUCCESS;
  block_stop_signals();
  stop_with_parent(settings.parent);
  return work(settings);
}
