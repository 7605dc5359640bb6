#include "client/lib/client.h"

#include <grpc/grpc.h>
#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <utility>

#include "absl/time/clock.h"
#include "client/lib/canceller.h"
#include "client/lib/paging.h"
#include "client/lib/retry.h"
#include "client/lib/rpc_error.h"
#include "google/bytestream/bytestream.grpc.pb.h"
#include "google/longrunning/operations.grpc.pb.h"
#include "server/base/hash.h"
#include "server/base/status.h"
#include "server/base/text.h"
#include "tryon/v1/blob.grpc.pb.h"
#include "tryon/v1/body.grpc.pb.h"
#include "tryon/v1/drape.grpc.pb.h"
#include "tryon/v1/fabric.grpc.pb.h"
#include "tryon/v1/garment.grpc.pb.h"
#include "tryon/v1/server.grpc.pb.h"

namespace tryon::client {
namespace {

using google::longrunning::Operation;

constexpr size_t kChunk = 1 << 20;  // the most that the server takes

absl::Status cancelled_here() {
  return make_error(absl::StatusCode::kCancelled, "CANCELLED", "", "the work was cancelled",
                    "Send the request again if it is still wanted.");
}

v1::OperationMetadata metadata_of(const Operation& operation) {
  v1::OperationMetadata out;
  operation.metadata().UnpackTo(&out);
  return out;
}

// "drapes/{id}" and the like: the operation that makes it has the same id.
std::string operation_name(const std::string& name) {
  const size_t slash = name.find('/');
  return slash == std::string::npos ? name : "operations" + name.substr(slash);
}

template <typename Resource>
absl::StatusOr<Resource> result_of(const Operation& operation) {
  if (operation.has_error()) return from_rpc_status(operation.error());
  Resource out;
  if (operation.response().UnpackTo(&out)) return out;
  return internal_fault("the operation ended without the expected response");
}

// gRPC's own shutdown, once its last object goes, may wait 10 s for an idle poller: a program that ends must not.
void keep_grpc_until_exit() { [[maybe_unused]] static const bool kept = (grpc_init(), true); }

}  // namespace

struct Client::Stubs {
  explicit Stubs(std::shared_ptr<grpc::Channel> c)
      : channel(std::move(c)),
        bytes(google::bytestream::ByteStream::NewStub(channel)),
        blobs(v1::BlobService::NewStub(channel)),
        bodies(v1::BodyService::NewStub(channel)),
        garments(v1::GarmentService::NewStub(channel)),
        fabrics(v1::FabricService::NewStub(channel)),
        drapes(v1::DrapeService::NewStub(channel)),
        operations(google::longrunning::Operations::NewStub(channel)),
        server(v1::ServerService::NewStub(channel)) {}
  std::shared_ptr<grpc::Channel> channel;
  std::unique_ptr<google::bytestream::ByteStream::Stub> bytes;
  std::unique_ptr<v1::BlobService::Stub> blobs;
  std::unique_ptr<v1::BodyService::Stub> bodies;
  std::unique_ptr<v1::GarmentService::Stub> garments;
  std::unique_ptr<v1::FabricService::Stub> fabrics;
  std::unique_ptr<v1::DrapeService::Stub> drapes;
  std::unique_ptr<google::longrunning::Operations::Stub> operations;
  std::unique_ptr<v1::ServerService::Stub> server;
  Canceller canceller;

  template <typename Stub, typename Request, typename Response>
  absl::Status unary(Stub* stub, grpc::Status (Stub::*method)(grpc::ClientContext*, const Request&, Response*),
                     const Request& request, Response* response) {
    return with_retry([&] {
      grpc::ClientContext context;
      return from_grpc_status((stub->*method)(&context, request, response));
    });
  }

