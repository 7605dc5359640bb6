#include "server/body/segment.h"

#include "tests/unit/body/body_fixtures.h"

namespace tryon {
namespace {

using testing::body_of;
using testing::known_bodies;
using testing::KnownBody;
using testing::mannequin_mesh;
using testing::part_counts;
using testing::read_obj;
using testing::shared_data_path;

double part_area(const Body& body, BodyPart part) {
  double area = 0.0;
  for (int t = 0; t < body.mesh.triangle_count(); ++t) {
    const Triangle& tri = body.mesh.triangles[t];
    for (int k = 0; k < 3; ++k) {
      if (body.part[tri[k]] == part) area += triangle_normal(body.mesh, t).norm() / 6.0;
    }
  }
  return area;
}

void expect_mirrored_areas(const Body& body, double tolerance) {
  EXPECT_NEAR(part_area(body, BodyPart::kLeftArm) / part_area(body, BodyPart::kRightArm), 1.0, tolerance);
  EXPECT_NEAR(part_area(body, BodyPart::kLeftLeg) / part_area(body, BodyPart::kRightLeg), 1.0, tolerance);
}

TEST(Segment, EveryKnownBodyHasAllPartsAlikeOnBothSides) {
  FOR_EACH_KNOWN_BODY(known) {
    const Body body = body_of(read_obj(shared_data_path(known.file)));
    for (int count : part_counts(body)) EXPECT_GT(count, 50);
    const bool torn = std::string(known.file).find("holes") != std::string::npos;  // an armpit is missing
    expect_mirrored_areas(body, torn ? 0.12 : 0.05);
  }
}

TEST(Segment, LeftIsThePersonsLeft) {
  const Body body = body_of(mannequin_mesh());
  for (int v = 0; v < body.mesh.vertex_count(); ++v) {
    const double x = body.mesh.positions[v].x();
    const bool left = body.part[v] == BodyPart::kLeftArm || body.part[v] == BodyPart::kLeftLeg;
    const bool right = body.part[v] == BodyPart::kRightArm || body.part[v] == BodyPart::kRightLeg;
    EXPECT_FALSE((left && x < -1e-9) || (right && x > 1e-9)) << "vertex " << v;
  }
  expect_mirrored_areas(body, 0.02);
}

// One piece each: a hand that hangs beside the thigh is arm to its tip, and no crumb of arm lies on the chest.
TEST(Segment, EveryPartOfEveryKnownBodyHangsTogether) {
  FOR_EACH_KNOWN_BODY(known) {
    if (std::string(known.file).find("holes") != std::string::npos) continue;  // torn into islands by its holes
    const Body body = body_of(read_obj(shared_data_path(known.file)));
    for (int part = 0; part < kBodyPartCount; ++part) {
      TriangleMesh piece;
      piece.positions = body.mesh.positions;
      for (const Triangle& t : body.mesh.triangles) {
        int inside = 0;
        for (int k = 0; k < 3; ++k) inside += body.part[t[k]] == static_cast<BodyPart>(part);
        if (inside >= 1) piece.triangles.push_back(t);
      }
      EXPECT_EQ(connected_components(piece).second, 1) << body_part_name(static_cast<BodyPart>(part));
    }
  }
}

TEST(Segment, HandsBelongToTheArmsWhereverTheyHang) {
  FOR_EACH_KNOWN_BODY(known) {
    const Body body = body_of(read_obj(shared_data_path(known.file)));
    int left = 0, right = 0;
    for (int v = 1; v < body.mesh.vertex_count(); ++v) {
      if (body.mesh.positions[v].x() > body.mesh.positions[left].x()) left = v;
      if (body.mesh.positions[v].x() < body.mesh.positions[right].x()) right = v;
    }
    EXPECT_EQ(body.part[left], BodyPart::kLeftArm);
    EXPECT_EQ(body.part[right], BodyPart::kRightArm);
  }
}

TEST(Segment, LevelsOfEveryKnownBodyRiseInOrder) {
  FOR_EACH_KNOWN_BODY(known) {
    const Body body = body_of(read_obj(shared_data_path(known.file)));
    const auto found = segment_body(body.mesh);
    ASSERT_TRUE(found.ok());
    const BodyLevels& at = found->levels;
    EXPECT_GT(at.crotch, 0.42 * at.height);
    EXPECT_LT(at.crotch, 0.52 * at.height);
    for (int side = 0; side < 2; ++side) {
      EXPECT_GT(at.arm[side].pit_y, 0.70 * at.height);
      EXPECT_GT(at.arm[side].top_y, at.arm[side].pit_y + 0.03 * at.height);
      EXPECT_LT(at.arm[side].top_y, at.neck_bottom + 0.01 * at.height);
    }
    EXPECT_LT(at.neck_bottom, at.neck_narrow);
    EXPECT_LT(at.neck_narrow, at.neck_top);
    EXPECT_LT(at.neck_top, 0.90 * at.height);
  }
}

TEST(Segment, MirroredBodySwapsItsSides) {
  TRYON_NEEDS_SHARED_DATA("bodies/garmentcode/mean_all.obj");
  const TriangleMesh mesh = read_obj(shared_data_path("bodies/garmentcode/mean_all.obj"));
  const Eigen::Affine3d mirror(Eigen::Scaling(-1.0, 1.0, 1.0));
  const Body plain = body_of(mesh), mirrored = body_of(testing::moved(mesh, mirror));
  auto swapped = [](BodyPart part) {
    switch (part) {
      case BodyPart::kLeftArm:
        return BodyPart::kRightArm;
      case BodyPart::kRightArm:
        return BodyPart::kLeftArm;
      case BodyPart::kLeftLeg:
        return BodyPart::kRightLeg;
      case BodyPart::kRightLeg:
        return BodyPart::kLeftLeg;
      default:
        return part;
    }
  };
  int other = 0;
  for (size_t v = 0; v < plain.part.size(); ++v) other += mirrored.part[v] != swapped(plain.part[v]);
  EXPECT_LE(other, static_cast<int>(plain.part.size() / 1000));
  for (const char* name : {"wrist", "shoulder", "armpit", "knee"}) {
    const Vec3 left = plain.landmarks.at(std::string("left_") + name);
    const Vec3 right = mirrored.landmarks.at(std::string("right_") + name);
    EXPECT_NEAR((mirror * left - right).norm(), 0.0, 0.004) << name;
  }
}

}  // namespace
}  // namespace tryon
