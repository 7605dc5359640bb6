#include "server/service/handlers.h"

#include <algorithm>
#include <functional>
#include <string>
#include <utility>

#include "absl/time/clock.h"
#include "google/longrunning/operations.grpc.pb.h"
#include "server/base/status.h"
#include "server/base/text.h"
#include "server/service/batch_handler.h"
#include "server/service/body_handler.h"
#include "server/service/bytestream.h"
#include "server/service/call_scope.h"
#include "server/service/convert/names.h"
#include "server/service/convert/requests.h"
#include "server/service/convert/resources.h"
#include "server/service/fabric_handler.h"
#include "server/service/frame_reader.h"
#include "server/service/garment_handler.h"
#include "server/service/limits.h"
#include "server/service/server_handler.h"
#include "tryon/v1/blob.grpc.pb.h"
#include "tryon/v1/drape.grpc.pb.h"

namespace tryon {
namespace {

using google::longrunning::Operation;
using grpc::ServerContext;
using OperationWriter = grpc::ServerWriter<Operation>;

constexpr absl::Duration kMaxWait = absl::Seconds(60);
constexpr absl::Duration kLook =
    absl::Milliseconds(500);  // for a stop, or that the other end is gone, where no work waits
constexpr absl::Duration kNearDeadline = absl::Minutes(5);  // what the server itself allows a drape

int64_t now_us() { return absl::ToUnixMicros(absl::Now()); }

absl::Status answer(const absl::StatusOr<TaskRecord>& task, Operation* out) {
  if (!task.ok()) return task.status();
  *out = to_operation(*task, now_us());
  return absl::OkStatus();
}

// Tells a client of a task's changes until it is done or the client is gone.
absl::Status watch_for(ServiceCore* core, const std::string& id, ServerContext* context, StreamSlots::Slot* slot,
                       absl::Duration look, const std::function<bool(const TaskRecord&)>& tell) {
  return core->watch(id, tell, look, [&] {
    slot->touch();
    return context->IsCancelled();
  });
}

absl::Status stream(ServiceCore* core, const std::string& id, ServerContext* context, StreamSlots::Slot* slot,
                    absl::Duration look, OperationWriter* writer) {
  return watch_for(core, id, context, slot, look,
                   [&](const TaskRecord& task) { return writer->Write(to_operation(task, now_us())); });
}

absl::StatusOr<DrapeOrder> order_of(const v1::CreateDrapeRequest& request) {
  DrapeOrder order;
  ASSIGN_OR_RETURN(order.body, parse_name(request.body(), "bodies", "body"));
  ASSIGN_OR_RETURN(order.garment, parse_name(request.garment(), "garments", "garment"));
  ASSIGN_OR_RETURN(order.over, parse_name_or_none(request.over(), "drapes", "over"));
  ASSIGN_OR_RETURN(order.starts_from, parse_name_or_none(request.starts_from(), "drapes", "starts_from"));
  ASSIGN_OR_RETURN(order.settings, to_domain(request));
  ASSIGN_OR_RETURN(order.time_limit, time_limit_of(request));
  return order;
}

absl::StatusOr<std::vector<std::string>> sizes_of(const v1::AdviseSizeRequest& request) {
  std::vector<std::string> out(request.sizes().begin(), request.sizes().end());
  const bool sound = out.size() <= kMaxSizes && std::all_of(out.begin(), out.end(), [](const std::string& name) {
                       return !name.empty() && name.size() <= 64;
                     });
  if (sound) return out;
  return invalid_input("SIZE_NAME", "sizes", cat("sizes must be at most ", kMaxSizes, " names of 1 to 64 bytes"),
                       "Leave sizes empty for all that the garment has.");
}

// A near deadline of the call bounds the simulation, so that the best drape so far still reaches the caller; a far one
// only ends the call. Whole seconds, so that calls with about the same deadline share their work.
absl::Duration limit_within(absl::Duration limit, absl::Time deadline) {
  absl::Duration left = deadline - absl::Now();
  if (left > kNearDeadline) return limit;
  if (left > absl::Seconds(1)) left = absl::Floor(left, absl::Seconds(1));
  left = std::max(left, absl::Milliseconds(1));
  return limit > absl::ZeroDuration() ? std::min(limit, left) : left;
}

class BlobHandler final : public v1::BlobService::Service {
 public:
  BlobHandler(Tenants* tenants, Metrics* metrics) : tenants_(tenants), metrics_(metrics) {}

