#include "server/garment/regrade.h"

#include <cmath>

#include "gtest/gtest.h"
#include "server/base/status.h"
#include "server/garment/template.h"

namespace tryon {
namespace {

double area_of(const GarmentMesh& mesh, int panel) {
  double sum = 0;
  for (size_t t = 0; t < mesh.triangles.size(); ++t) {
    if (mesh.triangle_panel[t] != panel) continue;
    const Triangle& tri = mesh.triangles[t];
    const Vec2 a = mesh.flat[tri[1]] - mesh.flat[tri[0]], b = mesh.flat[tri[2]] - mesh.flat[tri[0]];
    sum += 0.5 * std::abs(a.x() * b.y() - a.y() * b.x());
  }
  return sum;
}

// One mesh for all sizes is as good as a mesh of the size itself: the same seams, the same cloth.
TEST(Regrade, TheMeshOfOneSizeCarriedToAnotherHasThatSizesSeamsAndCloth) {
  for (const TemplateInfo& info : list_templates()) {
    const auto pattern = draft_template_graded(info.name, Figure::kWomen, "M");
    if (!pattern.ok()) continue;  // grown on a body, not drafted
    const GarmentMesh base = *mesh_garment(RunContext(), *pattern, 0.03);
    for (const char* size : {"XS", "S", "XXL"}) {
      const auto carried = regraded(base, *pattern, size);
      if (info.name == "pleated_skirt" && size == std::string("XXL")) {  // so far apart that no pleat meets the next
        EXPECT_EQ(error_detail(carried.status())->reason, "SIZE_TOPOLOGY");
        continue;
      }
      ASSERT_TRUE(carried.ok()) << info.name << " " << size << ": " << carried.status();
      const GarmentMesh own = *mesh_garment(RunContext(), *at_size(*pattern, size), 0.03);
      ASSERT_EQ(carried->seams.size(), own.seams.size()) << info.name;
      for (size_t s = 0; s < own.seams.size(); ++s) {
        EXPECT_NEAR(carried->seams[s].left_length, own.seams[s].left_length, 1e-6) << info.name << " " << size;
        EXPECT_NEAR(carried->seams[s].right_length, own.seams[s].right_length, 1e-6) << info.name << " " << size;
        EXPECT_EQ(carried->seams[s].left, base.seams[s].left);
      }
      for (int p = 0; p < static_cast<int>(own.panel_names.size()); ++p)
        EXPECT_NEAR(area_of(*carried, p) / area_of(own, p), 1.0, 0.01) << info.name << " " << size << " panel " << p;
    }
  }
}

// A size takes a pleat's cloth as it is and shares out what shows: creases keep their distances and stay straight.
TEST(Regrade, APleatTakesAsMuchClothInEverySize) {
  const Pattern pattern = *draft_template_graded("pleated_skirt", Figure::kWomen, "M");
  const GarmentMesh base = *mesh_garment(RunContext(), pattern, 0.02);
  const GarmentMesh small = *regraded(base, pattern, "XS");
  int creases = 0;
  for (const ClothLine& crease : small.lines) {
    ASSERT_EQ(crease.kind, ClothLine::Kind::kFold);
    const Vec2 begin = small.flat[crease.vertices.front()], end = small.flat[crease.vertices.back()];
    for (const ClothLine& other : small.lines) {
      if (other.panel != crease.panel || other.source != crease.source) continue;
      const double apart = (small.flat[other.vertices.front()] - begin).norm();
      EXPECT_NEAR(apart, std::abs(other.offset - crease.offset), 1e-4) << crease.source;
    }
    const Vec2 along = (end - begin).normalized();
    for (const int v : crease.vertices) {
      const Vec2 off = small.flat[v] - begin;
      EXPECT_LT(std::abs(off.x() * along.y() - off.y() * along.x()), 1e-6);
    }
    ++creases;
  }
  EXPECT_EQ(creases, 2 * 2 * 8);
}

TEST(Regrade, ItsOwnSizeStaysAsItIs) {
  const Pattern pattern = *draft_template_graded("t_shirt", Figure::kWomen, "M");
  const GarmentMesh base = *mesh_garment(RunContext(), pattern, 0.03);
  const GarmentMesh there = *regraded(base, pattern, "XL");
  const GarmentMesh same = *regraded(base, pattern, "M");
  double moved = 0;
  for (int v = 0; v < base.vertex_count(); ++v) {
    EXPECT_LT((same.flat[v] - base.flat[v]).norm(), 1e-6);
    moved = std::max(moved, (there.flat[v] - base.flat[v]).norm());
  }
  EXPECT_GT(moved, 0.02);
}

TEST(Regrade, ASizeThatThePatternDoesNotHaveIsRefused) {
  const Pattern pattern = *draft_template_graded("t_shirt", Figure::kWomen, "M");
  EXPECT_FALSE(regraded(*mesh_garment(RunContext(), pattern, 0.03), pattern, "XXXS").ok());
}

}  // namespace
}  // namespace tryon
