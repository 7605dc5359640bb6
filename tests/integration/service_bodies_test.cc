// The life of a body through the API: made once, listed, read, erased with everything that shows it; the physics is
// played.
#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <set>

#include "client/lib/rpc_error.h"
#include "gtest/gtest.h"
#include "server/base/hash.h"
#include "server/base/text.h"
#include "tests/integration/support/hosted_service.h"
#include "tests/integration/support/live_server.h"
#include "tryon/v1/body.grpc.pb.h"

namespace tryon {
namespace {

using testing::eventually;
using testing::HostedService;
using testing::id_of;
using testing::reason_of;

v1::CreateBodyRequest scan_request(const std::string& scan, bool keep = false) {
  v1::CreateBodyRequest request;
  request.mutable_source()->set_mesh_sha256(sha256_hex(scan));
  request.mutable_source()->set_file_name("anna.obj");
  request.set_keep_scan(keep);
  return request;
}

class Bodies : public ::testing::Test {
 protected:
  bool is_there(const std::string& bytes) { return service_.blobs().blob_size(sha256_hex(bytes)).ok(); }
  std::string make(const std::string& scan) {
    const auto body = service_.client().create_body(scan_request(scan), {}, scan);
    EXPECT_TRUE(body.ok()) << body.status();
    return body.ok() ? body->name() : "";
  }
  v1::ListBodiesResponse page(int size, const std::string& token) {
    grpc::ClientContext context;
    v1::ListBodiesRequest request;
    request.set_page_size(size);
    request.set_page_token(token);
    v1::ListBodiesResponse response;
    const grpc::Status status = stub_->ListBodies(&context, request, &response);
    EXPECT_TRUE(status.ok()) << status.error_message();
    return response;
  }
  grpc::Status create(const v1::CreateBodyRequest& request, google::longrunning::Operation* operation) {
    grpc::ClientContext context;
    return stub_->CreateBody(&context, request, operation);
  }

