// Bytes in and out through google.bytestream.ByteStream, over the real service in this process.
#include <grpcpp/grpcpp.h>

#include "absl/time/clock.h"
#include "google/bytestream/bytestream.grpc.pb.h"
#include "gtest/gtest.h"
#include "server/base/hash.h"
#include "server/base/text.h"
#include "tests/integration/support/hosted_service.h"
#include "tryon/v1/blob.grpc.pb.h"

namespace tryon {
namespace {

using google::bytestream::ByteStream;
using google::bytestream::QueryWriteStatusResponse;
using google::bytestream::ReadRequest;
using google::bytestream::ReadResponse;
using google::bytestream::WriteRequest;
using google::bytestream::WriteResponse;
using testing::HostedService;
using testing::reason_of;

constexpr size_t kChunk = 64 << 10;

std::string some_bytes(size_t size) {
  std::string out(size, '\0');
  for (size_t i = 0; i < size; ++i) out[i] = static_cast<char>((i * 2654435761u) >> 13);
  return out;
}

WriteRequest chunk_of(const std::string& resource, const std::string& bytes, size_t offset, bool finish) {
  WriteRequest out;
  out.set_resource_name(resource);
  out.set_write_offset(static_cast<int64_t>(offset));
  out.set_data(bytes.substr(std::min(offset, bytes.size()), kChunk));
  out.set_finish_write(finish);
  return out;
}

class Uploads : public ::testing::Test {
 protected:
  // Sends the chunks from `offset` up to `end` and closes the stream; the last one finishes if `finish`.
  grpc::Status send(const std::string& resource, const std::string& bytes, size_t offset, size_t end, bool finish,
                    WriteResponse* response) {
    grpc::ClientContext context;
    auto writer = stub_->Write(&context, response);
    for (size_t at = offset; at < end; at += kChunk) {
      if (!writer->Write(chunk_of(resource, bytes, at, finish && at + kChunk >= end))) break;
    }
    writer->WritesDone();
    return writer->Finish();
  }

  grpc::Status query(const std::string& resource, QueryWriteStatusResponse* response) {
    grpc::ClientContext context;
    google::bytestream::QueryWriteStatusRequest request;
    request.set_resource_name(resource);
    return stub_->QueryWriteStatus(&context, request, response);
  }

  grpc::Status read(const std::string& resource, int64_t offset, int64_t limit, std::string* out) {
    grpc::ClientContext context;
    ReadRequest request;
    request.set_resource_name(resource);
    request.set_read_offset(offset);
    request.set_read_limit(limit);
    auto reader = stub_->Read(&context, request);
    ReadResponse chunk;
    while (reader->Read(&chunk)) out->append(chunk.data());
    return reader->Finish();
  }

  grpc::Status find_missing(const std::string& digest, v1::FindMissingBlobsResponse* response) {
    grpc::ClientContext context;
    v1::FindMissingBlobsRequest request;
    request.add_sha256(digest);
    return v1::BlobService::NewStub(service_.channel())->FindMissingBlobs(&context, request, response);
  }

