// Columns on paths of the elimination tree against whole solves.
#include "server/sim/solvers/path_columns.h"

#include <cmath>

#include "gtest/gtest.h"
#include "server/base/executor.h"
#include "tests/unit/sim/solvers/matrix_fixtures.h"

namespace tryon::sim {
namespace {

using namespace tryon::sim::testing;

// The judge is a whole solve for each; block 0 hangs at no other, so that its path meets none.
TEST(PathColumns, GiveTheProductsAndSumsThatWholeSolvesGive) {
  Eigen::SparseMatrix<double> matrix = block_matrix(23);
  matrix.prune([](Eigen::Index i, Eigen::Index j, double) { return (i < 3) == (j < 3); });
  const int n = static_cast<int>(matrix.rows());
  Cholesky own;
  own.analyse(matrix, 3);
  ASSERT_EQ(own.factor(matrix.valuePtr()), -1);
  const double close = sizeof(Real) == 8 ? 1e-12 : 1e-4;
  PathColumns columns(&own);
  Executor executor(2);
  RunContext run;
  run.executor = &executor;
  for (const int first : {0, 100}) {  // and again after clear()
    columns.clear();
    const std::vector<RVec3> g = some_right_side(n / 3);
    Eigen::VectorXd whole(n), sum(n), weight(9);
    for (int i = 0; i < n / 3; ++i) whole.segment<3>(3 * i) = g[i].cast<double>();
    own.solve(whole.data(), sum.data());
    const Eigen::VectorXd alone = sum;
    columns.begin({}, g);
    std::vector<PathColumns::Start> starts;
    for (int a = 0; a < 9; ++a)
      starts.push_back(
          {3 * (a == 0 ? 0 : (first + 67 * a) % (n / 3)), RVec3(Real(std::sin(a)), Real(std::cos(a)), Real(0.3))});
    columns.add(run, {starts[0], starts[1]});
    columns.add(run, {starts.begin() + 2, starts.end()});
    std::vector<Eigen::VectorXd> right, solved;
    for (int a = 0; a < 9; ++a) {
      right.push_back(Eigen::VectorXd::Zero(n));
      right.back().segment<3>(starts[a].row) = starts[a].n.cast<double>();
      solved.push_back(right.back());
      own.solve(right.back().data(), solved.back().data());
      weight[a] = 1.0 / (1 + a);
      sum += weight[a] * solved.back();
      EXPECT_NEAR(columns.product(a), right[a].dot(alone), close * alone.norm()) << a;
      for (int b = 0; b <= a; ++b)
        EXPECT_NEAR(columns.product(b, a), right[b].dot(solved[a]), close * solved[a].norm()) << a << " " << b;
    }
    ASSERT_EQ(columns.count(), 9);
    std::vector<RVec3> combined(n / 3);
    columns.combine({}, weight, &combined);
    for (int i = 0; i < n / 3; ++i)
      EXPECT_LT((combined[i].cast<double>() - sum.segment<3>(3 * i)).norm(), close * sum.norm());
  }
}

}  // namespace
}  // namespace tryon::sim
