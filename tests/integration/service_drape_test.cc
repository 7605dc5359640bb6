// The life of a drape through the API: created, watched, cancelled, left, limited, finished; the physics is played.
#include <grpcpp/grpcpp.h>

#include <atomic>
#include <chrono>
#include <set>
#include <thread>
#include <vector>

#include "absl/time/clock.h"
#include "client/lib/rpc_error.h"
#include "google/longrunning/operations.grpc.pb.h"
#include "gtest/gtest.h"
#include "server/base/hash.h"
#include "server/base/status.h"
#include "server/base/text.h"
#include "tests/integration/support/hosted_service.h"
#include "tryon/v1/drape.grpc.pb.h"

namespace tryon {
namespace {

using google::longrunning::Operation;
using testing::eventually;
using testing::HostedService;
using testing::id_of;
using testing::reason_of;

// A RunDrape call that is under way: the first answer has arrived.
class RunningCall {
 public:
  RunningCall(HostedService* service, const v1::CreateDrapeRequest& drape)
      : stub_(v1::DrapeService::NewStub(service->channel())) {
    v1::RunDrapeRequest request;
    *request.mutable_drape() = drape;
    reader_ = stub_->RunDrape(&context_, request);
    EXPECT_TRUE(reader_->Read(&last_));
  }
  const Operation& last() const { return last_; }
  grpc::Status leave() {
    context_.TryCancel();
    return finish();
  }
  grpc::Status finish() {
    while (reader_->Read(&last_)) continue;
    return reader_->Finish();
  }

 private:
  std::unique_ptr<v1::DrapeService::Stub> stub_;
  grpc::ClientContext context_;
  std::unique_ptr<grpc::ClientReader<Operation>> reader_;
  Operation last_;
};

class Drapes : public ::testing::Test {
 protected:
  void hold() { service_.play().hold = true; }
  void release() { service_.play().hold = false; }
  bool began(int count) {
    return eventually([&] { return service_.play().begun >= count; });
  }
  grpc::Status get_operation(const std::string& name, Operation* operation) {
    grpc::ClientContext context;
    google::longrunning::GetOperationRequest request;
    request.set_name(name);
    return google::longrunning::Operations::NewStub(service_.channel())->GetOperation(&context, request, operation);
  }
  grpc::Status wait_operation(const std::string& name, absl::Duration timeout, Operation* operation) {
    grpc::ClientContext context;
    google::longrunning::WaitOperationRequest request;
    request.set_name(name);
    request.mutable_timeout()->set_seconds(absl::ToInt64Seconds(timeout));
    request.mutable_timeout()->set_nanos(static_cast<int>(absl::ToInt64Nanoseconds(timeout % absl::Seconds(1))));
    return google::longrunning::Operations::NewStub(service_.channel())->WaitOperation(&context, request, operation);
  }

