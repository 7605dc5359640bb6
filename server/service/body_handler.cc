#include "server/service/body_handler.h"

#include <string>
#include <utility>

#include "absl/time/clock.h"
#include "server/base/status.h"
#include "server/base/text.h"
#include "server/service/call_scope.h"
#include "server/service/convert/names.h"
#include "server/service/convert/requests.h"
#include "server/service/convert/resources.h"
#include "server/service/paging.h"
#include "tryon/v1/body.grpc.pb.h"

namespace tryon {
namespace {

using google::longrunning::Operation;
using grpc::ServerContext;

int64_t now_us() { return absl::ToUnixMicros(absl::Now()); }

class BodyHandler final : public v1::BodyService::Service {
 public:
  BodyHandler(ServiceCore* core, Metrics* metrics) : core_(core), metrics_(metrics) {}

  grpc::Status CreateBody(ServerContext*, const v1::CreateBodyRequest* request, Operation* response) override {
    CallScope call(metrics_, "BodyService.CreateBody");
    return call.finish(create(*request, response));
  }

  grpc::Status GetBody(ServerContext*, const v1::GetBodyRequest* request, v1::Body* response) override {
    CallScope call(metrics_, "BodyService.GetBody");
    return call.finish(get(*request, response));
  }

  grpc::Status ListBodies(ServerContext*, const v1::ListBodiesRequest* request,
                          v1::ListBodiesResponse* response) override {
    CallScope call(metrics_, "BodyService.ListBodies");
    return call.finish(list(*request, response));
  }

  grpc::Status DeleteBody(ServerContext*, const v1::DeleteBodyRequest* request, google::protobuf::Empty*) override {
    CallScope call(metrics_, "BodyService.DeleteBody");
    const auto id = parse_name(request->name(), "bodies");
    return call.finish(id.ok() ? core_->delete_body(*id) : id.status());
  }

  grpc::Status ListMeasurementItems(ServerContext*, const v1::ListMeasurementItemsRequest*,
                                    v1::ListMeasurementItemsResponse* response) override {
    CallScope call(metrics_, "BodyService.ListMeasurementItems");
    *response = listed_measurement_items();
    return call.finish(absl::OkStatus());
  }

 private:
  absl::Status create(const v1::CreateBodyRequest& request, Operation* response) {
    ASSIGN_OR_RETURN(const BodyRequest domain, to_domain(request));
    ASSIGN_OR_RETURN(const TaskRecord task,
                     request.validate_only() ? core_->look_at_body(domain) : core_->create_body(domain));
    *response = to_operation(task, now_us());
    if (!request.validate_only()) return absl::OkStatus();
    response->clear_name();
    response->clear_result();
    response->set_done(true);
    return absl::OkStatus();
  }

  absl::Status get(const v1::GetBodyRequest& request, v1::Body* response) {
    ASSIGN_OR_RETURN(const std::string id, parse_name(request.name(), "bodies"));
    ASSIGN_OR_RETURN(const TaskRecord task, core_->find(id, "body", "BODY_NOT_FOUND"));
    *response = to_body(task);
    return absl::OkStatus();
  }

  absl::Status list(const v1::ListBodiesRequest& request, v1::ListBodiesResponse* response) {
    auto lister = [this](const auto& after, int limit) { return core_->list_bodies(after, limit); };
    ASSIGN_OR_RETURN(const std::vector<TaskRecord> tasks, page_of(request, lister, response));
    for (const TaskRecord& task : tasks) *response->add_bodies() = to_listed_body(task);
    return absl::OkStatus();
  }

  ServiceCore* const core_;
  Metrics* const metrics_;
};

}  // namespace

std::unique_ptr<grpc::Service> make_body_handler(ServiceCore* core, Metrics* metrics) {
  return std::make_unique<BodyHandler>(core, metrics);
}

}  // namespace tryon
