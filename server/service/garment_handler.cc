#include "server/service/garment_handler.h"

#include <string>
#include <vector>

#include "absl/time/clock.h"
#include "server/base/status.h"
#include "server/service/call_scope.h"
#include "server/service/convert/garments.h"
#include "server/service/convert/names.h"
#include "server/service/convert/requests.h"
#include "server/service/convert/resources.h"
#include "server/service/paging.h"
#include "tryon/v1/garment.grpc.pb.h"

namespace tryon {
namespace {

using google::longrunning::Operation;
using grpc::ServerContext;

class GarmentHandler final : public v1::GarmentService::Service {
 public:
  GarmentHandler(Tenants* tenants, Metrics* metrics) : tenants_(tenants), metrics_(metrics) {}

  grpc::Status CreateGarment(ServerContext* context, const v1::CreateGarmentRequest* request,
                             Operation* response) override {
    CallScope call(metrics_, "GarmentService.CreateGarment");
    return call.finish(create(tenants_->of(context), *request, response));
  }

  grpc::Status GetGarment(ServerContext* context, const v1::GetGarmentRequest* request,
                          v1::Garment* response) override {
    CallScope call(metrics_, "GarmentService.GetGarment");
    return call.finish(get(tenants_->of(context), *request, response));
  }

  grpc::Status ListGarments(ServerContext* context, const v1::ListGarmentsRequest* request,
                            v1::ListGarmentsResponse* response) override {
    CallScope call(metrics_, "GarmentService.ListGarments");
    return call.finish(list(tenants_->of(context), *request, response));
  }

  grpc::Status DeleteGarment(ServerContext* context, const v1::DeleteGarmentRequest* request,
                             google::protobuf::Empty*) override {
    CallScope call(metrics_, "GarmentService.DeleteGarment");
    const auto id = parse_name(request->name(), "garments");
    return call.finish(id.ok() ? tenants_->of(context).delete_garment(*id) : id.status());
  }

  grpc::Status ListTemplates(ServerContext*, const v1::ListTemplatesRequest*,
                             v1::ListTemplatesResponse* response) override {
    CallScope call(metrics_, "GarmentService.ListTemplates");
    *response = listed_templates();
    return call.finish(absl::OkStatus());
  }

 private:
  absl::Status create(ServiceCore& core, const v1::CreateGarmentRequest& request, Operation* response) {
    ASSIGN_OR_RETURN(const GarmentRequest domain, to_domain(request));
    ASSIGN_OR_RETURN(const TaskRecord task, core.create_garment(domain));
    *response = to_operation(task, absl::ToUnixMicros(absl::Now()));
    return absl::OkStatus();
  }

  absl::Status get(ServiceCore& core, const v1::GetGarmentRequest& request, v1::Garment* response) {
    ASSIGN_OR_RETURN(const std::string id, parse_name(request.name(), "garments"));
    ASSIGN_OR_RETURN(const TaskRecord task, core.find(id, "garment", "GARMENT_NOT_FOUND"));
    *response = to_garment(task);
    return absl::OkStatus();
  }

  absl::Status list(ServiceCore& core, const v1::ListGarmentsRequest& request, v1::ListGarmentsResponse* response) {
    auto lister = [&core](const auto& after, int limit) { return core.list_garments(after, limit); };
    ASSIGN_OR_RETURN(const std::vector<TaskRecord> tasks, page_of(request, lister, response));
    for (const TaskRecord& task : tasks) *response->add_garments() = to_listed_garment(task);
    return absl::OkStatus();
  }

  Tenants* const tenants_;
  Metrics* const metrics_;
};

}  // namespace

std::unique_ptr<grpc::Service> make_garment_handler(Tenants* tenants, Metrics* metrics) {
  return std::make_unique<GarmentHandler>(tenants, metrics);
}

}  // namespace tryon
