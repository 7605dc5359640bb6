// Work that is not wanted any more stops in whichever stage it is, and the same worker then does what is asked for
// next. The physics is the product's. (How soon it stops is measured by scripts/bench cancel.)
#include <gtest/gtest.h>

#include <atomic>
#include <set>
#include <thread>
#include <vector>

#include "absl/time/clock.h"
#include "server/base/text.h"
#include "tests/integration/support/hosted_service.h"

namespace tryon {
namespace {

using testing::HostedService;

// A worker of the product's that has each task cancelled by its caller when it comes to a stage, and goes on with the
// work only once it has heard so.
class CancelledWorker {
 public:
  explicit CancelledWorker(HostedService* service)
      : service_(service),
        runner_(&service->jobs(), &service->blobs(), quick(), executor(), {}),
        thread_([this] { (void)runner_.run(); }) {}
  ~CancelledWorker() {
    runner_.stop();
    thread_.join();
  }

  void cancel_at(const std::string& kind, const std::string& stage) { kind_ = kind, stage_ = stage; }
  const std::vector<std::string>& stages() const { return stages_; }  // of the last task that was let be

 private:
  static RunnerOptions quick() {
    RunnerOptions options;
    options.heartbeat = absl::Milliseconds(5);
    return options;
  }

  TaskExecutor executor() {
    return [this](const RunContext& run, const std::string& kind, const std::string& spec, const BlobReader& read) {
      if (stage_.empty()) stages_.clear();
      bool cancelled = false;
      RunContext watched = run;
      watched.on_progress = [&](const Progress& progress) {
        run.on_progress(progress);
        if (stage_.empty() && (stages_.empty() || stages_.back() != progress.stage)) stages_.push_back(progress.stage);
        if (kind != kind_ || progress.stage != stage_ || std::exchange(cancelled, true)) return;
        for (const auto& task : service_->jobs().list("", kind, std::nullopt, 10).value_or(std::vector<TaskRecord>{})) {
          if (task.state != TaskState::kRunning) continue;
          EXPECT_TRUE(service_->client().cancel("operations/" + task.id).ok());
        }
        EXPECT_TRUE(testing::eventually([&] { return run.cancel.cancelled(); }));
      };
      return pipeline_executor("")(watched, kind, spec, read);
    };
  }

  HostedService* const service_;
  std::string kind_, stage_;         // set while no task runs
  std::vector<std::string> stages_;  // read then
  TaskRunner runner_;
  std::thread thread_;
};

class Cancels : public ::testing::Test {
 protected:
  v1::CreateDrapeRequest drape() {
    v1::CreateDrapeRequest out = service_.drape_request();
    out.set_resolution_mm(40);
    return out;
  }
  std::string result_of(const std::string& name) { return service_.jobs().get(testing::id_of(name)).value().summary; }

  HostedService service_{HostOptions{}, false};
  CancelledWorker worker_{&service_};
};

TEST_F(Cancels, ADrapeStopsInEveryStageAndIsDoneWholeWhenItIsAskedForAgain) {
  const std::string whole = service_.client().begin_drape(drape()).value();
  ASSERT_TRUE(service_.client().watch(whole, {}).ok());
  const std::vector<std::string> stages = worker_.stages();
  ASSERT_GE(std::set<std::string>(stages.begin(), stages.end()).size(), 5u);
  v1::CreateDrapeRequest other = drape();
  other.set_resolution_mm(41);
  for (const std::string& stage : std::set<std::string>(stages.begin(), stages.end())) {
    SCOPED_TRACE(stage);
    worker_.cancel_at("drape", stage);
    const std::string name = service_.client().begin_drape(other).value();
    EXPECT_EQ(service_.client().watch(name, {}).code(), absl::StatusCode::kCancelled);
    const TaskRecord task = service_.jobs().get(testing::id_of(name)).value();
    EXPECT_EQ(task.state, TaskState::kCancelled);
    EXPECT_TRUE(task.outputs.empty());
  }
  worker_.cancel_at("", "");
  const std::string again = service_.client().begin_drape(other).value();
  EXPECT_TRUE(service_.client().watch(again, {}).ok());
  EXPECT_EQ(worker_.stages(), stages);
}

}  // namespace
}  // namespace tryon
