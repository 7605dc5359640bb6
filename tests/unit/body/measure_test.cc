#include "server/body/measure.h"

#include <sstream>

#include "tests/unit/body/body_fixtures.h"

namespace tryon {
namespace {

using testing::body_of;
using testing::known_bodies;
using testing::KnownBody;
using testing::mannequin_mesh;
using testing::motion;
using testing::moved;
using testing::read_file;
using testing::read_obj;
using testing::shared_data_path;

const char* const kGirths[] = {"neck_girth",  "bust_girth",      "under_bust_girth", "waist_girth",
                               "hip_girth",   "thigh_girth",     "knee_girth",       "calf_girth",
                               "ankle_girth", "upper_arm_girth", "elbow_girth",      "wrist_girth"};
const char* const kLengths[] = {"height",       "shoulder_width",  "arm_length", "inside_leg_height",
                                "waist_height", "bust_height",     "hip_height", "crotch_height",
                                "neck_height",  "shoulder_height", "back_length"};
const char* const kMiddlePoints[] = {"crown", "neck_front", "neck_back", "waist", "hip", "crotch"};
const char* const kSidePoints[] = {"neck_side", "shoulder", "armpit", "bust", "knee", "ankle", "elbow", "wrist"};

std::map<std::string, double> tailor_table(const std::string& path) {  // key -> mm
  std::map<std::string, double> table;
  std::istringstream in(read_file(path));
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    std::string key;
    double cm = 0;
    if (words >> key >> cm && key.back() == ':') table[key.substr(0, key.size() - 1)] = 10 * cm;
  }
  return table;
}

TEST(Measure, GirthsAgreeWithTheTailorsTable) {
  TRYON_NEEDS_SHARED_DATA("bodies/garmentcode/mean_all.yaml");
  for (const char* name : {"mean_all", "mean_female", "mean_all_tpose"}) {
    const std::string stem = std::string("bodies/garmentcode/") + name;
    const Body body = body_of(read_obj(shared_data_path(stem + ".obj")));
    auto table = tailor_table(shared_data_path(stem + ".yaml"));
    const std::pair<const char*, const char*> girths[] = {{"bust_girth", "bust"},
                                                          {"under_bust_girth", "underbust"},
                                                          {"waist_girth", "waist"},
                                                          {"hip_girth", "hips"},
                                                          {"thigh_girth", "leg_circ"}};
    for (const auto& [ours, theirs] : girths) {
      EXPECT_NEAR(body.measurements_mm.at(ours) / table.at(theirs), 1.0, 0.015) << name << " " << ours;
    }
    EXPECT_NEAR(body.measurements_mm.at("wrist_girth") / table.at("wrist"), 1.0, 0.05) << name;
    const bool raised = body.pose == Pose::kT;  // its table is the A-pose's; see measure_reference_test.cc
    EXPECT_NEAR(body.measurements_mm.at("shoulder_width") / table.at("shoulder_w"), 1.0, raised ? 0.11 : 0.03) << name;
    EXPECT_NEAR(body.measurements_mm.at("neck_height"), table.at("height") - table.at("head_l"), 8) << name;
    EXPECT_NEAR(body.measurements_mm.at("bust_height"),
                table.at("height") - table.at("head_l") - table.at("vert_bust_line"), 15)
        << name;
    EXPECT_NEAR(body.arm_angle_deg, 0.1 * table.at("arm_pose_angle"), 2.0) << name;
  }
}

TEST(Measure, ArmLengthOfAnAPoseAgreesWithTheTailorsTable) {
  TRYON_NEEDS_SHARED_DATA("bodies/garmentcode/mean_all.yaml");
  for (const char* name : {"mean_all", "mean_female"}) {
    const std::string stem = std::string("bodies/garmentcode/") + name;
    const Body body = body_of(read_obj(shared_data_path(stem + ".obj")));
    auto table = tailor_table(shared_data_path(stem + ".yaml"));
    EXPECT_NEAR(body.measurements_mm.at("arm_length") / table.at("arm_length"), 1.0, 0.03) << name;
  }
}

TEST(Measure, EveryKnownBodyHasEveryMeasurementAndLandmark) {
  FOR_EACH_KNOWN_BODY(known) {
    const Body body = body_of(read_obj(shared_data_path(known.file)));
    for (const char* name : kGirths) {
      ASSERT_TRUE(body.measurements_mm.count(name)) << name;
      EXPECT_GT(body.measurements_mm.at(name), 60) << name;
      EXPECT_LT(body.measurements_mm.at(name), 1300) << name;
    }
    for (const char* name : kLengths) EXPECT_TRUE(body.measurements_mm.count(name)) << name;
    for (const char* name : kMiddlePoints) {
      ASSERT_TRUE(body.landmarks.count(name)) << name;
      EXPECT_LT(std::abs(body.landmarks.at(name).x()), 0.03) << name;
    }
    for (const std::string name : kSidePoints) {
      ASSERT_TRUE(body.landmarks.count("left_" + name) && body.landmarks.count("right_" + name)) << name;
      EXPECT_GT(body.landmarks.at("left_" + name).x(), 0.01) << name;
      EXPECT_LT(body.landmarks.at("right_" + name).x(), -0.01) << name;
    }
  }
}

TEST(Measure, LandmarksStandInTheOrderOfABody) {
  FOR_EACH_KNOWN_BODY(known) {
    const Body body = body_of(read_obj(shared_data_path(known.file)));
    auto y = [&](const char* name) { return body.landmarks.at(name).y(); };
    const char* const falling[] = {"crown", "neck_back", "left_shoulder", "left_armpit", "left_bust",
                                   "waist", "hip",       "crotch",        "left_knee",   "left_ankle"};
    for (size_t i = 1; i < std::size(falling); ++i) {
      EXPECT_GT(y(falling[i - 1]), y(falling[i])) << falling[i - 1] << " over " << falling[i];
    }
    EXPECT_GT(y("neck_back"), y("neck_front"));
    EXPECT_GT(body.landmarks.at("neck_front").z(), body.landmarks.at("neck_back").z() + 0.06);
  }
}

// The same figure in A-pose and T-pose: a tape round the trunk does not see the arms.
TEST(Measure, TrunkGirthsDoNotDependOnThePose) {
  TRYON_NEEDS_SHARED_DATA("bodies/garmentcode/mean_all.obj");
  const Body a = body_of(read_obj(shared_data_path("bodies/garmentcode/mean_all.obj")));
  const Body t = body_of(read_obj(shared_data_path("bodies/garmentcode/mean_all_tpose.obj")));
  for (const char* name : {"bust_girth", "under_bust_girth", "waist_girth", "hip_girth", "thigh_girth", "neck_girth"}) {
    EXPECT_NEAR(a.measurements_mm.at(name) / t.measurements_mm.at(name), 1.0, 0.015) << name;
  }
  // Raised arms bring the shoulder points together: the template's own vertices by 8 %.
  EXPECT_LT(t.measurements_mm.at("shoulder_width"), a.measurements_mm.at("shoulder_width"));
  EXPECT_GT(t.measurements_mm.at("shoulder_width"), 0.88 * a.measurements_mm.at("shoulder_width"));
}

void expect_same_girths(const Body& a, const Body& b, double tolerance) {
  for (const char* name : kGirths) {
    EXPECT_NEAR(a.measurements_mm.at(name) / b.measurements_mm.at(name), 1.0, tolerance) << name;
  }
}

TEST(Measure, UnitPlaceAndTurnLeaveGirthsAsTheyAre) {
  const TriangleMesh mesh = mannequin_mesh();
  const Body plain = body_of(mesh);
  expect_same_girths(plain, body_of(moved(mesh, motion(1000, 90, Vec3::UnitX(), {50, -900, 33}))), 0.005);
  expect_same_girths(plain, body_of(moved(mesh, motion(1, 30, Vec3::UnitY(), {0, 0, 0}))), 0.005);
  expect_same_girths(plain, body_of(moved(mesh, motion(100, 217, Vec3::UnitY(), {500, 20, -300}))), 0.005);
}

TEST(Measure, TurnOfARealBodyLeavesGirthsAsTheyAre) {
  TRYON_NEEDS_SHARED_DATA("bodies/smpl/f_smpl_average_A40.obj");
  const TriangleMesh mesh = read_obj(shared_data_path("bodies/smpl/f_smpl_average_A40.obj"));
  const Body plain = body_of(mesh);
  expect_same_girths(plain, body_of(moved(mesh, motion(1000, 90, Vec3::UnitX(), {50, -900, 33}))), 0.005);
  expect_same_girths(plain, body_of(moved(mesh, motion(1, 180, Vec3::UnitY(), {1, 2, 3}))), 0.005);
}

TEST(Measure, MannequinMeasuresWhatItWasMadeFrom) {
  const MannequinTable table;
  const Body body = body_of(mannequin_mesh(table));
  const std::pair<const char*, double> girths[] = {
      {"bust_girth", table.bust_girth}, {"waist_girth", table.waist_girth}, {"hip_girth", table.hip_girth}};
  for (const auto& [name, made] : girths) EXPECT_NEAR(body.measurements_mm.at(name) / made, 1.0, 0.02) << name;
  EXPECT_NEAR(body.measurements_mm.at("height"), table.height, 1);
  EXPECT_NEAR(body.arm_angle_deg, table.arm_angle_deg, 5);
}

}  // namespace
}  // namespace tryon
