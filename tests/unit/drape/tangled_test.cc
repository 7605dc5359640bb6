// Cloth that crosses itself on its way down comes free, and to rest.
#include <string>

#include "gtest/gtest.h"
#include "server/body/body_from_measurements.h"
#include "server/drape/assemble.h"
#include "server/drape/grade.h"
#include "server/drape/settle.h"
#include "server/drape/setup.h"
#include "server/garment/template.h"
#include "server/metrics/metrics.h"
#include "tests/unit/drape/fitted_person.h"

namespace tryon {
namespace {

// A template on a woman of a size, 1.68 m tall, in jersey, 15 mm.
Settled draped(const std::string& name, const std::string& size, const std::string& wearer,
               const char* fabric = "cotton_jersey") {
  const DraftMeasurements woman = *size_measurements(Figure::kWomen, wearer);
  BodyTable table;
  table.figure = FigureType::kFemale;
  table.height_mm = 1680;
  table.measurements_mm = {
      {"bust_girth", woman.bust_girth}, {"waist_girth", woman.waist_girth}, {"hip_girth", woman.hip_girth}};
  const FittedPerson person = testing::fitted_person(body_from_measurements(RunContext(), table)->body, true);
  const Pattern pattern = *draft_template_graded(name, Figure::kWomen, size);
  ArrangeReport arranged;
  const GarmentMesh garment = *assemble_garment(RunContext(), pattern, person, 0.015, &arranged);
  return *sew_and_settle(RunContext(), garment, *fabric_by_name(fabric), *make_collider(DrapeSettings(), person),
                         SettleOptions());
}

// A few hem triangles of a pleat had gone through their neighbours: contours pulled at them for a hundred long steps
// and never opened (grade none, largest force 9,100 weights).
TEST(Tangled, APleatThatWentThroughItsNeighboursComesFree) {
  const Settled settled = draped("pleated_skirt", "S", "M");
  EXPECT_TRUE(is_at_least(settled.report.grade, "final"));
  EXPECT_EQ(count_self_intersections(settled.cloth.mesh), 0);
}

// Where pleats are sewn down three triangles and more meet at an edge: what bent them was written over what lay behind,
// and two codes took the sign of such a fold otherwise (engine 0.39.1: none, rms 1.7).
TEST(Tangled, PleatsOfAWovenComeToRest) {
  const Settled settled = draped("pleated_skirt", "M", "M", "poplin");
  EXPECT_TRUE(is_at_least(settled.report.grade, "final"));
  EXPECT_EQ(count_self_intersections(settled.cloth.mesh), 0);
}

// At the waist the direction of a new factor, corrected for contacts, led up: each long step ended where it began,
// until patience ended, twice (163 steps, grade preview).
TEST(Tangled, ADirectionThatLeadsUpDoesNotEndTheRest) {
  const Settled settled = draped("straight_skirt", "M", "S");
  EXPECT_TRUE(is_at_least(settled.report.grade, "final"));
  EXPECT_LT(settled.report.drape_steps, 130);
}

}  // namespace
}  // namespace tryon