  absl::Status send_from(const std::string& resource, std::string_view bytes, int64_t offset);
  absl::StatusOr<int64_t> committed(const std::string& resource);
  absl::StatusOr<Operation> watch_to_end(const std::string& operation, const OnProgress& progress);
};

absl::Status Client::Stubs::send_from(const std::string& resource, std::string_view data, int64_t offset) {
  grpc::ClientContext context;
  google::bytestream::WriteResponse response;
  auto writer = bytes->Write(&context, &response);
  for (size_t at = static_cast<size_t>(offset);;) {
    google::bytestream::WriteRequest chunk;
    chunk.set_resource_name(resource);
    chunk.set_write_offset(static_cast<int64_t>(at));
    const size_t size = std::min(kChunk, data.size() - at);
    chunk.set_data(std::string(data.substr(at, size)));
    at += size;
    chunk.set_finish_write(at == data.size());
    if (!writer->Write(chunk) || at == data.size()) break;
  }
  writer->WritesDone();
  return from_grpc_status(writer->Finish());
}

absl::StatusOr<int64_t> Client::Stubs::committed(const std::string& resource) {
  grpc::ClientContext context;
  google::bytestream::QueryWriteStatusRequest request;
  request.set_resource_name(resource);
  google::bytestream::QueryWriteStatusResponse response;
  const absl::Status status = from_grpc_status(bytes->QueryWriteStatus(&context, request, &response));
  if (status.code() == absl::StatusCode::kNotFound) return 0;
  if (!status.ok()) return status;
  return response.committed_size();
}

absl::StatusOr<Operation> Client::Stubs::watch_to_end(const std::string& operation, const OnProgress& progress) {
  Operation last;
  int64_t heard = 0;
  const absl::Status status = with_resume(heard, [&] {
    grpc::ClientContext context;
    v1::WatchOperationRequest request;
    request.set_name(operation);
    auto reader = drapes->WatchOperation(&context, request);
    while (reader->Read(&last)) {
      ++heard;
      if (progress) progress(last.name(), metadata_of(last));
    }
    return from_grpc_status(reader->Finish());
  });
  if (!status.ok()) return status;
  return last;
}

Client::Client(const std::string& address) : Client(grpc::CreateChannel(address, grpc::InsecureChannelCredentials())) {}
Client::Client(std::shared_ptr<grpc::Channel> channel) : stubs_(std::make_unique<Stubs>(std::move(channel))) {
  keep_grpc_until_exit();
}
Client::~Client() = default;

std::shared_ptr<grpc::Channel> Client::channel() const { return stubs_->channel; }

absl::Status Client::reach(absl::Duration patience) {
  if (stubs_->channel->WaitForConnected(absl::ToChronoTime(absl::Now() + patience))) return absl::OkStatus();
  return make_error(absl::StatusCode::kUnavailable, "SERVER_UNREACHABLE", "--server", "the server does not answer",
                    "Check the address, and that tryon-server runs.");
}

absl::StatusOr<std::string> Client::upload(std::string_view bytes) {
  const std::string digest = sha256_hex(bytes);
  v1::FindMissingBlobsRequest request;
  request.add_sha256(digest);
  v1::FindMissingBlobsResponse response;
  RETURN_IF_ERROR(stubs_->unary(stubs_->blobs.get(), &v1::BlobService::Stub::FindMissingBlobs, request, &response));
  if (response.missing_sha256_size() == 0) return digest;
  const std::string resource = cat("uploads/", random_hex(16), "/blobs/", digest, "/", bytes.size());
  int64_t sent = 0;
  const absl::Status status = with_resume(sent, [&] {
    const auto offset = stubs_->committed(resource);
    if (!offset.ok()) return offset.status();
    sent = *offset;
    const absl::Status done = stubs_->send_from(resource, bytes, *offset);
    // The server was still taking in what a cut stream had sent: ask again.
    return done.code() == absl::StatusCode::kOutOfRange ? absl::UnavailableError(done.message()) : done;
  });
  if (!status.ok()) return status;
  return digest;
}

absl::StatusOr<std::string> Client::fetch(const v1::Artifact& artifact) {
  std::string out;
  int64_t arrived = 0;
  const absl::Status status = with_resume(arrived, [&] {
    grpc::ClientContext context;
    google::bytestream::ReadRequest request;
    request.set_resource_name(cat("blobs/", artifact.sha256(), "/", artifact.size_bytes()));
    request.set_read_offset(static_cast<int64_t>(out.size()));  // goes on after a cut
    auto reader = stubs_->bytes->Read(&context, request);
    google::bytestream::ReadResponse chunk;
    while (reader->Read(&chunk)) out += chunk.data();
    arrived = static_cast<int64_t>(out.size());
    return from_grpc_status(reader->Finish());
  });
  if (!status.ok()) return status;
  if (sha256_hex(out) == artifact.sha256()) return out;
  return make_error(absl::StatusCode::kDataLoss, "BLOB_DIGEST_MISMATCH", artifact.file_name(),
                    "the bytes that arrived are not those of the artifact", "Fetch it again.");
}

// Once a body is made its scan is not there any more, and must not be sent again: so the request goes first.
absl::StatusOr<Operation> Client::submit_body(v1::CreateBodyRequest request, std::string_view scan) {
  const v1::BodySource& source = request.source();
  // An empty file is the server's to refuse.
  const bool file =
      !scan.empty() || (source.source_case() == v1::BodySource::SOURCE_NOT_SET && !source.file_name().empty());
  if (file) request.mutable_source()->set_mesh_sha256(sha256_hex(scan));
  for (int tries = 1;; ++tries) {
    Operation operation;
    const absl::Status status =
        stubs_->unary(stubs_->bodies.get(), &v1::BodyService::Stub::CreateBody, request, &operation);
    if (status.ok()) return operation;
    const bool missing = error_detail(status).value_or(ErrorDetail{}).reason == "BLOB_MISSING";
    if (!missing || !file || tries == kTries) return status;
    RETURN_IF_ERROR(upload(scan).status());
  }
}

absl::StatusOr<v1::Body> Client::create_body(const v1::CreateBodyRequest& request, const OnProgress& progress,
                                             std::string_view scan) {
  ASSIGN_OR_RETURN(Operation operation, submit_body(request, scan));
  ASSIGN_OR_RETURN(operation, stubs_->watch_to_end(operation.name(), progress));
  return result_of<v1::Body>(operation);
}

absl::StatusOr<v1::Garment> Client::create_garment(const v1::CreateGarmentRequest& request,
                                                   const OnProgress& progress) {
  Operation operation;
  RETURN_IF_ERROR(stubs_->unary(stubs_->garments.get(), &v1::GarmentService::Stub::CreateGarment, request, &operation));
  ASSIGN_OR_RETURN(operation, stubs_->watch_to_end(operation.name(), progress));
  return result_of<v1::Garment>(operation);
}

absl::StatusOr<std::string> Client::begin_body(const v1::CreateBodyRequest& request, std::string_view scan) {
  ASSIGN_OR_RETURN(const Operation operation, submit_body(request, scan));
  return metadata_of(operation).target();
}

absl::StatusOr<std::string> Client::begin_garment(const v1::CreateGarmentRequest& request) {
  Operation operation;
  RETURN_IF_ERROR(stubs_->unary(stubs_->garments.get(), &v1::GarmentService::Stub::CreateGarment, request, &operation));
  return metadata_of(operation).target();
}

absl::StatusOr<std::string> Client::begin_drape(const v1::CreateDrapeRequest& request) {
  Operation operation;
  RETURN_IF_ERROR(stubs_->unary(stubs_->drapes.get(), &v1::DrapeService::Stub::CreateDrape, request, &operation));
  return operation.name();
}

absl::StatusOr<v1::Drape> Client::run_drape(const v1::CreateDrapeRequest& request, const OnProgress& progress,
                                            const CancelFlag& cancel) {
  Operation last;
  int64_t heard = 0;
  const absl::Status status = with_resume(heard, [&] {
    grpc::ClientContext context;
    const Canceller::Call cancelled_with(&stubs_->canceller, &context, cancel);
    v1::RunDrapeRequest run;
    *run.mutable_drape() = request;
    auto reader = stubs_->drapes->RunDrape(&context, run);
    while (reader->Read(&last)) {
      ++heard;
      if (progress) progress(last.name(), metadata_of(last));
    }
    const absl::Status ended = from_grpc_status(reader->Finish());
    return ended.code() == absl::StatusCode::kCancelled && cancel.cancelled() ? cancelled_here() : ended;
  });
  if (!status.ok()) return status;
  return result_of<v1::Drape>(last);
}

absl::StatusOr<v1::SizeAdvice> Client::advise_size(const v1::AdviseSizeRequest& request, const OnProgress& progress) {
  Operation operation;
  RETURN_IF_ERROR(stubs_->unary(stubs_->drapes.get(), &v1::DrapeService::Stub::AdviseSize, request, &operation));
  ASSIGN_OR_RETURN(operation, stubs_->watch_to_end(operation.name(), progress));
  return result_of<v1::SizeAdvice>(operation);
}

absl::Status Client::watch_frames(const std::string& name, const std::function<void(const v1::Frame&)>& take) {
  int64_t next = 0;
  return with_resume(next, [&] {
    grpc::ClientContext context;
    v1::WatchFramesRequest request;
    request.set_name(name);
    request.set_first_frame(static_cast<int>(next));
    auto reader = stubs_->drapes->WatchFrames(&context, request);
    for (v1::Frame frame; reader->Read(&frame); next = frame.index() + 1) take(frame);
    return from_grpc_status(reader->Finish());
  });
}

absl::Status Client::watch(const std::string& name, const OnProgress& progress) {
  const auto operation = stubs_->watch_to_end(operation_name(name), progress);
  if (!operation.ok()) return operation.status();
  return operation->has_error() ? from_rpc_status(operation->error()) : absl::OkStatus();
}

absl::Status Client::cancel(const std::string& name) {
  google::longrunning::CancelOperationRequest request;
  request.set_name(operation_name(name));
  google::protobuf::Empty response;
  return stubs_->unary(stubs_->operations.get(), &google::longrunning::Operations::Stub::CancelOperation, request,
                       &response);
}

absl::StatusOr<v1::Drape> Client::get_drape(const std::string& name) {
  v1::GetDrapeRequest request;
  const size_t slash = name.find('/');
  request.set_name(slash == std::string::npos ? name : "drapes" + name.substr(slash));
  v1::Drape response;
  RETURN_IF_ERROR(stubs_->unary(stubs_->drapes.get(), &v1::DrapeService::Stub::GetDrape, request, &response));
  return response;
}

absl::StatusOr<v1::Body> Client::get_body(const std::string& name) {
  v1::GetBodyRequest request;
  request.set_name(name);
  v1::Body response;
  RETURN_IF_ERROR(stubs_->unary(stubs_->bodies.get(), &v1::BodyService::Stub::GetBody, request, &response));
  return response;
}

absl::StatusOr<std::vector<v1::Body>> Client::bodies() {
  const auto call = [this](const v1::ListBodiesRequest& request, v1::ListBodiesResponse* page) {
    return stubs_->unary(stubs_->bodies.get(), &v1::BodyService::Stub::ListBodies, request, page);
  };
  return all_pages<v1::Body, v1::ListBodiesRequest>(call, &v1::ListBodiesResponse::bodies);
}

absl::Status Client::delete_body(const std::string& name) {
  v1::DeleteBodyRequest request;
  request.set_name(name);
  google::protobuf::Empty response;
  return stubs_->unary(stubs_->bodies.get(), &v1::BodyService::Stub::DeleteBody, request, &response);
}

absl::StatusOr<std::vector<v1::MeasurementItem>> Client::measurement_items() {
  v1::ListMeasurementItemsResponse response;
  RETURN_IF_ERROR(stubs_->unary(stubs_->bodies.get(), &v1::BodyService::Stub::ListMeasurementItems,
                                v1::ListMeasurementItemsRequest(), &response));
  return std::vector<v1::MeasurementItem>(response.items().begin(), response.items().end());
}

absl::StatusOr<v1::Garment> Client::get_garment(const std::string& name) {
  v1::GetGarmentRequest request;
  request.set_name(name);
  v1::Garment response;
  RETURN_IF_ERROR(stubs_->unary(stubs_->garments.get(), &v1::GarmentService::Stub::GetGarment, request, &response));
  return response;
}

absl::StatusOr<std::vector<v1::Garment>> Client::garments() {
  const auto call = [this](const v1::ListGarmentsRequest& request, v1::ListGarmentsResponse* page) {
    return stubs_->unary(stubs_->garments.get(), &v1::GarmentService::Stub::ListGarments, request, page);
  };
  return all_pages<v1::Garment, v1::ListGarmentsRequest>(call, &v1::ListGarmentsResponse::garments);
}

absl::Status Client::delete_garment(const std::string& name) {
  v1::DeleteGarmentRequest request;
  request.set_name(name);
  google::protobuf::Empty response;
  return stubs_->unary(stubs_->garments.get(), &v1::GarmentService::Stub::DeleteGarment, request, &response);
}

absl::StatusOr<std::vector<v1::GarmentTemplate>> Client::templates() {
  v1::ListTemplatesResponse response;
  RETURN_IF_ERROR(stubs_->unary(stubs_->garments.get(), &v1::GarmentService::Stub::ListTemplates,
                                v1::ListTemplatesRequest(), &response));
  return std::vector<v1::GarmentTemplate>(response.templates().begin(), response.templates().end());
}

absl::StatusOr<v1::GetServerInfoResponse> Client::server_info() {
  v1::GetServerInfoResponse response;
  RETURN_IF_ERROR(stubs_->unary(stubs_->server.get(), &v1::ServerService::Stub::GetServerInfo,
                                v1::GetServerInfoRequest(), &response));
  return response;
}

absl::StatusOr<v1::GetStatisticsResponse> Client::statistics() {
  v1::GetStatisticsResponse response;
  RETURN_IF_ERROR(stubs_->unary(stubs_->server.get(), &v1::ServerService::Stub::GetStatistics,
                                v1::GetStatisticsRequest(), &response));
  return response;
}

absl::StatusOr<v1::Fabric> Client::create_fabric(const v1::CreateFabricRequest& request, const OnProgress& progress) {
  Operation operation;
  RETURN_IF_ERROR(stubs_->unary(stubs_->fabrics.get(), &v1::FabricService::Stub::CreateFabric, request, &operation));
  ASSIGN_OR_RETURN(operation, stubs_->watch_to_end(operation.name(), progress));
  return result_of<v1::Fabric>(operation);
}

absl::StatusOr<v1::Fabric> Client::get_fabric(const std::string& name) {
  v1::GetFabricRequest request;
  request.set_name(name);
  v1::Fabric response;
  RETURN_IF_ERROR(stubs_->unary(stubs_->fabrics.get(), &v1::FabricService::Stub::GetFabric, request, &response));
  return response;
}

absl::StatusOr<std::vector<v1::Fabric>> Client::fabrics() {
  const auto call = [this](const v1::FabricServiceListFabricsRequest& request,
                           v1::FabricServiceListFabricsResponse* page) {
    return stubs_->unary(stubs_->fabrics.get(), &v1::FabricService::Stub::ListFabrics, request, page);
  };
  return all_pages<v1::Fabric, v1::FabricServiceListFabricsRequest>(call,
                                                                    &v1::FabricServiceListFabricsResponse::fabrics);
}

absl::Status Client::delete_fabric(const std::string& name) {
  v1::DeleteFabricRequest request;
  request.set_name(name);
  google::protobuf::Empty response;
  return stubs_->unary(stubs_->fabrics.get(), &v1::FabricService::Stub::DeleteFabric, request, &response);
}

absl::StatusOr<std::vector<v1::FabricInfo>> Client::library_fabrics() {
  v1::ListFabricsResponse response;
  RETURN_IF_ERROR(
      stubs_->unary(stubs_->server.get(), &v1::ServerService::Stub::ListFabrics, v1::ListFabricsRequest(), &response));
  return std::vector<v1::FabricInfo>(response.fabrics().begin(), response.fabrics().end());
}

absl::StatusOr<std::vector<v1::SolverInfo>> Client::solvers() {
  v1::ListSolversResponse response;
  RETURN_IF_ERROR(
      stubs_->unary(stubs_->server.get(), &v1::ServerService::Stub::ListSolvers, v1::ListSolversRequest(), &response));
  return std::vector<v1::SolverInfo>(response.solvers().begin(), response.solvers().end());
}

}  // namespace tryon::client
