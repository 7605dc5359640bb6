// The life of a fabric through the API: read once, checked without being made, listed before the library, draped by
// its name, erased without its drapes. The fabrics are read as they are; bodies, garments and drapes are played.
#include <grpcpp/grpcpp.h>

#include <algorithm>

#include "gtest/gtest.h"
#include "server/base/hash.h"
#include "server/base/status.h"
#include "server/base/text.h"
#include "server/drape/request.h"
#include "server/fabric/fabric.h"
#include "tests/integration/support/hosted_service.h"
#include "tryon/v1/fabric.grpc.pb.h"

namespace tryon {
namespace {

using testing::eventually;
using testing::HostedService;
using testing::id_of;
using testing::reason_of;

std::string twill(int grams) {
  return cat(R"({"schema": "tryon.fabric.v1", "name": "my_twill", "title": "My twill", "source": "measured by us",
                 "areal_density_kg_m2": 0.)",
             grams, R"(, "thickness_m": 0.0005, "stretch_warp_n_m": 2000,
                 "stretch_weft_n_m": 1500, "shear_n_m": 60, "bend_warp_n_m2_per_m": 9e-6, "bend_weft_n_m2_per_m": 7e-6,
                 "friction_static": 0.4, "friction_kinetic": 0.35})");
}

class Fabrics : public ::testing::Test {
 protected:
  static v1::CreateFabricRequest document(const std::string& text) {
    v1::CreateFabricRequest request;
    request.mutable_source()->set_document(text);
    request.mutable_source()->set_file_name("twill.json");
    return request;
  }
  v1::Fabric make(const v1::CreateFabricRequest& request) {
    const auto fabric = service_.client().create_fabric(request, {});
    EXPECT_TRUE(fabric.ok()) << fabric.status();
    return fabric.value_or(v1::Fabric());
  }
  std::string refusal(const v1::CreateFabricRequest& request) {
    return reason_of(service_.client().create_fabric(request, {}).status());
  }
  std::string drape_refusal(const std::string& fabric) {
    v1::CreateDrapeRequest request = service_.drape_request();
    request.set_fabric(fabric);
    return reason_of(service_.client().begin_drape(request).status());
  }

  HostedService service_;
};

TEST_F(Fabrics, ADocumentIsReadOnceAndItsNumbersAreTold) {
  const v1::Fabric fabric = make(document(twill(210)));
  EXPECT_EQ(fabric.state(), v1::TASK_STATE_SUCCEEDED);
  EXPECT_EQ(fabric.title(), "My twill");
  EXPECT_EQ(fabric.source(), "measured by us");
  EXPECT_EQ(fabric.format(), "tryon");
  EXPECT_FALSE(fabric.in_library());
  EXPECT_DOUBLE_EQ(fabric.areal_density_kg_m2(), 0.21);
  EXPECT_DOUBLE_EQ(fabric.thickness_mm(), 0.5);
  EXPECT_DOUBLE_EQ(fabric.bend_weft_n_m(), 7e-6);
  ASSERT_EQ(fabric.artifacts_size(), 1);
  EXPECT_EQ(fabric.artifacts(0).file_name(), "fabric.json");
  EXPECT_TRUE(fabric_from_json(*service_.client().fetch(fabric.artifacts(0)), "fabric.json").ok());
  EXPECT_EQ(make(document(twill(210))).name(), fabric.name());
  EXPECT_NE(make(document(twill(230))).name(), fabric.name());
  EXPECT_EQ(service_.client().get_fabric(fabric.name())->document(), fabric.document());
}

TEST_F(Fabrics, ASheetIsReadInTheWorkerAndWhatItDoesNotSayIsNoted) {
  const std::string sheet = "KEY,WARP,WEFT\nW,20,20\nT0,0.6,0.6\nEMT,4,8\nLT,0.6,0.6\nG,0.8,0.8\nB,0.1,0.07\n";
  v1::CreateFabricRequest request;
  request.mutable_source()->set_file_sha256(sha256_hex(sheet));
  request.mutable_source()->set_file_name("suiting.csv");
  EXPECT_EQ(refusal(request), "BLOB_MISSING");
  ASSERT_TRUE(service_.client().upload(sheet).ok());
  const v1::Fabric fabric = make(request);
  EXPECT_EQ(fabric.format(), "kes");
  EXPECT_NEAR(fabric.areal_density_kg_m2(), 0.2, 1e-9);
  EXPECT_GT(fabric.notes_size(), 0);
}

TEST_F(Fabrics, ACheckMakesNoFabric) {
  v1::CreateFabricRequest request = document(twill(210));
  request.set_validate_only(true);
  const v1::Fabric checked = make(request);
  EXPECT_EQ(checked.name(), "");
  EXPECT_EQ(checked.title(), "My twill");
  EXPECT_EQ(service_.client().fabrics()->size(), fabric_names().size());
}

TEST_F(Fabrics, OnesOwnAreListedBeforeTheLibraryOnPagesOfAnySize) {
  std::vector<std::string> expected;
  for (const int grams : {210, 220, 230}) expected.insert(expected.begin(), make(document(twill(grams))).name());
  for (const std::string& name : fabric_names()) expected.push_back("fabrics/" + name);
  const auto stub = v1::FabricService::NewStub(service_.channel());
  for (const int size : {1, 2, 3, 4, 7, 1000}) {
    std::vector<std::string> seen;
    v1::FabricServiceListFabricsRequest request;
    request.set_page_size(size);
    do {
      grpc::ClientContext context;
      v1::FabricServiceListFabricsResponse page;
      ASSERT_TRUE(stub->ListFabrics(&context, request, &page).ok());
      EXPECT_LE(page.fabrics_size(), size);
      for (const v1::Fabric& fabric : page.fabrics()) {
        seen.push_back(fabric.name());
        EXPECT_EQ(fabric.document(), "");
        EXPECT_GT(fabric.areal_density_kg_m2(), 0.0);
      }
      request.set_page_token(page.next_page_token());
    } while (!request.page_token().empty() && seen.size() <= expected.size());
    EXPECT_EQ(seen, expected) << size;
  }
}

