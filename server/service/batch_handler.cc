#include "server/service/batch_handler.h"

#include <string>
#include <utility>

#include "absl/time/clock.h"
#include "server/base/status.h"
#include "server/service/batches.h"
#include "server/service/call_scope.h"
#include "server/service/convert/names.h"
#include "server/service/paging.h"
#include "tryon/v1/batch.grpc.pb.h"

namespace tryon {
namespace {

using grpc::ServerContext;

int64_t now_us() { return absl::ToUnixMicros(absl::Now()); }

absl::Status answer(const absl::StatusOr<BatchRecord>& batch, v1::Batch* out) {
  if (!batch.ok()) return batch.status();
  *out = to_batch(*batch, now_us());
  return absl::OkStatus();
}

class BatchHandler final : public v1::BatchService::Service {
 public:
  BatchHandler(Tenants* tenants, const LastingCalls& lasting, Metrics* metrics)
      : tenants_(tenants), lasting_(lasting), metrics_(metrics) {}

  grpc::Status CreateBatch(ServerContext* context, const v1::CreateBatchRequest* request,
                           v1::Batch* response) override {
    CallScope call(metrics_, "BatchService.CreateBatch");
    return call.finish(answer(batches(context).create(*request), response));
  }

  grpc::Status GetBatch(ServerContext* context, const v1::GetBatchRequest* request, v1::Batch* response) override {
    CallScope call(metrics_, "BatchService.GetBatch");
    return call.finish(with_batch(context, &Batches::get, *request, response));
  }

  grpc::Status ListBatches(ServerContext* context, const v1::ListBatchesRequest* request,
                           v1::ListBatchesResponse* response) override {
    CallScope call(metrics_, "BatchService.ListBatches");
    return call.finish(list(context, *request, response));
  }

  grpc::Status PauseBatch(ServerContext* context, const v1::PauseBatchRequest* request, v1::Batch* response) override {
    CallScope call(metrics_, "BatchService.PauseBatch");
    return call.finish(with_batch(context, &Batches::pause, *request, response));
  }

  grpc::Status ResumeBatch(ServerContext* context, const v1::ResumeBatchRequest* request,
                           v1::Batch* response) override {
    CallScope call(metrics_, "BatchService.ResumeBatch");
    return call.finish(with_batch(context, &Batches::resume, *request, response));
  }

  grpc::Status CancelBatch(ServerContext* context, const v1::CancelBatchRequest* request,
                           v1::Batch* response) override {
    CallScope call(metrics_, "BatchService.CancelBatch");
    return call.finish(with_batch(context, &Batches::cancel, *request, response));
  }

  grpc::Status DeleteBatch(ServerContext* context, const v1::DeleteBatchRequest* request,
                           google::protobuf::Empty*) override {
    CallScope call(metrics_, "BatchService.DeleteBatch");
    const auto id = parse_name(request->name(), "batches");
    return call.finish(id.ok() ? batches(context).remove(*id) : id.status());
  }

  grpc::Status WatchBatch(ServerContext* context, const v1::WatchBatchRequest* request,
                          grpc::ServerWriter<v1::Batch>* writer) override {
    CallScope call(metrics_, "BatchService.WatchBatch");
    return call.finish(watch(context, *request, writer));
  }

  grpc::Status ExportBatch(ServerContext* context, const v1::ExportBatchRequest* request,
                           grpc::ServerWriter<v1::ExportBatchResponse>* writer) override {
    CallScope call(metrics_, "BatchService.ExportBatch");
    call.reads(tenants_->caller(context), request->name());
    return call.finish(export_table(context, *request, writer));
  }

 private:
  Batches batches(const ServerContext* context) { return Batches(&tenants_->of(context)); }

  template <typename Request>
  absl::Status with_batch(ServerContext* context, absl::StatusOr<BatchRecord> (Batches::*call)(const std::string&),
                          const Request& request, v1::Batch* response) {
    ASSIGN_OR_RETURN(const std::string id, parse_name(request.name(), "batches"));
    return answer((batches(context).*call)(id), response);
  }

  absl::Status list(ServerContext* context, const v1::ListBatchesRequest& request, v1::ListBatchesResponse* response) {
    Batches ours = batches(context);
    auto lister = [&ours](const auto& after, int limit) { return ours.list(after, limit); };
    ASSIGN_OR_RETURN(const std::vector<BatchRecord> batches, page_of(request, lister, response));
    for (const BatchRecord& batch : batches) *response->add_batches() = to_batch(batch, now_us());
    return absl::OkStatus();
  }

  absl::Status watch(ServerContext* context, const v1::WatchBatchRequest& request,
                     grpc::ServerWriter<v1::Batch>* writer) {
    ASSIGN_OR_RETURN(const std::string id, parse_name(request.name(), "batches"));
    ASSIGN_OR_RETURN(const auto slot, lasting_.watches->take(context));
    return batches(context).watch(
        id, [&](const BatchRecord& batch) { return writer->Write(to_batch(batch, now_us())); },
        [&] {
          slot->touch();
          return context->IsCancelled();
        });
  }

  absl::Status export_table(ServerContext* context, const v1::ExportBatchRequest& request,
                            grpc::ServerWriter<v1::ExportBatchResponse>* writer) {
    ASSIGN_OR_RETURN(const std::string id, parse_name(request.name(), "batches"));
    ASSIGN_OR_RETURN(const auto slot, lasting_.transfers->take(context));
    return batches(context).export_table(id, [&](std::string piece) {
      slot->touch();
      v1::ExportBatchResponse response;
      response.set_data(std::move(piece));
      return writer->Write(response);
    });
  }

  Tenants* const tenants_;
  const LastingCalls lasting_;
  Metrics* const metrics_;
};

}  // namespace

std::unique_ptr<grpc::Service> make_batch_handler(Tenants* tenants, const LastingCalls& lasting, Metrics* metrics) {
  return std::make_unique<BatchHandler>(tenants, lasting, metrics);
}

}  // namespace tryon
