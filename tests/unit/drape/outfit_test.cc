// Garments worn over each other: outside, closed, free of crossings, and what is beneath gives way.
#include "server/drape/outfit.h"

#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "server/base/status.h"
#include "server/garment/template.h"
#include "server/io/worn_file.h"
#include "server/mesh/closest_point.h"
#include "tests/support/shared_data.h"
#include "tests/unit/drape/drape_with_threads.h"

namespace tryon {
namespace {
using Json = nlohmann::json;

DrapeRequest shirt(const char* size, const char* fabric) { return testing::template_drape("t_shirt", size, fabric); }

absl::StatusOr<PipelineResult> over(const DrapeRequest& request, const PipelineResult& beneath, int threads = 1) {
  return testing::drape_linked(&DrapeRequest::over, &PipelineInput::worn, request, beneath, threads);
}

const PipelineResult& inner() {
  static const PipelineResult result = *testing::drape_with_threads(shirt("M", "cotton_jersey"), 2);
  return result;
}

TEST(Outfit, WiderShirtOverAShirtLiesOutsideItAndNothingCrosses) {
  const auto outer = over(shirt("XL", "wool_coating"), inner(), 2);
  ASSERT_TRUE(outer.ok()) << outer.status();
  const Json m = Json::parse(outer->summary_json);
  EXPECT_EQ(m["self_intersections"], 0);
  EXPECT_LE(m["penetration"]["max_depth_mm"].get<double>(), 0.1);
  EXPECT_LE(m["seams"]["max_gap_mm"].get<double>(), 2.0);
  EXPECT_TRUE(outer->settled) << m["equilibrium"].dump();
  EXPECT_EQ(m["beneath"][0]["fabric"], "cotton_jersey");
  const double weight = m["contact_force"]["weight_n"];
  EXPECT_NEAR(m["contact_force"]["carried_n"].get<double>(), weight, 0.1 * weight)
      << "by the body and by what is beneath";
  const auto worn = read_worn_file(outer->artifacts.at(kWornName).bytes);
  ASSERT_TRUE(worn.ok()) << worn.status();
  ASSERT_EQ(worn->garments.size(), 2u);
  const ClosestPointIndex beneath(worn->garments[0].cloth.mesh);
  int inside = 0, near = 0;
  for (const Vec3& p : worn->garments[1].cloth.mesh.positions) {
    const ClosestPoint found = beneath.query(p, 0.03);
    near += found.triangle >= 0 ? 1 : 0;
    inside += found.triangle >= 0 && found.signed_distance < 0.0 ? 1 : 0;
  }
  EXPECT_GT(near, 200);  // it lies on it
  EXPECT_EQ(inside, 0);
}

TEST(Outfit, WhatIsBeneathGivesWayToStifferCloth) {
  const auto outer = over(shirt("M", "wool_coating"), inner(), 2);
  ASSERT_TRUE(outer.ok()) << outer.status();
  const auto before = read_worn_file(inner().artifacts.at(kWornName).bytes);
  const auto after = read_worn_file(outer->artifacts.at(kWornName).bytes);
  ASSERT_TRUE(before.ok() && after.ok());
  double moved = 0.0;
  const auto &then = before->garments[0].cloth.mesh.positions, &now = after->garments[0].cloth.mesh.positions;
  ASSERT_EQ(then.size(), now.size());
  for (size_t v = 0; v < now.size(); ++v) moved = std::max(moved, (now[v] - then[v]).norm());
  EXPECT_GT(moved, 5e-3);
  EXPECT_LT(moved, 0.3);
  EXPECT_EQ(Json::parse(outer->summary_json)["self_intersections"], 0);
}

// Where hands are cut off a wide cuff reaches over the arm, which cannot tell on which side of a sleeve that is.
TEST(Outfit, CuffsThatReachOverTheArmsAreInTheSleevesAboveThem) {
  constexpr char kBody[] = "bodies/makehuman/mh_f_young_avg_A_dm.obj";
  TRYON_NEEDS_SHARED_DATA(kBody);
  PipelineInput input;
  input.body_bytes = testing::read_file(testing::shared_data_path(kBody));
  const auto on_her = [&](const char* garment, const char* size, const char* fabric) {
    DrapeRequest request = testing::template_drape(garment, size, fabric);
    request.body = BodyRequest();
    request.body.file_name = kBody;
    request.settings.resolution_mm = 30;
    return request;
  };
  const auto shirt = testing::drape_with_threads(on_her("shirt", "M", "cotton_lawn"), 2, input);
  ASSERT_TRUE(shirt.ok()) << shirt.status();
  DrapeRequest request = on_her("hoodie", "L", "fleece");
  request.over = std::string(64, 'a');
  input.worn = shirt->artifacts.at(kWornName).bytes;
  const auto hoodie = testing::drape_with_threads(request, 2, input);
  ASSERT_TRUE(hoodie.ok()) << hoodie.status();
  const Json m = Json::parse(hoodie->summary_json);
  EXPECT_EQ(m["self_intersections"], 0);
  EXPECT_TRUE(hoodie->settled) << m["equilibrium"].dump();
}

// The reserve begins before the drape does: every phase stops with what it has, a long step in its middle too.
TEST(Outfit, WhenTimeIsUpThereIsWhatThereIsByThenAndItSaysSo) {
  RunContext run;
  run.deadline = absl::Now() + absl::Hours(1);
  run.reserve = absl::Hours(2);
  PipelineInput input;
  input.worn = inner().artifacts.at(kWornName).bytes;
  DrapeRequest request = shirt("L", "denim_11oz");
  request.over = std::string(64, 'a');
  const auto outer = run_drape(run, request, input);
  ASSERT_TRUE(outer.ok()) << outer.status();
  const Json m = Json::parse(outer->summary_json);
  EXPECT_EQ(m["equilibrium"]["termination"], "deadline");
  EXPECT_EQ(m["equilibrium"]["grade"], "none");
  EXPECT_EQ(m["equilibrium"]["iterations"], 0);
  EXPECT_FALSE(outer->settled);
}

TEST(Outfit, SameBytesForOneAndTwoThreads) {
  const auto one = over(shirt("L", "denim_11oz"), inner(), 1), two = over(shirt("L", "denim_11oz"), inner(), 2);
  ASSERT_TRUE(one.ok() && two.ok());
  for (const char* file : {"scene.glb", "garment.glb", "preview_front.png", kWornName})
    EXPECT_TRUE(one->artifacts.at(file).bytes == two->artifacts.at(file).bytes) << file;
}

TEST(Outfit, OfAnotherBodyIsRefused) {
  DrapeRequest request = shirt("L", "denim_11oz");
  request.body.proxy_shape = ProxyShape::kCircular;
  const auto outer = over(request, inner());
  ASSERT_FALSE(outer.ok());
  EXPECT_EQ(error_detail(outer.status())->reason, "OUTFIT_OF_ANOTHER_BODY");
}

TEST(Outfit, SolversThatDoNotKeepLayersApartAreRefused) {
  DrapeRequest request = shirt("L", "denim_11oz");
  request.settings.solver = "xpbd";
  const auto outer = over(request, inner());
  ASSERT_FALSE(outer.ok());
  EXPECT_EQ(error_detail(outer.status())->reason, "SETTINGS_CONFLICT");
}

TEST(Outfit, CutOrAlteredFilesAreRefused) {
  const std::string& good = inner().artifacts.at(kWornName).bytes;
  ASSERT_TRUE(read_worn_file(good).ok());
  for (const size_t size : {size_t{0}, size_t{7}, size_t{40}, good.size() / 2, good.size() - 1})
    EXPECT_EQ(error_detail(read_worn_file(good.substr(0, size)).status())->reason, "WORN_FILE_UNREADABLE") << size;
  for (size_t at = 0; at < good.size(); at += 1 + good.size() / 200) {
    std::string bad = good;
    bad[at] = static_cast<char>(bad[at] ^ 0x10);
    EXPECT_FALSE(read_worn_file(bad).ok()) << at;
  }
}

}  // namespace
}  // namespace tryon
