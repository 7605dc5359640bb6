#include "server/service/handlers.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/time/clock.h"
#include "google/longrunning/operations.grpc.pb.h"
#include "server/base/status.h"
#include "server/base/text.h"
#include "server/base/version.h"
#include "server/fabric/fabric.h"
#include "server/service/bytestream.h"
#include "server/service/call_scope.h"
#include "server/service/convert/names.h"
#include "server/service/convert/requests.h"
#include "server/service/convert/resources.h"
#include "server/sim/solvers/solver.h"
#include "tryon/v1/blob.grpc.pb.h"
#include "tryon/v1/body.grpc.pb.h"
#include "tryon/v1/drape.grpc.pb.h"
#include "tryon/v1/garment.grpc.pb.h"
#include "tryon/v1/server.grpc.pb.h"

namespace tryon {
namespace {

using google::longrunning::Operation;
using grpc::ServerContext;
using OperationWriter = grpc::ServerWriter<Operation>;

constexpr int kMaxDigests = 1000;
constexpr absl::Duration kMaxWait = absl::Seconds(60);

int64_t now_us() { return absl::ToUnixMicros(absl::Now()); }

absl::Status answer(const absl::StatusOr<TaskRecord>& task, Operation* out) {
  if (!task.ok()) return task.status();
  *out = to_operation(*task, now_us());
  return absl::OkStatus();
}

// Streams a task's changes to a client until it is done or the client is gone.
absl::Status stream(ServiceCore* core, const std::string& id, ServerContext* context, OperationWriter* writer) {
  return core->watch(
      id, [&](const TaskRecord& task) { return writer->Write(to_operation(task, now_us())); },
      [&] { return context->IsCancelled(); });
}

absl::Duration time_limit_of(const v1::CreateDrapeRequest& request) {
  if (!request.has_time_limit()) return absl::ZeroDuration();
  return absl::Seconds(request.time_limit().seconds()) + absl::Nanoseconds(request.time_limit().nanos());
}

absl::StatusOr<TaskRecord> create_drape(ServiceCore* core, const v1::CreateDrapeRequest& request,
                                        absl::Duration time_limit) {
  auto body = parse_name(request.body(), "bodies");
  if (!body.ok()) return prefix_field(body.status(), "body.");
  auto garment = parse_name(request.garment(), "garments");
  if (!garment.ok()) return prefix_field(garment.status(), "garment.");
  if (time_limit < absl::ZeroDuration()) {
    return invalid_input("SETTING_OUT_OF_RANGE", "time_limit", "the time limit is negative", "Give a positive duration.");
  }
  ASSIGN_OR_RETURN(const DrapeSettings settings, to_domain(request));
  return core->create_drape(*body, *garment, settings, time_limit);
}

class BlobHandler final : public v1::BlobService::Service {
 public:
  BlobHandler(ServiceCore* core, Metrics* metrics) : core_(core), metrics_(metrics) {}

  grpc::Status FindMissingBlobs(ServerContext*, const v1::FindMissingBlobsRequest* request,
                                v1::FindMissingBlobsResponse* response) override {
    CallScope call(metrics_, "BlobService.FindMissingBlobs");
    if (request->sha256_size() > kMaxDigests) {
      return call.finish(invalid_input("TOO_MANY_DIGESTS", "sha256",
                                       cat(request->sha256_size(), " digests are more than ", kMaxDigests),
                                       "Ask in several calls."));
    }
    for (const std::string& digest : request->sha256()) {
      if (!core_->blobs().blob_size(digest).ok()) response->add_missing_sha256(digest);
    }
    return call.finish(absl::OkStatus());
  }

 private:
  ServiceCore* const core_;
  Metrics* const metrics_;
};

class BodyHandler final : public v1::BodyService::Service {
 public:
  BodyHandler(ServiceCore* core, Metrics* metrics) : core_(core), metrics_(metrics) {}

  grpc::Status CreateBody(ServerContext*, const v1::CreateBodyRequest* request, Operation* response) override {
    CallScope call(metrics_, "BodyService.CreateBody");
    const auto domain = to_domain(*request);
    return call.finish(domain.ok() ? answer(core_->create_body(*domain), response) : domain.status());
  }

  grpc::Status GetBody(ServerContext*, const v1::GetBodyRequest* request, v1::Body* response) override {
    CallScope call(metrics_, "BodyService.GetBody");
    return call.finish(get(*request, response));
  }

