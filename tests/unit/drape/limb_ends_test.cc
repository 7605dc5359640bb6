// Which limbs the cloth has closed beside.
#include "server/drape/limb_ends.h"

#include <optional>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/support/cloth_tube.h"
#include "tests/support/test_meshes.h"
#include "tests/unit/drape/limb_people.h"

namespace tryon {
namespace {

using testing::with_bent_arms, testing::woman;

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
  const std::vector<Finding> findings = limb_findings(garment, {tube(), {}, {}, {}});
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].code, "LIMB_BESIDE_CLOTH");
  EXPECT_NE(findings[0].message.find("left hand"), std::string::npos);
}

TEST(LimbEnds, AnArmThatLeavesTheTubeAboveTheElbowIsBeside) {
  GarmentMesh garment;
  garment.upper_arms = {{"left arm", Vec3(0.01, 0.5, 0.0), Vec3(0.02, 0.1, 0.0)},
                        {"right arm", Vec3(0.01, 0.5, 0.0), Vec3(0.3, 0.1, 0.0)}};
  ASSERT_EQ(beside(garment.upper_arms, tube()).size(), 1u);
  const std::vector<Finding> findings = limb_findings(garment, {tube(), {}, {}, {}});
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
  EXPECT_TRUE(limb_findings(garment, {tube(), {}, {}, {}}).empty());
  garment.head[2].x() = 0.3;
  EXPECT_TRUE(is_beside(garment.head, tube()));
  const std::vector<Finding> findings = limb_findings(garment, {tube(), {}, {}, {}});
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_NE(findings[0].message.find("the head"), std::string::npos);
  EXPECT_FALSE(is_beside(std::vector<Vec3>(), tube())) << "a body without a head";
}

// A sleeve placed round an arm that goes out and down from the shoulder, and as cloth so far beside it.
struct Sleeve {
  GarmentMesh garment;
  WeldedMesh cloth;
};
Sleeve sleeve_of_an_arm(const Vec3& beside_it) {
  Sleeve out;
  const UpperArm arm{"left arm", Vec3(0.2, 1.4, 0.0), Vec3(0.4, 1.2, 0.0)};
  const Vec3 along = (arm.elbow - arm.shoulder).normalized();
  const Eigen::Quaterniond turn = Eigen::Quaterniond::FromTwoVectors(Vec3::UnitY(), along);
  out.cloth.mesh = testing::make_tube(kSides, kRings, 0.03, 0.3, 0.5, 0.3, [](double, double) { return 0.06; }).mesh;
  out.garment.triangles = out.cloth.mesh.triangles;
  out.garment.upper_arms = {arm};
  for (Vec3& p : out.cloth.mesh.positions) {
    p = arm.shoulder + turn * p;
    out.garment.placed.push_back(p);
    out.cloth.source.push_back(static_cast<int>(out.cloth.source.size()));
    p += beside_it;
  }
  out.garment.flat.resize(out.garment.placed.size());
  out.garment.panel.resize(out.garment.placed.size(), 0);
  out.garment.panel_names = {"sleeve"};
  return out;
}

// Engine 0.44.0 called such drapes sound: nothing goes through anything.
TEST(LimbEnds, ASleeveThatHangsEmptyIsTold) {
  const Sleeve round = sleeve_of_an_arm(Vec3::Zero());
  EXPECT_EQ(sleeves_of(round.garment.upper_arms[0], round.garment).size(), round.garment.placed.size());
  EXPECT_TRUE(limb_findings(round.garment, round.cloth).empty());
  const Sleeve below = sleeve_of_an_arm(Vec3(-0.08, -0.08, 0.0)), before = sleeve_of_an_arm(Vec3(0.0, 0.0, 0.1));
  for (const Sleeve& sleeve : {below, before}) {
    const std::vector<Finding> findings = limb_findings(sleeve.garment, sleeve.cloth);
    ASSERT_EQ(findings.size(), 1u);
    EXPECT_EQ(findings[0].code, "SLEEVE_EMPTY");
    EXPECT_NE(findings[0].message.find("left arm"), std::string::npos);
  }
}

TEST(LimbEnds, OfTooLittleClothNothingIsTold) {
  Sleeve sleeve = sleeve_of_an_arm(Vec3(-0.08, -0.08, 0.0));
  const UpperArm arm = sleeve.garment.upper_arms[0];
  const std::vector<int> all = sleeves_of(arm, sleeve.garment);
  EXPECT_TRUE(hang_beside(arm, all, sleeve.cloth.mesh.positions));
  EXPECT_FALSE(hang_beside(arm, {all.begin(), all.begin() + 5}, sleeve.cloth.mesh.positions));
  for (Vec3& p : sleeve.garment.placed) p.x() -= 0.3;
  EXPECT_TRUE(sleeves_of(arm, sleeve.garment).empty()) << "what lies before the trunk is no sleeve";
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

TEST(LimbEnds, AnArmWithoutItsHandEndsAtTheWrist) {
  const FittedPerson cut = with_bent_arms(0.0);
  const std::vector<LimbEnd> ends = limb_ends(ProxyAnatomy(cut.body));
  ASSERT_EQ(ends.size(), 4u);
  EXPECT_EQ(ends[0].name, "left wrist");
  EXPECT_FALSE(ends[0].whole);
  for (const LimbEnd& end : ends)
    for (const Vec3& tip : end.tips) EXPECT_LT(cut.surface->surface(tip, 0.3).distance, 0.0) << end.name;
}

}  // namespace
}  // namespace tryon
