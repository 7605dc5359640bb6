#include <string>

#include "server/base/status.h"
#include "server/service/batch_handler.h"
#include "server/service/call_scope.h"
#include "server/service/convert/names.h"
#include "server/service/convert/summary.h"
#include "server/service/paging.h"
#include "tryon/v1/queue.grpc.pb.h"

namespace tryon {
namespace {

using grpc::ServerContext;

v1::DeadLetter to_dead_letter(const TaskRecord& task) {
  v1::DeadLetter out;
  out.set_name("operations/" + task.id);
  out.set_target(target_name(task));
  out.set_attempt_count(task.attempt);
  const absl::Status status = decode_status(task.status);
  out.set_reason(error_detail(status).value_or(ErrorDetail{}).reason);
  out.set_message(std::string(status.message()));
  set_create_time(task, out.mutable_create_time());
  out.mutable_end_time()->set_seconds(task.finished_us / 1'000'000);
  out.mutable_end_time()->set_nanos(static_cast<int>(task.finished_us % 1'000'000 * 1000));
  return out;
}

class QueueHandler final : public v1::QueueService::Service {
 public:
  QueueHandler(Tenants* tenants, Metrics* metrics) : tenants_(tenants), metrics_(metrics) {}

  grpc::Status ListDeadLetters(ServerContext* context, const v1::ListDeadLettersRequest* request,
                               v1::ListDeadLettersResponse* response) override {
    CallScope call(metrics_, "QueueService.ListDeadLetters");
    return call.finish(list(tenants_->of(context), *request, response));
  }

  grpc::Status RequeueDeadLetter(ServerContext* context, const v1::RequeueDeadLetterRequest* request,
                                 v1::RequeueDeadLetterResponse* response) override {
    CallScope call(metrics_, "QueueService.RequeueDeadLetter");
    return call.finish(requeue(tenants_->of(context), *request, response));
  }

 private:
  absl::Status list(ServiceCore& core, const v1::ListDeadLettersRequest& request,
                    v1::ListDeadLettersResponse* response) {
    auto lister = [&core](const auto& after, int limit) {
      return core.jobs().dead_letters(core.tenant(), after, limit);
    };
    auto place = [](const TaskRecord& task) { return TaskCursor{task.finished_us, task.id}; };
    ASSIGN_OR_RETURN(const std::vector<TaskRecord> tasks, page_of(request, lister, response, place));
    for (const TaskRecord& task : tasks) *response->add_dead_letters() = to_dead_letter(task);
    return absl::OkStatus();
  }

  absl::Status requeue(ServiceCore& core, const v1::RequeueDeadLetterRequest& request,
                       v1::RequeueDeadLetterResponse* response) {
    ASSIGN_OR_RETURN(const std::string id, parse_name(request.name(), "operations"));
    RETURN_IF_ERROR(core.find(id, "", "OPERATION_NOT_FOUND").status());
    ASSIGN_OR_RETURN(const TaskRecord task, core.jobs().apply(id, Resubmitted{0}));
    response->set_state(to_state(task.state));
    return absl::OkStatus();
  }

  Tenants* const tenants_;
  Metrics* const metrics_;
};

}  // namespace

std::unique_ptr<grpc::Service> make_queue_handler(Tenants* tenants, Metrics* metrics) {
  return std::make_unique<QueueHandler>(tenants, metrics);
}

}  // namespace tryon
