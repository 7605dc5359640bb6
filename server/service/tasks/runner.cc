#include "server/service/tasks/runner.h"

#include <algorithm>
#include <exception>
#include <optional>
#include <utility>

#include "absl/time/clock.h"
#include "server/base/hash.h"
#include "server/base/status.h"
#include "server/base/text.h"
#include "server/service/tasks/lease_keeper.h"
#include "server/store/job_rules.h"
#include "server/store/release.h"
#include "server/store/tenant_view.h"

namespace tryon {
namespace {

constexpr int64_t kFetchChunk = 1 << 20;
constexpr absl::Duration kIdleWait = absl::Milliseconds(200);  // also how soon an idle runner notices finish()

// Adds up wall clock by stage; one thread.
class StageClock {
 public:
  void enter(std::string_view stage) {
    if (stage == stage_) return;
    const absl::Time now = absl::Now();
    if (!stage_.empty()) seconds_[stage_] += absl::ToDoubleSeconds(now - since_);
    stage_ = stage;
    since_ = now;
  }
  StageSeconds finish() {
    enter("");
    return seconds_;
  }

 private:
  std::string stage_;
  absl::Time since_;
  StageSeconds seconds_;
};

// One task on its way through: what the steps below share.
struct Work {
  const TaskRecord& task;
  RunContext run;
  LeaseKeeper keeper;
  StageClock stages = {};

  Work(JobStore* jobs, const TaskRecord& leased, LeaseKeeper::Pace pace, CancelFlag stopping)
      : task(leased), keeper(jobs, leased, pace, std::move(stopping)) {}