TEST_F(Fabrics, TheLibrarysAreThereByNameAndStay) {
  const auto denim = service_.client().get_fabric("fabrics/denim_11oz");
  ASSERT_TRUE(denim.ok()) << denim.status();
  EXPECT_TRUE(denim->in_library());
  EXPECT_EQ(denim->areal_density_kg_m2(), fabric_by_name("denim_11oz")->areal_density);
  EXPECT_TRUE(fabric_from_json(denim->document(), "denim").ok());
  EXPECT_EQ(reason_of(service_.client().delete_fabric("fabrics/denim_11oz")), "FABRIC_OF_LIBRARY");
}

TEST_F(Fabrics, OfAnUnknownNameTheNearestAreOffered) {
  const absl::Status unknown = service_.client().get_fabric("fabrics/denim_11ozz").status();
  EXPECT_EQ(unknown.code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(reason_of(unknown), "FABRIC_NOT_FOUND");
  EXPECT_NE(error_detail(unknown)->remedy.find("denim_11oz"), std::string::npos);
  EXPECT_EQ(drape_refusal("denim_11ozz"), "FABRIC_UNKNOWN");
  EXPECT_EQ(drape_refusal("fabrics/denim_11ozz"), "FABRIC_UNKNOWN");
  EXPECT_EQ(drape_refusal("fabrics/" + sha256_hex("never made")), "FABRIC_NOT_FOUND");
  EXPECT_EQ(reason_of(service_.client().get_fabric("garments/x").status()), "RESOURCE_NAME");
  EXPECT_EQ(reason_of(service_.client().delete_fabric("fabrics/x")), "RESOURCE_NAME");
}

TEST_F(Fabrics, ADrapeTakesTheNumbersAndOutlivesTheFabric) {
  const v1::Fabric fabric = make(document(twill(210)));
  v1::CreateDrapeRequest request = service_.drape_request();
  request.set_fabric(fabric.name());
  const auto operation = service_.client().begin_drape(request);
  ASSERT_TRUE(operation.ok()) << operation.status();
  const TaskRecord task = service_.wait_for(*operation, TaskState::kSucceeded);
  const auto asked = drape_request_from_json(task.spec);
  ASSERT_TRUE(asked.ok());
  EXPECT_DOUBLE_EQ(fabric_by_name(asked->settings.fabric)->areal_density, 0.21);
  ASSERT_TRUE(service_.client().delete_fabric(fabric.name()).ok());
  EXPECT_EQ(reason_of(service_.client().get_fabric(fabric.name()).status()), "FABRIC_NOT_FOUND");
  EXPECT_EQ(drape_refusal(fabric.name()), "FABRIC_NOT_FOUND");
  EXPECT_TRUE(service_.client().get_drape("drapes/" + id_of(*operation)).ok());
}

TEST_F(Fabrics, TheLibrarysNameWithItsCollectionIsTheSameDrape) {
  v1::CreateDrapeRequest request = service_.drape_request();
  request.set_fabric("denim_11oz");
  const std::string plain = *service_.client().begin_drape(request);
  request.set_fabric("fabrics/denim_11oz");
  EXPECT_EQ(*service_.client().begin_drape(request), plain);
}

TEST_F(Fabrics, AnErasedFabricIsGoneWithItsFile) {
  const std::string text = twill(240);
  ASSERT_TRUE(service_.client().upload(text).ok());
  v1::CreateFabricRequest request;
  request.mutable_source()->set_file_sha256(sha256_hex(text));
  const v1::Fabric fabric = make(request);
  ASSERT_TRUE(service_.client().delete_fabric(fabric.name()).ok());
  EXPECT_EQ(reason_of(service_.client().delete_fabric(fabric.name())), "FABRIC_NOT_FOUND");
  EXPECT_TRUE(eventually([&] { return !service_.blobs().blob_size(sha256_hex(text)).ok(); }));
}

TEST_F(Fabrics, WhatIsWrongIsRefusedWithItsField) {
  EXPECT_EQ(refusal(v1::CreateFabricRequest()), "FABRIC_SOURCE_MISSING");
  EXPECT_EQ(refusal(document(std::string(70'000, ' '))), "FABRIC_FILE_TOO_LARGE");
  EXPECT_EQ(refusal(document("{}")), "FABRIC_FILE_UNKNOWN");
  EXPECT_EQ(refusal(document(R"({"schema": "tryon.fabric.v1", "areal_density_kg_m2": 0.2})")), "FABRIC_FIELD_MISSING");
  std::string heavy = twill(210);
  heavy.replace(heavy.find("0.210"), 5, "210.0");
  const absl::Status refused = service_.client().create_fabric(document(heavy), {}).status();
  EXPECT_EQ(reason_of(refused), "FABRIC_OUT_OF_RANGE");
  EXPECT_NE(error_detail(refused)->field.find("areal_density_kg_m2"), std::string::npos);
  v1::CreateFabricRequest bad_name = document(twill(210));
  bad_name.mutable_source()->set_file_name("../twill.json");
  EXPECT_EQ(refusal(bad_name), "FILE_NAME");
}

}  // namespace
}  // namespace tryon
