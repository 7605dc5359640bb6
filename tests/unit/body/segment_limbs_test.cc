#include "server/body/segment_limbs.h"

#include <array>

#include "server/base/status.h"
#include "server/base/text.h"
#include "tests/unit/body/body_fixtures.h"
#include "tests/unit/body/clean_bodies.h"

namespace tryon {
namespace {

using testing::body_of;
using testing::clean_body_files;
using testing::mannequin_mesh;
using testing::read_clean_body;

std::array<double, kBodySegmentCount> segment_areas(const Body& body) {
  std::array<double, kBodySegmentCount> area{};
  for (int t = 0; t < body.mesh.triangle_count(); ++t) {
    for (int k = 0; k < 3; ++k) {
      area[static_cast<size_t>(body.segment[body.mesh.triangles[t][k]])] += triangle_normal(body.mesh, t).norm() / 6;
    }
  }
  return area;
}

int pieces_of(const Body& body, BodySegment segment) {
  TriangleMesh piece;
  piece.positions = body.mesh.positions;
  for (const Triangle& t : body.mesh.triangles) {
    if (body.segment[t[0]] == segment || body.segment[t[1]] == segment || body.segment[t[2]] == segment) {
      piece.triangles.push_back(t);
    }
  }
  return connected_components(piece).second;
}

void expect_all_segments(const Body& body) {
  ASSERT_EQ(body.segment.size(), body.mesh.positions.size());
  const auto area = segment_areas(body);
  const double whole = surface_area(body.mesh);
  for (int s = 0; s < kBodySegmentCount; ++s) {
    const auto segment = static_cast<BodySegment>(s);
    EXPECT_GT(area[s], 0.008 * whole) << body_segment_name(segment);
    EXPECT_EQ(pieces_of(body, segment), 1) << body_segment_name(segment);
  }
  for (int s = static_cast<int>(BodySegment::kLeftUpperArm); s < kBodySegmentCount; s += 2) {
    EXPECT_NEAR(area[s] / area[s + 1], 1.0, 0.14) << body_segment_name(static_cast<BodySegment>(s));
  }
}

TEST(SegmentLimbs, EveryCleanBodyHasAllFifteenAlikeOnBothSides) {
  TRYON_NEEDS_SHARED_DATA("bodies");
  for (const std::string& file : clean_body_files()) {
    SCOPED_TRACE(file);
    expect_all_segments(body_of(read_clean_body(file)));
  }
}

TEST(SegmentLimbs, GeneratedBodiesOfAllSizesAndArmAnglesHaveAllFifteen) {
  int made = 0;
  for (double angle : {10.0, 45.0, 62.0}) {
    for (double size : {0.85, 1.0, 1.12}) {
      SCOPED_TRACE(cat("angle ", angle, " size ", size));
      MannequinTable table;
      table.arm_angle_deg = angle;
      for (double MannequinTable::*length : {&MannequinTable::height, &MannequinTable::arm_length,
                                             &MannequinTable::inside_leg, &MannequinTable::shoulder_width}) {
        table.*length *= size;
      }
      auto mesh = make_mannequin(table);
      if (!mesh.ok()) continue;  // some tables contradict themselves
      expect_all_segments(body_of(*mesh));
      ++made;
    }
  }
  EXPECT_GE(made, 4);
}

TEST(SegmentLimbs, SegmentsKeepToTheirParts) {
  const Body body = body_of(mannequin_mesh());
  for (size_t v = 0; v < body.part.size(); ++v) {
    const std::string segment(body_segment_name(body.segment[v]));
    const bool left = body.part[v] == BodyPart::kLeftArm || body.part[v] == BodyPart::kLeftLeg;
    const bool right = body.part[v] == BodyPart::kRightArm || body.part[v] == BodyPart::kRightLeg;
    ASSERT_EQ(segment.rfind("left_", 0) == 0, left) << segment;
    ASSERT_EQ(segment.rfind("right_", 0) == 0, right) << segment;
  }
}

// Hands hang below wrists and feet stand on the floor.
TEST(SegmentLimbs, HandsEndTheArmsAndFeetTheLegs) {
  const Body body = body_of(mannequin_mesh());
  const Vec3 tip = body.landmarks.at("left_fingertip");
  for (size_t v = 0; v < body.segment.size(); ++v) {
    const Vec3& p = body.mesh.positions[v];
    if ((p - tip).norm() < 1e-9) {
      EXPECT_EQ(body.segment[v], BodySegment::kLeftHand);
    }
    if (p.y() < 1e-3) {
      EXPECT_TRUE(body.segment[v] == BodySegment::kLeftFoot || body.segment[v] == BodySegment::kRightFoot);
    }
  }
}

// A hand grown together with the thigh below and the arm above: a sane answer or a refusal by name.
TEST(SegmentLimbs, HandFusedWithTheThighIsRefusedByName) {
  TRYON_NEEDS_SHARED_DATA("bodies");
  TriangleMesh mesh = read_clean_body("makehuman/mh_f_young_plus_armsdown_mm_zup.stl");
  const Body apart = body_of(mesh);
  // Join the nearest pair of vertices of left hand and left thigh by a thin bridge of two triangles.
  int hand = -1, thigh = -1;
  double nearest = 1e300;
  for (int a = 0; a < apart.mesh.vertex_count(); ++a) {
    if (apart.segment[a] != BodySegment::kLeftHand) continue;
    for (int b = 0; b < apart.mesh.vertex_count(); ++b) {
      const bool other = apart.part[b] == BodyPart::kTorso || apart.part[b] == BodyPart::kLeftLeg;
      const double d = (apart.mesh.positions[a] - apart.mesh.positions[b]).norm();
      if (other && d < nearest) nearest = d, hand = a, thigh = b;
    }
  }
  ASSERT_GE(thigh, 0);
  TriangleMesh fused = apart.mesh;
  for (int t = 0; t < apart.mesh.triangle_count(); ++t) {
    const Triangle tri = apart.mesh.triangles[t];
    if (tri[0] == hand) fused.triangles.push_back({hand, tri[1], thigh});
  }
  const auto body = make_body({}, fused, {});
  if (body.ok()) {
    EXPECT_GT(segment_areas(*body)[static_cast<size_t>(BodySegment::kLeftHand)], 0.005);
  } else {
    EXPECT_EQ(error_detail(body.status())->reason, "BODY_NOT_HUMAN") << body.status().message();
  }
}

}  // namespace
}  // namespace tryon
