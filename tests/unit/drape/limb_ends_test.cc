// Hands and feet end inside their sleeves and legs.
#include "server/drape/limb_ends.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "gtest/gtest.h"
#include "server/body/body_from_measurements.h"
#include "server/drape/assemble.h"
#include "server/drape/cloth_levels.h"
#include "server/drape/cut_body.h"
#include "server/drape/grade.h"
#include "server/drape/settle.h"
#include "server/drape/setup.h"
#include "server/garment/template.h"
#include "server/metrics/metrics.h"
#include "tests/support/cloth_tube.h"
#include "tests/support/test_meshes.h"
#include "tests/unit/drape/fitted_person.h"

namespace tryon {
namespace {

constexpr int kSides = 12, kRings = 6;

// Cloth round the y axis from the floor to 0.6 m.
TriangleMesh tube() {
  return testing::make_tube(kSides, kRings, 0.0, 0.6, 0.6, 0.6, [](double, double) { return 0.1; }).mesh;
}

LimbEnd upright(double tip_x) {
  return {"left hand", Vec3(0.01, 0.5, 0.0), Vec3(0.01, 0.5, 0.0), Vec3(0.01, 0.2, 0.0), {Vec3(tip_x, 0.1, 0.0)}};
}

TEST(LimbEnds, ATubeRoundALimbIsNotGoneThrough) { EXPECT_TRUE(beside({upright(0.02)}, tube()).empty()); }

TEST(LimbEnds, AHandThatComesOutOfTheSideIsBeside) {
  const std::vector<LimbEnd> found = beside({upright(0.02), upright(0.3)}, tube());
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].tips[0].x(), 0.3);
  GarmentMesh garment;
  garment.limb_ends = {upright(0.02), upright(0.3)};
  const std::vector<Finding> findings = limb_findings(garment, tube());
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].code, "LIMB_BESIDE_CLOTH");
  EXPECT_NE(findings[0].message.find("left hand"), std::string::npos);
}

TEST(LimbEnds, AnArmThatLeavesTheTubeAboveTheElbowIsBeside) {
  GarmentMesh garment;
  garment.upper_arms = {{"left arm", Vec3(0.01, 0.5, 0.0), Vec3(0.02, 0.1, 0.0)},
                        {"right arm", Vec3(0.01, 0.5, 0.0), Vec3(0.3, 0.1, 0.0)}};
  ASSERT_EQ(beside(garment.upper_arms, tube()).size(), 1u);
  const std::vector<Finding> findings = limb_findings(garment, tube());
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].code, "LIMB_BESIDE_CLOTH");
  EXPECT_NE(findings[0].message.find("right arm"), std::string::npos);
}

TEST(LimbEnds, ALegThatLeavesTheSkirtAboveTheKneeIsBeside) {
  LimbEnd leg = upright(0.02);
  leg.root = Vec3(0.3, 0.55, 0.0);
  EXPECT_EQ(beside({leg}, tube()).size(), 1u);
}

TEST(LimbEnds, ALidOverTheTubeIsGoneThrough) {
  TriangleMesh closed = tube();
  const int middle = closed.vertex_count();
  closed.positions.emplace_back(0.0, 0.15, 0.0);
  for (int s = 0; s < kSides; ++s) closed.triangles.emplace_back(s, (s + 1) % kSides, middle);
  EXPECT_EQ(beside({upright(0.02)}, closed).size(), 1u);
}

TEST(LimbEnds, AHeadThatTheHoodHasClosedThroughIsBeside) {
  GarmentMesh garment;
  garment.head = {Vec3(0.01, 0.1, 0.0), Vec3(0.0, 0.3, 0.0), Vec3(0.02, 0.5, 0.0)};
  EXPECT_TRUE(limb_findings(garment, tube()).empty());
  garment.head[2].x() = 0.3;
  EXPECT_TRUE(is_beside(garment.head, tube()));
  const std::vector<Finding> findings = limb_findings(garment, tube());
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_NE(findings[0].message.find("the head"), std::string::npos);
  EXPECT_FALSE(is_beside(std::vector<Vec3>(), tube())) << "a body without a head";
}

