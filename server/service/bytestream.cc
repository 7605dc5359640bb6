#include "server/service/bytestream.h"

#include <algorithm>
#include <string>
#include <utility>

#include "google/bytestream/bytestream.grpc.pb.h"
#include "server/base/status.h"
#include "server/base/text.h"
#include "server/service/call_scope.h"
#include "server/service/convert/names.h"

namespace tryon {
namespace {

using namespace google::bytestream;  // the generated types of one proto file

constexpr int64_t kChunkOut = 64 << 10;
constexpr size_t kMaxChunkIn = 1 << 20;

class ByteStreamHandler final : public ByteStream::Service {
 public:
  ByteStreamHandler(ServiceCore* core, Metrics* metrics) : blobs_(core->blobs()), metrics_(metrics) {}

  grpc::Status Read(grpc::ServerContext* context, const ReadRequest* request,
                    grpc::ServerWriter<ReadResponse>* writer) override {
    CallScope call(metrics_, "ByteStream.Read");
    return call.finish(read(context, *request, writer));
  }

  grpc::Status Write(grpc::ServerContext*, grpc::ServerReader<WriteRequest>* reader, WriteResponse* response) override {
    CallScope call(metrics_, "ByteStream.Write");
    return call.finish(write(reader, response));
  }

  grpc::Status QueryWriteStatus(grpc::ServerContext*, const QueryWriteStatusRequest* request,
                                QueryWriteStatusResponse* response) override {
    CallScope call(metrics_, "ByteStream.QueryWriteStatus");
    return call.finish(query(*request, response));
  }

 private:
  absl::Status read(grpc::ServerContext* context, const ReadRequest& request,
                    grpc::ServerWriter<ReadResponse>* writer) {
    ASSIGN_OR_RETURN(const BlobName name, parse_blob_name(request.resource_name()));
    ASSIGN_OR_RETURN(const int64_t size, blobs_.blob_size(name.digest));
    if (request.read_offset() < 0 || request.read_offset() > size || request.read_limit() < 0) {
      return make_error(absl::StatusCode::kOutOfRange, "READ_RANGE", "read_offset",
                        cat("the range is outside the blob's ", size, " bytes"), "Read from 0 to the size.");
    }
    const int64_t end = request.read_limit() == 0 ? size : std::min(size, request.read_offset() + request.read_limit());
    for (int64_t at = request.read_offset(); at < end && !context->IsCancelled();) {
      ReadResponse chunk;
      ASSIGN_OR_RETURN(*chunk.mutable_data(), blobs_.read(name.digest, at, std::min(kChunkOut, end - at)));
      if (chunk.data().empty()) return internal_fault("a blob ended before its size");
      at += static_cast<int64_t>(chunk.data().size());
      if (!writer->Write(chunk)) break;
    }
    return absl::OkStatus();
  }

  absl::Status write(grpc::ServerReader<WriteRequest>* reader, WriteResponse* response) {
    WriteRequest message;
    BlobName name;
    int64_t committed = -1;
    while (reader->Read(&message)) {
      if (committed < 0) {
        ASSIGN_OR_RETURN(name, parse_upload_name(message.resource_name()));
        ASSIGN_OR_RETURN(committed, blobs_.begin_upload(name.upload, name.digest, name.size));
        if (blobs_.blob_size(name.digest).ok()) {  // it is there already: no need to send it
          response->set_committed_size(name.size);
          return blobs_.finish_upload(name.upload);
        }
      }
      if (message.data().size() > kMaxChunkIn) {
        return invalid_input("CHUNK_TOO_LARGE", "data", cat("a chunk of ", message.data().size(), " bytes is too large"),
                             "Send at most 1 MiB a message.");
      }
      if (!message.data().empty()) {
        ASSIGN_OR_RETURN(committed, blobs_.append_upload(name.upload, message.write_offset(), message.data()));
      }
      response->set_committed_size(committed);
      if (message.finish_write()) return blobs_.finish_upload(name.upload);
    }
    return absl::OkStatus();  // the caller will go on later
  }

  absl::Status query(const QueryWriteStatusRequest& request, QueryWriteStatusResponse* response) {
    ASSIGN_OR_RETURN(const BlobName name, parse_upload_name(request.resource_name()));
    if (blobs_.blob_size(name.digest).ok()) {
      response->set_committed_size(name.size);
      response->set_complete(true);
      return absl::OkStatus();
    }
    ASSIGN_OR_RETURN(const int64_t committed, blobs_.upload_size(name.upload));
    response->set_committed_size(committed);
    return absl::OkStatus();
  }

  BlobStore& blobs_;
  Metrics* const metrics_;
};

}  // namespace

std::unique_ptr<grpc::Service> make_bytestream_handler(ServiceCore* core, Metrics* metrics) {
  return std::make_unique<ByteStreamHandler>(core, metrics);
}

}  // namespace tryon