 private:
  absl::Status get(const v1::GetBodyRequest& request, v1::Body* response) {
    ASSIGN_OR_RETURN(const std::string id, parse_name(request.name(), "bodies"));
    ASSIGN_OR_RETURN(const TaskRecord task, core_->find(id, "body", "BODY_NOT_FOUND"));
    *response = to_body(task);
    return absl::OkStatus();
  }
  ServiceCore* const core_;
  Metrics* const metrics_;
};

class GarmentHandler final : public v1::GarmentService::Service {
 public:
  GarmentHandler(ServiceCore* core, Metrics* metrics) : core_(core), metrics_(metrics) {}

  grpc::Status CreateGarment(ServerContext*, const v1::CreateGarmentRequest* request, Operation* response) override {
    CallScope call(metrics_, "GarmentService.CreateGarment");
    const auto domain = to_domain(*request);
    return call.finish(domain.ok() ? answer(core_->create_garment(*domain), response) : domain.status());
  }

  grpc::Status GetGarment(ServerContext*, const v1::GetGarmentRequest* request, v1::Garment* response) override {
    CallScope call(metrics_, "GarmentService.GetGarment");
    return call.finish(get(*request, response));
  }

 private:
  absl::Status get(const v1::GetGarmentRequest& request, v1::Garment* response) {
    ASSIGN_OR_RETURN(const std::string id, parse_name(request.name(), "garments"));
    ASSIGN_OR_RETURN(const TaskRecord task, core_->find(id, "garment", "GARMENT_NOT_FOUND"));
    *response = to_garment(task);
    return absl::OkStatus();
  }
  ServiceCore* const core_;
  Metrics* const metrics_;
};

class DrapeHandler final : public v1::DrapeService::Service {
 public:
  DrapeHandler(ServiceCore* core, Metrics* metrics) : core_(core), metrics_(metrics) {}

  grpc::Status CreateDrape(ServerContext*, const v1::CreateDrapeRequest* request, Operation* response) override {
    CallScope call(metrics_, "DrapeService.CreateDrape");
    return call.finish(answer(create_drape(core_, *request, time_limit_of(*request)), response));
  }

  grpc::Status RunDrape(ServerContext* context, const v1::RunDrapeRequest* request, OperationWriter* writer) override {
    CallScope call(metrics_, "DrapeService.RunDrape");
    return call.finish(run(context, request->drape(), writer));
  }

  grpc::Status WatchOperation(ServerContext* context, const v1::WatchOperationRequest* request,
                              OperationWriter* writer) override {
    CallScope call(metrics_, "DrapeService.WatchOperation");
    const auto id = parse_name(request->name(), "operations");
    return call.finish(id.ok() ? stream(core_, *id, context, writer) : id.status());
  }

  grpc::Status GetDrape(ServerContext*, const v1::GetDrapeRequest* request, v1::Drape* response) override {
    CallScope call(metrics_, "DrapeService.GetDrape");
    return call.finish(get(*request, response));
  }

 private:
  absl::Status run(ServerContext* context, const v1::CreateDrapeRequest& request, OperationWriter* writer) {
    absl::Duration limit = time_limit_of(request);
    const absl::Time deadline = absl::FromChrono(context->deadline());
    if (deadline < absl::Now() + absl::Hours(24)) {  // the call's own deadline reaches the simulation
      const absl::Duration left = deadline - absl::Now();
      limit = limit > absl::ZeroDuration() ? std::min(limit, left) : std::max(left, absl::Milliseconds(1));
    }
    ASSIGN_OR_RETURN(const TaskRecord task, create_drape(core_, request, limit));
    core_->join(task.id);
    const absl::Status status = stream(core_, task.id, context, writer);
    core_->leave(task.id, status.ok());
    return status;
  }

  absl::Status get(const v1::GetDrapeRequest& request, v1::Drape* response) {
    ASSIGN_OR_RETURN(const std::string id, parse_name(request.name(), "drapes"));
    ASSIGN_OR_RETURN(const TaskRecord task, core_->find(id, "drape", "DRAPE_NOT_FOUND"));
    *response = to_drape(task);
    return absl::OkStatus();
  }
  ServiceCore* const core_;
  Metrics* const metrics_;
};

class OperationsHandler final : public google::longrunning::Operations::Service {
 public:
  OperationsHandler(ServiceCore* core, Metrics* metrics) : core_(core), metrics_(metrics) {}

