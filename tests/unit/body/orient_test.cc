#include "server/body/orient.h"

#include "server/base/status.h"
#include "tests/unit/body/body_fixtures.h"

namespace tryon {
namespace {

using testing::body_of;
using testing::known_bodies;
using testing::KnownBody;
using testing::mannequin_mesh;
using testing::motion;
using testing::moved;
using testing::read_obj;
using testing::shared_data_path;

std::string reason(const absl::Status& status) {
  const auto detail = error_detail(status);
  return detail ? detail->reason : "none";
}

TEST(Orient, EveryKnownBodyStandsOnTheFloorInMetres) {
  FOR_EACH_KNOWN_BODY(known) {
    const Body body = body_of(read_obj(shared_data_path(known.file)));
    EXPECT_EQ(body.source.unit, known.unit);
    EXPECT_EQ(body.source.up_axis, known.up);
    EXPECT_FALSE(body.source.declared_unit || body.source.declared_up);
    EXPECT_NEAR(body.height_m / known.height_m, 1.0, 0.005);
    EXPECT_NEAR(bounds(body.mesh).min().y(), 0.0, 1e-9);
    EXPECT_EQ(body.pose, known.pose);
  }
}

TEST(Orient, EveryKnownBodyFacesForward) {
  FOR_EACH_KNOWN_BODY(known) {
    const Body body = body_of(read_obj(shared_data_path(known.file)));
    double nose = -1, nape = 1;
    for (const Vec3& p : body.mesh.positions) {
      if (p.y() > 0.06 * body.height_m) continue;
      nose = std::max(nose, p.z());
      nape = std::min(nape, p.z());
    }
    const double ankle = 0.5 * (body.landmarks.at("left_ankle").z() + body.landmarks.at("right_ankle").z());
    EXPECT_GT(nose - ankle, 1.3 * (ankle - nape)) << "toes must point to +Z";
  }
}

TEST(Orient, CanonicalFileKeepsItsPlaceAcrossTheFloor) {
  const TriangleMesh mesh = mannequin_mesh();
  const Body body = body_of(mesh);
  EXPECT_EQ(body.source.shift_m.x(), 0.0);
  EXPECT_EQ(body.source.shift_m.z(), 0.0);
  ASSERT_EQ(body.mesh.vertex_count(), mesh.vertex_count());
  for (int v = 0; v < mesh.vertex_count(); v += 97) {
    EXPECT_EQ(body.mesh.positions[v].x(), mesh.positions[v].x());
    EXPECT_EQ(body.mesh.positions[v].z(), mesh.positions[v].z());
  }
}

TEST(Orient, GarmentCodeBodiesKeepTheirPlace) {
  TRYON_NEEDS_SHARED_DATA("bodies/garmentcode/mean_all.obj");
  for (const char* file : {"mean_all.obj", "mean_female.obj", "mean_all_tpose.obj"}) {
    const Body body = body_of(read_obj(shared_data_path(std::string("bodies/garmentcode/") + file)));
    EXPECT_EQ(body.source.shift_m.x(), 0.0) << file;
    EXPECT_EQ(body.source.shift_m.z(), 0.0) << file;
  }
}

TEST(Orient, FileFarFromItsOriginIsCentred) {
  const Body body = body_of(moved(mannequin_mesh(), motion(1, 0, Vec3::UnitY(), {3, -7, 2})));
  const Body at_home = body_of(mannequin_mesh());
  EXPECT_NEAR(body.landmarks.at("waist").x(), 0.0, 0.01);
  EXPECT_NEAR(body.landmarks.at("waist").z(), 0.0, 0.03);
  EXPECT_NEAR(body.height_m, at_home.height_m, 1e-9);
}

TEST(Orient, EveryUpAxisAndUnitIsFound) {
  const TriangleMesh mesh = mannequin_mesh();
  struct Case {
    double turn;
    Vec3 about;
    const char* up;
  };
  const Case cases[] = {{0, Vec3::UnitX(), "+y"},   {180, Vec3::UnitX(), "-y"}, {90, Vec3::UnitX(), "+z"},
                        {-90, Vec3::UnitX(), "-z"}, {-90, Vec3::UnitZ(), "+x"}, {90, Vec3::UnitZ(), "-x"}};
  const std::pair<double, const char*> units[] = {{1000, "mm"}, {100, "cm"}, {10, "dm"}, {1, "m"}};
  for (const Case& c : cases) {
    for (const auto& [scale, unit] : units) {
      const Body body = body_of(moved(mesh, motion(scale, c.turn, c.about, Vec3(0.4, -2, 9) * scale)));
      EXPECT_EQ(body.source.up_axis, c.up);
      EXPECT_EQ(body.source.unit, unit) << c.up;
      EXPECT_NEAR(body.height_m, 1.68, 0.01) << c.up;
    }
  }
}

TEST(Orient, DeclaredUnitAndAxisAreTaken) {
  ScanOptions options;
  options.metres_per_unit = 0.9;
  options.up_axis = UpAxis::kY;
  const Body body = body_of(mannequin_mesh(), options);
  EXPECT_EQ(body.source.unit, "custom");
  EXPECT_TRUE(body.source.declared_unit && body.source.declared_up);
  EXPECT_NEAR(body.height_m, 0.9 * 1.68, 0.01);
}

TEST(Orient, WrongDeclaredUnitIsRefusedByHeight) {
  ScanOptions options;
  options.metres_per_unit = 0.01;
  const auto body = make_body({}, mannequin_mesh(), options);
  EXPECT_EQ(reason(body.status()), "BODY_HEIGHT_OUT_OF_RANGE");
}

TEST(Orient, GiantIsRefusedByHeight) {
  const auto body = make_body({}, moved(mannequin_mesh(), motion(2, 0, Vec3::UnitY(), Vec3::Zero())), {});
  EXPECT_EQ(reason(body.status()), "BODY_HEIGHT_OUT_OF_RANGE");
}

TEST(Orient, WrongDeclaredAxisIsRefused) {
  ScanOptions options;
  options.up_axis = UpAxis::kX;
  EXPECT_EQ(reason(make_body({}, mannequin_mesh(), options).status()), "BODY_LYING_DOWN");
}

TEST(Orient, FacingIsFoundAndReportedInTheFilesFrame) {
  const std::pair<double, const char*> turns[] = {{0, "+z"}, {90, "+x"}, {180, "-z"}, {-90, "-x"}};
  const Body home = body_of(mannequin_mesh());
  for (const auto& [degrees, facing] : turns) {
    const Body body = body_of(moved(mannequin_mesh(), motion(1, degrees, Vec3::UnitY(), Vec3::Zero())));
    EXPECT_EQ(body.source.facing, facing);
    EXPECT_NEAR(body.landmarks.at("left_ankle").x(), home.landmarks.at("left_ankle").x(), 0.005) << facing;
  }
}

TEST(Orient, PersonTurnedBetweenTheAxesLooksAheadAllTheSame) {
  const Body home = body_of(mannequin_mesh());
  for (double degrees : {13.0, 31.0, 45.0, 77.0, 200.0}) {
    const Body body = body_of(moved(mannequin_mesh(), motion(1, degrees, Vec3::UnitY(), Vec3::Zero())));
    for (const char* name : {"bust_girth", "waist_girth", "hip_girth"}) {
      EXPECT_NEAR(body.measurements_mm.at(name) / home.measurements_mm.at(name), 1.0, 0.005) << name << " " << degrees;
    }
  }
}

TEST(Orient, LeanOfTwelveDegreesIsStraightened) {
  const Body home = body_of(mannequin_mesh());
  for (const Vec3& about : {Vec3(1, 0, 0), Vec3(0, 0, 1), Vec3(0.7071, 0, -0.7071)}) {
    for (double degrees : {-12.0, 7.0, 12.0, 15.0}) {
      const Body body = body_of(moved(mannequin_mesh(), motion(1, degrees, about.normalized(), Vec3::Zero())));
      EXPECT_NEAR(body.height_m / home.height_m, 1.0, 0.005) << about.transpose() << " " << degrees;
      for (const char* name : {"waist_girth", "hip_girth"}) {
        EXPECT_NEAR(body.measurements_mm.at(name) / home.measurements_mm.at(name), 1.0, 0.01) << name << " " << degrees;
      }
    }
  }
}

TEST(Orient, LeanOfFortyDegreesIsRefused) {
  const auto body = make_body({}, moved(mannequin_mesh(), motion(1, 40, Vec3::UnitX(), Vec3::Zero())), {});
  EXPECT_EQ(reason(body.status()), "BODY_LYING_DOWN");
}

TEST(Orient, DeclaredFacingWinsAndAnImpossibleOneIsRefused) {
  ScanOptions options;
  options.facing = "-z";
  const Body turned = body_of(mannequin_mesh(), options);
  EXPECT_TRUE(turned.source.declared_facing);
  EXPECT_EQ(turned.source.facing, "-z");
  options.facing = "+x";
  EXPECT_EQ(reason(make_body({}, mannequin_mesh(), options).status()), "BODY_DECLARATION_CONTRADICTED");
  options.facing = "+y";
  EXPECT_EQ(reason(make_body({}, mannequin_mesh(), options).status()), "BODY_DECLARATION_CONTRADICTED");
  options.facing = "north";
  EXPECT_EQ(reason(make_body({}, mannequin_mesh(), options).status()), "SETTING_OUT_OF_RANGE");
}

TEST(Orient, DeclaredPoseWinsNearTheBoundAndAnImpossibleOneIsRefused) {
  ScanOptions options;
  const Body found = body_of(mannequin_mesh(), options);
  EXPECT_EQ(found.pose, Pose::kA);
  EXPECT_FALSE(found.source.declared_pose);
  options.pose = Pose::kT;
  const auto refused = make_body({}, mannequin_mesh(), options);
  EXPECT_EQ(reason(refused.status()), "BODY_DECLARATION_CONTRADICTED");
  EXPECT_EQ(error_detail(refused.status())->field, "scan.pose");
  options.pose = Pose::kArmsDown;
  EXPECT_EQ(reason(make_body({}, mannequin_mesh(), options).status()), "BODY_DECLARATION_CONTRADICTED");
  MannequinTable steep;
  steep.arm_angle_deg = 62.0;
  const Body declared = body_of(mannequin_mesh(steep), options);
  EXPECT_EQ(body_of(mannequin_mesh(steep)).pose, Pose::kA);
  EXPECT_EQ(declared.pose, Pose::kArmsDown);
  EXPECT_TRUE(declared.source.declared_pose);
}

TEST(Orient, InchesAreTakenWhereDeclared) {
  ScanOptions options;
  options.metres_per_unit = 0.0254;
  const Body body = body_of(moved(mannequin_mesh(), motion(1 / 0.0254, 0, Vec3::UnitY(), Vec3::Zero())), options);
  EXPECT_EQ(body.source.unit, "custom");
  EXPECT_NEAR(body.height_m, 1.68, 0.01);
}

}  // namespace
}  // namespace tryon