  grpc::Status FindMissingBlobs(ServerContext* context, const v1::FindMissingBlobsRequest* request,
                                v1::FindMissingBlobsResponse* response) override {
    CallScope call(metrics_, "BlobService.FindMissingBlobs");
    if (request->sha256_size() > kMaxDigests) {
      return call.finish(invalid_input("TOO_MANY_DIGESTS", "sha256",
                                       cat(request->sha256_size(), " digests are more than ", kMaxDigests),
                                       "Ask in several calls."));
    }
    BlobStore& blobs = tenants_->of(context).blobs();
    for (const std::string& digest : request->sha256()) {
      const absl::Status found = blobs.blob_size(digest).status();
      if (found.code() == absl::StatusCode::kNotFound) {
        response->add_missing_sha256(digest);
      } else if (!found.ok()) {
        return call.finish(found);
      }
    }
    return call.finish(absl::OkStatus());
  }

 private:
  Tenants* const tenants_;
  Metrics* const metrics_;
};

class DrapeHandler final : public v1::DrapeService::Service {
 public:
  DrapeHandler(Tenants* tenants, StreamSlots* slots, Metrics* metrics)
      : tenants_(tenants), slots_(slots), metrics_(metrics) {}

  grpc::Status CreateDrape(ServerContext* context, const v1::CreateDrapeRequest* request,
                           Operation* response) override {
    CallScope call(metrics_, "DrapeService.CreateDrape");
    const auto order = order_of(*request);
    return call.finish(order.ok() ? answer(tenants_->of(context).create_drape(*order), response) : order.status());
  }

  grpc::Status RunDrape(ServerContext* context, const v1::RunDrapeRequest* request, OperationWriter* writer) override {
    CallScope call(metrics_, "DrapeService.RunDrape");
    call.reads(tenants_->caller(context), request->drape().body());
    auto order = order_of(request->drape());
    if (!order.ok()) return call.finish(prefix_field(order.status(), "drape."));
    return call.finish(run(context, *order, writer));
  }

  grpc::Status WatchOperation(ServerContext* context, const v1::WatchOperationRequest* request,
                              OperationWriter* writer) override {
    CallScope call(metrics_, "DrapeService.WatchOperation");
    call.reads(tenants_->caller(context), request->name());
    return call.finish(watch(context, *request, writer));
  }

  grpc::Status WatchFrames(ServerContext* context, const v1::WatchFramesRequest* request,
                           grpc::ServerWriter<v1::Frame>* writer) override {
    CallScope call(metrics_, "DrapeService.WatchFrames");
    call.reads(tenants_->caller(context), request->name());
    return call.finish(frames(context, *request, writer));
  }

  grpc::Status GetDrape(ServerContext* context, const v1::GetDrapeRequest* request, v1::Drape* response) override {
    CallScope call(metrics_, "DrapeService.GetDrape");
    call.reads(tenants_->caller(context), request->name());
    return call.finish(get(tenants_->of(context), *request, response));
  }

  grpc::Status AdviseSize(ServerContext* context, const v1::AdviseSizeRequest* request, Operation* response) override {
    CallScope call(metrics_, "DrapeService.AdviseSize");
    return call.finish(advise(tenants_->of(context), *request, response));
  }

 private:
  absl::Status advise(ServiceCore& core, const v1::AdviseSizeRequest& request, Operation* response) {
    const auto order = order_of(request.drape());
    if (!order.ok()) return prefix_field(order.status(), "drape.");
    if (!order->over.empty()) {
      return invalid_input("SETTINGS_CONFLICT", "drape.over", "sizes are compared on the body alone",
                           "Leave `over` out, and drape the advised size over the other garment.");
    }
    if (!order->starts_from.empty()) {
      return invalid_input("SETTINGS_CONFLICT", "drape.starts_from", "sizes start from each other by themselves",
                           "Leave `starts_from` out.");
    }
    ASSIGN_OR_RETURN(const std::vector<std::string> sizes, sizes_of(request));
    return answer(core.create_advice(*order, sizes), response);
  }

  absl::Status run(ServerContext* context, DrapeOrder order, OperationWriter* writer) {
    ASSIGN_OR_RETURN(const auto slot, slots_->take(context));
    order.time_limit = limit_within(order.time_limit, absl::FromChrono(context->deadline()));
    ServiceCore& core = tenants_->of(context);
    ASSIGN_OR_RETURN(const TaskRecord task, core.join_drape(order));
    const absl::Status status = stream(&core, task.id, context, slot.get(), kLookSoon, writer);
    core.leave_drape(task.id, status.ok());
    return status;
  }

  absl::Status watch(ServerContext* context, const v1::WatchOperationRequest& request, OperationWriter* writer) {
    ASSIGN_OR_RETURN(const std::string id, parse_name(request.name(), "operations"));
    ASSIGN_OR_RETURN(const auto slot, slots_->take(context));
    return stream(&tenants_->of(context), id, context, slot.get(), kLook, writer);
  }

