#include "server/drape/request.h"

#include <limits>
#include <set>

#include "gtest/gtest.h"
#include "server/base/status.h"
#include "server/sim/solvers/solver.h"

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
  r.settings.layer_contact = LayerContact::kAlways;
  r.settings.air.model = sim::WindModel::kTriangle;
  r.settings.air.gust_ratio = 1.5, r.settings.air.gust_period = 2.5;
  r.settings.air.turbulence = 0.3, r.settings.air.turbulence_length = 0.2, r.settings.air.seed = 0xffffffffffffffffull;
  r.settings.membrane = MembraneModel::kContinuum;
  r.settings.bending = BendingModel::kShape;
  r.settings.motion = Motion{4.5, 24, 2.25, true};
  r.settings.preview_seconds = 0.75;
  return r;
}

TEST(DrapeRequest, JsonRoundTripKeepsEveryField) {
  const DrapeRequest r = sample_request();
  const auto back = drape_request_from_json(to_json(r));
  ASSERT_TRUE(back.ok()) << back.status();
  EXPECT_EQ(to_json(*back), to_json(r));
  EXPECT_EQ(back->body.scan.up_axis, UpAxis::kZ);
  EXPECT_EQ(back->settings.wind_mps, r.settings.wind_mps);
  EXPECT_EQ(back->settings.air.model, sim::WindModel::kTriangle);
  EXPECT_EQ(back->settings.air.gust_period, 2.5);
  EXPECT_EQ(back->settings.air.turbulence_length, 0.2);
  EXPECT_EQ(back->settings.air.seed, r.settings.air.seed);
  EXPECT_EQ(back->settings.membrane, MembraneModel::kContinuum);
  EXPECT_EQ(back->settings.bending, BendingModel::kShape);
  ASSERT_TRUE(back->settings.motion.has_value());
  EXPECT_EQ(back->settings.motion->wind_seconds, 2.25);
  EXPECT_TRUE(back->settings.motion->from_sewn);
  EXPECT_EQ(back->settings.preview_seconds, 0.75);
}

TEST(DrapeRequest, MotionChangesTheDrapeAndPreviewsDoNot) {
  DrapeRequest r = sample_request();
  const std::string before = digest(r);
  r.settings.preview_seconds = 0.0;
  EXPECT_EQ(digest(r), before);
  r.settings.motion->from_sewn = false;
  EXPECT_NE(digest(r), before);
}

