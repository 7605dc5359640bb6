// The life of a garment through the API: read or drafted once, checked without being made, listed, erased; made to
// measure only for its own body. The physics is played, the checks at the door are real.
#include <grpcpp/grpcpp.h>

#include "gtest/gtest.h"
#include "server/base/hash.h"
#include "tests/integration/support/hosted_service.h"
#include "tryon/v1/garment.grpc.pb.h"

namespace tryon {
namespace {

using testing::eventually;
using testing::HostedService;
using testing::id_of;
using testing::reason_of;

class Garments : public ::testing::Test {
 protected:
  v1::CreateGarmentRequest file(const std::string& bytes, const std::string& seams = "") {
    v1::CreateGarmentRequest request;
    request.mutable_source()->set_pattern_sha256(sha256_hex(bytes));
    request.mutable_source()->set_file_name("dress.json");
    EXPECT_TRUE(service_.client().upload(bytes).ok());
    if (seams.empty()) return request;
    request.mutable_source()->set_seams_sha256(sha256_hex(seams));
    EXPECT_TRUE(service_.client().upload(seams).ok());
    return request;
  }
  v1::CreateGarmentRequest tailored(const std::string& body) {
    v1::CreateGarmentRequest request;
    request.mutable_source()->mutable_template_()->set_template_("t_shirt");
    request.mutable_source()->mutable_template_()->set_body(body);
    return request;
  }
  std::string make(const v1::CreateGarmentRequest& request) {
    const auto garment = service_.client().create_garment(request, {});
    EXPECT_TRUE(garment.ok()) << garment.status();
    return garment.ok() ? garment->name() : "";
  }
  std::string refusal(const v1::CreateGarmentRequest& request) {
    return reason_of(service_.client().begin_garment(request).status());
  }
  std::string body() {
    v1::CreateBodyRequest request;
    request.mutable_source()->set_sample(true);
    const auto made = service_.client().create_body(request, {});
    EXPECT_TRUE(made.ok()) << made.status();
    return made.ok() ? made->name() : "";
  }

