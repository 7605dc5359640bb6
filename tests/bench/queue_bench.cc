// What the queue costs: scripts/bench queue. Tasks of exactly one second (they sleep, so that the processors are free
// for the queue) through real runners on the durable stores; the overhead is the time beyond the tasks' own.
//   overhead   = (wall / (tasks x 1 s / workers)) - 1      speed-up = wall with one worker / wall with two
// And what a task costs without work: submit, lease, complete. And how soon after a cancellation the worker is idle.
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <thread>
#include <vector>

#include "absl/time/clock.h"
#include "server/base/hash.h"
#include "server/base/text.h"
#include "server/service/tasks/runner.h"
#include "server/store/sealed_blob_store.h"

namespace tryon {
namespace {

double seconds_since(absl::Time begin) { return absl::ToDoubleSeconds(absl::Now() - begin); }

class Stores {
 public:
  Stores() {
    std::filesystem::create_directories(folder_);
    jobs = open_sqlite_job_store(folder_ / "tasks.sqlite").value();
    blobs = make_sealed_blob_store(jobs.get(), open_directory_object_store(folder_ / "blobs").value());
  }
  ~Stores() {
    blobs.reset();
    jobs.reset();
    std::filesystem::remove_all(folder_);
  }
  std::string queue_file() const { return folder_ / "tasks.sqlite"; }
  std::unique_ptr<JobStore> jobs;
  std::unique_ptr<BlobStore> blobs;

 private:
  const std::filesystem::path folder_ = std::filesystem::temp_directory_path() / cat("tryon-bench-", random_hex(4));
};

TaskRecord drape(int number) {
  TaskRecord task;
  task.id = sha256_hex(cat("bench ", number));
  task.kind = "drape";
  task.spec = std::string(600, 'x');
  task.lane = Lane::kBatch;
  return task;
}

// A drape that takes `length`, tells of its progress and writes 64 KiB.
TaskExecutor sleeper(absl::Duration length) {
  return [length](const RunContext& run, const std::string&, const std::string& spec,
                  const BlobReader&) -> absl::StatusOr<PipelineResult> {
    const absl::Time end = absl::Now() + length;
    for (int i = 0; absl::Now() < end; ++i) {
      run.report("drape", std::min(1.0, 0.01 * i));
      if (const absl::Status stopped = run.check(); !stopped.ok()) return stopped;
      absl::SleepFor(std::min(absl::Milliseconds(2), end - absl::Now()));
    }
    PipelineResult result;
    result.summary_json = "{}";
    result.artifacts["garment.glb"] = {random_hex(32768), "model/gltf-binary"};
    return result;
  };
}

// Wall seconds from the first lease to the last result.
double drain(int tasks, int workers, absl::Duration length) {
  Stores stores;
  for (int i = 0; i < tasks; ++i) stores.jobs->submit(drape(i)).value();
  std::vector<std::unique_ptr<TaskRunner>> runners;
  std::vector<std::unique_ptr<JobStore>> queues;  // one a worker, as in processes of their own
  std::vector<std::thread> threads;
  const absl::Time begin = absl::Now();
  for (int i = 0; i < workers; ++i) {
    RunnerOptions options;
    options.worker = cat("bench-", i);
    queues.push_back(open_sqlite_job_store(stores.queue_file()).value());
    runners.push_back(std::make_unique<TaskRunner>(queues.back().get(), stores.blobs.get(), options, sleeper(length),
                                                   [](const TaskEventLog&) {}));
    threads.emplace_back([runner = runners.back().get()] { (void)runner->run(); });
  }
  while (stores.jobs->stats()->succeeded < tasks) absl::SleepFor(absl::Milliseconds(5));
  const double wall = seconds_since(begin);
  for (const auto& runner : runners) runner->stop();
  for (std::thread& thread : threads) thread.join();
  return wall;
}

void print_overhead() {
  constexpr int kTasks = 20;
  const double one = drain(kTasks, 1, absl::Seconds(1)), two = drain(kTasks, 2, absl::Seconds(1));
  std::printf("%d tasks of 1 s, SQLite synchronous=FULL, blobs synced\n", kTasks);
  std::printf("  1 worker   %7.3f s   overhead %5.2f %%\n", one, 100.0 * (one / kTasks - 1.0));
  std::printf("  2 workers  %7.3f s   overhead %5.2f %%   speed-up %.2f\n", two, 100.0 * (2.0 * two / kTasks - 1.0),
              one / two);
}

void print_rates() {
  constexpr int kTasks = 500;
  Stores stores;
  absl::Time begin = absl::Now();
  for (int i = 0; i < kTasks; ++i) stores.jobs->submit(drape(i)).value();
  std::printf("submit one by one     %7.0f /s\n", kTasks / seconds_since(begin));
  begin = absl::Now();
  while (const auto task = stores.jobs->lease("w", absl::Seconds(15)).value()) {
    stores.jobs->apply(task->id, Completed{task->attempt, true, "{}", {}}).value();
  }
  std::printf("lease and complete    %7.0f /s\n", kTasks / seconds_since(begin));
  BatchRecord batch;
  batch.id = "b";
  batch.total = 256 * 8;
  stores.jobs->submit_batch(batch).value();
  begin = absl::Now();
  for (int64_t from = 0; from < batch.total; from += 256) {
    BatchStep step{from, from + 256, "", {}};
    for (int64_t i = from; i < from + 256; ++i) step.items.push_back({i, drape(static_cast<int>(kTasks + i)), ""});
    stores.jobs->advance_batch("b", step).value();
  }
  std::printf("batch, 256 a step     %7.0f /s\n", static_cast<double>(batch.total) / seconds_since(begin));
}

void print_cancel() {
  Stores stores;
  std::vector<double> delays;
  for (int i = 0; i < 20; ++i) {
    const std::string id = stores.jobs->submit(drape(i))->id;
    TaskRunner runner(stores.jobs.get(), stores.blobs.get(), RunnerOptions(), sleeper(absl::Seconds(30)),
                      [](const TaskEventLog&) {});
    std::thread worker([&] { runner.run_one(); });
    while (stores.jobs->get(id)->state != TaskState::kRunning) absl::SleepFor(absl::Milliseconds(1));
    absl::SleepFor(absl::Milliseconds(50 + 7 * i));
    const absl::Time begin = absl::Now();
    stores.jobs->apply(id, CancelRequested{}).value();
    worker.join();
    delays.push_back(1000.0 * seconds_since(begin));
  }
  std::sort(delays.begin(), delays.end());
  std::printf("cancel to idle worker: median %.0f ms, longest of %zu %.0f ms (work that looks every 2 ms)\n",
              delays[delays.size() / 2], delays.size(), delays.back());
}

}  // namespace
}  // namespace tryon

int main() {
  tryon::print_overhead();
  tryon::print_rates();
  tryon::print_cancel();
}