TEST(BodyRequest, JsonRoundTripKeepsEveryField) {
  BodyRequest r = sample_request().body;
  r.scan.facing = "-y";
  r.scan.pose = Pose::kArmsDown;
  r.keep_head_and_hands = r.keep_scan = true;
  r.figure = BodyTable{1680.5, {{"waist_girth", 720.25}}, FigureType::kMale, 30.0};
  const auto back = body_request_from_json(to_json(r));
  ASSERT_TRUE(back.ok()) << back.status();
  EXPECT_EQ(to_json(*back), to_json(r));
  EXPECT_EQ(back->scan.facing, "-y");
  EXPECT_EQ(back->scan.pose, Pose::kArmsDown);
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

TEST(DrapeRequest, TheTargetGradeIsItsIdentityAndIsKept) {
  DrapeRequest usual = sample_request(), quick = sample_request();
  quick.settings.target_grade = TargetGrade::kPreview;
  EXPECT_NE(digest(usual), digest(quick));
  EXPECT_EQ(drape_request_from_json(to_json(usual))->settings.target_grade, TargetGrade::kFinal);
  EXPECT_EQ(drape_request_from_json(to_json(quick))->settings.target_grade, TargetGrade::kPreview);
}

TEST(DrapeRequest, WhichPicturesThereAreIsItsIdentityAndIsKept) {
  std::set<std::string> digests;
  for (const Pictures pictures : {Pictures::kFourViews, Pictures::kFront, Pictures::kNone}) {
    DrapeRequest r = sample_request();
    r.settings.pictures = pictures;
    digests.insert(digest(r));
    EXPECT_EQ(drape_request_from_json(to_json(r))->settings.pictures, pictures);
  }
  EXPECT_EQ(digests.size(), 3u);
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

TEST(DrapeRequest, EveryModelAndEveryNumberOfTheAirIsItsIdentity) {
  const DrapeRequest plain = sample_request();
  std::set<std::string> digests = {digest(plain)};
  const auto add = [&](auto change) {
    DrapeRequest r = plain;
    change(&r.settings);
    digests.insert(digest(r));
  };
  add([](DrapeSettings* s) { s->air.model = sim::WindModel::kVertex; });
  add([](DrapeSettings* s) { s->air.gust_ratio = 1; });
  add([](DrapeSettings* s) { s->air.gust_period = 1; });
  add([](DrapeSettings* s) { s->air.turbulence = 0.2; });
  add([](DrapeSettings* s) { s->air.turbulence_length = 0.3; });
  add([](DrapeSettings* s) { s->air.seed = 2; });
  add([](DrapeSettings* s) { s->membrane = MembraneModel::kThreads; });
  add([](DrapeSettings* s) { s->bending = BendingModel::kHinge; });
  add([](DrapeSettings* s) { s->bending = BendingModel::kIsometric; });
  EXPECT_EQ(digests.size(), 10u);
}

TEST(DrapeSettings, TheAirsNumbersHaveRangesAndStillAirHasNoGusts) {
  const auto refused = [](auto change) {
    DrapeSettings s;
    s.wind_mps = {0, 0, -5};
    change(&s);
    return std::string(error_detail(validate(s))->field);
  };
  EXPECT_EQ(refused([](DrapeSettings* s) { s->air.gust_ratio = 5.1; }), "settings.wind.gust_ratio");
  EXPECT_EQ(refused([](DrapeSettings* s) { s->air.gust_ratio = -1; }), "settings.wind.gust_ratio");
  EXPECT_EQ(refused([](DrapeSettings* s) { s->air.gust_period = 0; }), "settings.wind.gust_period_seconds");
  EXPECT_EQ(refused([](DrapeSettings* s) { s->air.turbulence = 1.1; }), "settings.wind.turbulence_ratio");
  EXPECT_EQ(refused([](DrapeSettings* s) { s->air.turbulence_length = 0.01; }), "settings.wind.turbulence_length_m");
  DrapeSettings still;
  still.air.gust_ratio = 1;
  EXPECT_EQ(error_detail(validate(still))->reason, "SETTINGS_CONFLICT");
  still.wind_mps = {1, 0, 0};
  EXPECT_TRUE(validate(still).ok());
}

TEST(DrapeSettings, AModelThatTheSolverDoesNotTakeIsRefused) {
  DrapeSettings s;
  s.membrane = MembraneModel::kContinuum;
  s.bending = BendingModel::kShape;
  EXPECT_TRUE(validate(s).ok());
  s.solver = "xpbd";
  EXPECT_EQ(error_detail(validate(s))->field, "settings.membrane");
  s.membrane = MembraneModel::kThreads;
  EXPECT_EQ(error_detail(validate(s))->field, "settings.bending");
  s.bending = BendingModel::kQuadratic;
  EXPECT_TRUE(validate(s).ok());
  s.solver = "spring_projection";
  s.bending = BendingModel::kIsometric;
  EXPECT_TRUE(validate(s).ok());
  s.solver = "lbfgs";
  s.bending = BendingModel::kQuadratic;
  s.membrane = MembraneModel::kSprings;
  EXPECT_TRUE(validate(s).ok());
  s.bending = BendingModel::kHinge;
  EXPECT_EQ(error_detail(validate(s))->reason, "SETTINGS_CONFLICT");
}

TEST(DrapeSettings, TheUsualBendingIsTheShapeOperatorWhereverItIsTaken) {
  DrapeSettings s;
  EXPECT_EQ(bending_of(s), BendingModel::kIsometric);
  s.membrane = MembraneModel::kSprings;
  EXPECT_EQ(bending_of(s), BendingModel::kQuadratic);
  s.membrane = MembraneModel::kThreads;
  for (const sim::SolverInfo& info : sim::solver_list()) {
    s.solver = info.name;
    s.bending = BendingModel::kUsual;
    EXPECT_TRUE(validate(s).ok()) << s.solver;
    const BendingModel usual = bending_of(s);
    s.bending = BendingModel::kIsometric;
    EXPECT_EQ(usual == BendingModel::kIsometric, validate(s).ok()) << s.solver;
    s.bending = BendingModel::kHinge;
    EXPECT_EQ(bending_of(s), BendingModel::kHinge);
  }
  s.solver = "pbd";
  EXPECT_FALSE(takes_whole_fabric(s)) << "it descends no energy";
  DrapeRequest usual, named;
  named.settings.bending = BendingModel::kIsometric;
  EXPECT_EQ(to_json(usual), to_json(named)) << "one request, one digest";
}

TEST(DrapeSettings, ASolverThatDoesNotKeepLayersApartIsRefusedWhereItAlwaysShould) {
  DrapeSettings settings;
  settings.layer_contact = LayerContact::kAlways;
  EXPECT_TRUE(validate(settings).ok());
  settings.solver = "xpbd";
  EXPECT_EQ(error_detail(validate(settings))->reason, "SETTINGS_CONFLICT");
}

TEST(GarmentRequest, TheGradingIsPartOfAGarmentsIdentityAndOfItsJson) {
  GarmentRequest plain;
  plain.blob = std::string(64, 'a');
  plain.file_name = "coat.dxf";
  GarmentRequest graded = plain;
  graded.grading_blob = std::string(64, 'b');
  EXPECT_NE(digest(graded), digest(plain));
  const auto back = garment_request_from_json(to_json(graded));
  ASSERT_TRUE(back.ok()) << back.status();
  EXPECT_EQ(back->grading_blob, graded.grading_blob);
}

}  // namespace
}  // namespace tryon
