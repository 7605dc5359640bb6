// A drape that breaks in the middle, end to end: the job ends with a report, its bundle comes back through the API, and
// `tryon replay` breaks in the same way on its own. The physics is the product's; only the fault is injected.
#include <filesystem>
#include <thread>

#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "server/base/status.h"
#include "server/sim/model.h"
#include "tests/integration/support/hosted_service.h"
#include "tests/integration/support/live_server.h"
#include "tests/support/shared_data.h"

namespace tryon {
namespace {

using Json = nlohmann::json;
using testing::HostedService;

constexpr int kBreaksAt = 12, kParticle = 105;

// A worker of the product's whose cloth gets one particle of absurd speed before one of its steps.
class BreakingWorker {
 public:
  explicit BreakingWorker(HostedService* service)
      : runner_(&service->jobs(), &service->blobs(), RunnerOptions{}, pipeline_executor(broken()), {}),
        thread_([this] { (void)runner_.run(); }) {}
  ~BreakingWorker() {
    runner_.stop();
    thread_.join();
  }

 private:
  static PipelineInput broken() {
    PipelineInput input;
    input.before_step = [steps = 0](sim::DrapeState* state) mutable {
      if (++steps == kBreaksAt) state->v[kParticle].x() = sim::Real(1e200);
    };
    return input;
  }
  TaskRunner runner_;
  std::thread thread_;
};

class Replays : public ::testing::Test {
 protected:
  testing::CommandResult tryon(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), testing::bin_dir() + "/tryon");
    return testing::run_command(arguments);
  }
  v1::CreateDrapeRequest request() {
    v1::CreateDrapeRequest out = service_.drape_request();
    out.set_resolution_mm(40);
    return out;
  }

  HostedService service_{HostOptions{}, false};
  BreakingWorker worker_{&service_};
};

TEST_F(Replays, ADrapeThatBreaksEndsWithAReportAndABundleThatBreaksAgain) {
  const std::string operation = service_.client().begin_drape(request()).value();
  const absl::Status failure = service_.client().watch(operation, {});
  ASSERT_EQ(failure.code(), absl::StatusCode::kInternal) << failure;
  EXPECT_EQ(testing::reason_of(failure), "NOT_FINITE");
  EXPECT_NE(failure.message().find("phase "), std::string::npos) << failure;
  const std::string field = error_detail(failure)->field;
  EXPECT_NE(field.find("step["), std::string::npos) << field;

  const std::string out = testing::make_temp_dir();
  const auto got = tryon({"--server", service_.address(), "get", operation, "--out", out});
  EXPECT_EQ(got.exit_code, 1) << got.output;
  const std::string bundle = out + "/replay.tryon";
  ASSERT_TRUE(std::filesystem::exists(bundle)) << got.output;

  const auto replayed = tryon({"--json", "replay", bundle});
  EXPECT_EQ(replayed.exit_code, 0) << replayed.output;
  const Json told = Json::parse(replayed.output);
  EXPECT_TRUE(told["seen_again"]);
  EXPECT_EQ(told["failed_now"], told["failed_then"]);
  EXPECT_EQ(told["failed_now"]["message"], std::string(failure.message()));
  const auto spoken = tryon({"replay", bundle});
  EXPECT_NE(spoken.output.find("seen again             yes"), std::string::npos) << spoken.output;
}

TEST_F(Replays, WhatIsNoBundleIsRefusedByName) {
  const std::string path = testing::make_temp_dir() + "/replay.tryon";
  testing::write_file(path, "not a bundle");
  const auto refused = tryon({"replay", path});
  EXPECT_EQ(refused.exit_code, 3);
  EXPECT_NE(refused.output.find("REPLAY_UNREADABLE"), std::string::npos) << refused.output;
  EXPECT_NE(refused.output.find(path), std::string::npos) << refused.output;
  EXPECT_EQ(tryon({"replay", path + ".none"}).exit_code, 3);
}

}  // namespace
}  // namespace tryon
