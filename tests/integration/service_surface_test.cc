// What every client meets: health, reflection, the error contract, limits and accounting of the service.
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>

#include "google/bytestream/bytestream.grpc.pb.h"
#include "google/longrunning/operations.grpc.pb.h"
#include "google/rpc/error_details.pb.h"
#include "google/rpc/status.pb.h"
#include "gtest/gtest.h"
#include "server/base/hash.h"
#include "server/base/text.h"
#include "tests/integration/support/hosted_service.h"
#include "tryon/v1/blob.grpc.pb.h"
#include "tryon/v1/body.grpc.pb.h"
#include "tryon/v1/drape.grpc.pb.h"
#include "tryon/v1/garment.grpc.pb.h"
#include "tryon/v1/server.grpc.pb.h"

namespace tryon {
namespace {

using testing::HostedService;
using testing::reason_of;

// A call in bytes, for the standard services whose generated code Debian does not ship: sends one message, gives what
// `read` asks for of the answers.
class RawCall {
 public:
  RawCall(HostedService* service, const std::string& method, const std::string& message)
      : stub_(service->channel()), call_(stub_.PrepareCall(&context_, method, &queue_)) {
    call_->StartCall(this);
    EXPECT_TRUE(next());
    const grpc::Slice slice(message);
    call_->WriteLast(grpc::ByteBuffer(&slice, 1), grpc::WriteOptions(), this);
    EXPECT_TRUE(next());
  }
  ~RawCall() {
    context_.TryCancel();
    (void)finish();
    queue_.Shutdown();
  }
  bool read(std::string* message) {
    grpc::ByteBuffer buffer;
    call_->Read(&buffer, this);
    if (!next()) return false;
    std::vector<grpc::Slice> slices;
    if (!buffer.Dump(&slices).ok()) return false;
    message->clear();
    for (const grpc::Slice& slice : slices) message->append(reinterpret_cast<const char*>(slice.begin()), slice.size());
    return true;
  }
  grpc::Status finish() {
    if (finished_) return status_;
    finished_ = true;
    call_->Finish(&status_, this);
    next();
    return status_;
  }

