#include "server/drape/rehang.h"

#include "gtest/gtest.h"
#include "server/garment/regrade.h"
#include "server/garment/template.h"

namespace tryon {
namespace {

constexpr double kSlid = 0.04;

// How far the cloth of a size begins above a size M that has slid down from where it was arranged.
double lifted(const char* garment, const char* size) {
  const Pattern pattern = *draft_template_graded(garment, Figure::kWomen, "M");
  const GarmentMesh medium = *mesh_garment(RunContext(), pattern, 0.04);
  WeldedMesh cloth = weld(medium, medium.placed);
  std::vector<Vec3>& lies = cloth.mesh.positions;
  for (Vec3& x : lies) x.y() -= kSlid;
  const GarmentMesh next = *regraded(medium, pattern, size);
  const std::vector<Vec3> begins = rehung(next, medium.flat, cloth);
  for (size_t v = 0; v < lies.size(); ++v)
    EXPECT_LT((begins[v] - lies[v] - (begins[0] - lies[0])).norm(), 1e-12) << garment << " keeps its shape";
  return begins[0].y() - lies[0].y();
}

TEST(Rehung, OnlyASmallerSizeThatHangsByItsWaistBeginsWhereTheWaistWasArranged) {
  EXPECT_NEAR(lifted("straight_skirt", "S"), kSlid, 1e-9);
  EXPECT_NEAR(lifted("trousers", "XS"), kSlid, 1e-9);
  EXPECT_EQ(lifted("straight_skirt", "L"), 0.0);  // slides on
  EXPECT_EQ(lifted("straight_skirt", "M"), 0.0);  // another fabric of the same size
  EXPECT_EQ(lifted("t_shirt", "S"), 0.0);         // hangs from the shoulders
}

}  // namespace
}  // namespace tryon
