#include "server/service/fabric_handler.h"

#include <string>
#include <vector>

#include "absl/time/clock.h"
#include "server/base/status.h"
#include "server/fabric/fabric.h"
#include "server/service/call_scope.h"
#include "server/service/convert/fabrics.h"
#include "server/service/convert/names.h"
#include "server/service/convert/requests.h"
#include "server/service/convert/resources.h"
#include "server/service/paging.h"
#include "tryon/v1/fabric.grpc.pb.h"

namespace tryon {
namespace {

using google::longrunning::Operation;
using grpc::ServerContext;

// Neither an id nor in the library: which names there are nearby.
absl::Status no_such(std::string_view word) {
  const absl::Status unknown = fabric_by_name(word).status();
  return make_error(absl::StatusCode::kNotFound, "FABRIC_NOT_FOUND", "name", std::string(unknown.message()),
                    error_detail(unknown).value_or(ErrorDetail{}).remedy);
}

class FabricHandler final : public v1::FabricService::Service {
 public:
  FabricHandler(Tenants* tenants, Metrics* metrics) : tenants_(tenants), metrics_(metrics) {}

  grpc::Status CreateFabric(ServerContext* context, const v1::CreateFabricRequest* request,
                            Operation* response) override {
    CallScope call(metrics_, "FabricService.CreateFabric");
    return call.finish(create(tenants_->of(context), *request, response));
  }

  grpc::Status GetFabric(ServerContext* context, const v1::GetFabricRequest* request, v1::Fabric* response) override {
    CallScope call(metrics_, "FabricService.GetFabric");
    return call.finish(get(tenants_->of(context), request->name(), response));
  }

  grpc::Status ListFabrics(ServerContext* context, const v1::FabricServiceListFabricsRequest* request,
                           v1::FabricServiceListFabricsResponse* response) override {
    CallScope call(metrics_, "FabricService.ListFabrics");
    return call.finish(list(tenants_->of(context), *request, response));
  }

  grpc::Status DeleteFabric(ServerContext* context, const v1::DeleteFabricRequest* request,
                            google::protobuf::Empty*) override {
    CallScope call(metrics_, "FabricService.DeleteFabric");
    return call.finish(erase(tenants_->of(context), request->name()));
  }

 private:
  absl::Status create(ServiceCore& core, const v1::CreateFabricRequest& request, Operation* response) {
    ASSIGN_OR_RETURN(const FabricRequest domain, to_domain(request));
    ASSIGN_OR_RETURN(const TaskRecord task, core.create_fabric(domain));
    *response = to_operation(task, absl::ToUnixMicros(absl::Now()));
    return absl::OkStatus();
  }

  absl::Status get(ServiceCore& core, const std::string& name, v1::Fabric* response) {
    const std::string_view word = fabric_word(name);
    if (const auto index = library_index(word)) {
      *response = to_fabric(library_fabric(*index));
      return absl::OkStatus();
    }
    const std::string id = own_fabric_id(name);
    if (id.empty() && !word.empty() && word.front() != '{') return no_such(word);
    ASSIGN_OR_RETURN(const std::string parsed, parse_name(name, "fabrics"));
    ASSIGN_OR_RETURN(const TaskRecord task, core.find(parsed, "fabric", "FABRIC_NOT_FOUND"));
    *response = to_fabric(task);
    return absl::OkStatus();
  }

  absl::Status list(ServiceCore& core, const v1::FabricServiceListFabricsRequest& request,
                    v1::FabricServiceListFabricsResponse* response) {
    auto lister = [&core](const auto& after, int limit) { return fabrics(core, after, limit); };
    ASSIGN_OR_RETURN(const std::vector<TaskRecord> tasks, page_of(request, lister, response, place_of_fabric));
    for (const TaskRecord& task : tasks) *response->add_fabrics() = to_listed_fabric(task);
    return absl::OkStatus();
  }

  static absl::StatusOr<std::vector<TaskRecord>> fabrics(ServiceCore& core, const std::optional<TaskCursor>& after,
                                                         int limit) {
    std::vector<TaskRecord> out;
    if (!after || !is_in_library(*after)) {
      ASSIGN_OR_RETURN(out, core.list_fabrics(after, limit));
    }
    for (size_t i = library_after(after); i < library_size() && out.size() < static_cast<size_t>(limit); ++i) {
      out.push_back(library_fabric(i));
    }
    return out;
  }

  absl::Status erase(ServiceCore& core, const std::string& name) {
    const std::string_view word = fabric_word(name);
    if (library_index(word)) {
      return make_error(absl::StatusCode::kFailedPrecondition, "FABRIC_OF_LIBRARY", "name",
                        "the fabric belongs to the server's library", "Only your own fabrics can be erased.");
    }
    ASSIGN_OR_RETURN(const std::string id, parse_name(name, "fabrics"));
    return core.delete_fabric(id);
  }

  Tenants* const tenants_;
  Metrics* const metrics_;
};

}  // namespace

std::unique_ptr<grpc::Service> make_fabric_handler(Tenants* tenants, Metrics* metrics) {
  return std::make_unique<FabricHandler>(tenants, metrics);
}

}  // namespace tryon
