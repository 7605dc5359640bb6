// Cloth that crosses itself on its way down comes free, and to rest.
#include "gtest/gtest.h"
#include "server/body/body_from_measurements.h"
#include "server/drape/assemble.h"
#include "server/drape/grade.h"
#include "server/drape/settle.h"
#include "server/drape/setup.h"
#include "server/garment/template.h"
#include "server/metrics/metrics.h"

namespace tryon {
namespace {

// A few hem triangles of a pleat had gone through their neighbours: contours pulled at them for a hundred long steps
// and never opened (grade none, largest force 9,100 weights).
TEST(Tangled, APleatThatWentThroughItsNeighboursComesFree) {
  const DraftMeasurements woman = *size_measurements(Figure::kWomen, "M");
  BodyTable table;
  table.figure = FigureType::kFemale;
  table.height_mm = 1680;
  table.measurements_mm = {
      {"bust_girth", woman.bust_girth}, {"waist_girth", woman.waist_girth}, {"hip_girth", woman.hip_girth}};
  StoredBody stored;
  stored.body = body_from_measurements(RunContext(), table)->body;
  stored.proxies.push_back(*fit_proxies(RunContext(), stored.body, ProxyShape::kElliptic));
  stored.has_head_and_hands = true;
  const FittedPerson person = *person_to_dress(RunContext(), std::move(stored), ProxyShape::kElliptic);
  const Pattern skirt = *draft_template_graded("pleated_skirt", Figure::kWomen, "S");
  ArrangeReport arranged;
  const GarmentMesh garment = *assemble_garment(RunContext(), skirt, person, 0.015, &arranged);
  const Settled settled = *sew_and_settle(RunContext(), garment, *fabric_by_name("cotton_jersey"),
                                          *make_collider(DrapeSettings(), person), SettleOptions());
  EXPECT_TRUE(is_at_least(settled.report.grade, "final"));
  EXPECT_EQ(count_self_intersections(settled.cloth.mesh), 0);
}

}  // namespace
}  // namespace tryon
