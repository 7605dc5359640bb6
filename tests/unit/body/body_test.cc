#include "server/body/body.h"

#include "server/base/status.h"
#include "tests/unit/body/body_fixtures.h"

namespace tryon {
namespace {

using testing::body_of;
using testing::joined;
using testing::make_ball;
using testing::make_box;
using testing::make_chair;
using testing::make_cloth_sheet;
using testing::make_cylinder;
using testing::mannequin_mesh;
using testing::motion;
using testing::moved;
using testing::read_obj;
using testing::shared_data_path;

void expect_refused(const TriangleMesh& mesh, const std::string& reason) {
  const auto body = make_body({}, mesh, {});
  ASSERT_FALSE(body.ok());
  const auto detail = error_detail(body.status());
  ASSERT_TRUE(detail.has_value());
  EXPECT_EQ(detail->reason, reason);
  EXPECT_FALSE(detail->remedy.empty());
}

bool said(const Body& body, const std::string& words) {
  for (const std::string& line : body.source.healed) {
    if (line.find(words) != std::string::npos) return true;
  }
  return false;
}

TEST(Body, ThingsThatAreNoPeopleAreRefused) {
  expect_refused(make_box({1, 1, 1}, 20), "BODY_NOT_HUMAN");
  expect_refused(make_ball(0.8, 40), "BODY_NOT_HUMAN");
  expect_refused(make_cylinder(0.2, 1.7, 40, 60), "BODY_NOT_HUMAN");
  expect_refused(make_cloth_sheet(1.8, 0.9, 40), "BODY_NOT_HUMAN");
}

TEST(Body, ChairIsRefusedWholeOrInPieces) { expect_refused(make_chair(), "BODY_NOT_HUMAN"); }

TEST(Body, LegsWithoutAHeadAreRefused) {
  TriangleMesh mesh = mannequin_mesh();
  TriangleMesh legs;
  legs.positions = mesh.positions;
  for (const Triangle& t : mesh.triangles) {
    if (mesh.positions[t[0]].y() < 1.0) legs.triangles.push_back(t);
  }
  expect_refused(legs, "BODY_PARTIAL");
}

TEST(Body, TooFewPointsAreNamed) {
  expect_refused(make_box({0.5, 1.7, 0.3}, 3), "BODY_TOO_FEW_POINTS");
  TriangleMesh points;
  points.positions = mannequin_mesh().positions;
  expect_refused(points, "BODY_TOO_FEW_POINTS");
}

TEST(Body, StrayPiecesAreLeftOutAndReported) {
  const TriangleMesh person = mannequin_mesh();
  const TriangleMesh hat = moved(make_ball(0.08, 12), motion(1, 0, Vec3::UnitY(), {0.3, 1.7, 0}));
  const Body body = body_of(joined(hat, person));
  EXPECT_EQ(body.mesh.vertex_count(), person.vertex_count());
  EXPECT_TRUE(said(body, "left out 1 separate piece"));
}

TEST(Body, HeadphonesAreLeftOutAndReported) {
  TRYON_NEEDS_SHARED_DATA("bodies/smpl/f_smpl_template_headphones_cm.obj");
  const Body body = body_of(read_obj(shared_data_path("bodies/smpl/f_smpl_template_headphones_cm.obj")));
  EXPECT_EQ(body.mesh.vertex_count(), 6890);
  EXPECT_TRUE(said(body, "left out 2 separate pieces"));
}

TEST(Body, TwoPersonsSideBySideAreRefused) {
  const TriangleMesh person = mannequin_mesh();
  expect_refused(joined(person, moved(person, motion(1, 0, Vec3::UnitY(), {1.2, 0, 0}))), "BODY_SEVERAL_PERSONS");
  expect_refused(joined(person, moved(person, motion(0.8, 0, Vec3::UnitY(), {0, 0, 0.9}))), "BODY_SEVERAL_PERSONS");
}

TEST(Body, PersonLyingOnAFloorNeedsADeclaredAxis) {
  const TriangleMesh lying = moved(mannequin_mesh(), motion(1, -90, Vec3::UnitX(), Vec3::Zero()));
  const double low = bounds(lying).min().y();
  const TriangleMesh scan = joined(lying, moved(make_cloth_sheet(3, 3, 40), motion(1, 0, Vec3::UnitY(), {0, low, 0})));
  expect_refused(scan, "BODY_LYING_DOWN");
  ScanOptions options;
  options.up_axis = UpAxis::kZ;
  const Body body = body_of(scan, options);
  EXPECT_NEAR(body.height_m, 1.68, 0.01);
  EXPECT_TRUE(body.source.declared_up);
}

TEST(Body, FloorThatIsOnePieceWithTheFeetIsCutOff) {
  const TriangleMesh person = mannequin_mesh();
  TriangleMesh scan = joined(person, make_cloth_sheet(1.6, 1.6, 60));
  int lowest = 0;
  for (int v = 0; v < person.vertex_count(); ++v) {
    if (person.positions[v].y() < person.positions[lowest].y()) lowest = v;
  }
  const int middle = person.vertex_count() + 61 * 30 + 30;
  scan.triangles.emplace_back(lowest, middle, middle + 1);  // one triangle ties them together
  const auto body = make_body({}, scan, {});
  ASSERT_TRUE(body.ok()) << body.status();
  EXPECT_NEAR(body->height_m, 1.68, 0.02);
}

TEST(Body, FloorLargerThanThePersonIsLeftOut) {
  const TriangleMesh person = mannequin_mesh();
  const Body body = body_of(joined(make_cloth_sheet(3, 3, 40), person));
  EXPECT_EQ(body.mesh.vertex_count(), person.vertex_count());
}

TEST(Body, HelpersRoundTheMakeHumanBaseAreLeftOut) {
  TRYON_NEEDS_SHARED_DATA("bodies/makehuman/base_with_helpers.obj");
  const Body body = body_of(read_obj(shared_data_path("bodies/makehuman/base_with_helpers.obj")));
  EXPECT_EQ(body.mesh.vertex_count(), 13380);
  EXPECT_NEAR(body.height_m, 1.666, 0.008);
}

TEST(Body, InsideOutPersonIsTurned) {
  TriangleMesh mesh = mannequin_mesh();
  for (Triangle& t : mesh.triangles) std::swap(t[1], t[2]);
  const Body body = body_of(mesh);
  EXPECT_GT(signed_volume(body.mesh), 0.03);
  EXPECT_TRUE(said(body, "turned all triangles outward"));
}

TEST(Body, PatchOfFlippedTrianglesIsTurnedBack) {
  const TriangleMesh mesh = mannequin_mesh();
  TriangleMesh spoilt = mesh;
  for (size_t t = 300; t < 700; ++t) std::swap(spoilt.triangles[t][1], spoilt.triangles[t][2]);
  const Body body = body_of(spoilt);
  EXPECT_TRUE(said(body, "turned 400 triangles to agree with their neighbours"));
  EXPECT_NEAR(signed_volume(body.mesh), signed_volume(mesh), 1e-9);
}

TEST(Body, ScanWithHolesIsClosedAndItsHolesAreReported) {
  TRYON_NEEDS_SHARED_DATA("bodies/scans/scanmesh_f_plus_holes_cm_zup.obj");
  const Body body = body_of(read_obj(shared_data_path("bodies/scans/scanmesh_f_plus_holes_cm_zup.obj")));
  EXPECT_TRUE(said(body, "to agree with their neighbours"));
  EXPECT_TRUE(said(body, "filled"));
  EXPECT_TRUE(said(body, "smoothed noise"));
  EXPECT_GT(body.source.filled_ratio, 0.01);
  EXPECT_LT(body.source.filled_ratio, 0.06);
  for (const EdgeUse& edge : mesh_edges(body.mesh)) ASSERT_GE(edge.right, 0);
}

TEST(Body, HealthyBodyNeedsNoHealing) { EXPECT_TRUE(body_of(mannequin_mesh()).source.healed.empty()); }

TEST(Body, BadIndexIsRefusedByName) {
  TriangleMesh mesh = mannequin_mesh();
  mesh.triangles[5][1] = mesh.vertex_count();
  EXPECT_FALSE(make_body({}, mesh, {}).ok());
}

TEST(Body, CancelledRunStops) {
  RunContext run;
  run.cancel.cancel();
  EXPECT_EQ(make_body(run, mannequin_mesh(), {}).status().code(), absl::StatusCode::kCancelled);
}

TEST(Body, SameScanGivesTheSameBytes) {
  const Body a = body_of(mannequin_mesh()), b = body_of(mannequin_mesh());
  EXPECT_EQ(a.mesh.positions, b.mesh.positions);
  EXPECT_EQ(a.part, b.part);
  EXPECT_EQ(a.measurements_mm, b.measurements_mm);
}

}  // namespace
}  // namespace tryon
