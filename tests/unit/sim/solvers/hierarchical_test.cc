// The levels of the hierarchical solvers, and what those claim over plain PBD.
#include <cmath>
#include <numeric>
#include <set>

#include "gtest/gtest.h"
#include "server/base/status.h"
#include "server/sim/constraints/elements.h"
#include "server/sim/solvers/hierarchical_pbd.h"
#include "tests/unit/sim/cloth_fixtures.h"

namespace tryon::sim {
namespace {

using namespace tryon::sim::testing;

ClothInput hung_sheet(int cells) {
  SheetOptions o;
  o.hung = true;
  o.columns = o.rows = cells;
  o.slanted = false;
  ClothInput cloth = make_sheet(o);
  for (int i = 0; i <= cells; ++i) cloth.pinned.push_back(cells * (cells + 1) + i);
  return cloth;
}

// Two panels with the same flat coordinates, sewn into a tube: particles of the seams have a corner in each.
ClothInput tube(int columns, int rows) {
  SheetOptions o;
  o.columns = columns;
  o.rows = rows;
  o.slanted = false;
  const ClothInput panel = make_sheet(o);
  ClothInput cloth = panel;
  std::vector<int> back(panel.positions.size());
  for (size_t i = 0; i < panel.positions.size(); ++i) {
    const int column = static_cast<int>(i) % (columns + 1);
    back[i] = static_cast<int>(i);
    if (column == 0 || column == columns) continue;
    back[i] = static_cast<int>(cloth.positions.size());
    cloth.positions.push_back(panel.positions[i] + Vec3(0, 0.3, 0));
  }
  for (size_t t = 0; t < panel.triangles.size(); ++t) {
    const Triangle& c = panel.triangles[t];
    cloth.triangles.push_back(Triangle(back[c[0]], back[c[2]], back[c[1]]));
    cloth.corner_flat.push_back({panel.corner_flat[t][0], panel.corner_flat[t][2], panel.corner_flat[t][1]});
  }
  return cloth;
}

TEST(FlatDomain, ASheetHasOneCornerAParticleAndASeamOneOnEachSide) {
  const ClothInput sheet = hung_sheet(5);
  EXPECT_EQ(flat_domain(build_model(sheet).value()).flat.size(), sheet.positions.size());
  const FlatCloth sewn = flat_domain(build_model(tube(4, 6)).value());
  EXPECT_EQ(sewn.flat.size(), 2u * 5 * 7);
  EXPECT_EQ(sewn.vertex_count, 2 * 5 * 7 - 2 * 7);
}

using Build = absl::StatusOr<ClothLevels> (*)(const DrapeModel&, int);
class Levels : public ::testing::TestWithParam<Build> {};
INSTANTIATE_TEST_SUITE_P(BothWays, Levels, ::testing::Values(&quadric_levels, &parent_levels));

TEST_P(Levels, KeepPinsSeamsMassAndTheRestShape) {
  ClothInput cloth = tube(10, 14);
  cloth.pinned = {1, 2};
  cloth.ties = {{30, 40}};
  const DrapeModel model = build_model(cloth).value();
  const ClothLevels levels = GetParam()(model, 3).value();
  ASSERT_EQ(levels.size(), 2u);
  const DrapeModel* fine = &model;
  for (const auto& level : levels) {
    const DrapeModel& coarse = level->model;
    ASSERT_EQ(static_cast<size_t>(coarse.particle_count), level->kept.size());
    EXPECT_LT(coarse.particle_count, 0.8 * fine->particle_count);
    const auto total = [](const DrapeModel& m) { return std::accumulate(m.mass.begin(), m.mass.end(), Real(0)); };
    EXPECT_NEAR(total(coarse), total(*fine), 1e-12);
    EXPECT_EQ(std::count(coarse.inverse_mass.begin(), coarse.inverse_mass.end(), 0), 2);
    EXPECT_EQ(std::count(coarse.springs.kind.begin(), coarse.springs.kind.end(), SpringKind::kSeam), 1);
    const SparseRows& rows = level->prolongation;
    ASSERT_EQ(rows.first.size(), static_cast<size_t>(fine->particle_count) + 1);
    for (int i = 0; i < fine->particle_count; ++i) {
      double sum = 0;
      for (int k = rows.first[i]; k < rows.first[i + 1]; ++k) sum += rows.weight[k];
      EXPECT_NEAR(sum, 1, 1e-12);
    }
    fine = &coarse;
  }
}

TEST_P(Levels, AFlatSheetBreaksNoCoarseConstraint) {
  const ClothInput cloth = hung_sheet(12);
  const DrapeModel model = build_model(cloth).value();
  std::vector<RVec3> x = start_state(cloth).x;
  const ClothLevels levels = GetParam()(model, 3).value();
  for (const auto& level : levels) {
    std::vector<RVec3> coarse;
    for (int i : level->kept) coarse.push_back(x[i]);
    const Elements elements = make_elements(level->model, 0);
    EXPECT_GT(elements.count(), 0);
    for (int i = 0; i < elements.count(); ++i)
      EXPECT_NEAR(elements.vector(i, coarse.data()).norm(), elements.rest[i], 1e-9) << i;
    x = coarse;
  }
}

double sag(const std::string& solver, int cells, int iterations) {
  const ClothInput cloth = hung_sheet(cells);
  const DrapeModel model = build_model(cloth).value();
  DrapeState state = start_state(cloth);
  SolverSettings settings;
  settings.iterations = iterations;
  settings.velocity_keep = 0.95;
  auto solve = make_solver(solver, model, settings).value();
  for (int i = 0; i < 90; ++i) EXPECT_TRUE(solve->step({}, still_scene(), &state).ok());
  return -1.0 - static_cast<double>(state.x[cells / 2].y()) + 1.0;
}

TEST(HierarchicalPbd, StretchesLessThanPbdForTheSameIterations) {
  const double pbd = sag("pbd", 30, 6), hpbd = sag("hpbd", 30, 6), qem = sag("qem_hpbd", 30, 6);
  EXPECT_LT(hpbd, 0.7 * pbd);
  EXPECT_LT(qem, 0.7 * pbd);
}

TEST(HierarchicalPbd, OneLevelIsPbd) {
  const ClothInput cloth = hung_sheet(8);
  const DrapeModel model = build_model(cloth).value();
  SolverSettings settings;
  settings.levels = 1;
  const auto end = [&](const char* name) {
    DrapeState state = start_state(cloth);
    auto solve = make_solver(name, model, settings).value();
    for (int i = 0; i < 5; ++i) EXPECT_TRUE(solve->step({}, still_scene(), &state).ok());
    return state;
  };
  const DrapeState pbd = end("pbd");
  for (const char* name : {"hpbd", "qem_hpbd"}) {
    const DrapeState other = end(name);
    for (size_t i = 0; i < pbd.x.size(); ++i) EXPECT_EQ((pbd.x[i] - other.x[i]).norm(), 0) << name << " " << i;
  }
}

TEST(HierarchicalPbd, MembraneTrianglesAreRefusedByName) {
  ClothInput cloth = hung_sheet(6);
  cloth.layout = SpringLayout::kMembrane;
  const DrapeModel model = build_model(cloth).value();
  for (const char* name : {"hpbd", "qem_hpbd"})
    EXPECT_EQ(error_detail(make_solver(name, model, {}).status())->reason, "MODEL_UNSUPPORTED");
}

}  // namespace
}  // namespace tryon::sim
