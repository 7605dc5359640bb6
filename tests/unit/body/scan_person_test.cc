// The same person, however the scan was taken.
#include "server/body/scan_person.h"

#include "server/base/status.h"
#include "server/body/complete.h"
#include "server/body/scan_cloud.h"
#include "tests/unit/body/body_fixtures.h"
#include "tests/unit/body/remesh.h"
#include "tests/unit/body/scan_damage.h"

namespace tryon {
namespace {

using testing::as_points;
using testing::body_of;
using testing::decimated;
using testing::joined;
using testing::make_ball;
using testing::make_box;
using testing::make_cloth_sheet;
using testing::mannequin_mesh;
using testing::motion;
using testing::moved;
using testing::with_hole;
using testing::with_noise;

constexpr const char* kGirths[] = {"bust_girth", "under_bust_girth", "waist_girth", "hip_girth"};

MannequinTable large_man() {
  MannequinTable table;
  table.height = 1820, table.neck_girth = 400, table.shoulder_width = 460, table.bust_girth = 1080;
  table.under_bust_girth = 1000, table.waist_girth = 960, table.hip_girth = 1060, table.thigh_girth = 610;
  table.inside_leg = 840, table.arm_length = 640, table.arm_angle_deg = 30;
  return table;
}

void expect_same_person(const Body& body, const Body& known, double height, double girths) {
  EXPECT_NEAR(body.height_m / known.height_m, 1.0, height);
  for (const char* name : kGirths) {
    ASSERT_TRUE(body.measurements_mm.count(name) && known.measurements_mm.count(name)) << name;
    EXPECT_NEAR(body.measurements_mm.at(name) / known.measurements_mm.at(name), 1.0, girths) << name;
  }
}

std::string reason(const absl::Status& status) {
  const auto detail = error_detail(status);
  return detail ? detail->reason : "none";
}

TEST(ScanPerson, TurnedMovedAndRescaledItIsTheSamePerson) {
  for (const MannequinTable& table : {MannequinTable(), large_man()}) {
    const TriangleMesh mesh = mannequin_mesh(table);
    const Body known = body_of(mesh);
    const Eigen::Affine3d ways[] = {
        motion(1000, 90, Vec3::UnitX(), {500, 0, 20}), motion(100, 67, Vec3::UnitY(), {0, 3, 0}),
        motion(10, -90, Vec3::UnitX(), {1, 1, 1}), motion(1, 180, Vec3::UnitY(), {0.02, 0, 0.1}),
        motion(1, 90, Vec3::UnitZ(), {9, 9, 9})};
    for (const Eigen::Affine3d& way : ways) expect_same_person(body_of(moved(mesh, way)), known, 0.0005, 0.005);
  }
}

TEST(ScanPerson, CoarserItIsTheSamePerson) {
  const TriangleMesh mesh = mannequin_mesh();
  const Body known = body_of(mesh);
  const TriangleMesh coarse = decimated(mesh, 10000);
  ASSERT_LE(coarse.vertex_count(), 5100);
  const Body body = body_of(coarse);
  EXPECT_NEAR(body.height_m / known.height_m, 1.0, 0.005);
  for (const char* name : {"bust_girth", "waist_girth", "hip_girth"}) {  // the level below the bust is less sharp
    EXPECT_NEAR(body.measurements_mm.at(name) / known.measurements_mm.at(name), 1.0, 0.005) << name;
  }
}

TEST(ScanPerson, WithAMillimetreOfNoiseItIsTheSamePerson) {
  const TriangleMesh mesh = mannequin_mesh();
  const Body noisy = body_of(with_noise(mesh, 0.001));
  expect_same_person(noisy, body_of(mesh), 0.005, 0.01);
  ASSERT_FALSE(noisy.source.healed.empty());
  EXPECT_NE(noisy.source.healed.back().find("smoothed noise"), std::string::npos);
}

TEST(ScanPerson, WithHolesOfAFewPercentItIsTheSamePerson) {
  const TriangleMesh mesh = mannequin_mesh();
  const Body known = body_of(mesh);
  TriangleMesh torn = mesh;
  for (const Vec3& at : {Vec3(0, 1.25, 0.12), Vec3(0.09, 0.95, -0.13), Vec3(-0.12, 0.6, 0.05), Vec3(0.1, 0.02, 0.05),
                         Vec3(0.02, 1.6, -0.1), Vec3(-0.1, 1.05, -0.1)}) {
    torn = with_hole(torn, at, 0.055);
  }
  EXPECT_GT(surface_area(torn), 0.95 * surface_area(mesh));
  EXPECT_LT(surface_area(torn), 0.985 * surface_area(mesh));
  const Body body = body_of(torn);
  expect_same_person(body, known, 0.005, 0.01);
  EXPECT_NEAR(body.source.filled_ratio, 1.0 - surface_area(torn) / surface_area(mesh), 0.01);
  for (const EdgeUse& edge : mesh_edges(body.mesh)) ASSERT_GE(edge.right, 0);
  EXPECT_NEAR(signed_volume(body.mesh) / signed_volume(mesh), 1.0, 0.01);
}

TEST(ScanPerson, AmongFurnitureOnAFloorItIsTheSamePerson) {
  const TriangleMesh mesh = mannequin_mesh();
  TriangleMesh room = joined(mesh, make_cloth_sheet(3, 3, 50));
  room = joined(room, moved(make_box({0.4, 0.5, 0.4}, 10), motion(1, 0, Vec3::UnitY(), {0.9, 0.25, 0})));
  room = joined(room, moved(make_ball(0.1, 10), motion(1, 0, Vec3::UnitY(), {-0.8, 1.2, 0.4})));
  expect_same_person(body_of(room), body_of(mesh), 0.0005, 0.0005);
}

TEST(ScanPerson, MirroredTheNumbersStayAndTheSidesSwap) {
  TriangleMesh mesh = mannequin_mesh();
  for (Vec3& p : mesh.positions) p.x() += p.x() > 0 ? 0.05 * p.x() : 0.0;  // a person is not quite symmetrical
  TriangleMesh mirror = mesh;
  for (Vec3& p : mirror.positions) p.x() = -p.x();
  for (Triangle& t : mirror.triangles) std::swap(t[1], t[2]);
  const Body a = body_of(mesh), b = body_of(mirror);
  expect_same_person(b, a, 1e-6, 0.002);
  for (const auto& [name, place] : a.landmarks) {
    if (!name.starts_with("left_")) continue;
    const Vec3 other = b.landmarks.at("right_" + name.substr(5));
    EXPECT_NEAR(place.y(), other.y(), 0.012) << name;
    EXPECT_NEAR(place.x(), -other.x(), 0.012) << name;
  }
}

TEST(ScanPerson, PointsOnAFloorAmongPropsAreThePersonAlone) {
  const TriangleMesh mesh = mannequin_mesh();
  TriangleMesh room = joined(moved(mesh, motion(1, 0, Vec3::UnitY(), {0, 0.002, 0})), make_cloth_sheet(2, 2, 50));
  room = joined(room, moved(make_box({0.3, 0.4, 0.3}, 10), motion(1, 0, Vec3::UnitY(), {0.9, 0.4, 0})));
  PointCloud cloud = as_points(moved(room, motion(1000, 90, Vec3::UnitX(), Vec3::Zero())), 10.0);
  for (int i = 0; i < 200; ++i) {
    cloud.positions.push_back(900 * Vec3(std::sin(3.1 * i), std::sin(7.7 * i), 1 + std::sin(1.3 * i)));
  }
  const auto person = find_person_in_cloud({}, {}, cloud);
  ASSERT_TRUE(person.ok()) << person.status();
  EXPECT_EQ(person->source.unit, "mm");
  EXPECT_EQ(person->source.up_axis, "+z");
  EXPECT_EQ(person->source.facing, "-y");
  EXPECT_TRUE(person->on_floor);
  const Box3 box = bounds_of(person->cloud.positions), truth = bounds(mesh);
  EXPECT_NEAR(box.max().y(), truth.max().y(), 0.006);
  EXPECT_NEAR(box.min().y(), 0.0, 0.006);
  EXPECT_NEAR(box.sizes().x(), truth.sizes().x(), 0.02) << "no prop, no stray";
}

TEST(ScanPerson, PointsOfTwoPersonsAreRefused) {
  const TriangleMesh mesh = mannequin_mesh();
  const PointCloud two = as_points(joined(mesh, moved(mesh, motion(1, 0, Vec3::UnitY(), {2.0, 0, 0}))), 0.01);
  EXPECT_EQ(reason(find_person_in_cloud({}, {}, two).status()), "BODY_SEVERAL_PERSONS");
}

// Their hands touch: the points are one group, with two heads and four legs.
TEST(ScanPerson, PointsOfTwoPersonsHandInHandAreRefusedAsTwo) {
  const TriangleMesh mesh = mannequin_mesh();
  for (double apart : {1.4, 1.2, 0.9}) {
    const PointCloud two = as_points(joined(mesh, moved(mesh, motion(1, 0, Vec3::UnitY(), {apart, 0, 0}))), 0.01);
    EXPECT_EQ(reason(find_person_in_cloud({}, {}, two).status()), "BODY_SEVERAL_PERSONS") << apart;
  }
}

TEST(ScanPerson, ReportsItsStagesInOrder) {
  std::vector<std::string> stages;
  RunContext run;
  run.on_progress = [&stages](const Progress& p) {
    if (stages.empty() || stages.back() != p.stage) stages.push_back(p.stage);
  };
  ASSERT_TRUE(make_body(run, mannequin_mesh(), ScanOptions()).ok());
  EXPECT_EQ(stages, (std::vector<std::string>{"orient", "heal", "segment", "measure"}));
}

TEST(ScanPerson, ThingsAndFewPointsAreRefusedAsPoints) {
  EXPECT_EQ(reason(find_person_in_cloud({}, {}, as_points(make_box({1, 1, 1}, 40), 0.02)).status()), "BODY_NOT_HUMAN");
  EXPECT_EQ(reason(find_person_in_cloud({}, {}, as_points(make_ball(0.8, 60), 0.02)).status()), "BODY_NOT_HUMAN");
  EXPECT_EQ(reason(find_person_in_cloud({}, {}, as_points(testing::make_chair(), 0.01)).status()), "BODY_NOT_HUMAN");
  PointCloud few = as_points(mannequin_mesh(), 1.0);
  few.positions.resize(300);
  EXPECT_EQ(reason(find_person_in_cloud({}, {}, few).status()), "BODY_TOO_FEW_POINTS");
}

std::vector<Vec3> without(const std::vector<Vec3>& points, bool (*gone)(const Vec3&)) {
  std::vector<Vec3> out;
  for (const Vec3& p : points) {
    if (!gone(p)) out.push_back(p);
  }
  return out;
}

TEST(Complete, MissingBackAndFrontAreNamed) {
  const std::vector<Vec3> whole = as_points(mannequin_mesh(), 0.01).positions;
  EXPECT_TRUE(check_all_round(whole).ok());
  const absl::Status back = check_all_round(without(whole, [](const Vec3& p) { return p.z() < 0.0; }));
  EXPECT_EQ(reason(back), "BODY_PARTIAL");
  EXPECT_NE(back.message().find("the back"), absl::string_view::npos) << back;
  const absl::Status front = check_all_round(without(whole, [](const Vec3& p) { return p.z() > 0.0; }));
  EXPECT_NE(front.message().find("the front"), absl::string_view::npos) << front;
}

TEST(Complete, WholePersonNeedsNothing) {
  EXPECT_TRUE(mirror_missing(as_points(mannequin_mesh(), 0.01)).regions.empty());
}

TEST(Complete, MissingForearmIsBroughtFromTheOtherSide) {
  PointCloud whole = as_points(mannequin_mesh(), 0.008);
  PointCloud torn;
  torn.positions = without(whole.positions, [](const Vec3& p) { return p.x() > 0.36; });
  ASSERT_LT(torn.positions.size(), whole.positions.size());
  const Mirrored made = mirror_missing(torn);
  ASSERT_EQ(made.regions.size(), 1u);
  EXPECT_EQ(made.regions[0], "the left forearm");
  const PointGrid truth(whole.positions, 0.02);
  for (const Vec3& p : made.points.positions) EXPECT_LT(truth.nearest(p, 0.02), 0.012);
  const PointGrid added(made.points.positions, 0.03);
  for (const Vec3& p : whole.positions) {
    if (p.x() > 0.40) {
      EXPECT_TRUE(added.any_near(p, 0.03));
    }
  }
}

TEST(Complete, HalfAHeadIsBroughtFromTheOtherSide) {
  PointCloud torn;
  torn.positions = without(as_points(mannequin_mesh(), 0.008).positions,
                           [](const Vec3& p) { return p.x() < -0.005 && p.y() > 1.5; });
  const Mirrored made = mirror_missing(torn);
  ASSERT_EQ(made.regions.size(), 1u);
  EXPECT_EQ(made.regions[0], "the right half of the head");
}

TEST(Complete, ArmsHeldDifferentlyAreNotMirrored) {
  PointCloud cloud = as_points(mannequin_mesh(), 0.01);
  for (Vec3& p : cloud.positions) {
    if (p.x() > 0.25) p.z() += 0.5 * (p.x() - 0.25);
  }
  EXPECT_TRUE(mirror_missing(cloud).regions.empty());
}

}  // namespace
}  // namespace tryon
