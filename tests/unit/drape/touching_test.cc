// Bodies whose parts touch each other are dressed as well as others: flesh gives way to the cloth between.
#include "gtest/gtest.h"
#include "server/body/body_from_measurements.h"
#include "server/drape/cut_body.h"
#include "server/drape/grade.h"
#include "server/drape/settle.h"
#include "server/drape/setup.h"
#include "server/garment/template.h"
#include "server/io/pattern_json.h"
#include "server/metrics/metrics.h"
#include "tests/support/shared_data.h"
#include "tests/support/test_meshes.h"
#include "tests/unit/drape/fitted_person.h"

namespace tryon {
namespace {

FittedPerson heavy_woman() {
  const BodyTable table{1650, {{"bust_girth", 1300}, {"waist_girth", 1180}, {"hip_girth", 1350}}, FigureType::kFemale};
  return testing::fitted_person(without_head_and_hands(body_from_measurements(RunContext(), table)->body));
}

TEST(Touching, OnSolidsLegsAreDressedApartToo) {
  const FittedPerson person = heavy_woman();
  DrapeSettings settings;
  settings.contact_scan = false;
  ArrangeReport arranged;
  const Pattern leggings = *draft_template("leggings", draft_measurements(person.body));
  const GarmentMesh garment = *assemble_garment(RunContext(), leggings, person, 0.025, &arranged);
  const Settled settled = *sew_and_settle(RunContext(), garment, *fabric_by_name("cotton_jersey"),
                                          *make_collider(settings, person), SettleOptions());
  EXPECT_TRUE(is_at_least(settled.report.grade, "final"));
  EXPECT_EQ(count_self_intersections(settled.cloth.mesh), 0);
}

void expect_legs_apart(const Pattern& pattern, const FittedPerson& person, double edge_m) {
  EXPECT_GT(person.skin.deepest(), 0.002) << "nothing of this body touches";
  EXPECT_EQ(person.skin.mesh.triangles, person.body.mesh.triangles);
  ArrangeReport arranged;
  const GarmentMesh garment = *assemble_garment(RunContext(), pattern, person, edge_m, &arranged);
  const Settled settled = *sew_and_settle(RunContext(), garment, *fabric_by_name("cotton_jersey"),
                                          *make_collider(DrapeSettings(), person), SettleOptions());
  EXPECT_TRUE(is_at_least(settled.report.grade, "final"));
  EXPECT_EQ(count_self_intersections(settled.cloth.mesh), 0);
  const ClosestPointIndex skin(person.skin.mesh);
  for (const Vec3& p : settled.cloth.mesh.positions) ASSERT_GT(skin.query(p).signed_distance, -1e-4);
}

TEST(Touching, LeggingsOfAHeavyWomanDoNotCrossBetweenHerThighs) {
  const FittedPerson person = heavy_woman();
  expect_legs_apart(*draft_template("leggings", draft_measurements(person.body)), person, 0.025);
}

// On a rigid body these ended at none, with two crossings between thighs that are 2 mm apart.
TEST(Touching, TrousersBetweenThighsThatTouchDoNotCross) {
  const char* const file = "patterns/garment_pattern_generator/pants_straight_sides_TA_pose.json";
  TRYON_NEEDS_SHARED_DATA(file);
  TRYON_NEEDS_SHARED_DATA("bodies/smpl/f_smpl_template_T.obj");
  const TriangleMesh scan = testing::read_obj(testing::shared_data_path("bodies/smpl/f_smpl_template_T.obj"));
  const FittedPerson person = testing::fitted_person(*make_body(RunContext(), scan, ScanOptions()));
  expect_legs_apart(*read_pattern(testing::read_file(testing::shared_data_path(file)), file), person, 0.020);
}

}  // namespace
}  // namespace tryon