 private:
  bool next() {
    void* tag = nullptr;
    bool ok = false;
    return queue_.Next(&tag, &ok) && ok;
  }
  grpc::ClientContext context_;
  grpc::CompletionQueue queue_;
  grpc::GenericStub stub_;
  std::unique_ptr<grpc::GenericClientAsyncReaderWriter> call_;
  grpc::Status status_;
  bool finished_ = false;
};

// HealthCheckRequest {string service = 1}; HealthCheckResponse {enum status = 1}: 1 SERVING, 2 NOT_SERVING.
std::string health_request(const std::string& name) {
  return name.empty() ? "" : cat('\x0a', static_cast<char>(name.size()), name);
}
const std::string kServing("\x08\x01"), kNotServing("\x08\x02");
const std::string kDrapeService = "tryon.v1.DrapeService";

TEST(Health, TheServerAndTheDrapeServiceAreServing) {
  HostedService service;
  for (const std::string& name : {std::string(), kDrapeService}) {
    RawCall call(&service, "/grpc.health.v1.Health/Check", health_request(name));
    std::string answer;
    ASSERT_TRUE(call.read(&answer)) << name;
    EXPECT_EQ(answer, kServing) << name;
  }
}

TEST(Health, AnUnknownServiceIsNotFound) {
  HostedService service;
  RawCall call(&service, "/grpc.health.v1.Health/Check", health_request("tryon.v1.Nothing"));
  std::string answer;
  EXPECT_FALSE(call.read(&answer));
  EXPECT_EQ(call.finish().error_code(), grpc::StatusCode::NOT_FOUND);
}

TEST(Health, AStoppingServerSaysNotServingToThoseWhoWatch) {
  HostedService service;
  std::string answer;
  RawCall call(&service, "/grpc.health.v1.Health/Watch", health_request(kDrapeService));
  ASSERT_TRUE(call.read(&answer));
  EXPECT_EQ(answer, kServing);
  std::thread stop([&] { service.stop_host(absl::Seconds(1)); });
  EXPECT_TRUE(call.read(&answer));
  EXPECT_EQ(answer, kNotServing);
  stop.join();
}

TEST(Reflection, ListsEveryService) {
  HostedService service;
  // ServerReflectionRequest {string list_services = 7}.
  RawCall call(&service, "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo", std::string("\x3a\x00", 2));
  std::string answer;
  ASSERT_TRUE(call.read(&answer));
  for (const char* name : {"tryon.v1.BlobService", "tryon.v1.BodyService", "tryon.v1.GarmentService",
                           "tryon.v1.FabricService", "tryon.v1.DrapeService", "tryon.v1.ServerService",
                           "google.bytestream.ByteStream", "google.longrunning.Operations", "grpc.health.v1.Health"}) {
    EXPECT_NE(answer.find(name), std::string::npos) << name;
  }
}

// The error contract: a google.rpc.Status in the trailers, equal in code and message, with an ErrorInfo of our domain;
// an INVALID_ARGUMENT also names the field.
void expect_contract(const char* what, const grpc::Status& status, grpc::StatusCode code, const std::string& reason) {
  SCOPED_TRACE(what);
  EXPECT_EQ(status.error_code(), code) << status.error_message();
  google::rpc::Status rpc;
  ASSERT_TRUE(rpc.ParseFromString(status.error_details()));
  EXPECT_EQ(rpc.code(), static_cast<int>(status.error_code()));
  EXPECT_EQ(rpc.message(), status.error_message());
  google::rpc::ErrorInfo info;
  google::rpc::BadRequest bad;
  bool has_info = false, has_field = false;
  for (const auto& detail : rpc.details()) {
    has_info = has_info || detail.UnpackTo(&info);
    has_field = has_field || (detail.UnpackTo(&bad) && !bad.field_violations(0).field().empty());
  }
  ASSERT_TRUE(has_info);
  EXPECT_EQ(info.reason(), reason);
  EXPECT_EQ(info.domain(), "tryon.dev");
  EXPECT_FALSE(info.metadata().at("remedy").empty());
  EXPECT_EQ(has_field, code == grpc::StatusCode::INVALID_ARGUMENT);
}

template <typename Stub, typename Request, typename Response>
grpc::Status call(Stub* stub, grpc::Status (Stub::*method)(grpc::ClientContext*, const Request&, Response*),
                  const Request& request) {
  grpc::ClientContext context;
  Response response;
  return (stub->*method)(&context, request, &response);
}

class Errors : public ::testing::Test {
 protected:
  grpc::Status create_drape(const v1::CreateDrapeRequest& request) {
    return call(v1::DrapeService::NewStub(service_.channel()).get(), &v1::DrapeService::Stub::CreateDrape, request);
  }
  HostedService service_;
  const std::string id_ = sha256_hex("nothing");
};

TEST_F(Errors, OfNamesFollowTheContract) {
  v1::GetDrapeRequest drape;
  const auto drapes = v1::DrapeService::NewStub(service_.channel());
  expect_contract("no name", call(drapes.get(), &v1::DrapeService::Stub::GetDrape, drape),
                  grpc::StatusCode::INVALID_ARGUMENT, "RESOURCE_NAME");
  drape.set_name("drapes/" + id_);
  expect_contract("unknown drape", call(drapes.get(), &v1::DrapeService::Stub::GetDrape, drape),
                  grpc::StatusCode::NOT_FOUND, "DRAPE_NOT_FOUND");
  v1::GetBodyRequest body;
  body.set_name("bodies/" + id_);
  const auto bodies = v1::BodyService::NewStub(service_.channel());
  expect_contract("unknown body", call(bodies.get(), &v1::BodyService::Stub::GetBody, body),
                  grpc::StatusCode::NOT_FOUND, "BODY_NOT_FOUND");
  v1::GetGarmentRequest garment;
  garment.set_name("garments/" + id_);
  const auto garments = v1::GarmentService::NewStub(service_.channel());
  expect_contract("unknown garment", call(garments.get(), &v1::GarmentService::Stub::GetGarment, garment),
                  grpc::StatusCode::NOT_FOUND, "GARMENT_NOT_FOUND");
  using google::longrunning::Operations;
  google::longrunning::CancelOperationRequest cancel;
  cancel.set_name("operations/" + id_);
  const auto operations = Operations::NewStub(service_.channel());
  expect_contract("unknown operation", call(operations.get(), &Operations::Stub::CancelOperation, cancel),
                  grpc::StatusCode::NOT_FOUND, "OPERATION_NOT_FOUND");
}

TEST_F(Errors, OfSettingsFollowTheContractAndNameTheProtoField) {
  struct Case {
    const char* field;
    const char* reason;
    std::function<void(v1::CreateDrapeRequest*)> spoil;
  };
  const std::vector<Case> cases = {
      {"body", "RESOURCE_NAME", [](auto* r) { r->set_body("../../etc"); }},
      {"garment", "RESOURCE_NAME", [](auto* r) { r->set_garment(""); }},
      {"fabric", "FABRIC_UNKNOWN", [](auto* r) { r->set_fabric("unobtainium"); }},
      {"solver", "SOLVER_UNKNOWN", [](auto* r) { r->set_solver("magic"); }},
      {"resolution_mm", "SETTING_OUT_OF_RANGE", [](auto* r) { r->set_resolution_mm(1e300); }},
      {"wind_mps", "SETTING_OUT_OF_RANGE", [](auto* r) { r->mutable_wind_mps()->set_y(NAN); }},
      {"thread_count", "SETTING_OUT_OF_RANGE", [](auto* r) { r->set_thread_count(1 << 30); }},
      {"contact", "ENUM_UNKNOWN", [](auto* r) { r->set_contact(static_cast<v1::ContactSurface>(9)); }},
      {"time_limit", "SETTING_OUT_OF_RANGE", [](auto* r) { r->mutable_time_limit()->set_seconds(-1); }},
      {"time_limit", "SETTING_OUT_OF_RANGE", [](auto* r) { r->mutable_time_limit()->set_seconds(INT64_MAX); }},
  };
  const auto good = service_.drape_request();
  for (const Case& c : cases) {
    v1::CreateDrapeRequest request = good;
    c.spoil(&request);
    const grpc::Status status = create_drape(request);
    expect_contract(c.field, status, grpc::StatusCode::INVALID_ARGUMENT, c.reason);
    google::rpc::Status rpc;
    google::rpc::BadRequest bad;
    ASSERT_TRUE(rpc.ParseFromString(status.error_details()));
    ASSERT_TRUE(rpc.details(1).UnpackTo(&bad));
    EXPECT_EQ(bad.field_violations(0).field(), c.field);
  }
}

TEST_F(Errors, OfRunDrapeNameTheFieldWithinItsMessage) {
  v1::RunDrapeRequest request;
  *request.mutable_drape() = service_.drape_request();
  request.mutable_drape()->set_resolution_mm(-3);
  grpc::ClientContext context;
  google::longrunning::Operation operation;
  auto reader = v1::DrapeService::NewStub(service_.channel())->RunDrape(&context, request);
  EXPECT_FALSE(reader->Read(&operation));
  google::rpc::Status rpc;
  google::rpc::BadRequest bad;
  ASSERT_TRUE(rpc.ParseFromString(reader->Finish().error_details()));
  ASSERT_TRUE(rpc.details(1).UnpackTo(&bad));
  EXPECT_EQ(bad.field_violations(0).field(), "drape.resolution_mm");
}

TEST_F(Errors, AMessageOverTheLimitIsRefusedByTheTransport) {
  v1::FindMissingBlobsRequest request;
  for (int i = 0; i < 1001; ++i) request.add_sha256(id_);
  const auto blobs = v1::BlobService::NewStub(service_.channel());
  expect_contract("too many", call(blobs.get(), &v1::BlobService::Stub::FindMissingBlobs, request),
                  grpc::StatusCode::INVALID_ARGUMENT, "TOO_MANY_DIGESTS");
  request.add_sha256(std::string(5 << 20, 'x'));
  EXPECT_EQ(call(blobs.get(), &v1::BlobService::Stub::FindMissingBlobs, request).error_code(),
            grpc::StatusCode::RESOURCE_EXHAUSTED);
}

TEST(Surface, ServerInfoFabricsAndSolversAreThere) {
  HostedService service;
  EXPECT_FALSE(service.client().server_info()->version().empty());
  EXPECT_EQ(service.client().server_info()->max_blob_bytes(), 64 << 20);
  EXPECT_FALSE(service.client().library_fabrics()->empty());
  EXPECT_FALSE(service.client().solvers()->empty());
}

TEST(Surface, CallsAreCountedByMethodAndCode) {
  HostedService service;
  (void)service.client().library_fabrics();
  (void)service.client().get_drape("drapes/" + sha256_hex("none"));
  const std::string text = service.metrics().text();
  const auto has = [&](const std::string& method, const std::string& code) {
    return text.find(cat("code=\"", code, "\",method=\"", method, "\"")) != std::string::npos;
  };
  EXPECT_TRUE(has("ServerService.ListFabrics", "OK")) << text;
  EXPECT_TRUE(has("DrapeService.GetDrape", "NOT_FOUND")) << text;
}

TEST(Surface, AnAddressThatIsNotLoopbackNeedsLeave) {
  const auto jobs = make_memory_job_store();
  const auto blobs = make_memory_blob_store();
  for (const char* address : {"0.0.0.0:0", "[::]:0", "192.0.2.1:80", "example.com:80", "127.example.com:0"}) {
    ServiceHost host(jobs.get(), blobs.get(), nullptr);
    HostOptions options;
    options.listen = address;
    EXPECT_EQ(reason_of(host.start(options).status()), "LISTEN_NOT_LOOPBACK") << address;
  }
  ServiceHost host(jobs.get(), blobs.get(), nullptr);
  HostOptions options;
  options.listen = "0.0.0.0:0";
  options.insecure_listen = true;
  EXPECT_GT(host.start(options).value_or(0), 0);
}

TEST(Surface, AnAddressInUseIsSaidToBe) {
  const auto jobs = make_memory_job_store();
  const auto blobs = make_memory_blob_store();
  ServiceHost first(jobs.get(), blobs.get(), nullptr), second(jobs.get(), blobs.get(), nullptr);
  HostOptions options;
  options.listen = "127.0.0.1:0";
  const auto port = first.start(options);
  ASSERT_TRUE(port.ok());
  options.listen = cat("127.0.0.1:", *port);
  EXPECT_EQ(reason_of(second.start(options).status()), "ADDRESS_IN_USE");
}

}  // namespace
}  // namespace tryon
