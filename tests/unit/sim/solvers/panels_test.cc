// The panels' triangular solves against Eigen's factor, and the two builds of their kernels against each other.
#include <cstring>
#include <random>

#include "Eigen/SparseCholesky"
#include "gtest/gtest.h"
#include "server/sim/solvers/cholesky.h"
#include "server/sim/solvers/incremental_potential.h"
#include "tests/unit/sim/cloth_fixtures.h"

namespace tryon::sim {
namespace {

using namespace tryon::sim::testing;

Eigen::SparseMatrix<double> cloth_matrix(int cells) {
  SheetOptions o;
  o.columns = o.rows = cells;
  o.jitter = 0.3;
  ClothInput cloth = make_sheet(o);
  cloth.pinned = {0, cells};
  return IncrementalPotential(build_model(cloth).value(), {}).constant_matrix();
}

class PanelsOf : public ::testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Sizes, PanelsOf, ::testing::Values(1, 2, 5, 17, 40));

TEST_P(PanelsOf, SolveAsEigensFactorDoes) {
  const Eigen::SparseMatrix<double> matrix = cloth_matrix(GetParam());
  const int n = static_cast<int>(matrix.rows());
  Cholesky own;
  own.analyse(matrix);
  ASSERT_EQ(own.factor(matrix.valuePtr()), -1);
  EXPECT_LT(own.panel_values(), 2 * own.factor_nonzeros() + 4 * n);
  Eigen::MatrixXd right(n, 3);
  std::vector<RVec3> x(n);
  for (int i = 0; i < n; ++i) {
    right.row(i) << std::sin(i), std::cos(3.0 * i), 1;
    x[i] = right.row(i).transpose().cast<Real>();
  }
  own.solve(x.data(), x.data());
  const Eigen::SimplicialLLT<Eigen::SparseMatrix<double>> judge(matrix);
  const Eigen::MatrixXd expected = judge.solve(right);
  for (int i = 0; i < n; ++i)
    EXPECT_LT((x[i].cast<double>() - expected.row(i).transpose()).norm(), 1e-11 * (1 + expected.norm()));
}

TEST(Panels, TheTwoBuildsGiveTheSameBytes) {
  if (!panels::avx2_kernels()) GTEST_SKIP() << "this processor has no AVX2";
  std::mt19937 random(3);
  const auto unit = [&] { return static_cast<Real>(static_cast<double>(random()) / 4294967296.0 - 0.5); };
  std::vector<panels::Panel> panel;
  std::vector<int> row;
  std::vector<Real> value;
  int n = 0;
  for (int w = 1; w <= 19; ++w) {
    panels::Panel p{n, w, static_cast<int64_t>(value.size()), static_cast<int64_t>(row.size()), 0};
    n += w;
    for (int r = 0; r < w % 7; ++r) row.push_back(n + 3 * r);
    p.rows_end = static_cast<int64_t>(row.size());
    for (int64_t k = 0; k < w * (w + p.rows_end - p.rows_begin); ++k) value.push_back(unit());
    panel.push_back(p);
  }
  n += 30;
  std::vector<Real> pivot(n, Real(0.7));
  std::vector<panels::Lane> one(n), two;
  for (panels::Lane& lane : one) lane = {{unit(), unit(), unit(), 0}};
  two = one;
  const panels::View view{panel.data(), static_cast<int>(panel.size()), value.data(), row.data(), pivot.data()};
  panels::baseline_kernels().solve(view, one.data());
  panels::avx2_kernels()->solve(view, two.data());
  EXPECT_EQ(std::memcmp(one.data(), two.data(), one.size() * sizeof(panels::Lane)), 0);
}

}  // namespace
}  // namespace tryon::sim
