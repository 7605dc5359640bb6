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
  QueueHandler(ServiceCore* core, Metrics* metrics) : core_(core), metrics_(metrics) {}

  grpc::Status ListDeadLetters(ServerContext*, const v1::ListDeadLettersRequest* request,
                               v1::ListDeadLettersResponse* response) override {
    CallScope call(metrics_, "QueueService.ListDeadLetters");
    return call.finish(list(*request, response));
  }

  grpc::Status RequeueDeadLetter(ServerContext*, const v1::RequeueDeadLetterRequest* request,
                                 v1::RequeueDeadLetterResponse* response) override {
    CallScope call(metrics_, "QueueService.RequeueDeadLetter");
    return call.finish(requeue(*request, response));
  }

 private:
  absl::Status list(const v1::ListDeadLettersRequest& request, v1::ListDeadLettersResponse* response) {
    auto lister = [this](const auto& after, int limit) { return core_->jobs().dead_letters(after, limit); };
    auto place = [](const TaskRecord& task) { return TaskCursor{task.finished_us, task.id}; };
    ASSIGN_OR_RETURN(const std::vector<TaskRecord> tasks, page_of(request, lister, response, place));
    for (const TaskRecord& task : tasks) *response->add_dead_letters() = to_dead_letter(task);
    return absl::OkStatus();
  }

  absl::Status requeue(const v1::RequeueDeadLetterRequest& request, v1::RequeueDeadLetterResponse* response) {
    ASSIGN_OR_RETURN(const std::string id, parse_name(request.name(), "operations"));
    RETURN_IF_ERROR(core_->find(id, "", "OPERATION_NOT_FOUND").status());
    ASSIGN_OR_RETURN(const TaskRecord task, core_->jobs().apply(id, Resubmitted{0}));
    response->set_state(to_state(task.state));
    return absl::OkStatus();
  }

  ServiceCore* const core_;
  Metrics* const metrics_;
};

}  // namespace

std::unique_ptr<grpc::Service> make_queue_handler(ServiceCore* core, Metrics* metrics) {
  return std::make_unique<QueueHandler>(core, metrics);
}

}  // namespace tryon