  HostedService service_;
};

TEST_F(Garments, EqualRequestsNameTheSameGarmentAndOthersAnother) {
  const std::string name = make(file("a pattern"));
  EXPECT_EQ(make(file("a pattern")), name);
  EXPECT_NE(make(file("a pattern", "its seams")), name);
  v1::CreateGarmentRequest large = file("a pattern");
  large.mutable_source()->set_size("XL");
  EXPECT_NE(make(large), name);
  v1::CreateGarmentRequest inches = file("a pattern");
  inches.mutable_source()->set_metres_per_unit(0.0254);
  EXPECT_NE(make(inches), name);
}

TEST_F(Garments, ACheckMakesNoGarment) {
  v1::CreateGarmentRequest request = file("a pattern");
  request.set_validate_only(true);
  const auto checked = service_.client().create_garment(request, {});
  ASSERT_TRUE(checked.ok()) << checked.status();
  EXPECT_EQ(checked->name(), "");
  EXPECT_TRUE(service_.client().garments()->empty());
}

TEST_F(Garments, AllPagesAreListedNewestFirst) {
  std::vector<std::string> names;
  for (int i = 0; i < 3; ++i) names.push_back(make(file("pattern " + std::to_string(i))));
  const auto stub = v1::GarmentService::NewStub(service_.channel());
  v1::ListGarmentsRequest request;
  request.set_page_size(2);
  v1::ListGarmentsResponse first, second;
  grpc::ClientContext one, two;
  ASSERT_TRUE(stub->ListGarments(&one, request, &first).ok());
  ASSERT_EQ(first.garments_size(), 2);
  EXPECT_EQ(first.garments(0).name(), names[2]);
  request.set_page_token(first.next_page_token());
  ASSERT_TRUE(stub->ListGarments(&two, request, &second).ok());
  ASSERT_EQ(second.garments_size(), 1);
  EXPECT_EQ(second.garments(0).name(), names[0]);
  EXPECT_EQ(second.next_page_token(), "");
}

TEST_F(Garments, AnErasedGarmentIsGoneWithItsFiles) {
  const std::string name = make(file("a pattern", "its seams"));
  ASSERT_TRUE(service_.client().delete_garment(name).ok());
  EXPECT_EQ(reason_of(service_.client().get_garment(name).status()), "GARMENT_NOT_FOUND");
  EXPECT_EQ(reason_of(service_.client().delete_garment(name)), "GARMENT_NOT_FOUND");
  EXPECT_TRUE(eventually([&] { return !service_.blobs().blob_size(sha256_hex("a pattern")).ok(); }));
  EXPECT_TRUE(eventually([&] { return !service_.blobs().blob_size(sha256_hex("its seams")).ok(); }));
}

TEST_F(Garments, WhatIsAskedForIsCheckedAtTheDoor) {
  v1::CreateGarmentRequest request;
  EXPECT_EQ(refusal(request), "GARMENT_SOURCE_MISSING");
  request.mutable_source()->mutable_template_()->set_template_("spacesuit");
  EXPECT_EQ(refusal(request), "TEMPLATE_UNKNOWN");
  request = file("a pattern");
  request.mutable_source()->set_seams_sha256(sha256_hex("never sent"));
  EXPECT_EQ(refusal(request), "BLOB_MISSING");
  request.mutable_source()->set_seams_sha256("abc");
  EXPECT_EQ(refusal(request), "BLOB_NAME");
  request = file("a pattern");
  request.mutable_source()->set_grading_sha256(sha256_hex("rules never sent"));
  EXPECT_EQ(refusal(request), "BLOB_MISSING");
  request.mutable_source()->set_grading_sha256("abc");
  EXPECT_EQ(refusal(request), "BLOB_NAME");
  request = file("a pattern");
  request.mutable_source()->set_metres_per_unit(-1.0);
  EXPECT_EQ(refusal(request), "SETTING_OUT_OF_RANGE");
  request = file("a pattern");
  request.mutable_source()->set_size(std::string(65, 'X'));
  EXPECT_EQ(refusal(request), "SETTING_OUT_OF_RANGE");
  EXPECT_EQ(refusal(tailored("bodies/" + std::string(64, '0'))), "BODY_NOT_FOUND");
  EXPECT_EQ(refusal(tailored("garments/x")), "RESOURCE_NAME");
}

TEST_F(Garments, AGarmentMadeToMeasureIsDrapedOnItsOwnBodyOnlyAndGoesWithIt) {
  const std::string owner = body();
  const std::string garment = make(tailored(owner));
  v1::CreateDrapeRequest drape;
  drape.set_body(owner);
  drape.set_garment(garment);
  EXPECT_TRUE(service_.client().begin_drape(drape).ok());
  v1::CreateBodyRequest other;
  other.mutable_source()->mutable_measurements()->set_height_mm(1700);
  drape.set_body(service_.client().begin_body(other).value());
  EXPECT_EQ(reason_of(service_.client().begin_drape(drape).status()), "GARMENT_OF_ANOTHER_BODY");
  EXPECT_TRUE(eventually([&] { return service_.client().delete_body(owner).ok(); }));
  EXPECT_EQ(reason_of(service_.client().get_garment(garment).status()), "GARMENT_NOT_FOUND");
}

TEST_F(Garments, EveryTemplateIsListedAndCanBeAskedFor) {
  const auto templates = service_.client().templates();
  ASSERT_TRUE(templates.ok()) << templates.status();
  EXPECT_GE(templates->size(), 3u);
  for (const v1::GarmentTemplate& t : *templates) {
    v1::CreateGarmentRequest request;
    request.mutable_source()->mutable_template_()->set_template_(t.name());
    EXPECT_NE(make(request), "") << t.name();
  }
}

}  // namespace
}  // namespace tryon
