// A rest that is told to end where the cloth crosses itself does so at once, and changes nothing where it does not.
#include "server/drape/resting.h"

#include <cmath>

#include "gtest/gtest.h"
#include "server/metrics/metrics.h"
#include "tests/support/test_panels.h"

namespace tryon {
namespace {

const Eigen::Matrix3d kFlat = Eigen::AngleAxisd(-0.5 * M_PI, Vec3::UnitX()).toRotationMatrix();

// A sheet that lies a hand above the floor, and one that stands upright in it or lies beside it.
WeldedMesh two_sheets(bool crossed) {
  Pattern pattern;
  pattern.panels = {testing::rectangle("lying", 0.3, 0.2), testing::rectangle("other", 0.2, 0.15)};
  pattern.panels[0].rotation = kFlat;
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
Rested rest(const WeldedMesh& cloth, bool while_uncrossed) {
  const auto floor = sim::make_plane_collider(Vec3::Zero(), Vec3::UnitY());
  const Fabric fabric = *fabric_by_name(kDefaultFabric);
  SettleOptions options;
  options.layers = LayerContact::kNever;
  RestGoal goal = only_rest_goal(2);
  goal.calm_steps = 12;
  goal.while_uncrossed = while_uncrossed;
  SettleReport report;
  const auto positions = come_to_rest(RunContext(), {{cloth, fabric}}, *floor, options, goal, &report);
  EXPECT_TRUE(positions.ok()) << positions.status();
  return {*positions, report.drape_steps};
}

TEST(Resting, EndsAtOnceWhereTheClothCrossesItself) {
  const WeldedMesh crossed = two_sheets(true);
  EXPECT_GT(count_self_intersections(crossed.mesh), 0);
  EXPECT_EQ(rest(crossed, true).steps, 4);
  EXPECT_GT(rest(crossed, false).steps, 4);
}

TEST(Resting, LookingForCrossingsChangesNothingWhereThereAreNone) {
  const WeldedMesh apart = two_sheets(false);
  const Rested looked = rest(apart, true), blind = rest(apart, false);
  EXPECT_EQ(looked.steps, blind.steps);
  EXPECT_EQ(looked.positions, blind.positions);
}

}  // namespace
}  // namespace tryon