const FittedPerson& woman() {
  static const FittedPerson person = [] {
    const DraftMeasurements m = *size_measurements(Figure::kWomen, "M");
    BodyTable table;
    table.figure = FigureType::kFemale;
    table.height_mm = 1680;
    table.measurements_mm = {{"bust_girth", m.bust_girth}, {"waist_girth", m.waist_girth}, {"hip_girth", m.hip_girth}};
    return testing::fitted_person(body_from_measurements(RunContext(), table)->body, true);
  }();
  return person;
}

GarmentMesh placed(const std::string& name, const std::string& size) {
  ArrangeReport arranged;
  return *assemble_garment(RunContext(), *draft_template_graded(name, Figure::kWomen, size), woman(), 0.02, &arranged);
}

Settled draped(const GarmentMesh& garment, const char* fabric = "cotton_jersey") {
  return *sew_and_settle(RunContext(), garment, *fabric_by_name(fabric), *make_collider(DrapeSettings(), woman()),
                         SettleOptions());
}

TEST(LimbEnds, HandsAndFeetOfABodyLieInIt) {
  const std::vector<LimbEnd> ends = limb_ends(ProxyAnatomy(woman().body));
  ASSERT_EQ(ends.size(), 4u);
  for (const LimbEnd& end : ends) {
    std::vector<Vec3> middles = {end.root, end.inner, end.joint};
    middles.insert(middles.end(), end.tips.begin(), end.tips.end());
    for (const Vec3& p : middles)
      EXPECT_LT(woman().surface->surface(p, 0.3).distance, 0.0)
          << p.transpose() << ": limb at " << end.joint.transpose();
  }
  EXPECT_TRUE(beside(ends, woman().skin.mesh).empty()) << "their middles leave the skin";
  const std::vector<UpperArm> arms = upper_arms(ProxyAnatomy(woman().body));
  ASSERT_EQ(arms.size(), 2u);
  EXPECT_GT(arms[0].elbow.x(), arms[0].shoulder.x());
  EXPECT_LT(arms[1].elbow.x(), arms[1].shoulder.x());
  EXPECT_TRUE(beside(arms, woman().skin.mesh).empty()) << "their middles leave the skin";
}

TEST(LimbEnds, AWayThatLeavesTheSkinEndsBefore) {
  const ClosestPointIndex ball(testing::make_ball(0.1, 24));
  const Vec3 inner(0, 0.05, 0);
  std::vector<LimbEnd> ends = {{"left foot", inner, inner, Vec3::Zero(), {Vec3(0.12, 0, 0), Vec3(0, 0, 0.05)}}};
  keep_inside(ball, &ends);
  EXPECT_NEAR(ends[0].tips[0].x(), 0.096, 1e-9);
  EXPECT_EQ(ends[0].tips[1], Vec3(0, 0, 0.05)) << "it lay inside";
}

