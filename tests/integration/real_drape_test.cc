// Real bodies and real patterns through gRPC: a server process, its workers, the parser child, the client.
#include <filesystem>
#include <string>

#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "tests/integration/support/live_server.h"
#include "tests/support/shared_data.h"

namespace tryon {
namespace {
using Json = nlohmann::json;
namespace fs = std::filesystem;

struct RealCase {
  const char* name;
  const char* garment;
  const char* body;
  // Where the garment must hang, as ratios of the body's height.
  double top_low, top_high, hem_low, hem_high;
};

std::ostream& operator<<(std::ostream& out, const RealCase& c) { return out << c.name; }

class RealDrape : public ::testing::TestWithParam<RealCase> {};

void expect_finite(const Json& json) {
  if (json.is_structured()) {
    for (const auto& item : json) expect_finite(item);
  } else {
    EXPECT_FALSE(json.is_null()) << "a number that is not finite";
  }
}

void expect_hangs(const Json& metrics, const RealCase& c) {
  const double height = metrics["body"]["height_m"];
  const double top = metrics["hang"]["top_m"], hem = metrics["hang"]["hem_m"];
  const double center = metrics["hang"]["center_of_gravity_m"][1];
  EXPECT_GT(center, 0.0);
  EXPECT_LT(center, height);
  EXPECT_GE(top, c.top_low * height);
  EXPECT_LE(top, c.top_high * height);
  EXPECT_GE(hem, c.hem_low * height);
  EXPECT_LE(hem, c.hem_high * height);
  EXPECT_LT(std::abs(metrics["hang"]["center_of_gravity_m"][0].get<double>()), 0.08);
}

// Drapes the case and returns its metrics, with what must be true whatever the cloth rests on.
void drape_case(const RealCase& c, const std::string& contact, Json* metrics) {
  testing::LiveServer server;
  const std::string out = testing::make_temp_dir();
  const auto result = server.tryon({"drape", "--body", testing::shared_data_path(c.body), "--garment",
                                    testing::shared_data_path(c.garment), "--resolution", "15", "--threads", "2",
                                    "--contact", contact, "--out", out});
  ASSERT_TRUE(result.exit_code == 0 || result.exit_code == 4) << result.output;
  for (const char* file : {"garment.glb", "garment.obj", "scene.glb", "preview_front.png", "preview_back.png",
                           "preview_left.png", "preview_right.png", "metrics.json"}) {
    EXPECT_GT(fs::file_size(fs::path(out) / file), 500u) << file;
  }
  *metrics = Json::parse(testing::read_file(out + "/metrics.json"));
  expect_finite(*metrics);
  EXPECT_LE((*metrics)["seams"]["max_gap_mm"].get<double>(), 2.0);
  EXPECT_LE((*metrics)["seams"]["gap_before_weld_mm"].get<double>(), 2.0);
  expect_hangs(*metrics, c);
  EXPECT_TRUE(server.alive());
}

TEST_P(RealDrape, OnTheScanItSettlesClosedAndOutsideTheBody) {
  const RealCase& c = GetParam();
  TRYON_NEEDS_SHARED_DATA(c.garment);
  TRYON_NEEDS_SHARED_DATA(c.body);
  Json metrics;
  drape_case(c, "scan", &metrics);
  if (metrics.is_null()) return;
  EXPECT_LE(metrics["penetration"]["max_depth_mm"].get<double>(), 2.0);
}

TEST_P(RealDrape, OnTheProxiesItIsNoDeeperThanTwoMillimetresInAnyOfThem) {
  const RealCase& c = GetParam();
  TRYON_NEEDS_SHARED_DATA(c.garment);
  TRYON_NEEDS_SHARED_DATA(c.body);
  Json metrics;
  drape_case(c, "proxies", &metrics);
  if (metrics.is_null()) return;
  EXPECT_LE(metrics["penetration"]["proxy_max_depth_mm"].get<double>(), 2.0);
  EXPECT_EQ(metrics["self_intersections"].get<int>(), 0);
  EXPECT_NE(metrics["equilibrium"]["grade"].get<std::string>(), "none");
}

// Its folds slide on each other by what they press while they slide: balanced for the solver, 0.16 weights short for
// the certificate (engine 0.20.0: preview).
TEST(RealDrapeOfFolds, WhatFrictionBetweenThemHoldsIsWhatTheyPress) {
  const RealCase c{"",
                   "patterns/garmentcodedata/rand_BK7NCIOYEX_specification.json",
                   "bodies/garmentcode/mean_all.obj",
                   0.5,
                   1.0,
                   0.0,
                   0.8};
  TRYON_NEEDS_SHARED_DATA(c.garment);
  TRYON_NEEDS_SHARED_DATA(c.body);
  Json metrics;
  drape_case(c, "scan", &metrics);
  if (metrics.is_null()) return;
  const auto grade = metrics["equilibrium"]["grade"].get<std::string>();
  EXPECT_TRUE(grade == "final" || grade == "reference") << grade;
  EXPECT_EQ(metrics["self_intersections"].get<int>(), 0);
}

// Whom these patterns were not made for. Engine 0.44.0 left an arm beside its armhole (XEQP: it came through as the
// coarse mesh fell; BK7N: what was tangled was made smooth through it), both sleeves empty, which nothing told (5M02),
// and a skirt hung up on a hand (63PF).
struct OtherCase {
  const char *name, *body;
};
std::ostream& operator<<(std::ostream& out, const OtherCase& c) { return out << c.name; }

class RealDrapeOfOthers : public ::testing::TestWithParam<OtherCase> {};

TEST_P(RealDrapeOfOthers, HasTheArmsInItsSleeves) {
  const RealCase c{"", "", GetParam().body, 0.5, 1.1, 0.0, 0.8};
  const std::string garment = std::string("patterns/garmentcodedata/rand_") + GetParam().name + "_specification.json";
  TRYON_NEEDS_SHARED_DATA(garment);
  TRYON_NEEDS_SHARED_DATA(c.body);
  testing::LiveServer server;
  const std::string out = testing::make_temp_dir();
  const auto result =
      server.tryon({"drape", "--body", testing::shared_data_path(c.body), "--keep-head-and-hands", "--garment",
                    testing::shared_data_path(garment), "--resolution", "20", "--threads", "2", "--out", out});
  ASSERT_EQ(result.exit_code, 0) << result.output;
  const Json metrics = Json::parse(testing::read_file(out + "/metrics.json"));
  for (const Json& finding : metrics.value("findings", Json::array())) {
    EXPECT_NE(finding["code"], "LIMB_BESIDE_CLOTH") << finding["message"];
    EXPECT_NE(finding["code"], "SLEEVE_EMPTY") << finding["message"];
  }
  EXPECT_EQ(metrics["self_intersections"].get<int>(), 0);
}

INSTANTIATE_TEST_SUITE_P(Bodies, RealDrapeOfOthers,
                         ::testing::Values(OtherCase{"XEQPLU1DM6", "bodies/garmentcode/mean_female.obj"},
                                           OtherCase{"BK7NCIOYEX", "bodies/garmentcode/mean_female.obj"},
                                           OtherCase{"5M024N6GM5", "bodies/smpl/f_smpl_average_A40.obj"},
                                           OtherCase{"63PFHMQZI4", "bodies/smpl/f_smpl_average_A40.obj"}),
                         [](const auto& info) {
                           return std::string("Rand") + std::string(info.param.name).substr(0, 4);
                         });

INSTANTIATE_TEST_SUITE_P(
    Garments, RealDrape,
    ::testing::Values(RealCase{"ShirtOnMeanAPose", "patterns/garmentcode/shirt_mean_specification.json",
                               "bodies/garmentcode/mean_all.obj", 0.78, 0.92, 0.45, 0.68},
                      RealCase{"TeeOnSmplTPose", "patterns/garment_pattern_generator/tee.json",
                               "bodies/smpl/f_smpl_template_T.obj", 0.78, 0.95, 0.45, 0.72},
                      RealCase{"CircleSkirtOnMeanAPose", "patterns/garmentcodedata/rand_6VBCSAIJZ3_specification.json",
                               "bodies/garmentcode/mean_all.obj", 0.52, 0.70, 0.1, 0.55},
                      RealCase{"SkirtOnSmplTPose", "patterns/garment_pattern_generator/skirt_4_panels.json",
                               "bodies/smpl/f_smpl_template_T.obj", 0.50, 0.70, 0.05, 0.5},
                      RealCase{"TrousersOnMeanAPose", "patterns/garmentcodedata/rand_79FB18N4KV_specification.json",
                               "bodies/garmentcode/mean_all.obj", 0.50, 0.70, 0.0, 0.5},
                      RealCase{"TrousersOnSmplTPose",
                               "patterns/garment_pattern_generator/pants_straight_sides_TA_pose.json",
                               "bodies/smpl/f_smpl_template_T.obj", 0.50, 0.70, 0.0, 0.4},
                      RealCase{"DressOnSmplTPose", "patterns/garment_pattern_generator/dress.json",
                               "bodies/smpl/f_smpl_template_T.obj", 0.78, 0.95, 0.05, 0.6},
                      RealCase{"DressOnMeanAPose", "patterns/garmentcode/dress_pencil_specification.json",
                               "bodies/garmentcode/mean_all.obj", 0.75, 0.92, 0.05, 0.55},
                      RealCase{"ShirtOnTallManInMillimetresZUp", "patterns/garmentcode/shirt_mean_specification.json",
                               "bodies/makehuman/mh_m_young_tall_A_mm_zup.ply", 0.75, 0.92, 0.35, 0.72},
                      RealCase{"SkirtOnSmplAPose", "patterns/garmentcodedata/rand_0FEH12CSYX_specification.json",
                               "bodies/smpl/f_smpl_average_A40.obj", 0.50, 0.70, 0.0, 0.6}),
    [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace tryon