  HostedService service_;
  std::unique_ptr<ByteStream::Stub> stub_ = ByteStream::NewStub(service_.channel());
  const std::string bytes_ = some_bytes(5 * kChunk + 17), digest_ = sha256_hex(bytes_);
  const std::string tail_ = cat("/blobs/", digest_, "/", bytes_.size());
};

TEST_F(Uploads, AFileSentByTheClientComesBackWhole) {
  ASSERT_EQ(service_.client().upload(bytes_).value(), digest_);
  v1::Artifact artifact;
  artifact.set_sha256(digest_);
  artifact.set_size_bytes(static_cast<int64_t>(bytes_.size()));
  EXPECT_EQ(service_.client().fetch(artifact).value(), bytes_);
}

TEST_F(Uploads, AnEmptyFileIsAFile) { EXPECT_EQ(service_.client().upload("").value(), sha256_hex("")); }

TEST_F(Uploads, AnUploadCutAtAnyChunkGoesOnWhereItStopped) {
  for (size_t cut = kChunk; cut < bytes_.size(); cut += kChunk) {
    HostedService fresh;
    stub_ = ByteStream::NewStub(fresh.channel());
    const std::string resource = cat("uploads/cut-", cut, tail_);
    WriteResponse response;
    ASSERT_TRUE(send(resource, bytes_, 0, cut, false, &response).ok());
    EXPECT_EQ(response.committed_size(), static_cast<int64_t>(cut));
    QueryWriteStatusResponse status;
    ASSERT_TRUE(query(resource, &status).ok());
    EXPECT_EQ(status.committed_size(), static_cast<int64_t>(cut));
    EXPECT_FALSE(status.complete());
    ASSERT_TRUE(send(resource, bytes_, cut, bytes_.size(), true, &response).ok());
    std::string back;
    ASSERT_TRUE(read(tail_.substr(1), 0, 0, &back).ok());
    EXPECT_EQ(back, bytes_);
  }
}

TEST_F(Uploads, AnUploadWhoseCallerVanishedKeepsWhatArrived) {
  const std::string resource = cat("uploads/vanished", tail_);
  {
    grpc::ClientContext context;
    WriteResponse response;
    auto writer = stub_->Write(&context, &response);
    ASSERT_TRUE(writer->Write(chunk_of(resource, bytes_, 0, false)));
    QueryWriteStatusResponse status;
    ASSERT_TRUE(testing::eventually([&] { return query(resource, &status).ok() && status.committed_size() > 0; }));
    context.TryCancel();
    EXPECT_FALSE(writer->Finish().ok());
  }
  QueryWriteStatusResponse status;
  ASSERT_TRUE(query(resource, &status).ok());
  EXPECT_EQ(status.committed_size(), static_cast<int64_t>(kChunk));
}

TEST_F(Uploads, BytesThatAreNotWhatTheNameSaysAreRefusedAndNeverReadable) {
  std::string other = bytes_;
  other[3] ^= 1;
  WriteResponse response;
  const grpc::Status status = send(cat("uploads/liar", tail_), other, 0, other.size(), true, &response);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(reason_of(status), "BLOB_DIGEST_MISMATCH");
  v1::FindMissingBlobsResponse missing;
  ASSERT_TRUE(find_missing(digest_, &missing).ok());
  ASSERT_EQ(missing.missing_sha256_size(), 1);
  EXPECT_EQ(missing.missing_sha256(0), digest_);
}

TEST_F(Uploads, AChunkAtTheWrongOffsetIsOutOfRangeAndNothingIsTaken) {
  const std::string resource = cat("uploads/gap", tail_);
  WriteResponse response;
  const grpc::Status status = send(resource, bytes_, kChunk, 2 * kChunk, false, &response);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::OUT_OF_RANGE);
  EXPECT_EQ(reason_of(status), "UPLOAD_OFFSET");
  QueryWriteStatusResponse written;
  ASSERT_TRUE(query(resource, &written).ok());
  EXPECT_EQ(written.committed_size(), 0);
}

TEST_F(Uploads, SendingWhatIsThereAlreadyEndsAtOnceWithTheFullSize) {
  ASSERT_TRUE(service_.client().upload(bytes_).ok());
  WriteResponse response;
  ASSERT_TRUE(send(cat("uploads/again", tail_), bytes_, 0, kChunk, false, &response).ok());
  EXPECT_EQ(response.committed_size(), static_cast<int64_t>(bytes_.size()));
}

TEST_F(Uploads, MoreBytesThanAnnouncedAreRefused) {
  const std::string resource = cat("uploads/more/blobs/", digest_, "/", kChunk);
  WriteResponse response;
  EXPECT_EQ(reason_of(send(resource, bytes_, 0, 2 * kChunk, true, &response)), "BLOB_TOO_LARGE");
}

TEST_F(Uploads, AFileOverTheLimitIsRefusedBeforeItIsSent) {
  const std::string resource = cat("uploads/big/blobs/", digest_, "/", (64 << 20) + 1);
  WriteResponse response;
  EXPECT_EQ(reason_of(send(resource, bytes_, 0, kChunk, false, &response)), "BLOB_TOO_LARGE");
}

TEST_F(Uploads, AChunkOverTheLimitIsRefused) {
  grpc::ClientContext context;
  WriteResponse response;
  auto writer = stub_->Write(&context, &response);
  WriteRequest chunk;
  chunk.set_resource_name(cat("uploads/wide/blobs/", digest_, "/", 2 << 20));
  chunk.set_data(std::string((1 << 20) + 1, 'x'));
  (void)writer->Write(chunk);
  writer->WritesDone();
  EXPECT_EQ(reason_of(writer->Finish()), "CHUNK_TOO_LARGE");
}

TEST_F(Uploads, AWriteMayNotChangeItsFileOnTheWay) {
  grpc::ClientContext context;
  WriteResponse response;
  auto writer = stub_->Write(&context, &response);
  ASSERT_TRUE(writer->Write(chunk_of(cat("uploads/a", tail_), bytes_, 0, false)));
  (void)writer->Write(chunk_of(cat("uploads/b", tail_), bytes_, kChunk, false));
  writer->WritesDone();
  EXPECT_EQ(reason_of(writer->Finish()), "BLOB_NAME");
}

TEST_F(Uploads, AReadGivesExactlyTheRangeAskedFor) {
  ASSERT_TRUE(service_.client().upload(bytes_).ok());
  const std::string resource = tail_.substr(1);
  const auto size = static_cast<int64_t>(bytes_.size());
  for (const auto& [offset, limit, expected] : {std::tuple{int64_t{0}, int64_t{0}, size},
                                                {int64_t{65535}, int64_t{70000}, int64_t{70000}},
                                                {size - 5, std::numeric_limits<int64_t>::max(), int64_t{5}},
                                                {size, int64_t{0}, int64_t{0}}}) {
    std::string back;
    ASSERT_TRUE(read(resource, offset, limit, &back).ok()) << offset;
    EXPECT_EQ(back, bytes_.substr(static_cast<size_t>(offset), static_cast<size_t>(expected))) << offset;
  }
  std::string none;
  for (const auto& [offset, limit] : {std::pair<int64_t, int64_t>{size + 1, 0}, {-1, 0}, {0, -1}}) {
    const grpc::Status status = read(resource, offset, limit, &none);
    EXPECT_EQ(status.error_code(), grpc::StatusCode::OUT_OF_RANGE) << offset << " " << limit;
    EXPECT_EQ(reason_of(status), "READ_OFFSET");
  }
  EXPECT_TRUE(none.empty());
}

TEST_F(Uploads, ABlobIsFoundOnlyUnderItsTrueSize) {
  ASSERT_TRUE(service_.client().upload(bytes_).ok());
  std::string back;
  EXPECT_EQ(reason_of(read(cat("blobs/", digest_, "/", bytes_.size() + 1), 0, 0, &back)), "BLOB_NOT_FOUND");
  EXPECT_EQ(reason_of(read(cat("blobs/", sha256_hex("else"), "/4"), 0, 0, &back)), "BLOB_NOT_FOUND");
  EXPECT_TRUE(back.empty());
}

TEST_F(Uploads, AQuestionAboutANonDigestIsAnErrorAndNotAMissingBlob) {
  v1::FindMissingBlobsResponse response;
  EXPECT_EQ(find_missing("../../etc/passwd", &response).error_code(), grpc::StatusCode::INVALID_ARGUMENT);
}

TEST(StalledUploads, ACallerThatFallsSilentIsCutOffAndItsPlaceIsFreed) {
  HostOptions options;
  options.max_transfers = 1;
  options.stream_idle = absl::Milliseconds(200);
  HostedService service(options);
  const auto stub = ByteStream::NewStub(service.channel());
  const std::string bytes = some_bytes(2 * kChunk);
  grpc::ClientContext context;
  context.set_deadline(absl::ToChronoTime(absl::Now() + absl::Seconds(20)));
  WriteResponse response;
  auto writer = stub->Write(&context, &response);
  ASSERT_TRUE(writer->Write(chunk_of(cat("uploads/s/blobs/", sha256_hex(bytes), "/", bytes.size()), bytes, 0, false)));
  EXPECT_EQ(writer->Finish().error_code(), grpc::StatusCode::CANCELLED);  // though the caller never closed it
  EXPECT_TRUE(service.client().upload(bytes).ok());
}

}  // namespace
}  // namespace tryon
