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
  BodyHandler(Tenants* tenants, Metrics* metrics) : tenants_(tenants), metrics_(metrics) {}

  grpc::Status CreateBody(ServerContext* context, const v1::CreateBodyRequest* request, Operation* response) override {
    CallScope call(metrics_, "BodyService.CreateBody");
    return call.finish(create(tenants_->of(context), *request, response));
  }

  grpc::Status GetBody(ServerContext* context, const v1::GetBodyRequest* request, v1::Body* response) override {
    CallScope call(metrics_, "BodyService.GetBody");
    call.reads(tenants_->caller(context), request->name());
    return call.finish(get(tenants_->of(context), *request, response));
  }

  grpc::Status ListBodies(ServerContext* context, const v1::ListBodiesRequest* request,
                          v1::ListBodiesResponse* response) override {
    CallScope call(metrics_, "BodyService.ListBodies");
    call.reads(tenants_->caller(context), "bodies/-");
    return call.finish(list(tenants_->of(context), *request, response));
  }

  grpc::Status DeleteBody(ServerContext* context, const v1::DeleteBodyRequest* request,
                          google::protobuf::Empty*) override {
    CallScope call(metrics_, "BodyService.DeleteBody");
    const auto id = parse_name(request->name(), "bodies");
    return call.finish(id.ok() ? tenants_->of(context).delete_body(*id) : id.status());
  }

  grpc::Status ListMeasurementItems(ServerContext*, const v1::ListMeasurementItemsRequest*,
                                    v1::ListMeasurementItemsResponse* response) override {
    CallScope call(metrics_, "BodyService.ListMeasurementItems");
    *response = listed_measurement_items();
    return call.finish(absl::OkStatus());
  }

 private:
  absl::Status create(ServiceCore& core, const v1::CreateBodyRequest& request, Operation* response) {
    ASSIGN_OR_RETURN(const BodyRequest domain, to_domain(request));
    ASSIGN_OR_RETURN(const TaskRecord task,
                     request.validate_only() ? core.look_at_body(domain) : core.create_body(domain));
    *response = to_operation(task, now_us());
    if (!request.validate_only()) return absl::OkStatus();
    response->clear_name();
    response->clear_result();
    response->set_done(true);
    return absl::OkStatus();
  }

  absl::Status get(ServiceCore& core, const v1::GetBodyRequest& request, v1::Body* response) {
    ASSIGN_OR_RETURN(const std::string id, parse_name(request.name(), "bodies"));
    ASSIGN_OR_RETURN(const TaskRecord task, core.find(id, "body", "BODY_NOT_FOUND"));
    *response = to_body(task);
    return absl::OkStatus();
  }

  absl::Status list(ServiceCore& core, const v1::ListBodiesRequest& request, v1::ListBodiesResponse* response) {
    auto lister = [&core](const auto& after, int limit) { return core.list_bodies(after, limit); };
    ASSIGN_OR_RETURN(const std::vector<TaskRecord> tasks, page_of(request, lister, response));
    for (const TaskRecord& task : tasks) *response->add_bodies() = to_listed_body(task);
    return absl::OkStatus();
  }

  Tenants* const tenants_;
  Metrics* const metrics_;
};

}  // namespace

std::unique_ptr<grpc::Service> make_body_handler(Tenants* tenants, Metrics* metrics) {
  return std::make_unique<BodyHandler>(tenants, metrics);
}

}  // namespace tryon