  HostedService service_;
};

TEST_F(Drapes, CreatingTheSameThingTwiceIsTheSameThingAndDoneOnce) {
  const auto request = service_.drape_request();
  EXPECT_EQ(service_.drape_request().body(), request.body());
  EXPECT_EQ(service_.drape_request().garment(), request.garment());
  const std::string name = service_.client().begin_drape(request).value();
  service_.wait_for(name, TaskState::kSucceeded);
  EXPECT_EQ(service_.client().begin_drape(request).value(), name);
  EXPECT_EQ(service_.play().begun, 1);
}

TEST_F(Drapes, ThreadsDoNotMakeAnotherDrapeButResolutionDoes) {
  auto request = service_.drape_request();
  const std::string name = service_.client().begin_drape(request).value();
  request.set_thread_count(7);
  EXPECT_EQ(service_.client().begin_drape(request).value(), name);
  request.set_resolution_mm(20);
  EXPECT_NE(service_.client().begin_drape(request).value(), name);
}

TEST_F(Drapes, AFinishedDrapeHasItsNumbersAndFilesWhoseBytesAreFetched) {
  const auto drape = service_.client().run_drape(service_.drape_request(), {});
  ASSERT_TRUE(drape.ok()) << drape.status();
  EXPECT_TRUE(drape->settled());
  EXPECT_EQ(drape->state(), v1::TASK_STATE_SUCCEEDED);
  EXPECT_EQ(drape->metrics().vertex_count(), 7);
  EXPECT_EQ(drape->metrics().termination(), "settled");
  EXPECT_EQ(drape->metrics().seam_max_gap_mm(), 0.25);
  ASSERT_EQ(drape->artifacts_size(), 1);
  const auto bytes = service_.client().fetch(drape->artifacts(0));
  ASSERT_TRUE(bytes.ok()) << bytes.status();
  EXPECT_EQ(static_cast<int64_t>(bytes->size()), drape->artifacts(0).size_bytes());
  EXPECT_EQ(service_.client().get_drape(drape->name())->SerializeAsString(), drape->SerializeAsString());
}

TEST_F(Drapes, BodiesAndGarmentsAnswerWithWhatWasFound) {
  v1::CreateBodyRequest body;
  body.mutable_source()->set_sample(true);
  const auto made = service_.client().create_body(body, {});
  ASSERT_TRUE(made.ok()) << made.status();
  EXPECT_EQ(made->height_m(), 1.7);
  EXPECT_EQ(made->measurements_mm().at("waist_girth"), 702.5);
  v1::CreateGarmentRequest garment;
  garment.mutable_source()->set_sample("tshirt");
  const auto checked = service_.client().create_garment(garment, {});
  ASSERT_TRUE(checked.ok()) << checked.status();
  EXPECT_EQ(checked->panel_count(), 2);
  EXPECT_EQ(checked->seam_count(), 3);
}

TEST_F(Drapes, ADrapeThatDidNotSettleIsAResultThatSaysSo) {
  service_.play().settles = false;
  const auto drape = service_.client().run_drape(service_.drape_request(), {});
  ASSERT_TRUE(drape.ok()) << drape.status();
  EXPECT_FALSE(drape->settled());
  EXPECT_EQ(drape->artifacts_size(), 1);
}

TEST_F(Drapes, WhatIsMissingIsNamedWithTheNextMove) {
  auto request = service_.drape_request();
  const std::string nobody = sha256_hex("nobody"), body = request.body();
  request.set_body("bodies/" + nobody);
  EXPECT_EQ(reason_of(service_.client().begin_drape(request).status()), "BODY_NOT_FOUND");
  request.set_body("bodies/" + id_of(request.garment()));  // a garment is no body
  EXPECT_EQ(reason_of(service_.client().begin_drape(request).status()), "BODY_NOT_FOUND");
  request.set_body(body);
  request.set_garment("garments/" + nobody);
  EXPECT_EQ(reason_of(service_.client().begin_drape(request).status()), "GARMENT_NOT_FOUND");

  v1::CreateBodyRequest unsent;
  unsent.mutable_source()->set_mesh_sha256(nobody);
  const absl::Status status = service_.client().begin_body(unsent).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(reason_of(status), "BLOB_MISSING");
  EXPECT_NE(std::string(status.message()).find(nobody), std::string::npos);
  EXPECT_NE(error_detail(status)->remedy.find("Upload"), std::string::npos);
}

TEST_F(Drapes, AFailureReachesTheCallerWithReasonFieldAndRemedy) {
  service_.play().fault = invalid_input("SEAM_LENGTHS_DIFFER", "stitches[3]", "412 mm on 398 mm", "Ease it in.");
  const auto request = service_.drape_request();
  const absl::Status status = service_.client().run_drape(request, {}).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  ASSERT_TRUE(error_detail(status).has_value());
  EXPECT_EQ(error_detail(status)->reason, "SEAM_LENGTHS_DIFFER");
  EXPECT_EQ(error_detail(status)->field, "stitches[3]");
  EXPECT_EQ(error_detail(status)->remedy, "Ease it in.");
}

TEST_F(Drapes, AWatchTellsTheStagesInOrderAndEndsWithTheResult) {
  hold();
  const std::string name = service_.client().begin_drape(service_.drape_request()).value();
  std::vector<std::string> stages;
  std::atomic<bool> told = false;
  std::thread later([&] {  // not before the watcher was told, however late it comes
    EXPECT_TRUE(eventually([&] { return told.load(); }));
    release();
  });
  double elapsed = 0.0;
  const auto status = service_.client().watch(name, [&](const std::string&, const v1::OperationMetadata& metadata) {
    if (stages.empty() || stages.back() != metadata.stage()) stages.push_back(metadata.stage());
    told = told || metadata.stage() == "drape";
    EXPECT_GE(metadata.elapsed_seconds(), elapsed);
    elapsed = metadata.elapsed_seconds();
    EXPECT_EQ(id_of(metadata.target()), id_of(name));
  });
  later.join();
  EXPECT_TRUE(status.ok()) << status;
  EXPECT_NE(std::find(stages.begin(), stages.end(), "drape"), stages.end());
  EXPECT_GT(elapsed, 0.0);
}

TEST_F(Drapes, AWatcherMayLeaveAndComeBackAndTheWorkGoesOn) {
  hold();
  const std::string name = service_.client().begin_drape(service_.drape_request()).value();
  const auto stub = v1::DrapeService::NewStub(service_.channel());
  for (int visit = 0; visit < 3; ++visit) {
    grpc::ClientContext context;
    v1::WatchOperationRequest request;
    request.set_name(name);
    Operation operation;
    auto reader = stub->WatchOperation(&context, request);
    ASSERT_TRUE(reader->Read(&operation));
    EXPECT_FALSE(operation.done());
    context.TryCancel();
    EXPECT_FALSE(reader->Finish().ok());
  }
  ASSERT_TRUE(began(1));
  release();
  EXPECT_TRUE(service_.client().watch(name, {}).ok());
  EXPECT_EQ(service_.play().cut_short, 0);
}

TEST_F(Drapes, AWatchSurvivesARestartOfTheServer) {
  hold();
  const std::string name = service_.client().begin_drape(service_.drape_request()).value();
  ASSERT_TRUE(began(1));
  std::atomic<bool> joined{false};
  std::thread restart([&] {
    EXPECT_TRUE(eventually([&] { return joined.load(); }));
    service_.stop_host();
    service_.start_host();
    release();
  });
  const absl::Status status =
      service_.client().watch(name, [&](const std::string&, const v1::OperationMetadata&) { joined = true; });
  restart.join();
  EXPECT_TRUE(status.ok()) << status;
  EXPECT_EQ(service_.play().begun, 1);
}

TEST_F(Drapes, CancelOperationReachesTheWorkerAndTheWatchersHearOfIt) {
  hold();
  const std::string name = service_.client().begin_drape(service_.drape_request()).value();
  ASSERT_TRUE(began(1));
  ASSERT_TRUE(service_.client().cancel(name).ok());
  const absl::Status status = service_.client().watch(name, {});
  EXPECT_EQ(status.code(), absl::StatusCode::kCancelled);
  EXPECT_EQ(reason_of(status), "CANCELLED");
  EXPECT_EQ(service_.play().cut_short, 1);
  EXPECT_TRUE(service_.client().cancel(name).ok()) << "cancelling what is done already is no error";
}

TEST_F(Drapes, WhatWasCancelledIsDoneAfreshWhenAskedForAgain) {
  hold();
  const auto request = service_.drape_request();
  const std::string name = service_.client().begin_drape(request).value();
  ASSERT_TRUE(began(1));
  ASSERT_TRUE(service_.client().cancel(name).ok());
  service_.wait_for(name, TaskState::kCancelled);
  release();
  EXPECT_TRUE(service_.client().run_drape(request, {}).ok());
  EXPECT_EQ(service_.play().begun, 2);
}

TEST_F(Drapes, LeavingRunDrapeCancelsTheDrape) {
  hold();
  RunningCall call(&service_, service_.drape_request());
  ASSERT_TRUE(began(1));
  EXPECT_EQ(call.leave().error_code(), grpc::StatusCode::CANCELLED);
  service_.wait_for(call.last().name(), TaskState::kCancelled);
  EXPECT_EQ(service_.play().cut_short, 1);
}

TEST_F(Drapes, RunDrapeOfTwoCallersLivesUntilTheLastLeaves) {
  hold();
  const auto request = service_.drape_request();
  RunningCall first(&service_, request), second(&service_, request);
  ASSERT_EQ(first.last().name(), second.last().name());
  ASSERT_TRUE(began(1));
  (void)first.leave();
  Operation operation;
  ASSERT_TRUE(wait_operation(second.last().name(), absl::Milliseconds(400), &operation).ok());
  EXPECT_FALSE(operation.done());
  (void)second.leave();
  service_.wait_for(second.last().name(), TaskState::kCancelled);
}

TEST_F(Drapes, ADrapeThatSomebodyCreatedOutlivesARunDrapeThatLeaves) {
  for (const bool created_first : {true, false}) {
    hold();
    auto request = service_.drape_request();
    request.set_resolution_mm(created_first ? 20 : 25);
    if (created_first) {
      ASSERT_TRUE(service_.client().begin_drape(request).ok());
    }
    RunningCall call(&service_, request);
    if (!created_first) {
      ASSERT_TRUE(service_.client().begin_drape(request).ok());
    }
    ASSERT_TRUE(began(created_first ? 1 : 2));
    (void)call.leave();
    Operation operation;
    ASSERT_TRUE(wait_operation(call.last().name(), absl::Milliseconds(400), &operation).ok());
    EXPECT_FALSE(operation.done());
    release();
    service_.wait_for(call.last().name(), TaskState::kSucceeded);
  }
}

TEST_F(Drapes, ACallersDeadlineBoundsTheDrapeAndItsPassingEndsIt) {
  hold();
  grpc::ClientContext context;
  context.set_deadline(absl::ToChronoTime(absl::Now() + absl::Milliseconds(700)));
  v1::RunDrapeRequest request;
  *request.mutable_drape() = service_.drape_request();
  const auto stub = v1::DrapeService::NewStub(service_.channel());
  auto reader = stub->RunDrape(&context, request);
  Operation operation;
  ASSERT_TRUE(reader->Read(&operation));
  const TaskRecord task = service_.jobs().get(id_of(operation.name())).value();
  EXPECT_GT(task.deadline_us, task.created_us);
  EXPECT_LE(task.deadline_us, task.created_us + 700'000);
  while (reader->Read(&operation)) continue;
  (void)reader->Finish();
  EXPECT_TRUE(eventually([&] { return is_final(service_.jobs().get(task.id)->state); }));
  EXPECT_EQ(service_.play().cut_short, 1);
}

TEST_F(Drapes, ATimeLimitReachesTheTaskAndMakesItAnotherDrape) {
  hold();
  auto request = service_.drape_request();
  request.mutable_time_limit()->set_seconds(30);
  const std::string limited = service_.client().begin_drape(request).value();
  EXPECT_EQ(service_.client().begin_drape(request).value(), limited);
  const TaskRecord task = service_.jobs().get(id_of(limited)).value();
  EXPECT_NEAR(static_cast<double>(task.deadline_us - task.created_us) * 1e-6, 30.0, 1.0);
  request.clear_time_limit();
  const std::string unlimited = service_.client().begin_drape(request).value();
  EXPECT_NE(unlimited, limited) << "a hurried result must never be served to one who gave it time";
  EXPECT_EQ(service_.jobs().get(id_of(unlimited))->deadline_us, 0);
  release();
  service_.wait_for(unlimited, TaskState::kSucceeded);
  request.mutable_time_limit()->set_seconds(31);
  EXPECT_EQ(service_.client().begin_drape(request).value(), unlimited) << "the full result is there, at once";
}

TEST_F(Drapes, WaitOperationReturnsAtItsTimeoutOrWhenDone) {
  hold();
  const std::string name = service_.client().begin_drape(service_.drape_request()).value();
  Operation operation;
  ASSERT_TRUE(wait_operation(name, absl::Milliseconds(50), &operation).ok());
  EXPECT_FALSE(operation.done());
  release();
  ASSERT_TRUE(wait_operation(name, absl::Seconds(20), &operation).ok());
  EXPECT_TRUE(operation.done());
  v1::Drape drape;
  EXPECT_TRUE(operation.response().UnpackTo(&drape));
  Operation same;
  ASSERT_TRUE(get_operation(name, &same).ok());
  EXPECT_EQ(same.SerializeAsString(), operation.SerializeAsString());
}

TEST(DrapesWithoutWorker, TheClientsCancelFlagWorksWhileNothingHappens) {
  HostedService service({}, false);
  const auto request = service.drape_request();
  CancelFlag cancel;
  std::string name;
  const auto drape = service.client().run_drape(
      request,
      [&](const std::string& operation, const v1::OperationMetadata&) {
        name = operation;
        cancel.cancel();
      },
      cancel);
  EXPECT_EQ(drape.status().code(), absl::StatusCode::kCancelled);
  service.wait_for(name, TaskState::kCancelled);
}

TEST(DrapesWithoutWorker, AStoppingServerSaysSoAndKeepsTheWork) {
  HostedService service({}, false);
  RunningCall call(&service, service.drape_request());
  std::thread stop([&] { service.stop_host(); });
  const grpc::Status status = call.finish();
  stop.join();
  EXPECT_EQ(status.error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_EQ(reason_of(status), "SERVER_STOPPING");
  EXPECT_EQ(service.jobs().get(id_of(call.last().name()))->state, TaskState::kQueued);
}

TEST(DrapesWithoutWorker, WatchersBeyondTheLimitAreRefusedAndCancelStillWorks) {
  HostOptions options;
  options.max_watches = 2;
  HostedService service(options, false);
  auto request = service.drape_request();
  RunningCall first(&service, request), second(&service, request);
  grpc::ClientContext context;
  v1::WatchOperationRequest watch;
  watch.set_name(first.last().name());
  Operation operation;
  auto reader = v1::DrapeService::NewStub(service.channel())->WatchOperation(&context, watch);
  EXPECT_FALSE(reader->Read(&operation));
  const grpc::Status refused = reader->Finish();
  EXPECT_EQ(refused.error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_EQ(reason_of(refused), "TOO_MANY_STREAMS");
  EXPECT_TRUE(service.client().cancel(first.last().name()).ok());
  EXPECT_TRUE(first.finish().ok());
  EXPECT_TRUE(second.finish().ok());
  EXPECT_TRUE(service.client().watch(first.last().name(), {}).code() == absl::StatusCode::kCancelled);
}

// More than there are threads for files, over connections of at most 100 streams each.
TEST(DrapesWithoutWorker, HundredsOfWatchersHearOfTheEnd) {
  constexpr int kChannels = 3, kEach = 80;
  HostedService service({}, false);
  const auto begun = service.client().begin_drape(service.drape_request());
  ASSERT_TRUE(begun.ok());
  std::atomic<int> watching = 0, told = 0;
  std::vector<std::thread> watchers;
  grpc::ChannelArguments own;
  own.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  for (int c = 0; c < kChannels; ++c) {
    const auto channel = grpc::CreateCustomChannel(service.address(), grpc::InsecureChannelCredentials(), own);
    for (int i = 0; i < kEach; ++i) {
      watchers.emplace_back([&, channel] {
        grpc::ClientContext context;
        v1::WatchOperationRequest request;
        request.set_name(*begun);
        Operation last;
        auto reader = v1::DrapeService::NewStub(channel)->WatchOperation(&context, request);
        reader->Read(&last);
        ++watching;
        while (reader->Read(&last)) {
        }
        if (reader->Finish().ok() && last.done()) ++told;
      });
    }
  }
  while (watching < kChannels * kEach) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  EXPECT_TRUE(service.client().cancel(*begun).ok());
  for (std::thread& watcher : watchers) watcher.join();
  EXPECT_EQ(told, kChannels * kEach);
}

}  // namespace
}  // namespace tryon
