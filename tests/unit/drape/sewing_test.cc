// Panels are pulled together: what is at the body stays there.
#include "gtest/gtest.h"
#include "server/drape/settle.h"
#include "tests/support/test_panels.h"

namespace tryon {
namespace {

// Panels of 0.4 m width, one above the other, placed at those heights; the lower one's top is sewn to the upper one's
// bottom.
GarmentMesh two_panels(double lower_height, double lower_at, double upper_height, double upper_at) {
  Pattern pattern;
  for (const auto& [name, height, at] :
       {std::tuple("lower", lower_height, lower_at), {"upper", upper_height, upper_at}}) {
    Panel panel = testing::rectangle(name, 0.4, height);
    panel.placed = true;
    panel.translation = Vec3(0, at, 0);
    pattern.panels.push_back(panel);
  }
  pattern.stitches.push_back({{0, 2}, {1, 0}});
  auto garment = mesh_garment(RunContext(), pattern, 0.05);
  EXPECT_TRUE(garment.ok()) << garment.status();
  return *std::move(garment);
}

double rise(const GarmentMesh& garment, const std::vector<Vec3>& sewn, int panel) {
  double sum = 0.0;
  int count = 0;
  for (int v = 0; v < garment.vertex_count(); ++v) {
    if (garment.panel[v] == panel) sum += sewn[v].y() - garment.placed[v].y(), ++count;
  }
  return sum / count;
}

Sewn sewn(const GarmentMesh& garment, bool stays_near) {
  const auto floor = sim::make_plane_collider(Vec3::Zero(), Vec3::UnitY());
  const auto out =
      sew_panels(RunContext(), garment, *fabric_by_name("cotton_jersey"), *floor, SettleOptions(), stays_near);
  EXPECT_TRUE(out.ok()) << out.status();
  return *out;
}

// Before engine 0.42.0 fourteen wide panels of a skirt pulled a bodice from the shoulders to the hips, from where the
// dress fell to the floor.
TEST(Sewing, WhatIsFarFromTheBodyComesToWhatIsNear) {
  const GarmentMesh garment = two_panels(0.2, 0.02, 0.6, 0.9);
  const Sewn out = sewn(garment, true);
  EXPECT_LT(out.report.gap_before_weld_mm, 2.0);
  EXPECT_LT(rise(garment, out.positions, 0), 0.2) << "of 0.68 m";
  EXPECT_LT(rise(garment, out.positions, 1), -0.4);
  EXPECT_GT(rise(garment, sewn(garment, false).positions, 0), 0.4) << "it would have done without";
}

TEST(Sewing, WhatIsNearMeetsHalfWay) {
  const GarmentMesh garment = two_panels(0.1, 0.02, 0.1, 0.15);
  const Sewn out = sewn(garment, true);
  EXPECT_LT(out.report.gap_before_weld_mm, 2.0);
  EXPECT_EQ(out.positions, sewn(garment, false).positions);
}

}  // namespace
}  // namespace tryon
