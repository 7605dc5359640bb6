// The whole pipeline in one process, on the project's own samples, coarse enough for every commit.
#include "server/drape/pipeline.h"

#include "absl/time/clock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "server/base/status.h"
#include "server/garment/template.h"
#include "tests/unit/drape/drape_with_threads.h"

namespace tryon {
namespace {
using Json = nlohmann::json;
using testing::drape_with_threads;

DrapeRequest sample_drape(const std::string& garment) {
  DrapeRequest request;
  request.body.sample = true;
  request.garment.draft.emplace().name = *template_of_sample(garment);
  request.settings.resolution_mm = 30;
  return request;
}

std::string result_digest(const PipelineResult& result) {
  return Json::parse(result.summary_json)["engine"]["result_digest"];
}

TEST(Pipeline, EverySampleGarmentHangsClosedAndClearOfTheSampleBody) {
  for (const char* garment : {"tshirt", "skirt", "trousers"}) {
    DrapeRequest request = sample_drape(garment);
    request.settings.resolution_mm = 18;
    const auto result = drape_with_threads(request, 2);
    ASSERT_TRUE(result.ok()) << garment << ": " << result.status();
    const Json m = Json::parse(result->summary_json);
    EXPECT_LE(m["seams"]["max_gap_mm"].get<double>(), 2.0) << garment;
    EXPECT_LE(m["seams"]["gap_before_weld_mm"].get<double>(), 2.0) << garment;
    EXPECT_LE(m["penetration"]["max_depth_mm"].get<double>(), 0.5) << garment;
    EXPECT_GT(m["hang"]["top_m"].get<double>(), std::string(garment) == "tshirt" ? 1.30 : 0.95) << garment;
    EXPECT_TRUE(result->settled) << garment << m["equilibrium"].dump();
    // No cloth can be shorter round the body than the body by more than it stretches.
    const char* level = std::string(garment) == "tshirt" ? "bust_girth" : "hip_girth";
    ASSERT_TRUE(m["ease_mm"].contains(level)) << garment;
    EXPECT_GT(m["ease_mm"][level].get<double>(), -5.0) << garment;
    EXPECT_LT(m["ease_mm"][level].get<double>(), 200.0) << garment;
  }
}

TEST(Pipeline, ClothThatRestsOnTheProxiesIsNoDeeperThanTwoMillimetresInAnyOfThem) {
  for (const ProxyShape shape : {ProxyShape::kElliptic, ProxyShape::kCircular}) {
    DrapeRequest request = sample_drape("skirt");
    request.settings.contact_scan = false;
    request.settings.proxy_shape = shape;
    const auto result = drape_with_threads(request, 2);
    ASSERT_TRUE(result.ok()) << result.status();
    const Json m = Json::parse(result->summary_json);
    EXPECT_LE(m["penetration"]["proxy_max_depth_mm"].get<double>(), 2.0);
    EXPECT_LE(m["seams"]["gap_before_weld_mm"].get<double>(), 2.0);
  }
}

TEST(Pipeline, SameRequestSameBytesForOneTwoAndSevenThreads) {
  const DrapeRequest request = sample_drape("skirt");
  const auto one = drape_with_threads(request, 1);
  ASSERT_TRUE(one.ok()) << one.status();
  for (int threads : {2, 7}) {
    const auto other = drape_with_threads(request, threads);
    ASSERT_TRUE(other.ok()) << other.status();
    EXPECT_EQ(result_digest(*one), result_digest(*other)) << threads;
    for (const char* file : {"garment.glb", "garment.obj", "scene.glb", "preview_front.png"}) {
      EXPECT_TRUE(one->artifacts.at(file).bytes == other->artifacts.at(file).bytes) << file << ", " << threads;
    }
  }
}

TEST(Pipeline, CancellingInTheMiddleEndsTheDrape) {
  RunContext run;
  run.on_progress = [&](const Progress& p) {
    if (p.stage == "sew" && p.fraction > 0.1) run.cancel.cancel();
  };
  const auto result = run_drape(run, sample_drape("skirt"), PipelineInput{});
  EXPECT_EQ(result.status().code(), absl::StatusCode::kCancelled);
}

TEST(Pipeline, ADeadlineThatHasPassedEndsTheDrapeWithThatReason) {
  RunContext run;
  run.deadline = absl::Now() - absl::Seconds(1);
  const auto result = run_drape(run, sample_drape("skirt"), PipelineInput{});
  ASSERT_TRUE(error_detail(result.status()).has_value()) << result.status();
  EXPECT_EQ(error_detail(result.status())->reason, "DEADLINE_EXCEEDED");
}

TEST(Pipeline, ProgressRunsThroughTheStagesInOrderAndNeverBackwardsWithinOne) {
  std::vector<std::string> stages;
  std::string last;
  double fraction = 0;
  RunContext run;
  run.on_progress = [&](const Progress& p) {
    if (p.stage != last) {
      stages.push_back(p.stage);
      fraction = 0;
    }
    EXPECT_GE(p.fraction, fraction) << p.stage;
    fraction = p.fraction;
    last = p.stage;
  };
  ASSERT_TRUE(run_drape(run, sample_drape("skirt"), PipelineInput{}).ok());
  EXPECT_EQ(stages, (std::vector<std::string>{"parse", "orient", "heal", "segment", "measure", "fit", "assemble", "sew",
                                              "drape", "export", "measure"}));
}

TEST(Pipeline, WindFromBehindPushesTheHemForward) {
  DrapeRequest request = sample_drape("skirt");
  const auto still = drape_with_threads(request, 2);
  request.settings.wind_mps = Vec3(0, 0, 10);
  const auto windy = drape_with_threads(request, 2);
  ASSERT_TRUE(still.ok() && windy.ok()) << windy.status();
  const Json a = Json::parse(still->summary_json), b = Json::parse(windy->summary_json);
  EXPECT_GT(b["hang"]["center_of_gravity_m"][2].get<double>(),
            a["hang"]["center_of_gravity_m"][2].get<double>() + 0.01);
  EXPECT_EQ(b["equilibrium"]["termination"], "blown");
}

TEST(Pipeline, TheSampleBodyHasPartsMeasurementsAndProxies) {
  BodyRequest request;
  request.sample = true;
  const auto result = run_body(RunContext{}, request, PipelineInput{});
  ASSERT_TRUE(result.ok()) << result.status();
  const Json body = Json::parse(result->summary_json);
  EXPECT_EQ(body["schema"], "tryon.body.v1");
  EXPECT_NEAR(body["height_m"].get<double>(), 1.68, 0.01);
  EXPECT_GT(body["summary"]["proxy_count"].get<int>(), 20);
  for (const char* name : {"height", "bust_girth", "waist_girth", "hip_girth", "neck_girth", "thigh_girth"}) {
    EXPECT_TRUE(body["measurements"].contains(name)) << name;
  }
  for (const char* file : {"body.json", "body.glb", "proxies.glb", "body.tryon", "preview_front.png",
                           "preview_left.png", "preview_back.png", "preview_measurements.png", "preview_proxies.png"}) {
    EXPECT_TRUE(result->artifacts.count(file)) << file;
  }
  const Json full = Json::parse(result->artifacts.at("body.json").bytes);
  EXPECT_EQ(full["proxies"].size(), body["summary"]["proxy_count"].get<size_t>());
  EXPECT_FALSE(full["has_head_and_hands"].get<bool>());
}

TEST(Pipeline, ADrapeThatBeginsFromTheStoredBodyIsTheSameToTheByte) {
  DrapeRequest request = sample_drape("skirt");
  PipelineInput from_body;
  from_body.stored_body = run_body(RunContext{}, request.body, PipelineInput{})->artifacts.at(kStoredBodyName).bytes;
  const auto stored = run_drape(RunContext{}, request, from_body), afresh = run_drape(RunContext{}, request, {});
  ASSERT_TRUE(stored.ok() && afresh.ok()) << stored.status() << afresh.status();
  EXPECT_EQ(result_digest(*stored), result_digest(*afresh));
  EXPECT_TRUE(stored->artifacts.at("scene.glb").bytes == afresh->artifacts.at("scene.glb").bytes);
}

TEST(Pipeline, AStoredBodyThatIsBrokenIsRefusedAndNotDraped) {
  PipelineInput broken;
  broken.stored_body = "TRYONBDY and then something else";
  const auto result = run_drape(RunContext{}, sample_drape("skirt"), broken);
  EXPECT_EQ(error_detail(result.status())->reason, "BODY_FILE_UNREADABLE");
}

TEST(Pipeline, WithSelfContactNoLayersCrossAndTheForcesStillBalance) {
  DrapeRequest request = sample_drape("tshirt");
  request.settings.layer_contact = LayerContact::kAlways;
  const auto result = run_drape(RunContext{}, request, {});
  ASSERT_TRUE(result.ok()) << result.status();
  const Json metrics = Json::parse(result->summary_json);
  EXPECT_EQ(metrics["self_intersections"], 0);
  EXPECT_NE(metrics["equilibrium"]["grade"], "none");
  EXPECT_NE(result_digest(*result), result_digest(*run_drape(RunContext{}, sample_drape("tshirt"), {})));
}

TEST(Pipeline, AGarmentsPatternComesBackInOurOwnFormat) {
  GarmentRequest request;
  request.draft.emplace().name = "trousers";
  const auto result = run_garment(RunContext{}, request, PipelineInput{});
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(Json::parse(result->summary_json)["panels"].size(), 6u);
  GarmentRequest again;
  again.file_name = "pattern.json";
  PipelineInput input;
  input.garment_bytes = result->artifacts.at("pattern.json").bytes;
  const auto second = run_garment(RunContext{}, again, input);
  ASSERT_TRUE(second.ok()) << second.status();
  // Reading numbers vertices in walking order; from then on the bytes stay.
  input.garment_bytes = second->artifacts.at("pattern.json").bytes;
  const auto third = run_garment(RunContext{}, again, input);
  ASSERT_TRUE(third.ok()) << third.status();
  EXPECT_TRUE(third->artifacts.at("pattern.json").bytes == input.garment_bytes);
  EXPECT_EQ(Json::parse(third->summary_json)["seams"].size(), Json::parse(result->summary_json)["seams"].size());
}

TEST(Pipeline, AnOffsetGarmentGrowsOnTheWearerAndHangsWithJisOwnSprings) {
  DrapeRequest request = sample_drape("tshirt");
  request.garment.draft->name = "offset_garment";
  request.garment.draft->parameters = {{"length", 300}, {"flare", 60}};
  request.settings.solver = "mass_spring";
  request.settings.resolution_mm = 50;
  const auto result = run_drape(RunContext{}, request, PipelineInput{});
  ASSERT_TRUE(result.ok()) << result.status();
  const Json m = Json::parse(result->summary_json);
  EXPECT_LE(m["seams"]["max_gap_mm"].get<double>(), 1e-6) << "it is grown sewn";
  EXPECT_LE(m["penetration"]["max_depth_mm"].get<double>(), 2.0);
  EXPECT_GT(m["hang"]["top_m"].get<double>(), 0.90) << "it hangs on the hips at the least";
  request.garment.draft->parameters = {{"sleeves", 2}};
  EXPECT_EQ(error_detail(run_drape(RunContext{}, request, PipelineInput{}).status())->reason, "PARAMETER_UNKNOWN");
}

TEST(Pipeline, TrousersOfALargerPersonAreSaidToFall) {
  DrapeRequest request = sample_drape("trousers");
  request.garment.draft->size = "XXL";
  request.garment.draft->figure = FigureType::kMale;
  request.settings.resolution_mm = 50;
  const auto result = run_drape(RunContext{}, request, PipelineInput{});
  ASSERT_TRUE(result.ok()) << result.status();
  const Json m = Json::parse(result->summary_json);
  ASSERT_GE(m["findings"].size(), 1u);
  for (size_t k = 1; k < m["findings"].size(); ++k)  // a foot may go through what has fallen to the floor
    EXPECT_EQ(m["findings"][k]["code"], "LIMB_BESIDE_CLOTH");
  EXPECT_EQ(m["findings"][0]["code"], "WAIST_FALLS");
  EXPECT_NE(m["findings"][0]["message"].get<std::string>().find("larger than the body's"), std::string::npos);
}

}  // namespace
}  // namespace tryon
