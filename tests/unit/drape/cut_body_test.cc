// Head and hands go, the rest stays closed, and nothing that is kept tells of what was cut off.
#include "server/drape/cut_body.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "gtest/gtest.h"
#include "server/base/units.h"
#include "server/body/mannequin.h"

namespace tryon {
namespace {

// Two cones of one profile along an axis: a neck with a head on it, or an arm with a hand.
struct Limb {
  Vec3 from, axis;
  BodySegment near, far;
  BodyPart near_part, far_part;
};

constexpr int kAround = 24, kAlong = 20;
constexpr double kLength = 0.4, kRadius = 0.05;

// A closed capsule-like tube of two segments that meet in the middle.
Body tube(const Limb& limb) {
  Body body;
  const Vec3 u = limb.axis.unitOrthogonal(), v = limb.axis.cross(u);
  for (int i = 0; i <= kAlong; ++i) {
    const double s = static_cast<double>(i) / kAlong;
    for (int k = 0; k < kAround; ++k) {
      const double a = 2 * kPi * k / kAround;
      const double wave = 0.3 * kLength / kAlong * std::sin(3 * a);  // the border of the segments is not straight
      body.mesh.positions.push_back(limb.from + (kLength * s + wave) * limb.axis +
                                    kRadius * (std::cos(a) * u + std::sin(a) * v));
      body.segment.push_back(2 * i < kAlong ? limb.near : limb.far);
      body.part.push_back(2 * i < kAlong ? limb.near_part : limb.far_part);
    }
  }
  for (int end = 0; end < 2; ++end) {
    body.mesh.positions.push_back(limb.from + end * kLength * limb.axis);
    body.segment.push_back(end == 0 ? limb.near : limb.far);
    body.part.push_back(end == 0 ? limb.near_part : limb.far_part);
  }
  const int low = (kAlong + 1) * kAround, high = low + 1;
  for (int k = 0; k < kAround; ++k) {
    const int n = (k + 1) % kAround;
    for (int i = 0; i < kAlong; ++i) {
      const int a = i * kAround + k, b = i * kAround + n, c = a + kAround, d = b + kAround;
      body.mesh.triangles.push_back({a, b, d});
      body.mesh.triangles.push_back({a, d, c});
    }
    body.mesh.triangles.push_back({low, n, k});
    body.mesh.triangles.push_back({high, kAlong * kAround + k, kAlong * kAround + n});
  }
  return body;
}

const Limb kHeadOnNeck = {{0, 1.4, 0},        Vec3::UnitY(),   BodySegment::kNeck,
                          BodySegment::kHead, BodyPart::kNeck, BodyPart::kHead};
const Limb kHandOnArm = {{0.3, 1.2, 0},
                         Vec3(1, -1, 0.2).normalized(),
                         BodySegment::kLeftLowerArm,
                         BodySegment::kLeftHand,
                         BodyPart::kLeftArm,
                         BodyPart::kLeftArm};

int open_edges(const TriangleMesh& mesh) {
  int open = 0;
  for (const EdgeUse& e : mesh_edges(mesh)) open += e.right < 0 ? 1 : 0;
  return open;
}

void expect_closed_and_sound(const Body& body) {
  EXPECT_TRUE(validate(body.mesh, "body").ok());
  EXPECT_EQ(open_edges(body.mesh), 0);
  EXPECT_GT(signed_volume(body.mesh), 0.0);
  EXPECT_EQ(body.part.size(), body.mesh.positions.size());
  EXPECT_EQ(body.segment.size(), body.mesh.positions.size());
}

TEST(CutBody, ATubeIsCutStraightAtTheBorderOfItsSegmentsAndClosed) {
  for (const Limb& limb : {kHeadOnNeck, kHandOnArm}) {
    const Body whole = tube(limb);
    ASSERT_EQ(open_edges(whole.mesh), 0);
    ASSERT_GT(signed_volume(whole.mesh), 0.0);
    const Body cut = without_head_and_hands(whole);
    expect_closed_and_sound(cut);
    double far = 0.0;
    for (const Vec3& p : cut.mesh.positions) far = std::max(far, (p - limb.from).dot(limb.axis));
    const double dome = 0.3 * kRadius;
    EXPECT_LT(far, 0.5 * kLength + dome + 1e-3) << "nothing of the far half but the dome";
    EXPECT_GT(far, 0.5 * kLength - 1.5 * kLength / kAlong + dome) << "and no more was taken than the border needs";
    EXPECT_EQ(std::count(cut.segment.begin(), cut.segment.end(), limb.far), 0);
    EXPECT_EQ(std::count(cut.part.begin(), cut.part.end(), BodyPart::kHead), 0);
  }
}

TEST(CutBody, TheDomeRisesSmoothly) {
  const Body cut = without_head_and_hands(tube(kHeadOnNeck));
  const std::vector<Vec3> normals = vertex_normals(cut.mesh);
  double least = 1.0;
  for (const EdgeUse& e : mesh_edges(cut.mesh)) {
    if (cut.mesh.positions[e.a].y() > 1.45 && cut.mesh.positions[e.b].y() > 1.45) {
      least = std::min(least, normals[e.a].dot(normals[e.b]));
    }
  }
  EXPECT_GT(least, 0.6) << "neighbouring normals turn by less than 53 degrees, at the rim of a straight tube too";
}

TEST(CutBody, WhatWasDrawnOnThePartThatWentGoesAndNumbersStay) {
  Body body = tube(kHeadOnNeck);
  body.height_m = 1.8;
  body.measurements_mm = {{"head_girth", 570.0}, {"neck_girth", 340.0}};
  MeasureCurve ring;
  for (int k = 0; k < kAround; ++k) {
    const double a = 2 * kPi * k / kAround;
    ring.points.emplace_back(kRadius * std::cos(a), 1.7, kRadius * std::sin(a));
  }
  body.curves["head_girth"] = ring;
  for (Vec3& p : ring.points) p.y() = 1.5;
  body.curves["neck_girth"] = ring;
  for (Vec3& p : ring.points) p.x() += 1.0, p.y() = 1.7;  // beyond the plane, but on something else
  body.curves["raised_arm_girth"] = ring;
  body.mesh.positions.push_back({1.0, 1.7, 0.05});
  body.part.push_back(BodyPart::kLeftArm);
  body.segment.push_back(BodySegment::kLeftUpperArm);
  const int v = body.mesh.vertex_count();
  body.mesh.positions.insert(body.mesh.positions.end(), {{1.05, 1.7, 0.0}, {1.0, 1.75, 0.0}});
  body.part.insert(body.part.end(), 2, BodyPart::kLeftArm);
  body.segment.insert(body.segment.end(), 2, BodySegment::kLeftUpperArm);
  body.mesh.triangles.push_back({v - 1, v, v + 1});
  body.landmarks = {{"crown", {0, 1.8, 0}}, {"chin", {0, 1.65, 0.05}}, {"neck_front", {0, 1.5, 0.05}}};
  const Body cut = without_head_and_hands(body);
  EXPECT_EQ(cut.measurements_mm, body.measurements_mm);
  EXPECT_EQ(cut.curves.count("head_girth"), 0u);
  EXPECT_EQ(cut.curves.count("neck_girth"), 1u);
  EXPECT_EQ(cut.curves.count("raised_arm_girth"), 1u);
  EXPECT_EQ(cut.landmarks.count("chin"), 0u);
  EXPECT_EQ(cut.landmarks.count("crown"), 1u) << "it is the height";
  EXPECT_EQ(cut.landmarks.count("neck_front"), 1u);
  EXPECT_EQ(cut.height_m, 1.8);
}

TEST(CutBody, AHeadIsCutAlongALeaningTapeThatLiesBelowTheBorder) {
  Body body = tube(kHeadOnNeck);
  const Vec3 normal = Vec3(0, 1, 0.4).normalized(), middle(0, 1.5, 0);
  MeasureCurve tape;
  for (int k = 0; k < kAround; ++k) {
    const double a = 2 * kPi * k / kAround, x = kRadius * std::cos(a), z = kRadius * std::sin(a);
    tape.points.emplace_back(x, middle.y() - z * normal.z() / normal.y(), z);
  }
  body.curves["neck_girth"] = tape;
  const Body cut = without_head_and_hands(body);
  expect_closed_and_sound(cut);
  double far = 0.0;
  for (const Vec3& p : cut.mesh.positions) far = std::max(far, (p - middle).dot(normal));
  EXPECT_LT(far, 0.008 + 0.35 * kRadius) << "nothing above the tape but 8 mm and the dome";
  EXPECT_GT(far, 0.008);
  EXPECT_EQ(cut.curves.count("neck_girth"), 1u) << "the tape itself stays";
}

TEST(CutBody, ABodyWithoutSegmentsLosesItsHeadByItsParts) {
  Body body = tube(kHeadOnNeck);
  body.segment.clear();
  const Body cut = without_head_and_hands(body);
  EXPECT_TRUE(cut.segment.empty());
  EXPECT_EQ(open_edges(cut.mesh), 0);
  EXPECT_EQ(std::count(cut.part.begin(), cut.part.end(), BodyPart::kHead), 0);
}

// On the project's own person: as on every body that the pipeline makes.
TEST(CutBody, TheMannequinLosesHeadAndHandsAndStaysOnePieceOfTheSameShapeBelow) {
  ScanOptions options;
  options.metres_per_unit = 1.0;
  options.up_axis = UpAxis::kY;
  const auto whole = make_body(RunContext{}, make_mannequin(MannequinTable{}).value(), options);
  ASSERT_TRUE(whole.ok()) << whole.status();
  const Body cut = without_head_and_hands(*whole);
  EXPECT_EQ(open_edges(cut.mesh), open_edges(whole->mesh));
  EXPECT_EQ(connected_components(cut.mesh).second, connected_components(whole->mesh).second);
  EXPECT_LT(bounds(cut.mesh).max().y(), 0.92 * whole->height_m);
  EXPECT_GT(bounds(cut.mesh).max().y(), 0.80 * whole->height_m);
  EXPECT_NEAR(bounds(cut.mesh).min().y(), 0.0, 1e-9);
  if (!whole->segment.empty()) {
    const double span = bounds(whole->mesh).sizes().x() - bounds(cut.mesh).sizes().x();
    EXPECT_GT(span, 0.10) << "both hands";
    EXPECT_LT(span, 0.50);
  }
}

}  // namespace
}  // namespace tryon
