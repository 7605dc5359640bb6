// Cloth that is smaller than the body: forces a thousand times its weight have to find their balance on the facets of
// a scan.
#include <cmath>
#include <numbers>
#include <string>

#include "gtest/gtest.h"
#include "server/sim/solvers/solver.h"
#include "tests/support/test_meshes.h"
#include "tests/unit/sim/cloth_fixtures.h"

namespace tryon::sim {
namespace {

constexpr double kRadius = 0.05, kOffset = 2e-3;

// A tube whose girth is `share` of that of the cylinder with the contact offset, placed just outside of it.
ClothInput band(double share, int around, int rows) {
  ClothInput cloth;
  const double girth = share * 2 * std::numbers::pi * (kRadius + kOffset), side = girth / around;
  for (int j = 0; j <= rows; ++j)
    for (int i = 0; i < around; ++i) {
      const double angle = 2 * std::numbers::pi * i / around;
      cloth.positions.push_back(
          {1.06 * kRadius * std::cos(angle), j * side - rows * side / 2, 1.06 * kRadius * std::sin(angle)});
    }
  const auto add = [&](const std::array<int, 3>& column, const std::array<int, 3>& row) {
    Triangle t;
    std::array<Vec2, 3> flat;
    for (int k = 0; k < 3; ++k) {
      t[k] = row[k] * around + column[k] % around;
      flat[k] = Vec2(column[k] * side, row[k] * side);
    }
    cloth.triangles.push_back(t);
    cloth.corner_flat.push_back(flat);
  };
  for (int j = 0; j < rows; ++j)
    for (int i = 0; i < around; ++i) {
      add({i, i + 1, i + 1}, {j, j, j + 1});
      add({i, i + 1, i}, {j, j + 1, j + 1});
    }
  return cloth;
}

class TightBand : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Solvers, TightBand, ::testing::Values("drape", "lbfgs"),
                         [](const auto& given) { return std::string(given.param); });

TEST_P(TightBand, ComesToRestOnTheFacetsOfAScan) {
  const ClothInput cloth = band(0.75, 40, 4);
  const auto model = build_model(cloth);
  ASSERT_TRUE(model.ok()) << model.status();
  const auto collider = make_mesh_collider(tryon::testing::make_cylinder(kRadius, 0.4, 24, 12));
  Scene scene;
  scene.collider = collider.get();
  auto solver = make_solver(GetParam(), *model, testing::long_steps());
  ASSERT_TRUE(solver.ok());
  DrapeState state = start_state(cloth);
  for (int i = 0; i < 80; ++i) {
    scene.gravity = Vec3(0, i < 5 ? 0.0 : -9.80665, 0);  // first it closes round the cylinder
    for (auto& v : state.v) v.setZero();
    ASSERT_TRUE((*solver)->step(RunContext(), scene, &state).ok());
  }
  const Residual residual = equilibrium_residual(*model, scene, state);
  EXPECT_LE(residual.rms, 1e-3);
  EXPECT_LE(residual.max, 1e-2);
  for (const RVec3& x : state.x)
    EXPECT_NEAR(collider->query(x.cast<double>(), 0.05).distance, kOffset, 2e-4);  // not held by the last push alone
}

TEST(MeshCollider, TurnsItsNormalSmoothlyFromFacetToFacet) {
  const auto round = make_mesh_collider(tryon::testing::make_cylinder(kRadius, 0.4, 24, 12));
  Vec3 before = Vec3::Zero();
  double largest = 0.0;
  for (int i = 0; i <= 720; ++i) {
    const double angle = 2 * std::numbers::pi * i / 720;
    const Vec3 point((kRadius + 5e-4) * std::cos(angle), 0.013, (kRadius + 5e-4) * std::sin(angle));
    const Vec3 normal = round->query(point, 0.05).normal;
    EXPECT_NEAR(normal.norm(), 1.0, 1e-12);
    if (i > 0) largest = std::max(largest, std::acos(std::min(1.0, normal.dot(before))));
    before = normal;
  }
  EXPECT_LT(largest, 0.03);  // facets lie 0.26 apart, steps 0.0087
}

TEST(MeshCollider, KeepsTheNormalsOfTrueEdges) {
  const auto box = make_mesh_collider(tryon::testing::make_box(Vec3(0.2, 0.2, 0.2), 1));
  const Vec3 normal = box->query(Vec3(0.095, 0.101, 0.03), 0.05).normal;
  EXPECT_GT(normal.y(), 0.97);  // a corner's is 0.58, an edge's 0.71
}

}  // namespace
}  // namespace tryon::sim
