// Rests of single cloths: layers are kept apart where they are found to cross, and nothing changes where none is.
#include "server/drape/resting.h"

#include <cmath>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "server/drape/garment_source.h"
#include "server/drape/grade.h"
#include "server/drape/setup.h"
#include "server/garment/regrade.h"
#include "server/io/worn_file.h"
#include "server/metrics/metrics.h"
#include "tests/support/test_panels.h"
#include "tests/unit/drape/drape_with_threads.h"

namespace tryon {
namespace {

const Eigen::Matrix3d kFlat = Eigen::AngleAxisd(-0.5 * M_PI, Vec3::UnitX()).toRotationMatrix();

// A sheet a hand above the floor that lies, or slopes, and one that stands upright in it or lies beside it.
WeldedMesh two_sheets(bool crossed, double slope = 0.0) {
  Pattern pattern;
  pattern.panels = {testing::rectangle("lying", 0.3, 0.2), testing::rectangle("other", 0.2, 0.15)};
  pattern.panels[0].rotation = Eigen::AngleAxisd(slope, Vec3::UnitX()).toRotationMatrix() * kFlat;
  pattern.panels[0].translation = Vec3(0, 0.1, 0);
  pattern.panels[1].translation = crossed ? Vec3(0.05, 0.03, -0.107) : Vec3(0.5, 0.1, 0);
  if (!crossed) pattern.panels[1].rotation = kFlat;
  const auto garment = mesh_garment(RunContext(), pattern, 0.02);
  EXPECT_TRUE(garment.ok()) << garment.status();
  return weld(*garment, garment->placed);
}

struct Rested {
  std::vector<Vec3> positions;
  int steps = 0;
};
RestGoal short_rest(int calm_steps, LayerPlaces* places = nullptr) {
  RestGoal goal = only_rest_goal(2, SettleOptions());
  goal.calm_steps = calm_steps;
  goal.places = places;
  return goal;
}

Rested rest(const WeldedMesh& cloth, const RestGoal& goal, const std::string& solver = sim::kDefaultSolver) {
  const auto floor = sim::make_plane_collider(Vec3::Zero(), Vec3::UnitY());
  const Fabric fabric = *fabric_by_name(kDefaultFabric);
  SettleOptions options;
  options.layers = LayerContact::kNever;
  options.solver = solver;
  SettleReport report;
  const auto positions = come_to_rest(RunContext(), {{cloth, fabric}}, *floor, options, goal, &report);
  EXPECT_TRUE(positions.ok()) << positions.status();
  return {*positions, report.drape_steps};
}

// The certificate's word, and the steps until then.
TEST(Resting, ATargetOfPreviewIsReachedAndNotOverdone) {
  const WeldedMesh cloth = two_sheets(false, 0.5);
  const auto floor = sim::make_plane_collider(Vec3::Zero(), Vec3::UnitY());
  const Fabric fabric = *fabric_by_name(kDefaultFabric);
  std::vector<SettleReport> reports;
  for (const TargetGrade grade : {TargetGrade::kFinal, TargetGrade::kPreview}) {
    SettleOptions options;
    options.target_grade = grade;
    ASSERT_TRUE(come_to_rest(RunContext(), {{cloth, fabric}}, *floor, options, only_rest_goal(0, options),
                             &reports.emplace_back())
                    .ok());
    EXPECT_EQ(reports.back().termination, "settled");
  }
  EXPECT_TRUE(is_at_least(reports[0].grade, "final")) << reports[0].grade;
  EXPECT_TRUE(is_at_least(reports[1].grade, "preview")) << reports[1].grade;
  EXPECT_LE(reports[1].residual_max, kPreviewMax);
  EXPECT_FALSE(is_at_least(reports[1].grade, "final"));
  // Plain ones, at a third of the price of those with the Hessian, of which the other has most.
  EXPECT_LT(reports[1].iterations, 1.5 * reports[0].iterations);
}

TEST(Resting, LayersAreDrawnApartWhereTheyAreFoundToCross) {
  const WeldedMesh crossed = two_sheets(true);
  EXPECT_GT(count_self_intersections(crossed.mesh), 0);
  LayerPlaces places;
  const Rested rested = rest(crossed, short_rest(40, &places));
  EXPECT_FALSE(places.nowhere());
  EXPECT_EQ(count_self_intersections({rested.positions, crossed.mesh.triangles}), 0);
  EXPECT_GT(count_self_intersections({rest(crossed, short_rest(40)).positions, crossed.mesh.triangles}), 0);
}

TEST(Resting, LookingForCrossingsChangesNothingWhereThereAreNone) {
  const WeldedMesh apart = two_sheets(false);
  LayerPlaces places;
  const Rested looked = rest(apart, short_rest(12, &places)), blind = rest(apart, short_rest(12));
  EXPECT_TRUE(places.nowhere());
  EXPECT_EQ(looked.steps, blind.steps);
  EXPECT_EQ(looked.positions, blind.positions);
}

// Two steps of falling and one of calming are too few. Another solver has no plain steps to begin anew with, and what
// crosses is not helped by them.
TEST(Resting, WhatStallsWithoutCrossingRestsOnceMore) {
  const WeldedMesh apart = two_sheets(false, 0.5), crossed = two_sheets(true);
  EXPECT_EQ(rest(apart, short_rest(1)).steps, 4);
  EXPECT_EQ(rest(apart, short_rest(1), "lbfgs").steps, 3);
  EXPECT_EQ(rest(crossed, short_rest(1)).steps, 3);
}

// A trunk is deeper than the solver looks about itself: what is 80 mm deep was taken for out, and what left a lesser
// depth could come to rest there.
TEST(Resting, NothingStaysInTheMiddleOfABody) {
  const WeldedMesh apart = two_sheets(false);
  const Vec3 middle = apart.mesh.positions[0];
  constexpr double kRadius = 0.1;
  const auto ball = sim::make_solid_collider({Sphere{middle, kRadius}});
  const Fabric fabric = *fabric_by_name(kDefaultFabric);
  for (const double depth : {0.09, 0.08, 0.04, 0.01}) {
    sim::DrapeState state = worn_state({{apart, fabric}});
    const auto model = worn_model({{apart, fabric}}, SettleOptions(), false);
    ASSERT_TRUE(model.ok()) << model.status();
    state.x[0] = (middle + Vec3(0.0, kRadius - depth, 0.0)).cast<sim::Real>();
    SettleReport report;
    certify(RunContext(), *model, worn_scene({{apart, fabric}}, *ball, LayerContact::kNever), &state, &report);
    for (const auto& x : state.x) EXPECT_GE(ball->query(x.cast<double>(), 1.0).distance, -1e-3) << depth;
  }
}

TEST(WornModel, ItsThreadsHaveTheFabricsStrainLimitsWhereTheSolverTakesThem) {
  const WeldedMesh cloth = two_sheets(false);
  Fabric fabric = *fabric_by_name(kDefaultFabric);
  SettleOptions options;
  EXPECT_TRUE(worn_model({{cloth, fabric}}, options, false)->threads.limit_warp.empty()) << "it has none";
  fabric.strain_limit = {0.06, 0.3};
  const auto limited = worn_model({{cloth, fabric}}, options, false);
  ASSERT_TRUE(limited.ok()) << limited.status();
  ASSERT_EQ(limited->threads.limit_weft.size(), cloth.mesh.triangles.size());
  EXPECT_NEAR(static_cast<double>(limited->threads.limit_weft.back()), 0.3, 1e-6);
  EXPECT_NEAR(static_cast<double>(limited->threads.limit_warp.back()), 0.06, 1e-6);
  options.strain_limits = false;
  EXPECT_TRUE(worn_model({{cloth, fabric}}, options, false)->threads.limit_warp.empty());
  EXPECT_EQ(spring_fabric(fabric).limit_warp, 0) << "panels are sewn without";
}

TEST(WornModel, AWovensThreadsHoldItUpAndAKnitWithoutHysteresisBendsElastically) {
  const WeldedMesh cloth = two_sheets(false);
  const Fabric poplin = *fabric_by_name("poplin"), jersey = *fabric_by_name(kDefaultFabric);
  EXPECT_EQ(spring_fabric(poplin).bend_friction, 0.5 * poplin.bend_hysteresis);
  const auto held = [&](const std::vector<Cloth>& cloths) {
    const auto model = worn_model(cloths, {}, false);
    EXPECT_TRUE(model.ok()) << model.status();
    return model->bend_elements.moment;
  };
  const auto rubs = [](sim::Real moment) { return moment > 0; };
  const auto woven = held({{cloth, poplin}}), knit = held({{cloth, jersey}}),
             both = held({{cloth, jersey}, {cloth, poplin}});
  EXPECT_TRUE(std::all_of(woven.begin(), woven.end(), rubs));
  EXPECT_TRUE(std::none_of(knit.begin(), knit.end(), rubs));
  ASSERT_EQ(both.size(), knit.size() + woven.size());
  EXPECT_TRUE(std::none_of(both.begin(), both.begin() + static_cast<std::ptrdiff_t>(knit.size()), rubs));
  EXPECT_TRUE(std::all_of(both.begin() + static_cast<std::ptrdiff_t>(knit.size()), both.end(), rubs));
}

// A size L where an M lies: near rest a factor was positive definite by a hair, and every step took the same one and
// ended there (engine 0.23.0: none, 0.85 weights at one vertex).
TEST(Resting, AHessianThatIsNearlyIndefiniteDoesNotEndIt) {
  DrapeRequest medium = testing::template_drape("a_line_skirt", "M");
  medium.settings.resolution_mm = 15;
  medium.settings.pictures = Pictures::kNone;
  const auto drape = testing::drape_with_threads(medium, 2);
  ASSERT_TRUE(drape.ok()) << drape.status();
  const LoadedGarment source = *load_garment(RunContext(), medium.garment, PipelineInput(), Wearer());
  const GarmentMesh mesh = *mesh_garment(RunContext(), source.made.pattern, 0.015);
  const GarmentMesh large = *regraded(mesh, source.made.pattern, "L");
  const FittedPerson person = *person_to_dress(RunContext(), *load_body(RunContext(), medium.body, PipelineInput()),
                                               medium.settings.proxy_shape);
  const auto collider = make_collider(medium.settings, person);
  SettleOptions options = settle_options(medium.settings);
  options.layers = LayerContact::kNever;
  WeldedMesh cloth = weld(large, large.placed);
  cloth.mesh.positions = read_worn_file(drape->artifacts.at(kWornName).bytes)->garments.back().cloth.mesh.positions;
  const Fabric fabric = *fabric_by_name(kDefaultFabric);
  SettleReport report;
  ASSERT_TRUE(
      come_to_rest(RunContext(), {{cloth, fabric}}, *collider, options, only_rest_goal(4, options), &report).ok());
  EXPECT_NE(report.grade, "none") << report.residual_max;
}

}  // namespace
}  // namespace tryon