  absl::Status frames(ServerContext* context, const v1::WatchFramesRequest& request,
                      grpc::ServerWriter<v1::Frame>* writer) {
    ASSIGN_OR_RETURN(const std::string id, parse_name(request.name(), "drapes"));
    ASSIGN_OR_RETURN(const auto slot, slots_->take(context));
    ServiceCore& core = tenants_->of(context);
    ASSIGN_OR_RETURN(FrameReader reader, FrameReader::open(&core, id, request.first_frame()));
    absl::Status fault;
    const absl::Status watched = watch_for(&core, id, context, slot.get(), kLook, [&](const TaskRecord& task) {
      fault = reader.read(task, [&](const v1::Frame& frame) { return writer->Write(frame); });
      return fault.ok();
    });
    RETURN_IF_ERROR(fault);
    RETURN_IF_ERROR(watched);
    ASSIGN_OR_RETURN(const TaskRecord done, core.find(id, "drape", "DRAPE_NOT_FOUND"));
    return done.state == TaskState::kSucceeded ? absl::OkStatus() : failure_of(done);
  }

  absl::Status get(ServiceCore& core, const v1::GetDrapeRequest& request, v1::Drape* response) {
    ASSIGN_OR_RETURN(const std::string id, parse_name(request.name(), "drapes"));
    ASSIGN_OR_RETURN(const TaskRecord task, core.find(id, "drape", "DRAPE_NOT_FOUND"));
    *response = to_drape(task);
    return absl::OkStatus();
  }
  Tenants* const tenants_;
  StreamSlots* const slots_;
  Metrics* const metrics_;
};

class OperationsHandler final : public google::longrunning::Operations::Service {
 public:
  OperationsHandler(Tenants* tenants, StreamSlots* slots, Metrics* metrics)
      : tenants_(tenants), slots_(slots), metrics_(metrics) {}

  grpc::Status GetOperation(ServerContext* context, const google::longrunning::GetOperationRequest* request,
                            Operation* response) override {
    CallScope call(metrics_, "Operations.GetOperation");
    call.reads(tenants_->caller(context), request->name());
    return call.finish(get(tenants_->of(context), request->name(), response));
  }

  grpc::Status CancelOperation(ServerContext* context, const google::longrunning::CancelOperationRequest* request,
                               google::protobuf::Empty*) override {
    CallScope call(metrics_, "Operations.CancelOperation");
    const auto id = parse_name(request->name(), "operations");
    return call.finish(id.ok() ? tenants_->of(context).cancel(*id) : id.status());
  }

  grpc::Status WaitOperation(ServerContext* context, const google::longrunning::WaitOperationRequest* request,
                             Operation* response) override {
    CallScope call(metrics_, "Operations.WaitOperation");
    call.reads(tenants_->caller(context), request->name());
    return call.finish(wait(context, *request, response));
  }

 private:
  absl::Status get(ServiceCore& core, const std::string& name, Operation* response) {
    ASSIGN_OR_RETURN(const std::string id, parse_name(name, "operations"));
    return answer(core.find(id, "", "OPERATION_NOT_FOUND"), response);
  }

  absl::Status wait(ServerContext* context, const google::longrunning::WaitOperationRequest& request,
                    Operation* response) {
    ASSIGN_OR_RETURN(const std::string id, parse_name(request.name(), "operations"));
    ASSIGN_OR_RETURN(const auto slot, slots_->take(context));
    const absl::Duration asked = request.has_timeout() ? duration_of(request.timeout()) : kMaxWait;
    const absl::Time until = absl::Now() + std::clamp(asked, absl::ZeroDuration(), kMaxWait);
    ServiceCore& core = tenants_->of(context);
    const absl::Status status = core.watch(
        id, [](const TaskRecord&) { return true; }, kLookSoon,
        [&] {
          slot->touch();
          return context->IsCancelled() || absl::Now() >= until;
        });
    if (!status.ok() && status.code() != absl::StatusCode::kCancelled) return status;
    return get(core, request.name(), response);
  }

  Tenants* const tenants_;
  StreamSlots* const slots_;
  Metrics* const metrics_;
};

}  // namespace

std::vector<std::unique_ptr<grpc::Service>> make_services(Tenants* tenants, const LastingCalls& lasting,
                                                          Metrics* metrics, Statistics* statistics) {
  std::vector<std::unique_ptr<grpc::Service>> services;
  services.push_back(make_bytestream_handler(tenants, lasting.transfers, metrics));
  services.push_back(std::make_unique<BlobHandler>(tenants, metrics));
  services.push_back(make_body_handler(tenants, metrics));
  services.push_back(make_garment_handler(tenants, metrics));
  services.push_back(make_fabric_handler(tenants, metrics));
  services.push_back(std::make_unique<DrapeHandler>(tenants, lasting.watches, metrics));
  services.push_back(make_batch_handler(tenants, lasting, metrics));
  services.push_back(make_queue_handler(tenants, metrics));
  services.push_back(std::make_unique<OperationsHandler>(tenants, lasting.watches, metrics));
  services.push_back(make_server_handler(tenants, lasting, statistics, metrics));
  return services;
}

}  // namespace tryon
