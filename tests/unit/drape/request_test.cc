#include "server/drape/request.h"

#include <limits>
#include <set>

#include "gtest/gtest.h"
#include "server/base/status.h"

namespace tryon {
namespace {

DrapeRequest sample_request() {
  DrapeRequest r;
  r.body.blob = "abc";
  r.body.file_name = "anna.obj";
  r.body.scan.metres_per_unit = 0.01;
  r.body.scan.up_axis = UpAxis::kZ;
  r.garment.draft.emplace().name = "skirt";
  r.settings.wind_mps = {0.1, 0, -10};
  r.settings.contact_scan = false;
  r.settings.self_contact = true;
  return r;
}

TEST(DrapeRequest, JsonRoundTripKeepsEveryField) {
  const DrapeRequest r = sample_request();
  const auto back = drape_request_from_json(to_json(r));
  ASSERT_TRUE(back.ok()) << back.status();
  EXPECT_EQ(to_json(*back), to_json(r));
  EXPECT_EQ(back->body.scan.up_axis, UpAxis::kZ);
  EXPECT_EQ(back->settings.wind_mps, r.settings.wind_mps);
}

TEST(BodyRequest, JsonRoundTripKeepsEveryField) {
  BodyRequest r = sample_request().body;
  r.scan.facing = "-y";
  r.keep_head_and_hands = r.keep_scan = true;
  r.figure = BodyTable{1680.5, {{"waist_girth", 720.25}}, FigureType::kMale, 30.0};
  const auto back = body_request_from_json(to_json(r));
  ASSERT_TRUE(back.ok()) << back.status();
  EXPECT_EQ(to_json(*back), to_json(r));
  EXPECT_EQ(back->scan.facing, "-y");
  EXPECT_TRUE(back->keep_head_and_hands && back->keep_scan);
  ASSERT_TRUE(back->figure.has_value());
  EXPECT_EQ(back->figure->height_mm, 1680.5);
  EXPECT_EQ(back->figure->figure, FigureType::kMale);
  EXPECT_EQ(back->figure->measurements_mm.at("waist_girth"), 720.25);
  EXPECT_EQ(back->figure->arm_angle_deg, 30.0);
}

TEST(BodyRequest, WhatIsDeclaredAndWhatIsKeptAreItsIdentity) {
  const BodyRequest plain = sample_request().body;
  std::set<std::string> digests = {digest(plain)};
  BodyRequest r = plain;
  r.scan.facing = "+z";
  digests.insert(digest(r));
  r = plain, r.keep_head_and_hands = true;
  digests.insert(digest(r));
  r = plain, r.keep_scan = true;
  digests.insert(digest(r));
  r = plain, r.figure = BodyTable{1700.0, {}, FigureType::kNeutral, 45.0};
  digests.insert(digest(r));
  r.figure->figure = FigureType::kFemale;
  digests.insert(digest(r));
  EXPECT_EQ(digests.size(), 6u);
}

TEST(DrapeRequest, ThreadsDoNotChangeTheIdentityButResolutionDoes) {
  DrapeRequest a = sample_request(), b = sample_request();
  b.settings.threads = 7;
  EXPECT_EQ(digest(a), digest(b));
  b.settings.resolution_mm = 20;
  EXPECT_NE(digest(a), digest(b));
}

TEST(DrapeRequest, BrokenStoredJsonIsOurFaultNotTheCallers) {
  for (const char* text : {"", "{}", "[1,2]", "{\"body\":3}"}) {
    EXPECT_EQ(drape_request_from_json(text).status().code(), absl::StatusCode::kInternal) << text;
  }
}

TEST(DrapeSettings, EverySettingOutsideItsRangeIsNamed) {
  DrapeSettings s;
  EXPECT_TRUE(validate(s).ok());
  s.resolution_mm = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(error_detail(validate(s))->field, "settings.resolution_mm");
  s = {};
  s.wind_mps = {0, 0, 61};
  EXPECT_EQ(error_detail(validate(s))->field, "settings.wind_mps");
  s = {};
  s.threads = 0;
  EXPECT_EQ(error_detail(validate(s))->field, "settings.threads");
}

TEST(DrapeSettings, ASolverThatDoesNotKeepLayersApartIsRefusedWithSelfContact) {
  DrapeSettings settings;
  settings.self_contact = true;
  EXPECT_TRUE(validate(settings).ok());
  settings.solver = "xpbd";
  EXPECT_EQ(error_detail(validate(settings))->reason, "SETTINGS_CONFLICT");
}

}  // namespace
}  // namespace tryon
