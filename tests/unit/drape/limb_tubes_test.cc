// Hands and feet end inside their sleeves and legs: tubes that have closed beside a limb are placed anew and sewn
// again.
#include "server/drape/limb_tubes.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "server/drape/assemble.h"
#include "server/drape/cloth_levels.h"
#include "server/drape/grade.h"
#include "server/drape/limb_ends.h"
#include "server/drape/settle.h"
#include "server/drape/setup.h"
#include "server/garment/template.h"
#include "server/metrics/metrics.h"
#include "tests/unit/drape/limb_people.h"

namespace tryon {
namespace {

using testing::placed, testing::with_bent_arms, testing::with_legs_apart, testing::woman;

Settled draped(const GarmentMesh& garment, const char* fabric = "cotton_jersey") {
  return *sew_and_settle(RunContext(), garment, *fabric_by_name(fabric), *make_collider(DrapeSettings(), woman()),
                         SettleOptions());
}

// The sleeves of a T-shirt, turned up round the shoulders as for arms that are stretched out.
GarmentMesh with_sleeves_up(double degrees) {
  GarmentMesh garment = placed("t_shirt", "M");
  for (const UpperArm& arm : garment.upper_arms) {
    const double side = arm.elbow.x() > arm.shoulder.x() ? 1.0 : -1.0;
    const Eigen::AngleAxisd turn(side * degrees * M_PI / 180.0, Vec3::UnitZ());
    for (int v = 0; v < garment.vertex_count(); ++v) {
      if (garment.panel_names[garment.panel[v]].find("sleeve") == std::string::npos) continue;
      if (side * garment.placed[v].x() > 0.0)
        garment.placed[v] = arm.shoulder + turn * (garment.placed[v] - arm.shoulder);
    }
  }
  return garment;
}

TEST(LimbTubes, SleevesTurnToTheArmsAndNothingElseDoes) {
  const GarmentMesh before = with_sleeves_up(60.0);
  GarmentMesh garment = before;
  for (const UpperArm& arm : garment.upper_arms) turn_sleeves_to(arm, &garment);
  for (const UpperArm& arm : garment.upper_arms) {
    Vec3 middle = Vec3::Zero();
    for (int v = 0; v < garment.vertex_count(); ++v) {
      const bool sleeve = garment.panel_names[garment.panel[v]].find("sleeve") != std::string::npos;
      if (!sleeve) {
        EXPECT_EQ(garment.placed[v], before.placed[v]);
      }
      if (sleeve && (garment.placed[v].x() > 0.0) == (arm.elbow.x() > 0.0)) middle += garment.placed[v] - arm.shoulder;
    }
    EXPECT_GT(middle.normalized().dot((arm.elbow - arm.shoulder).normalized()), 0.999);
  }
}

TEST(LimbTubes, WhatIsPushedUpEndsAboveTheJointAndIsAsItWasAboveElbowOrKnee) {
  const GarmentMesh garment = placed("leggings", "L");
  ASSERT_EQ(garment.limb_ends.size(), 4u);
  const LimbEnd foot = garment.limb_ends[2];
  GarmentMesh pushed = garment;
  push_up(foot, {0.07}, *make_collider(DrapeSettings(), woman()), &pushed);
  double lowest_before = 1.0, lowest = 1.0;
  int same = 0, shorter = 0;
  for (int v = 0; v < garment.vertex_count(); ++v) {
    const bool moved = pushed.flat[v] != garment.flat[v];
    (moved ? shorter : same) += 1;
    if (garment.placed[v].x() * foot.joint.x() < 0.0) {  // the other leg
      EXPECT_FALSE(moved);
      continue;
    }
    if (garment.placed[v].y() > foot.inner.y() + 0.02) {
      EXPECT_LT((pushed.flat[v] - garment.flat[v]).norm(), 2e-3);
    }
    lowest_before = std::min(lowest_before, garment.placed[v].y());
    lowest = std::min(lowest, pushed.placed[v].y());
  }
  EXPECT_GT(shorter, 100);
  EXPECT_GT(same, 100);
  EXPECT_LT(lowest_before, foot.joint.y());
  EXPECT_NEAR(lowest, foot.joint.y() + 0.07, 0.01);
}

TEST(LimbTubes, ASkirtSpreadsOverALegThatStandsOutsideAndNowhereElse) {
  const FittedPerson person = with_legs_apart(0.25);
  ArrangeReport arranged;
  const GarmentMesh before = *assemble_garment(
      RunContext(), *draft_template_graded("straight_skirt", Figure::kWomen, "S"), person, 0.02, &arranged);
  GarmentMesh garment = before;
  const LimbEnd& left = garment.limb_ends[2];
  ASSERT_TRUE(spread_over(left, &garment));
  double widest = 0.0, lowest = 1.0;
  for (int v = 0; v < garment.vertex_count(); ++v) lowest = std::min(lowest, garment.placed[v].y());
  for (int v = 0; v < garment.vertex_count(); ++v) {
    const Vec3 &was = before.placed[v], &is = garment.placed[v];
    if (was.y() > left.root.y() || was.x() * left.root.x() < 0.0) {
      EXPECT_EQ(is, was);
    }
    if (is.y() < lowest + 0.02) widest = std::max(widest, is.x() * (left.root.x() > 0.0 ? 1.0 : -1.0));
  }
  const double share = (left.root.y() - lowest) / (left.root.y() - left.inner.y());
  EXPECT_GT(widest, std::abs(left.root.x() + share * (left.inner.x() - left.root.x())));
}

TEST(LimbTubes, ASleeveThatIsWrappedGoesRoundABentArm) {
  const FittedPerson person = with_bent_arms(60.0);
  ArrangeReport arranged;
  GarmentMesh garment =
      *assemble_garment(RunContext(), *draft_template_graded("hoodie", Figure::kWomen, "M"), person, 0.02, &arranged);
  const LimbEnd& end = garment.limb_ends[0];
  ASSERT_TRUE(push_up(end, {}, *make_collider(DrapeSettings(), person), &garment));
  TriangleMesh bridges;  // across its open seam
  bridges.positions = garment.placed;
  for (const Seam& seam : garment.seams) {
    for (size_t k = 1; k < seam.left.size(); ++k) {
      bridges.triangles.emplace_back(seam.left[k - 1], seam.right[k - 1], seam.left[k]);
      bridges.triangles.emplace_back(seam.left[k], seam.right[k - 1], seam.right[k]);
    }
  }
  EXPECT_FALSE(is_beside(end, bridges));
  TriangleMesh cloth{garment.placed, garment.triangles};
  EXPECT_FALSE(is_beside(end, cloth));
}

// An arm that hangs by the side of who wears a skirt.
LimbEnd hanging_arm() {
  const Vec3 elbow(0.26, 1.1, 0.0), wrist(0.3, 0.9, 0.02);
  return {"left hand", elbow, elbow, wrist, {Vec3(0.32, 0.78, 0.04)}, true};
}

TEST(LimbTubes, ASkirtIsDrawnInFromAnArmThatHangsInItAndNowhereElse) {
  const GarmentMesh before = placed("circle_skirt", "M");
  GarmentMesh garment = before;
  const LimbEnd arm = hanging_arm();
  ASSERT_TRUE(draw_in_from(arm, &garment));
  int moved = 0;
  for (int v = 0; v < garment.vertex_count(); ++v) {
    const Vec3 &was = before.placed[v], &is = garment.placed[v];
    EXPECT_EQ(is.y(), was.y());
    EXPECT_EQ(is.z(), was.z());
    if (was.x() <= 0.0) {
      EXPECT_EQ(is.x(), was.x());
    } else if (is.y() > arm.tips[0].y() && is.y() < arm.inner.y()) {
      EXPECT_LT(is.x(), arm.tips[0].x() - 0.05);
    }
    EXPECT_LE(is.x(), std::max(was.x(), 0.0) + 1e-12);
    moved += is != was;
  }
  EXPECT_GT(moved, 30);
  EXPECT_EQ(garment.flat, before.flat);
  EXPECT_FALSE(draw_in_from(arm, &garment)) << "it is drawn in already";
  GarmentMesh shirt = placed("t_shirt", "M");
  EXPECT_FALSE(draw_in_from(arm, &shirt)) << "a shirt has sleeves for it";
}

TEST(LimbTubes, TrouserLegsAreNoSleevesOfAnArmThatHangsBesideThem) {
  GarmentMesh garment = placed("trousers", "L");
  garment.limb_ends[0] = hanging_arm();
  const GarmentMesh before = garment;
  EXPECT_FALSE(push_up(garment.limb_ends[0], {0.07}, *make_collider(DrapeSettings(), woman()), &garment));
  EXPECT_EQ(garment.placed, before.placed);
}

// Before engine 0.41.0 36 of 165 templates in S, M and L on five people had a hand or a foot come out of the side of
// its tube, which closed beside it.
void expect_limbs_in(const std::string& name, const std::string& size, const char* fabric = "cotton_jersey") {
  GarmentMesh garment = placed(name, size);
  const Settled settled = draped(garment, fabric);
  EXPECT_TRUE(beside(garment.limb_ends, settled.cloth.mesh).empty());
  EXPECT_TRUE(is_at_least(settled.report.grade, "final"));
  EXPECT_EQ(count_self_intersections(settled.cloth.mesh), 0);
  const std::vector<LimbEnd> ends = garment.limb_ends;
  garment.limb_ends.clear();
  EXPECT_FALSE(beside(ends, draped(garment, fabric).cloth.mesh).empty()) << "it would have done without";
}

// Before engine 0.42.0 five of 75 specifications, most of them with collars and hoods that hid where the shoulders of
// the rest were, had an arm come through a panel beside its armhole.
void expect_arms_in(GarmentMesh garment, double higher) {
  for (Vec3& p : garment.placed) p.y() += higher;
  const Settled settled = draped(garment);
  EXPECT_TRUE(beside(garment.upper_arms, settled.cloth.mesh).empty());
  EXPECT_TRUE(is_at_least(settled.report.grade, "final"));
  EXPECT_EQ(count_self_intersections(settled.cloth.mesh), 0);
  const std::vector<UpperArm> arms = garment.upper_arms;
  garment.upper_arms.clear();
  EXPECT_FALSE(beside(arms, draped(garment).cloth.mesh).empty()) << "it would have done without";
}

TEST(LimbTubes, ArmsAreInArmholesThatStartTooLow) { expect_arms_in(placed("t_shirt", "M"), -0.1); }
TEST(LimbTubes, ArmsAreInArmholesThatStartTooHigh) { expect_arms_in(placed("tank_top", "M"), 0.15); }

// Before engine 0.43.0 three specifications for arms that are stretched out had an arm beside its sleeve on a body
// whose arms are lower.
TEST(LimbTubes, ArmsAreInSleevesThatWerePlacedForArmsStretchedOut) { expect_arms_in(with_sleeves_up(80.0), 0.0); }

TEST(LimbTubes, HandsAreInTheSleevesOfAHoodie) { expect_limbs_in("hoodie", "M"); }
TEST(LimbTubes, HandsAreInTheSleevesOfAPoplinShirt) { expect_limbs_in("shirt", "M", "poplin"); }
TEST(LimbTubes, FeetAreInLegsThatAreTooLong) { expect_limbs_in("trousers", "L"); }

// Before engine 0.44.0 thin limbs went between the corners of coarse triangles while panels were drawn shut, and still
// do where no bone is in the way.
void expect_limbs_of_in(const FittedPerson& person, const char* name, const char* size) {
  ArrangeReport arranged;
  const GarmentMesh garment =
      *assemble_garment(RunContext(), *draft_template_graded(name, Figure::kWomen, size), person, 0.03, &arranged);
  const auto collider = make_collider(DrapeSettings(), person);
  const Fabric fabric = *fabric_by_name("cotton_jersey");
  const SettleOptions options;
  const Settled settled = *sew_and_settle(RunContext(), garment, fabric, *collider, options);
  EXPECT_TRUE(beside(garment.limb_ends, settled.cloth.mesh).empty());
  EXPECT_TRUE(is_at_least(settled.report.grade, "final"));
  EXPECT_EQ(count_self_intersections(settled.cloth.mesh), 0);
  const ClothLevels levels = *ClothLevels::build(garment, options.coarsest);
  const Sewn sewn = *sew_panels(RunContext(), levels.open_panels(), fabric, *collider, options);
  const TriangleMesh without = levels.welded(levels.count() - 1, levels.sewn(sewn.positions)).mesh;
  EXPECT_FALSE(beside(garment.limb_ends, without).empty()) << "it would have done without";
}

TEST(LimbTubes, HandsThatHangInACircleSkirtAreOutsideIt) {
  expect_limbs_of_in(testing::with_arms_lowered(32.0), "circle_skirt", "M");
}
TEST(LimbTubes, BentArmsWithoutHandsAreInTheirSleeves) { expect_limbs_of_in(with_bent_arms(50.0), "hoodie", "M"); }
TEST(LimbTubes, LegsThatStandWideAreInASkirt) { expect_limbs_of_in(with_legs_apart(0.2), "pleated_skirt", "S"); }

TEST(LimbTubes, ShortSleevesAreSewnAsTheyWere) {
  GarmentMesh garment = placed("t_shirt", "M");
  const Settled settled = draped(garment);
  garment.limb_ends.clear();
  garment.upper_arms.clear();
  garment.head.clear();
  EXPECT_EQ(settled.cloth.mesh.positions, draped(garment).cloth.mesh.positions);
}

}  // namespace
}  // namespace tryon
