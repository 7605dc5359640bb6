// What says whether to trust a drape: by hand on small cloth, and on whole garments of a woven against the limits of
// the specification (validation 6.2, 6.3, 6.5, 6.6).
#include "server/drape/measure_trust.h"

#include <cmath>

#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "server/base/executor.h"
#include "server/drape/grade.h"
#include "tests/support/shared_data.h"
#include "tests/support/test_meshes.h"
#include "tests/support/test_panels.h"
#include "tests/unit/drape/drape_with_threads.h"

namespace tryon {
namespace {

using Json = nlohmann::json;

// ---- By hand

// Two upright panels 200 mm high, sewn along one edge of each; the right one was cut longer there by so much.
GarmentMesh sewn_panels(double longer) {
  Pattern pattern;
  pattern.panels = {testing::rectangle("left", 0.1, 0.2), testing::rectangle("right", 0.1, 0.2 + longer)};
  pattern.panels[1].translation = Vec3(0.1, 0, 0);
  pattern.stitches.push_back({{0, 1}, {1, 3}});
  auto garment = mesh_garment(RunContext(), pattern, 0.02);
  EXPECT_TRUE(garment.ok()) << garment.status();
  return *std::move(garment);
}

struct Small {
  FittedPerson person;
  GarmentMesh garment;
  ArrangeReport arranged;
  Settled settled;
  DrapeSettings settings;
  FitReport fit;
  explicit Small(double longer) : garment(sewn_panels(longer)) {
    person.body.mesh = testing::make_box(Vec3(0.5, 0.01, 0.5), 1);
    put_on_skin({}, {person.body.mesh, {}}, &person);
    settled.cloth = weld(garment, garment.placed);
  }
  Json json() const {
    const DrapeFacts facts{person, garment, arranged, settled, settings, fit, ""};
    return trust_json(RunContext(), facts, settled.cloth.mesh);
  }
};

TEST(Trust, SeamsTellTheirStrainAndThoseWithEaseApart) {
  Small plain(0.0);
  Json seams = plain.json()["seams"];
  EXPECT_NEAR(seams["strain_along"]["max"].get<double>(), 0.0, 1e-9);
  EXPECT_NEAR(seams["strain_along"]["length_mm"].get<double>(), 400.0, 1e-6) << "both sides";
  EXPECT_FALSE(seams.contains("gathered_strain_along"));
  EXPECT_FALSE(seams.contains("mean_gap_before_weld_mm")) << "nothing was sewn here";
  EXPECT_EQ(seams["mean_gap_mm"], 0.0) << "it is welded";
  for (Vec3& p : plain.settled.cloth.mesh.positions) p.y() *= 1.04;
  seams = plain.json()["seams"];
  for (const char* key : {"p95", "max", "side_max"})
    EXPECT_NEAR(seams["strain_along"][key].get<double>(), 0.04, 1e-9) << key;

  const Json eased = Small(0.02).json()["seams"];
  EXPECT_FALSE(eased.contains("strain_along"));
  EXPECT_NEAR(eased["gathered_strain_along"]["length_mm"].get<double>(), 420.0, 1e-6);
  EXPECT_NEAR(eased["max_ease_mm"].get<double>(), 20.0, 1e-6);
  EXPECT_GT(eased["gathered_strain_along"]["side_max"].get<double>(), 0.04) << "one side or the other gives";
}

TEST(Trust, AnElasticAlongASideMakesTheSeamAGatheredOne) {
  Small small(0.0);
  const Seam& seam = small.garment.seams.front();
  small.garment.bands.push_back({seam.left, 1.0, 100.0});  // a stay tape does not gather
  EXPECT_TRUE(small.json()["seams"].contains("strain_along"));
  small.garment.bands.back().relaxed = 0.7;
  EXPECT_FALSE(small.json()["seams"].contains("strain_along"));
  EXPECT_TRUE(small.json()["seams"].contains("gathered_strain_along"));
}

TEST(Trust, DepthBetweenVerticesIsSeenAndTheVerticesKeepTheirOwnFigures) {
  Small small(0.0);
  // Laid level across the edge of the box, whose top is 5 mm up: only what lies between vertices is told apart.
  for (Vec3& p : small.settled.cloth.mesh.positions) p = Vec3(p.x(), 0.0047, p.y());
  const Json depth = small.json()["penetration"];
  EXPECT_NEAR(depth["max_depth_mm"].get<double>(), 0.3, 1e-6);
  EXPECT_NEAR(depth["deepest_mm"].get<double>(), 0.3, 1e-6);
  EXPECT_EQ(depth["vertices"], small.settled.cloth.mesh.vertex_count());
  EXPECT_NEAR(depth["share"].get<double>(), 1.0, 1e-9);
  EXPECT_NEAR(depth["volume_cm3"].get<double>(), 0.03 * 20 * 20, 1e-6);
  EXPECT_FALSE(depth.contains("samples_in_proxies_too")) << "this body has no solids";
}

TEST(Trust, LineTensionStandsBesideWhatAStripOfItsLengthWeighs) {
  Small small(0.0);
  EXPECT_FALSE(small.json().contains("line_tension_n_per_m")) << "no forces were asked";
  small.settled.report.forces.tension.assign(small.settled.cloth.mesh.triangles.size(), Eigen::Matrix3d::Zero());
  small.settled.report.forces.tension[3] = Vec3(0, 12, 0).asDiagonal();
  small.fit.weight_n = 0.08, small.fit.rest_area = 0.04;  // 2 N/m2, 0.2 m tall
  const Json tension = small.json()["line_tension_n_per_m"];
  EXPECT_NEAR(tension["max"].get<double>(), 12.0, 1e-12);
  EXPECT_NEAR(tension["own_weight"].get<double>(), 0.4, 1e-9);
}

TEST(Trust, TheWorstFrameOfAMotionIsTheFirstThatCrossesMostAndKnowsWhatIsBeneath) {
  const std::vector<Vec3> lying = {Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 0, 1)};
  const std::vector<Vec3> through = {Vec3(0.2, -1, 0.2), Vec3(0.2, 1, 0.2), Vec3(5, 0.5, 5)};
  std::vector<Vec3> above = through;
  for (Vec3& p : above) p.y() += 3;
  Settled settled;
  settled.beneath.resize(1);
  settled.beneath[0].garment.cloth.mesh = {lying, {Triangle(0, 1, 2)}};
  settled.cloth.mesh = {above, {Triangle(0, 1, 2)}};
  settled.report.blown = {above, through, through, above};
  settled.report.blown_step_s = 0.25;
  settled.beneath[0].blown.assign(4, lying);
  for (const int threads : {1, 3}) {
    Executor executor(threads);
    RunContext run;
    run.executor = &executor;
    const WorstFrame worst = worst_frame(run, settled);
    EXPECT_EQ(worst.frame, 1);
    EXPECT_EQ(worst.crossings, 1);
    EXPECT_EQ(worst.looked_at, 4);
  }
  settled.report.blown_step_s = 1.0 / 30;  // every second, the last one always: 1 and 3
  EXPECT_EQ(worst_frame(RunContext(), settled).looked_at, 2);
  EXPECT_EQ(worst_frame(RunContext(), settled).frame, 1);
  settled.report.blown_step_s = 1.0 / 60;
  EXPECT_EQ(worst_frame(RunContext(), settled).looked_at, 1);
  EXPECT_EQ(worst_frame(RunContext(), settled).frame, 3);
  Small small(0.0);
  small.settled.report.blown = std::vector<std::vector<Vec3>>(2, small.settled.cloth.mesh.positions);
  small.settled.report.blown_step_s = 0.25;
  const Json motion = small.json()["motion"];
  EXPECT_EQ(motion["self_intersections_max"], 0);
  EXPECT_EQ(motion["self_intersections_max_at_s"], 0.25);
  EXPECT_FALSE(motion.contains("end_speed_p99_5_mm_per_s")) << "nobody asked how fast it was";
  EXPECT_FALSE(Small(0.0).json().contains("motion")) << "a static rest has none";
}

// ---- Whole garments of a woven

// What the specification allows, or what holds where the cut does not let it: the shirt is cut for another body and
// pulls on the bias at its armholes (0.164), the skirt's waistband is narrower than the body where it lies and
// stretches by 0.082; a T-shirt that its threads' friction holds up pulls at its armholes as well (0.0503).
struct Garment {
  const char* name;
  const char* pattern;     // of the shared data; empty: the template
  double side_max = 0.03;  // of whole sides of seams
  double strain_p99 = 0.05, strain_max = 0.10;
};
std::ostream& operator<<(std::ostream& out, const Garment& g) { return out << g.name; }

class PoplinGarment : public ::testing::TestWithParam<Garment> {};

TEST_P(PoplinGarment, HoldsTheLimitsOfSeamsDepthStretchAndMoment) {
  const Garment& g = GetParam();
  DrapeRequest request;
  PipelineInput input;
  request.body.sample = true;
  request.settings.fabric = "poplin";
  request.settings.resolution_mm = 20;
  if (*g.pattern == '\0') {
    request.garment.draft.emplace().name = g.name;
  } else {
    TRYON_NEEDS_SHARED_DATA(g.pattern);
    request.garment.file_name = "specification.json";
    input.garment_bytes = testing::read_file(testing::shared_data_path(g.pattern));
  }
  const auto drape = testing::drape_with_threads(request, 2, input);
  ASSERT_TRUE(drape.ok()) << drape.status();
  const Json m = Json::parse(drape->summary_json);
  SCOPED_TRACE(m["seams"].dump() + m["strain"].dump());
  EXPECT_TRUE(is_at_least(m["equilibrium"]["grade"].get<std::string>(), "final"));
  EXPECT_FALSE(m.contains("motion"));
  // 6.2
  EXPECT_LE(m["seams"]["mean_gap_mm"].get<double>(), 0.2);
  EXPECT_LE(m["seams"]["max_gap_mm"].get<double>(), 1.0);
  EXPECT_LE(m["seams"]["strain_along"]["side_max"].get<double>(), g.side_max);
  EXPECT_LE(m["seams"]["strain_along"]["p95"].get<double>(), std::max(g.strain_p99, g.side_max))
      << "armholes run on the bias";
  // 6.3
  EXPECT_LE(m["penetration"]["deepest_mm"].get<double>(), 0.5);
  EXPECT_LE(m["penetration"]["share"].get<double>(), 1e-3);
  EXPECT_LE(m["penetration"]["volume_cm3"].get<double>(), 1.0);
  EXPECT_EQ(m["penetration"]["samples_in_proxies_too"], 0);
  // 6.5
  for (const char* principal : {"first", "second"}) {
    EXPECT_LE(m["strain"][principal]["p50"].get<double>(), 0.01);
    EXPECT_LE(m["strain"][principal]["p99"].get<double>(), g.strain_p99);
    EXPECT_LE(m["strain"][principal]["max"].get<double>(), g.strain_max);
  }
  EXPECT_LE(m["strain"]["shear_deg"]["p99"].get<double>(), 30.0);
  EXPECT_GE(m["strain"]["area_ratio_min"].get<double>(), 0.3);
  EXPECT_LE(m["line_tension_n_per_m"]["max"].get<double>(), 50.0);
  // 6.6
  EXPECT_LE(m["contact_force"]["unbalanced_moment"].get<double>(), 2e-3);
}

INSTANTIATE_TEST_SUITE_P(
    Woven, PoplinGarment,
    ::testing::Values(Garment{"t_shirt", "", 0.03, 0.052}, Garment{"a_line_skirt", "", 0.10, 0.10, 0.15},
                      Garment{"shirt_mean", "patterns/garmentcode/shirt_mean_specification.json", 0.05, 0.05, 0.20}),
    [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace tryon