TEST(LimbEnds, TheMiddleOfNeckAndHeadLiesInThem) {
  const std::vector<Vec3> head = head_middle(ProxyAnatomy(woman().body));
  ASSERT_EQ(head.size(), 3u);
  for (const Vec3& p : head) EXPECT_LT(woman().surface->surface(p, 0.3).distance, -0.005) << p.transpose();
  EXPECT_LT(head[0].y(), head[1].y());
  EXPECT_GT(head[2].y(), head[1].y() + 0.12);
  EXPECT_FALSE(is_beside(head, woman().skin.mesh)) << "it leaves the skin";
  const std::optional<Vec3> tip = nose(ProxyAnatomy(woman().body));
  ASSERT_TRUE(tip.has_value());
  EXPECT_LT(woman().surface->surface(*tip, 0.3).distance, 0.0) << tip->transpose();
  EXPECT_GT(tip->z(), head[2].z() + 0.05);
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

TEST(LimbEnds, SleevesTurnToTheArmsAndNothingElseDoes) {
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

TEST(LimbEnds, WhatIsPushedUpEndsAboveTheJointAndIsAsItWasAboveElbowOrKnee) {
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

TEST(LimbEnds, ArmsAreInArmholesThatStartTooLow) { expect_arms_in(placed("t_shirt", "M"), -0.1); }
TEST(LimbEnds, ArmsAreInArmholesThatStartTooHigh) { expect_arms_in(placed("tank_top", "M"), 0.15); }

// Before engine 0.43.0 three specifications for arms that are stretched out had an arm beside its sleeve on a body
// whose arms are lower.
TEST(LimbEnds, ArmsAreInSleevesThatWerePlacedForArmsStretchedOut) { expect_arms_in(with_sleeves_up(80.0), 0.0); }

TEST(LimbEnds, HandsAreInTheSleevesOfAHoodie) { expect_limbs_in("hoodie", "M"); }
TEST(LimbEnds, HandsAreInTheSleevesOfAPoplinShirt) { expect_limbs_in("shirt", "M", "poplin"); }
TEST(LimbEnds, FeetAreInLegsThatAreTooLong) { expect_limbs_in("trousers", "L"); }

// The woman without hands, as the service keeps her, her forearms turned forward by so much.
FittedPerson with_bent_arms(double degrees) {
  Body body = without_head_and_hands(woman().body);
  const ProxyAnatomy anatomy(body);
  for (const BodyPart part : {BodyPart::kLeftArm, BodyPart::kRightArm}) {
    const ArmJoints arm = anatomy.arm(part);
    const Vec3 along = (arm.wrist - arm.elbow).normalized();
    const Vec3 axis = along.cross(Vec3::UnitZ()).normalized();
    const auto bent = [&](const Vec3& p) {
      const double share = std::clamp(0.5 + (p - arm.elbow).dot(along) / 0.1, 0.0, 1.0);
      return Vec3(arm.elbow + Eigen::AngleAxisd(share * degrees * M_PI / 180.0, axis) * (p - arm.elbow));
    };
    for (const int v : anatomy.vertices(part)) body.mesh.positions[v] = bent(body.mesh.positions[v]);
    const auto wrist = body.landmarks.find(part == BodyPart::kLeftArm ? "left_wrist" : "right_wrist");
    if (wrist != body.landmarks.end()) wrist->second = bent(wrist->second);
  }
  return testing::fitted_person(std::move(body));
}

// The woman, her feet so much farther apart on either side, m.
FittedPerson with_legs_apart(double out) {
  Body body = woman().body;
  const ProxyAnatomy anatomy(body);
  for (const BodyPart part : {BodyPart::kLeftLeg, BodyPart::kRightLeg}) {
    const LegJoints leg = anatomy.leg(part);
    for (const int v : anatomy.vertices(part)) {
      Vec3& p = body.mesh.positions[v];
      const double share = std::clamp((leg.hip.y() - p.y()) / leg.hip.y(), 0.0, 1.0);
      p.x() += std::copysign(share * out, leg.hip.x());
    }
  }
  return testing::fitted_person(std::move(body), true);
}

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

TEST(LimbEnds, BentArmsWithoutHandsAreInTheirSleeves) { expect_limbs_of_in(with_bent_arms(50.0), "hoodie", "M"); }
TEST(LimbEnds, LegsThatStandWideAreInASkirt) { expect_limbs_of_in(with_legs_apart(0.2), "pleated_skirt", "S"); }

TEST(LimbEnds, AnArmWithoutItsHandEndsAtTheWrist) {
  const FittedPerson cut = with_bent_arms(0.0);
  const std::vector<LimbEnd> ends = limb_ends(ProxyAnatomy(cut.body));
  ASSERT_EQ(ends.size(), 4u);
  EXPECT_EQ(ends[0].name, "left wrist");
  EXPECT_FALSE(ends[0].whole);
  for (const LimbEnd& end : ends)
    for (const Vec3& tip : end.tips) EXPECT_LT(cut.surface->surface(tip, 0.3).distance, 0.0) << end.name;
}

TEST(LimbEnds, ASkirtSpreadsOverALegThatStandsOutsideAndNowhereElse) {
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

TEST(LimbEnds, ASleeveThatIsWrappedGoesRoundABentArm) {
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

TEST(LimbEnds, ShortSleevesAreSewnAsTheyWere) {
  GarmentMesh garment = placed("t_shirt", "M");
  const Settled settled = draped(garment);
  garment.limb_ends.clear();
  garment.upper_arms.clear();
  garment.head.clear();
  EXPECT_EQ(settled.cloth.mesh.positions, draped(garment).cloth.mesh.positions);
}

}  // namespace
}  // namespace tryon
