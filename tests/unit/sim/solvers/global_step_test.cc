// The ways to apply the inverse of the constant matrix: all are the same inverse, multigrid on any mesh in a few
// iterations.
#include "server/sim/solvers/global_step.h"

#include <cmath>

#include "gtest/gtest.h"
#include "server/sim/solvers/incremental_potential.h"
#include "server/sim/solvers/multigrid.h"
#include "tests/unit/sim/cloth_fixtures.h"

namespace tryon::sim {
namespace {

using namespace tryon::sim::testing;

Eigen::SparseMatrix<double> sheet_matrix(int cells) {
  ClothInput cloth = soft_sheet(cells);
  cloth.pinned = {0};
  cloth.fabric.stretch_warp = cloth.fabric.stretch_weft = 2000;
  const DrapeModel model = build_model(cloth).value();
  return IncrementalPotential(model, {}).constant_matrix();
}

TEST(Multigrid, SolvesToTheReductionAskedInAFewIterationsOnAnyMesh) {
  int coarse_iterations = 0;
  for (int cells : {16, 32, 64}) {
    const Eigen::SparseMatrix<double> matrix = sheet_matrix(cells);
    const MultigridCycle cycle(matrix);
    Columns3 right(matrix.rows(), 3);
    for (int i = 0; i < right.size(); ++i) right.data()[i] = std::sin(0.7 * i);
    MultigridReport report;
    const Columns3 x = multigrid_solve(matrix, cycle, right, 1e-8, &report);
    EXPECT_LT((matrix * x - right).norm(), 2e-8 * right.norm()) << cells;
    EXPECT_LT(cycle.operator_complexity(), 2.0) << cells;
    if (cells == 16) coarse_iterations = report.iterations;
    EXPECT_LT(report.iterations, 2 * coarse_iterations + 10) << cells;
  }
}

TEST(GlobalSteps, AllApplyTheSameInverse) {
  const Eigen::SparseMatrix<double> matrix = sheet_matrix(12);
  const size_t n = static_cast<size_t>(matrix.rows());
  std::vector<double> added(n, 0.0);
  for (size_t i = 0; i < n; i += 5) added[i] = 300;
  std::vector<RVec3> right(n), exact(n), d(n);
  for (size_t i = 0; i < n; ++i) right[i] = RVec3(Real(std::sin(i)), Real(std::cos(3.0 * i)), Real(0.5));
  const auto direct = make_direct_step(matrix);
  ASSERT_TRUE(direct->set_diagonal(added).ok());
  direct->solve({}, right, &exact);
  double size = 0;
  for (const RVec3& e : exact) size += e.squaredNorm();
  const auto error = [&](GlobalStep* step) {
    EXPECT_TRUE(step->set_diagonal(added).ok());
    step->solve({}, right, &d);
    double sum = 0;
    for (size_t i = 0; i < n; ++i) sum += (d[i] - exact[i]).squaredNorm();
    return std::sqrt(sum / size);
  };
  EXPECT_LT(error(make_multigrid_step(matrix, 1e-9).get()), 1e-6);
  const double few = error(make_gauss_seidel_step(matrix, 10, 1.0).get());
  EXPECT_LT(error(make_gauss_seidel_step(matrix, 2000, 1.0).get()), 1e-4);
  EXPECT_LT(error(make_gauss_seidel_step(matrix, 10, 1.6).get()), few);  // over-relaxation pays
}

}  // namespace
}  // namespace tryon::sim