  HostedService service_;
  const std::unique_ptr<v1::BodyService::Stub> stub_ = v1::BodyService::NewStub(service_.channel());
};

TEST_F(Bodies, TheScanIsErasedOnceTheBodyIsMadeAndTheSameRequestStillAnswers) {
  const std::string name = make("scan of anna");
  EXPECT_TRUE(eventually([&] { return !is_there("scan of anna"); }));
  google::longrunning::Operation operation;
  ASSERT_TRUE(create(scan_request("scan of anna"), &operation).ok()) << "without the file";
  EXPECT_TRUE(operation.done());
  v1::Body again;
  ASSERT_TRUE(operation.response().UnpackTo(&again));
  EXPECT_EQ(again.name(), name);
  EXPECT_EQ(make("scan of anna"), name);
  EXPECT_FALSE(is_there("scan of anna")) << "the client must not send it again";
}

TEST_F(Bodies, AScanThatIsUploadedAgainForABodyThatIsThereDoesNotStay) {
  const std::string name = make("scan of anna");
  EXPECT_TRUE(eventually([&] { return !is_there("scan of anna"); }));
  ASSERT_TRUE(service_.client().upload("scan of anna").ok());
  google::longrunning::Operation operation;
  ASSERT_TRUE(create(scan_request("scan of anna"), &operation).ok());
  EXPECT_FALSE(is_there("scan of anna"));
}

TEST_F(Bodies, AScanThatIsToBeKeptIsKept) {
  const auto body = service_.client().create_body(scan_request("kept", true), {}, "kept");
  ASSERT_TRUE(body.ok()) << body.status();
  make("another, whose worker sweeps");
  EXPECT_TRUE(eventually([&] { return !is_there("another, whose worker sweeps"); }));
  EXPECT_TRUE(is_there("kept"));
  ASSERT_TRUE(service_.client().delete_body(body->name()).ok());
  EXPECT_FALSE(is_there("kept"));
}

TEST_F(Bodies, WithoutItsFileANewBodyIsRefusedByName) {
  google::longrunning::Operation operation;
  EXPECT_EQ(reason_of(create(scan_request("never uploaded"), &operation)), "BLOB_MISSING");
}

TEST_F(Bodies, ADrapeNeedsTheBodyAndNotItsScan) {
  auto request = service_.drape_request();
  request.set_body(make("scan of anna"));
  EXPECT_TRUE(eventually([&] { return !is_there("scan of anna"); }));
  const auto drape = service_.client().run_drape(request, {});
  EXPECT_TRUE(drape.ok()) << drape.status();
}

TEST_F(Bodies, AListGoesThroughAllOfThemOnceNewestFirst) {
  std::vector<std::string> made;
  for (int i = 0; i < 5; ++i) made.push_back(make(cat("scan ", i)));
  std::vector<std::string> seen;
  std::string token;
  int pages = 0;
  do {
    const v1::ListBodiesResponse response = page(2, token);
    for (const v1::Body& body : response.bodies()) {
      seen.push_back(body.name());
      EXPECT_EQ(body.state(), v1::TASK_STATE_SUCCEEDED);
      EXPECT_EQ(body.height_m(), 1.7);
      EXPECT_EQ(body.measurements_mm_size(), 0) << "a list tells no measurements";
    }
    token = response.next_page_token();
    ++pages;
  } while (!token.empty());
  EXPECT_EQ(pages, 3);
  EXPECT_EQ(seen, std::vector<std::string>(made.rbegin(), made.rend()));
  EXPECT_EQ(service_.client().bodies()->size(), 5u);
}

TEST_F(Bodies, AHostilePageIsRefused) {
  grpc::ClientContext first, second;
  v1::ListBodiesRequest request;
  v1::ListBodiesResponse response;
  request.set_page_size(-1);
  EXPECT_EQ(reason_of(stub_->ListBodies(&first, request, &response)), "SETTING_OUT_OF_RANGE");
  request.set_page_size(0);
  request.set_page_token("' OR 1=1 --");
  EXPECT_EQ(reason_of(stub_->ListBodies(&second, request, &response)), "PAGE_TOKEN");
}

TEST_F(Bodies, DeletingABodyErasesItsFilesAndTheDrapesOfIt) {
  auto request = service_.drape_request();
  request.set_body(make("scan of anna"));
  const auto drape = service_.client().run_drape(request, {});
  ASSERT_TRUE(drape.ok()) << drape.status();
  const auto body = service_.client().get_body(request.body());
  ASSERT_TRUE(body.ok() && body->artifacts_size() > 0);
  ASSERT_TRUE(service_.client().delete_body(request.body()).ok());
  EXPECT_EQ(reason_of(service_.client().get_body(request.body()).status()), "BODY_NOT_FOUND");
  EXPECT_EQ(reason_of(service_.client().get_drape(drape->name()).status()), "DRAPE_NOT_FOUND");
  EXPECT_EQ(reason_of(service_.client().delete_body(request.body())), "BODY_NOT_FOUND");
  EXPECT_EQ(service_.client().bodies()->size(), 1u) << "the sample of drape_request()";
  EXPECT_EQ(reason_of(service_.client().begin_drape(request).status()), "BODY_NOT_FOUND");
}

TEST_F(Bodies, ADrapeThatRunsIsCancelledBeforeItsBodyIsErased) {
  auto request = service_.drape_request();
  request.set_body(make("scan of anna"));
  service_.play().hold = true;
  const std::string name = service_.client().begin_drape(request).value();
  ASSERT_TRUE(eventually([&] { return service_.play().begun > 0; }));
  EXPECT_TRUE(service_.client().delete_body(request.body()).ok()) << "the client asks until it is done";
  EXPECT_EQ(reason_of(service_.client().watch(name, {})), "OPERATION_NOT_FOUND");
  EXPECT_EQ(service_.play().cut_short, 1);
  service_.play().hold = false;
}

TEST_F(Bodies, ARequestCanBeLookedAtWithoutBeingDone) {
  auto request = scan_request("scan");
  request.set_validate_only(true);
  google::longrunning::Operation operation;
  EXPECT_EQ(reason_of(create(request, &operation)), "BLOB_MISSING");
  ASSERT_TRUE(service_.client().upload("scan").ok());
  ASSERT_TRUE(create(request, &operation).ok());
  EXPECT_TRUE(operation.done());
  EXPECT_TRUE(operation.name().empty());
  EXPECT_FALSE(operation.has_response());
  EXPECT_TRUE(service_.client().bodies()->empty());
  v1::OperationMetadata metadata;
  ASSERT_TRUE(operation.metadata().UnpackTo(&metadata));
  request.set_validate_only(false);
  EXPECT_EQ(service_.client().begin_body(request).value(), metadata.target());
}

TEST_F(Bodies, TheItemsOfTheTapeAreListedWithTheirDefinitions) {
  const auto items = service_.client().measurement_items();
  ASSERT_TRUE(items.ok()) << items.status();
  EXPECT_GT(items->size(), 20u);
}

// With the real physics in a real worker: who waits for a fit is told its stages while it runs, in their order.
TEST(BodiesOnALiveServer, AFitStreamsItsStagesInOrder) {
  testing::LiveServer server;
  client::Client client(server.address());
  v1::CreateBodyRequest request;
  request.mutable_source()->set_sample(true);
  std::vector<std::string> stages;
  const auto body = client.create_body(request, [&](const std::string&, const v1::OperationMetadata& metadata) {
    if (metadata.stage().empty() || (!stages.empty() && stages.back() == metadata.stage())) return;
    stages.push_back(metadata.stage());
  });
  ASSERT_TRUE(body.ok()) << body.status();
  const std::vector<std::string> order = {"parse",   "clean",   "reconstruct", "orient", "heal",
                                          "segment", "measure", "fit",         "export"};
  auto next = order.begin();
  int of_the_work = 0;
  for (const std::string& stage : stages) {
    if (std::find(order.begin(), order.end(), stage) == order.end()) continue;  // of the queue
    next = std::find(next, order.end(), stage);
    EXPECT_NE(next, order.end()) << stage << " came too late";
    ++of_the_work;
  }
  EXPECT_GE(of_the_work, 2);
}

}  // namespace
}  // namespace tryon
