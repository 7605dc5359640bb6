#include "client/lib/batch_client.h"

#include <grpcpp/grpcpp.h>

#include <utility>

#include "client/lib/paging.h"
#include "client/lib/retry.h"
#include "client/lib/rpc_error.h"
#include "server/base/status.h"
#include "tryon/v1/batch.grpc.pb.h"
#include "tryon/v1/queue.grpc.pb.h"

namespace tryon::client {
namespace {

template <typename Stub, typename Request, typename Response>
absl::Status unary(Stub* stub, grpc::Status (Stub::*method)(grpc::ClientContext*, const Request&, Response*),
                   const Request& request, Response* response) {
  return with_retry([&] {
    grpc::ClientContext context;
    return from_grpc_status((stub->*method)(&context, request, response));
  });
}

}  // namespace

struct BatchClient::Stubs {
  explicit Stubs(const std::shared_ptr<grpc::Channel>& channel)
      : batches(v1::BatchService::NewStub(channel)), queue(v1::QueueService::NewStub(channel)) {}
  std::unique_ptr<v1::BatchService::Stub> batches;
  std::unique_ptr<v1::QueueService::Stub> queue;

  template <typename Request>
  absl::StatusOr<v1::Batch> named(grpc::Status (v1::BatchService::Stub::*method)(grpc::ClientContext*, const Request&,
                                                                                 v1::Batch*),
                                  const std::string& name) {
    Request request;
    request.set_name(name);
    v1::Batch response;
    RETURN_IF_ERROR(unary(batches.get(), method, request, &response));
    return response;
  }
};

BatchClient::BatchClient(std::shared_ptr<grpc::Channel> channel) : stubs_(std::make_unique<Stubs>(channel)) {}
BatchClient::~BatchClient() = default;

absl::StatusOr<v1::Batch> BatchClient::create(const v1::CreateBatchRequest& request) {
  v1::Batch response;
  RETURN_IF_ERROR(unary(stubs_->batches.get(), &v1::BatchService::Stub::CreateBatch, request, &response));
  return response;
}

absl::StatusOr<v1::Batch> BatchClient::get(const std::string& name) {
  return stubs_->named(&v1::BatchService::Stub::GetBatch, name);
}
absl::StatusOr<v1::Batch> BatchClient::pause(const std::string& name) {
  return stubs_->named(&v1::BatchService::Stub::PauseBatch, name);
}
absl::StatusOr<v1::Batch> BatchClient::resume(const std::string& name) {
  return stubs_->named(&v1::BatchService::Stub::ResumeBatch, name);
}
absl::StatusOr<v1::Batch> BatchClient::cancel(const std::string& name) {
  return stubs_->named(&v1::BatchService::Stub::CancelBatch, name);
}

absl::StatusOr<std::vector<v1::Batch>> BatchClient::list() {
  const auto call = [this](const v1::ListBatchesRequest& request, v1::ListBatchesResponse* page) {
    return unary(stubs_->batches.get(), &v1::BatchService::Stub::ListBatches, request, page);
  };
  return all_pages<v1::Batch, v1::ListBatchesRequest>(call, &v1::ListBatchesResponse::batches);
}

absl::Status BatchClient::remove(const std::string& name) {
  v1::DeleteBatchRequest request;
  request.set_name(name);
  google::protobuf::Empty response;
  return unary(stubs_->batches.get(), &v1::BatchService::Stub::DeleteBatch, request, &response);
}

absl::StatusOr<v1::Batch> BatchClient::watch(const std::string& name,
                                             const std::function<bool(const v1::Batch&)>& tell) {
  v1::Batch last;
  int64_t heard = 0;
  bool left = false;
  const absl::Status status = with_resume(heard, [&] {
    grpc::ClientContext context;
    v1::WatchBatchRequest request;
    request.set_name(name);
    const auto reader = stubs_->batches->WatchBatch(&context, request);
    while (reader->Read(&last)) {
      ++heard;
      if (left = !tell(last); left) break;
    }
    if (left) context.TryCancel();
    const absl::Status ended = from_grpc_status(reader->Finish());
    return left ? absl::OkStatus() : ended;
  });
  RETURN_IF_ERROR(status);
  return last;
}

absl::Status BatchClient::export_table(const std::string& name, const std::function<void()>& begin,
                                       const std::function<void(std::string_view)>& more) {
  return with_retry([&] {
    begin();
    grpc::ClientContext context;
    v1::ExportBatchRequest request;
    request.set_name(name);
    const auto reader = stubs_->batches->ExportBatch(&context, request);
    v1::ExportBatchResponse piece;
    while (reader->Read(&piece)) more(piece.data());
    return from_grpc_status(reader->Finish());
  });
}

absl::StatusOr<std::vector<v1::DeadLetter>> BatchClient::dead_letters() {
  const auto call = [this](const v1::ListDeadLettersRequest& request, v1::ListDeadLettersResponse* page) {
    return unary(stubs_->queue.get(), &v1::QueueService::Stub::ListDeadLetters, request, page);
  };
  return all_pages<v1::DeadLetter, v1::ListDeadLettersRequest>(call, &v1::ListDeadLettersResponse::dead_letters);
}

absl::Status BatchClient::requeue(const std::string& operation) {
  v1::RequeueDeadLetterRequest request;
  request.set_name(operation);
  v1::RequeueDeadLetterResponse response;
  return unary(stubs_->queue.get(), &v1::QueueService::Stub::RequeueDeadLetter, request, &response);
}

}  // namespace tryon::client
