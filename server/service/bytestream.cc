#include "server/service/bytestream.h"

#include <algorithm>
#include <string>
#include <utility>

#include "google/bytestream/bytestream.grpc.pb.h"
#include "server/base/status.h"
#include "server/base/text.h"
#include "server/service/call_scope.h"
#include "server/service/convert/names.h"
#include "server/service/limits.h"

namespace tryon {
namespace {

using namespace google::bytestream;  // the generated types of one proto file

constexpr int64_t kChunkOut = 64 << 10;

class ByteStreamHandler final : public ByteStream::Service {
 public:
  ByteStreamHandler(Tenants* tenants, StreamSlots* slots, Metrics* metrics)
      : tenants_(tenants), slots_(slots), metrics_(metrics) {}

  grpc::Status Read(grpc::ServerContext* context, const ReadRequest* request,
                    grpc::ServerWriter<ReadResponse>* writer) override {
    CallScope call(metrics_, "ByteStream.Read");
    call.reads(tenants_->caller(context), request->resource_name());
    return call.finish(read(context, *request, writer));
  }

  grpc::Status Write(grpc::ServerContext* context, grpc::ServerReader<WriteRequest>* reader,
                     WriteResponse* response) override {
    CallScope call(metrics_, "ByteStream.Write");
    return call.finish(write(context, reader, response));
  }

  grpc::Status QueryWriteStatus(grpc::ServerContext* context, const QueryWriteStatusRequest* request,
                                QueryWriteStatusResponse* response) override {
    CallScope call(metrics_, "ByteStream.QueryWriteStatus");
    return call.finish(query(tenants_->of(context).blobs(), *request, response));
  }

 private:
  absl::Status read(grpc::ServerContext* context, const ReadRequest& request,
                    grpc::ServerWriter<ReadResponse>* writer) {
    BlobStore& blobs = tenants_->of(context).blobs();
    ASSIGN_OR_RETURN(const BlobName name, parse_blob_name(request.resource_name()));
    ASSIGN_OR_RETURN(const auto slot, slots_->take(context));
    ASSIGN_OR_RETURN(const int64_t size, blobs.blob_size(name.digest));
    if (size != name.size) return other_size(absl::StatusCode::kNotFound, name, size);
    if (request.read_offset() < 0 || request.read_offset() > size || request.read_limit() < 0) {
      return make_error(absl::StatusCode::kOutOfRange, "READ_OFFSET", "read_offset",
                        cat("the range is outside the blob's ", size, " bytes"), "Read from 0 to the size.");
    }
    const int64_t rest = size - request.read_offset();
    const int64_t end =
        request.read_offset() + (request.read_limit() == 0 ? rest : std::min(rest, request.read_limit()));
    for (int64_t at = request.read_offset(); at < end && !context->IsCancelled();) {
      ReadResponse chunk;
      ASSIGN_OR_RETURN(*chunk.mutable_data(), blobs.read(name.digest, at, std::min(kChunkOut, end - at)));
      if (chunk.data().empty()) return internal_fault("a blob ended before its size");
      at += static_cast<int64_t>(chunk.data().size());
      if (!writer->Write(chunk)) break;
      slot->touch();
    }
    return absl::OkStatus();
  }

  absl::Status write(grpc::ServerContext* context, grpc::ServerReader<WriteRequest>* reader, WriteResponse* response) {
    BlobStore& blobs = tenants_->of(context).blobs();
    ASSIGN_OR_RETURN(const auto slot, slots_->take(context));
    WriteRequest message;
    if (!reader->Read(&message)) return absl::OkStatus();
    const std::string resource = message.resource_name();
    ASSIGN_OR_RETURN(const BlobName name, parse_upload_name(resource));
    ASSIGN_OR_RETURN(int64_t committed, blobs.begin_upload(name.upload, name.digest, name.size));
    if (blobs.blob_size(name.digest).ok()) {  // it is there already: no need to send it
      response->set_committed_size(name.size);
      return finish(blobs, name);
    }
    do {
      slot->touch();
      RETURN_IF_ERROR(check_message(message, resource));
      ASSIGN_OR_RETURN(committed, blobs.append_upload(name.upload, message.write_offset(), message.data()));
      response->set_committed_size(committed);
      if (message.finish_write()) return finish(blobs, name);
    } while (reader->Read(&message));
    return absl::OkStatus();  // the caller will go on later
  }

  static absl::Status finish(BlobStore& blobs, const BlobName& name) {
    RETURN_IF_ERROR(blobs.finish_upload(name.upload));
    ASSIGN_OR_RETURN(const int64_t size, blobs.blob_size(name.digest));
    return size == name.size ? absl::OkStatus() : other_size(absl::StatusCode::kInvalidArgument, name, size);
  }

  static absl::Status query(BlobStore& blobs, const QueryWriteStatusRequest& request,
                            QueryWriteStatusResponse* response) {
    ASSIGN_OR_RETURN(const BlobName name, parse_upload_name(request.resource_name()));
    if (blobs.blob_size(name.digest).ok()) {
      response->set_committed_size(name.size);
      response->set_complete(true);
      return absl::OkStatus();
    }
    ASSIGN_OR_RETURN(const int64_t committed, blobs.upload_size(name.upload));
    response->set_committed_size(committed);
    return absl::OkStatus();
  }

  static absl::Status check_message(const WriteRequest& message, const std::string& resource) {
    if (!message.resource_name().empty() && message.resource_name() != resource) {
      return invalid_input("BLOB_NAME", "resource_name", "the resource name changed within one Write",
                           "Send one file a Write; name it on the first message.");
    }
    if (message.data().size() <= kMaxChunkBytes) return absl::OkStatus();
    return invalid_input("CHUNK_TOO_LARGE", "data", cat("a chunk of ", message.data().size(), " bytes is too large"),
                         "Send at most 1 MiB a message.");
  }

  static absl::Status other_size(absl::StatusCode code, const BlobName& name, int64_t size) {
    return make_error(code, code == absl::StatusCode::kNotFound ? "BLOB_NOT_FOUND" : "BLOB_DIGEST_MISMATCH",
                      "resource_name", cat("the blob of that SHA-256 has ", size, " bytes, not ", name.size),
                      "Name it with its true size.");
  }

  Tenants* const tenants_;
  StreamSlots* const slots_;
  Metrics* const metrics_;
};

}  // namespace

std::unique_ptr<grpc::Service> make_bytestream_handler(Tenants* tenants, StreamSlots* slots, Metrics* metrics) {
  return std::make_unique<ByteStreamHandler>(tenants, slots, metrics);
}

}  // namespace tryon
