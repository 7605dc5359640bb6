#include "tests/integration/support/hosted_service.h"

#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <stdexcept>

#include "absl/time/clock.h"
#include "client/lib/rpc_error.h"
#include "server/base/status.h"
#include "server/base/text.h"
#include "server/ops/log.h"
#include "tests/support/shared_data.h"

namespace tryon::testing {
namespace {

constexpr absl::Duration kPatience = absl::Seconds(10);

RunnerOptions quick() {
  RunnerOptions options;
  options.heartbeat = absl::Milliseconds(10);
  options.progress = absl::ZeroDuration();
  return options;
}

std::string summary_of(const std::string& kind) {
  if (kind == "body") return R"({"height_m": 1.7, "measurements": {"waist_girth": 702.5}})";
  if (kind == "garment") return R"({"panels": [{}, {}], "seams": [{}, {}, {}]})";
  return R"({"mesh": {"vertices": 7, "triangles": 8}, "seams": {"max_gap_mm": 0.25},
             "equilibrium": {"termination": "settled", "grade": "final"}})";
}

// Of one vertex, at x = the frame's number.
std::string frames_file(int first, int count) {
  std::string out;
  const auto append = [&out](auto value) { out.append(reinterpret_cast<const char*>(&value), sizeof value); };
  append(static_cast<uint32_t>(count)), append(uint32_t{1});
  for (int k = 0; k < count; ++k) append(static_cast<float>(first + k)), append(0.0f), append(0.0f);
  return out;
}

}  // namespace

HostedService::HostedService(HostOptions options, bool with_worker)
    : options_(std::move(options)), folder_(make_temp_dir()) {
  set_log_quiet(true);
  options_.listen = cat("unix:", folder_, "/socket");
  start_host();
  if (with_worker) {
    runner_ = std::make_unique<TaskRunner>(
        jobs_.get(), blobs_.get(), quick(),
        [this](const RunContext& run, const std::string& kind, const std::string& spec, const BlobReader& read) {
          const bool fabric = kind == "fabric" || kind == "fabric_check";  // quick enough to be done as it is
          return fabric ? pipeline_executor("")(run, kind, spec, read) : perform(run, kind);
        },
        [](const TaskEventLog&) {});
    worker_ = std::thread([this] { (void)runner_->run(); });
  }
  grpc::ChannelArguments quick_reconnect;
  quick_reconnect.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, 50);
  quick_reconnect.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, 50);
  quick_reconnect.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  channel_ = grpc::CreateCustomChannel(options_.listen, grpc::InsecureChannelCredentials(), quick_reconnect);
  client_ = std::make_unique<client::Client>(channel_);
}

HostedService::~HostedService() {
  if (runner_ != nullptr) runner_->stop();
  if (worker_.joinable()) worker_.join();
  stop_host(absl::ZeroDuration());
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

void HostedService::start_host() {
  host_ = std::make_unique<ServiceHost>(jobs_.get(), blobs_.get(), &metrics_);
  const auto port = host_->start(options_);
  if (!port.ok()) throw std::runtime_error(std::string(port.status().message()));
}

void HostedService::stop_host(absl::Duration grace) {
  if (host_ != nullptr) host_->stop(grace);
  host_.reset();
}

absl::Status HostedService::wait_while_held(const RunContext& run) {
  while (play_.hold) {
    if (const absl::Status stopped = run.check(); !stopped.ok()) {
      ++play_.cut_short;
      return stopped;
    }
    absl::SleepFor(absl::Milliseconds(2));
  }
  return absl::OkStatus();
}

absl::StatusOr<PipelineResult> HostedService::perform(const RunContext& run, const std::string& kind) {
  PipelineResult result;
  result.summary_json = summary_of(kind);
  result.artifacts[kind + ".json"] = {result.summary_json, "application/json"};
  if (kind != "drape") return result;
  ++play_.begun;
  if (play_.wears) result.artifacts[kWornName] = {"worn", "application/octet-stream"};
  for (const char* stage : {"assemble", "sew", "drape"}) run.report(stage, 0.5);
  const auto show_frames = [&](const std::string& name, int first, int count) {
    if (!play_.shows) return;
    result.artifacts[name] = {frames_file(first, count), "application/octet-stream"};
    run.show({name, result.artifacts[name].bytes, "application/octet-stream"});
  };
  if (play_.shows) {
    for (const char* look : {"first look", "second look"}) run.show({"preview.glb", look, "model/gltf-binary"});
  }
  show_frames("frames_000.bin", 0, 10);
  RETURN_IF_ERROR(wait_while_held(run));
  show_frames("frames_001.bin", 10, 3);
  if (!play_.fault.ok()) return play_.fault;
  result.settled = play_.settles;
  return result;
}

v1::CreateDrapeRequest HostedService::drape_request() {
  v1::CreateBodyRequest body;
  body.mutable_source()->set_sample(true);
  v1::CreateGarmentRequest garment;
  garment.mutable_source()->set_sample("tshirt");
  v1::CreateDrapeRequest request;
  request.set_body(client_->begin_body(body).value());
  request.set_garment(client_->begin_garment(garment).value());
  return request;
}

TaskRecord HostedService::wait_for(const std::string& name, TaskState state) {
  const auto reached = [&] { return jobs_->get(id_of(name)).value().state == state; };
  EXPECT_TRUE(eventually(reached)) << name << " never became " << task_state_name(state);
  return jobs_->get(id_of(name)).value();
}

std::string id_of(const std::string& name) { return name.substr(name.find('/') + 1); }

std::string reason_of(const grpc::Status& status) { return reason_of(client::from_grpc_status(status)); }
std::string reason_of(const absl::Status& status) { return error_detail(status).value_or(ErrorDetail{}).reason; }

bool eventually(const std::function<bool()>& holds) {
  const absl::Time end = absl::Now() + kPatience;
  while (!holds()) {
    if (absl::Now() > end) return false;
    absl::SleepFor(absl::Milliseconds(5));
  }
  return true;
}

}  // namespace tryon::testing
