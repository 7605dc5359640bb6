// How soon a worker is idle once its work is not wanted: scripts/bench cancel [TRIES, 5 a stage unless said]. The real
// service over SQLite with a worker of the product's; a body, then a T-shirt at 15 mm. Each stage that the operation
// tells of is cancelled some way into it, and what is timed is from CancelOperation until the task has ended.
#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/time/clock.h"
#include "google/longrunning/operations.grpc.pb.h"
#include "server/service/tasks/runner.h"
#include "tests/bench/served.h"
#include "tryon/v1/body.grpc.pb.h"
#include "tryon/v1/drape.grpc.pb.h"
#include "tryon/v1/garment.grpc.pb.h"

namespace tryon {
namespace {

using google::longrunning::Operation;

double ms_since(absl::Time begin) { return absl::ToDoubleMilliseconds(absl::Now() - begin); }

struct Stage {
  std::string name;
  double ms = 0.0;
  std::vector<double> ended_after_ms;
};

class Study {
 public:
  explicit Study(const std::string& address)
      : channel_(grpc::CreateChannel(address, grpc::InsecureChannelCredentials())),
        drapes_(v1::DrapeService::NewStub(channel_)),
        operations_(google::longrunning::Operations::NewStub(channel_)) {}

  // First in peace, then `tries` times a stage, each further into it.
  void run(const char* what, const std::function<Operation()>& begin, const std::function<void()>& forget, int tries) {
    std::vector<Stage> stages = in_peace(begin());
    for (Stage& stage : stages) {
      for (int k = 0; k < tries; ++k) {
        forget();
        const double into = stage.ms * k / tries;
        if (const double ms = cancelled(begin(), stage.name, into); ms >= 0.0) stage.ended_after_ms.push_back(ms);
      }
    }
    for (Stage& stage : stages) {
      std::vector<double>& all = stage.ended_after_ms;
      std::sort(all.begin(), all.end());
      std::printf("%-6s %-10s takes %6.0f ms; cancelled %zu times: ", what, stage.name.c_str(), stage.ms, all.size());
      if (!all.empty()) std::printf("ended after %.0f ms in the middle, %.0f at most", all[all.size() / 2], all.back());
      std::printf("\n");
    }
  }

  Operation body() {
    v1::CreateBodyRequest request;
    request.mutable_source()->set_sample(true);
    return begun<v1::BodyService>(&v1::BodyService::Stub::CreateBody, request);
  }
  Operation garment() {
    v1::CreateGarmentRequest request;
    request.mutable_source()->set_sample("tshirt");
    return begun<v1::GarmentService>(&v1::GarmentService::Stub::CreateGarment, request);
  }
  Operation drape() {
    v1::CreateDrapeRequest request;
    request.set_body("bodies/" + id_of(body()));
    request.set_garment("garments/" + id_of(garment()));
    request.set_resolution_mm(15);
    return begun<v1::DrapeService>(&v1::DrapeService::Stub::CreateDrape, request);
  }
  void wait(const Operation& operation) {
    (void)watched(operation, [](const std::string&) {});
  }

 private:
  static std::string id_of(const Operation& operation) {
    return operation.name().substr(operation.name().find('/') + 1);
  }

  template <typename Service, typename Method, typename Request>
  Operation begun(Method method, const Request& request) {
    const auto stub = Service::NewStub(channel_);
    grpc::ClientContext context;
    Operation out;
    const grpc::Status status = (stub.get()->*method)(&context, request, &out);
    if (!status.ok()) std::printf("%s\n", status.error_message().c_str()), std::exit(EXIT_FAILURE);
    return out;
  }

  Operation watched(const Operation& operation, const std::function<void(const std::string&)>& on_stage) {
    grpc::ClientContext context;
    v1::WatchOperationRequest request;
    request.set_name(operation.name());
    const auto reader = drapes_->WatchOperation(&context, request);
    Operation now;
    std::string last;
    while (reader->Read(&now)) {
      v1::OperationMetadata metadata;
      now.metadata().UnpackTo(&metadata);
      if (!now.done() && metadata.stage() != last) on_stage(last = metadata.stage());
    }
    (void)reader->Finish();
    return now;
  }

  std::vector<Stage> in_peace(const Operation& operation) {
    std::vector<Stage> stages;
    absl::Time begin;
    const auto ends = [&] {
      if (!stages.empty()) stages.back().ms = ms_since(begin);
    };
    watched(operation, [&](const std::string& name) {
      ends();
      begin = absl::Now();
      if (!name.empty()) stages.push_back({name, 0.0, {}});
    });
    ends();
    return stages;
  }

  // Negative where the stage was not seen, or all was done before.
  double cancelled(const Operation& operation, const std::string& stage, double into_ms) {
    absl::Time asked = absl::InfiniteFuture();
    const Operation last = watched(operation, [&](const std::string& name) {
      if (name != stage || asked < absl::InfiniteFuture()) return;
      absl::SleepFor(absl::Milliseconds(into_ms));
      grpc::ClientContext context;
      google::longrunning::CancelOperationRequest cancel;
      google::protobuf::Empty nothing;
      cancel.set_name(operation.name());
      asked = absl::Now();
      operations_->CancelOperation(&context, cancel, &nothing);
    });
    const bool was_cut = last.done() && last.error().code() == grpc::StatusCode::CANCELLED;
    return was_cut && asked < absl::InfiniteFuture() ? ms_since(asked) : -1.0;
  }

  const std::shared_ptr<grpc::Channel> channel_;
  const std::unique_ptr<v1::DrapeService::Stub> drapes_;
  const std::unique_ptr<google::longrunning::Operations::Stub> operations_;
};

void measure(const std::string& address, JobStore* jobs, int tries) {
  Study study(address);
  // A task that succeeded is answered from its record: it has to go for another try. What was cancelled may stay.
  const auto forget = [&](const char* kind) {
    const auto tasks = jobs->list("", kind, std::nullopt, 100);
    for (const TaskRecord& task : *tasks) {
      if (task.state == TaskState::kSucceeded) jobs->erase(task.id).IgnoreError();
    }
  };
  study.run(
      "body", [&] { return study.body(); }, [&] { forget("body"); }, tries);
  study.wait(study.body());
  study.wait(study.garment());
  study.run(
      "drape", [&] { return study.drape(); }, [&] { forget("drape"); }, tries);
}

bool measure_with_worker(const Served& served, int tries) {
  TaskRunner runner(served.jobs, served.blobs, RunnerOptions{}, pipeline_executor(""), {});
  std::thread worker([&] { (void)runner.run(); });
  measure(served.address, served.jobs, tries);
  runner.stop();
  worker.join();
  return true;
}

}  // namespace
}  // namespace tryon

int main(int argc, char** argv) {
  if (std::freopen("/dev/null", "w", stderr) == nullptr) return EXIT_FAILURE;
  const int tries = argc > 1 ? std::atoi(argv[1]) : 5;
  const auto measure = [&](const tryon::Served& served) { return tryon::measure_with_worker(served, tries); };
  return tryon::with_service(measure) ? EXIT_SUCCESS : EXIT_FAILURE;
}
