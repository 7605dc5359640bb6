// A drape that may end at preview hangs as the whole one does to within some millimetres.
#include <algorithm>
#include <vector>

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

class PreviewOf : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Garments, PreviewOf, ::testing::Values("t_shirt", "a_line_skirt", "fitted_dress"));

TEST_P(PreviewOf, HangsAsTheWholeDrapeAfterNoMoreIterationsToSpeakOf) {
  const BodyTable woman{1680, {{"bust_girth", 900}, {"waist_girth", 720}, {"hip_girth", 980}}, FigureType::kFemale};
  const FittedPerson person = testing::fitted_person(body_from_measurements(RunContext(), woman)->body, true);
  ArrangeReport arranged;
  const GarmentMesh garment = *assemble_garment(
      RunContext(), *draft_template(GetParam(), draft_measurements(person.body)), person, 0.02, &arranged);
  const auto collider = make_collider(DrapeSettings(), person);
  const auto drape = [&](TargetGrade grade) {
    SettleOptions options;
    options.target_grade = grade;
    return *sew_and_settle(RunContext(), garment, *fabric_by_name("cotton_jersey"), *collider, options);
  };
  const Settled whole = drape(TargetGrade::kFinal), preview = drape(TargetGrade::kPreview);
  EXPECT_TRUE(is_at_least(whole.report.grade, "final"));
  EXPECT_TRUE(is_at_least(preview.report.grade, "preview"));
  EXPECT_EQ(count_self_intersections(preview.cloth.mesh), 0);
  EXPECT_LE(preview.report.gap_before_weld_mm, 1.0);
  // Nearly all of them without the Hessian, at a third of the price.
  EXPECT_LT(static_cast<double>(preview.report.iterations), 1.1 * static_cast<double>(whole.report.iterations));
  std::vector<double> apart;
  const std::vector<Vec3>&a = whole.cloth.mesh.positions, &b = preview.cloth.mesh.positions;
  for (size_t i = 0; i < a.size(); ++i) apart.push_back((a[i] - b[i]).norm());
  std::sort(apart.begin(), apart.end());
  EXPECT_LT(apart[apart.size() / 2], 0.004);
  EXPECT_LT(apart[apart.size() * 95 / 100], 0.012);
  RecordProperty("median_mm", std::to_string(1e3 * apart[apart.size() / 2]));
  RecordProperty("p95_mm", std::to_string(1e3 * apart[apart.size() * 95 / 100]));
}

}  // namespace
}  // namespace tryon