  grpc::Status GetOperation(ServerContext*, const google::longrunning::GetOperationRequest* request,
                            Operation* response) override {
    CallScope call(metrics_, "Operations.GetOperation");
    return call.finish(get(request->name(), response));
  }

  grpc::Status CancelOperation(ServerContext*, const google::longrunning::CancelOperationRequest* request,
                               google::protobuf::Empty*) override {
    CallScope call(metrics_, "Operations.CancelOperation");
    const auto id = parse_name(request->name(), "operations");
    return call.finish(id.ok() ? core_->cancel(*id) : id.status());
  }

  grpc::Status WaitOperation(ServerContext* context, const google::longrunning::WaitOperationRequest* request,
                             Operation* response) override {
    CallScope call(metrics_, "Operations.WaitOperation");
    const auto id = parse_name(request->name(), "operations");
    if (!id.ok()) return call.finish(id.status());
    const absl::Duration asked =
        request->has_timeout() ? absl::Seconds(request->timeout().seconds()) : kMaxWait;
    const absl::Time until = absl::Now() + std::clamp(asked, absl::ZeroDuration(), kMaxWait);
    const absl::Status status = core_->watch(
        *id, [](const TaskRecord&) { return true; }, [&] { return context->IsCancelled() || absl::Now() >= until; });
    if (!status.ok() && status.code() != absl::StatusCode::kCancelled) return call.finish(status);
    return call.finish(get(request->name(), response));
  }

 private:
  absl::Status get(const std::string& name, Operation* response) {
    ASSIGN_OR_RETURN(const std::string id, parse_name(name, "operations"));
    return answer(core_->find(id, "", "OPERATION_NOT_FOUND"), response);
  }
  ServiceCore* const core_;
  Metrics* const metrics_;
};

class ServerHandler final : public v1::ServerService::Service {
 public:
  explicit ServerHandler(Metrics* metrics) : metrics_(metrics) {}

  grpc::Status GetServerInfo(ServerContext*, const v1::GetServerInfoRequest*,
                             v1::GetServerInfoResponse* response) override {
    CallScope call(metrics_, "ServerService.GetServerInfo");
    response->set_version(kEngineVersion);
    response->set_max_blob_bytes(kMaxBlobBytes);
    response->set_max_scan_vertex_count(2'000'000);
    response->set_max_scan_triangle_count(4'000'000);
    response->set_max_pattern_panel_count(256);
    response->set_min_resolution_mm(5);
    response->set_max_resolution_mm(50);
    response->set_max_wind_mps(60);
    return call.finish(absl::OkStatus());
  }

  grpc::Status ListFabrics(ServerContext*, const v1::ListFabricsRequest*, v1::ListFabricsResponse* response) override {
    CallScope call(metrics_, "ServerService.ListFabrics");
    for (const std::string& name : fabric_names()) {
      const auto fabric = fabric_by_name(name);
      if (!fabric.ok()) return call.finish(fabric.status());
      v1::FabricInfo* info = response->add_fabrics();
      info->set_name(name);
      info->set_title(fabric->title);
      info->set_source(fabric->source);
      info->set_areal_density_kg_m2(fabric->areal_density);
    }
    return call.finish(absl::OkStatus());
  }

  grpc::Status ListSolvers(ServerContext*, const v1::ListSolversRequest*, v1::ListSolversResponse* response) override {
    CallScope call(metrics_, "ServerService.ListSolvers");
    for (const sim::SolverInfo& solver : sim::solver_list()) {
      v1::SolverInfo* info = response->add_solvers();
      info->set_name(solver.name);
      info->set_description(solver.description);
    }
    return call.finish(absl::OkStatus());
  }

 private:
  Metrics* const metrics_;
};

}  // namespace

std::vector<std::unique_ptr<grpc::Service>> make_services(ServiceCore* core, Metrics* metrics) {
  std::vector<std::unique_ptr<grpc::Service>> services;
  services.push_back(make_bytestream_handler(core, metrics));
  services.push_back(std::make_unique<BlobHandler>(core, metrics));
  services.push_back(std::make_unique<BodyHandler>(core, metrics));
  services.push_back(std::make_unique<GarmentHandler>(core, metrics));
  services.push_back(std::make_unique<DrapeHandler>(core, metrics));
  services.push_back(std::make_unique<OperationsHandler>(core, metrics));
  services.push_back(std::make_unique<ServerHandler>(metrics));
  return services;
}

}  // namespace tryon