  void enter(const Progress& progress) {
    stages.enter(progress.stage);
    keeper.report(progress);
  }
};

absl::StatusOr<std::string> fetch_blob(BlobStore* blobs, const RunContext& run, const std::string& digest) {
  ASSIGN_OR_RETURN(const int64_t size, blobs->blob_size(digest));
  std::string bytes;
  bytes.reserve(static_cast<size_t>(size));
  while (static_cast<int64_t>(bytes.size()) < size) {
    RETURN_IF_ERROR(run.check());
    ASSIGN_OR_RETURN(const std::string chunk, blobs->read(digest, static_cast<int64_t>(bytes.size()), kFetchChunk));
    if (chunk.empty()) break;
    bytes += chunk;
  }
  if (sha256_hex(bytes) == digest) return bytes;
  return make_error(absl::StatusCode::kUnavailable, "BLOB_CORRUPT", "blob",
                    cat("the stored blob ", digest, " does not have its digest any more"),
                    "Check the server's disk, then upload the file again.");
}

absl::StatusOr<std::string> fetch_output(JobStore* jobs, BlobStore* blobs, const RunContext& run, const std::string& id,
                                         const std::string& file) {
  ASSIGN_OR_RETURN(const TaskRecord task, jobs->get(id));
  if (task.state == TaskState::kFailed && !task.status.empty()) return decode_status(task.status);
  const auto output = task.outputs.find(file);
  if (output != task.outputs.end()) return fetch_blob(blobs, run, output->second.digest);
  return make_error(absl::StatusCode::kNotFound, "TASK_NOT_FOUND", "task", "what this begins from is not made yet",
                    "Create it first.");
}

absl::StatusOr<PipelineResult> execute(const TaskExecutor& executor, JobStore* jobs, BlobStore* blobs, Work* work) {
  BlobReader read;
  read.blob = [blobs, work](const std::string& digest) {
    work->enter({"fetch", 0.0});
    return fetch_blob(blobs, work->run, digest);
  };
  read.output = [jobs, blobs, work](const std::string& task, const std::string& file) {
    work->enter({"fetch", 0.0});
    return fetch_output(jobs, blobs, work->run, task, file);
  };
  read.id_of = [work](const std::string& digest) { return owned_id(work->task.tenant, digest); };
  try {  // the border of the physics: a library's exception must not take the other tasks' process with it
    return executor(work->run, work->task.kind, work->task.spec, read);
  } catch (const std::exception& fault) {
    return internal_fault(cat("the pipeline threw: ", fault.what()));
  }
}

absl::StatusOr<std::map<std::string, BlobRef>> store_outputs(BlobStore* blobs, const Artifacts& artifacts, Work* work) {
  work->enter({"upload", 0.0});
  std::map<std::string, BlobRef> out;
  for (const auto& [name, artifact] : artifacts) {
    RETURN_IF_ERROR(work->run.check());
    auto digest = blobs->put(artifact.bytes);
    if (!digest.ok()) {  // the world's fault, whatever its code: worth another try
      const ErrorDetail detail = error_detail(digest.status()).value_or(ErrorDetail{"BLOB_STORE_UNAVAILABLE", "", ""});
      return make_error(absl::StatusCode::kUnavailable, detail.reason, name, std::string(digest.status().message()),
                        detail.remedy);
    }
    out[name] = {*digest, static_cast<int64_t>(artifact.bytes.size()), artifact.media_type};
  }
  return out;
}

absl::StatusOr<Completed> complete(const TaskExecutor& executor, JobStore* jobs, BlobStore* blobs, Work* work) {
  ASSIGN_OR_RETURN(PipelineResult result, execute(executor, jobs, blobs, work));
  ASSIGN_OR_RETURN(auto outputs, store_outputs(blobs, result.artifacts, work));
  return Completed{work->task.attempt, result.settled, std::move(result.summary_json), std::move(outputs),
                   work->stages.finish()};
}

// Before the task is done. What cannot be shown must not hurt the work itself.
void show(JobStore* jobs, BlobStore* blobs, const ShownFile& file, const TaskRecord& task) {
  const auto digest = blobs->put(file.bytes);
  if (!digest.ok()) return;
  Showed event{task.attempt, {}};
  event.files[file.name] = {*digest, static_cast<int64_t>(file.bytes.size()), file.media_type};
  (void)jobs->apply(task.id, event);
}

// What is left of a failure for its report. A bundle that cannot be stored must not hide the failure itself.
std::map<std::string, BlobRef> store_replay(BlobStore* blobs, const absl::Status& fault, Work* work) {
  std::string bundle = replay_of(fault);
  if (bundle.empty()) return {};
  Artifacts artifacts;
  artifacts[kReplayName] = {std::move(bundle), "application/octet-stream"};
  return store_outputs(blobs, artifacts, work).value_or(std::map<std::string, BlobRef>());
}

// The same input fails the same way, so only the world's faults are worth another try.
bool is_retryable(const absl::Status& status) { return absl::IsUnavailable(status) || absl::IsAborted(status); }

// What to tell the store; nothing if the task is no longer ours.
std::optional<TaskEvent> verdict_event(LeaseKeeper::Verdict verdict, int attempt, const absl::StatusOr<Completed>& done,
                                       const std::map<std::string, BlobRef>& replay) {
  if (verdict == LeaseKeeper::Verdict::kLost) return std::nullopt;
  if (done.ok()) return *done;
  if (absl::IsCancelled(done.status()) && verdict == LeaseKeeper::Verdict::kCancelled) {
    return CancelAcknowledged{attempt};
  }
  if (absl::IsCancelled(done.status()) && verdict == LeaseKeeper::Verdict::kStopping) return Released{attempt};
  return Failed{attempt, encode_status(done.status()), is_retryable(done.status()), replay};
}

// A store that is out of reach for a moment must not cost the work: asks again for half a lease.
absl::StatusOr<TaskRecord> tell(JobStore* jobs, const std::string& id, const TaskEvent& event, absl::Duration lease) {
  const absl::Time end = absl::Now() + lease / 2;
  for (;;) {
    auto told = jobs->apply(id, event);
    if (!absl::IsUnavailable(told.status()) || absl::Now() > end) return told;
    absl::SleepFor(kIdleWait);
  }
}

// Who asked for a time has it, long or short; the limit is for those who did not.
absl::Time deadline_of(const TaskRecord& task, absl::Duration limit) {
  return task.deadline_us == 0 ? absl::Now() + limit : absl::FromUnixMicros(task.deadline_us);
}

}  // namespace

TaskRunner::TaskRunner(JobStore* jobs, BlobStore* blobs, RunnerOptions options, TaskExecutor executor,
                       std::function<void(const TaskEventLog&)> on_task)
    : jobs_(jobs),
      blobs_(blobs),
      options_(std::move(options)),
      executor_(std::move(executor)),
      on_task_(std::move(on_task)) {}

void TaskRunner::finish() { finish_.cancel(); }

void TaskRunner::stop() {
  finish_.cancel();
  stop_.cancel();
}

bool TaskRunner::run_one() { return lease_and_run().value_or(false); }

absl::Status TaskRunner::run() {
  (void)erase_spent_blobs(jobs_, blobs_);  // what a worker that died left behind
  absl::Time last_heard = absl::Now();
  while (!finish_.cancelled()) {
    const auto ran = lease_and_run();
    if (ran.ok()) last_heard = absl::Now();
    if (!ran.ok() && absl::Now() - last_heard > options_.store_patience) return ran.status();
    if (!ran.ok()) absl::SleepFor(kIdleWait);
    if (ran.ok() && !*ran) jobs_->wait_for_work(kIdleWait);
  }
  return absl::OkStatus();
}

absl::StatusOr<bool> TaskRunner::lease_and_run() {
  ASSIGN_OR_RETURN(const std::optional<TaskRecord> task, jobs_->lease(options_.worker, options_.lease));
  if (!task) return false;
  run_task(*task);
  return true;
}

void TaskRunner::run_task(const TaskRecord& task) {
  const absl::Time begin = absl::Now();
  Work work(jobs_, task, {options_.lease, options_.heartbeat, options_.progress}, stop_);
  work.run.cancel = work.keeper.cancel();
  work.run.deadline = deadline_of(task, options_.task_limit);
  work.run.on_progress = [&work](const Progress& progress) { work.enter(progress); };

  TenantJobStore jobs(jobs_, task.tenant);
  TenantBlobStore blobs(blobs_, task.tenant);
  work.run.on_file = [&](const ShownFile& file) { show(&jobs, &blobs, file, task); };
  const absl::StatusOr<Completed> done = complete(executor_, &jobs, &blobs, &work);
  const auto replay = store_replay(&blobs, done.status(), &work);
  work.keeper.stop();
  TaskEventLog log{task.id, task.kind, "retried", "LEASE_LOST", 0.0, work.stages.finish()};
  if (const auto event = verdict_event(work.keeper.verdict(), task.attempt, done, replay)) {
    const auto told = tell(&jobs, task.id, *event, options_.lease);
    if (told.ok() && is_final(told->state)) log.outcome = finished_task(*told).outcome;
    const absl::Status& fault = told.ok() ? done.status() : told.status();
    log.reason = error_detail(fault).value_or(ErrorDetail{}).reason;
  }
  (void)erase_spent_blobs(jobs_, blobs_);  // a raw scan goes with the task that read it; else the next task does it
  log.seconds = absl::ToDoubleSeconds(absl::Now() - begin);
  if (on_task_) on_task_(log);
}

}  // namespace tryon
