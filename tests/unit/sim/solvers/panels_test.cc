// The factor by panels against Eigen's, and the two builds of its kernels against each other.
#include "server/sim/solvers/panels.h"

#include <array>
#include <cstring>
#include <random>
#include <tuple>

#include "Eigen/OrderingMethods"
#include "Eigen/SparseCholesky"
#include "gtest/gtest.h"
#include "server/sim/solvers/cholesky.h"
#include "tests/unit/sim/solvers/matrix_fixtures.h"

namespace tryon::sim {
namespace {

using namespace tryon::sim::testing;

void expect_solution(const Eigen::SparseMatrix<double>& matrix, const std::vector<RVec3>& x) {
  const int n = static_cast<int>(matrix.rows());
  const std::vector<RVec3> r = some_right_side(n);
  Eigen::MatrixXd right(n, 3);
  for (int i = 0; i < n; ++i) right.row(i) = r[i].cast<double>().transpose();
  const Eigen::MatrixXd expected = Eigen::SimplicialLLT<Eigen::SparseMatrix<double>>(matrix).solve(right);
  const double close = sizeof(Real) == 8 ? 1e-11 : 1e-3;
  for (int i = 0; i < n; ++i)
    EXPECT_LT((x[i].cast<double>() - expected.row(i).transpose()).norm(), close * (1 + expected.norm()));
}

class PanelsOf : public ::testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Sizes, PanelsOf, ::testing::Values(1, 2, 5, 17, 40));

TEST_P(PanelsOf, SolveAsEigensFactorDoes) {
  for (const SpringLayout layout : {SpringLayout::kThreads, SpringLayout::kEdges}) {
    const Eigen::SparseMatrix<double> matrix = cloth_matrix(GetParam(), layout);
    const int n = static_cast<int>(matrix.rows());
    Cholesky own;
    own.analyse(matrix);
    ASSERT_EQ(own.factor(matrix.valuePtr()), -1);
    EXPECT_LT(own.panel_values(), 2 * own.factor_nonzeros() + 32 * n);
    std::vector<RVec3> x = some_right_side(n);
    own.solve(x.data(), x.data());
    expect_solution(matrix, x);
  }
}

TEST(Panels, TheLowerTriangleAloneAndBlocksOfThreeGiveTheSameAnswer) {
  const Eigen::SparseMatrix<double> matrix = block_matrix(12);
  const int n = static_cast<int>(matrix.rows());
  Eigen::VectorXd right(n), x(n);
  for (int i = 0; i < n; ++i) right[i] = std::sin(i);
  Cholesky own;
  own.analyse(matrix, 3);
  ASSERT_EQ(own.factor(matrix.valuePtr()), -1);
  own.solve(right.data(), x.data());
  EXPECT_LT((matrix.selfadjointView<Eigen::Lower>() * x - right).norm(), (sizeof(Real) == 8 ? 1e-9 : 1e-2));
}

// The tree of blocks is the tree of rows, which is the slow one to find.
TEST(Panels, APatternOfBlocksIsThatOfTheirRows) {
  const Eigen::SparseMatrix<double> matrix = block_matrix(17);
  const CholeskyPattern blocks = find_pattern(matrix, 3);
  for (const int64_t nonzeros : {blocks.ordered_nonzeros, int64_t{1} << 60}) {
    const KnownOrder known{blocks.place, nonzeros};
    const CholeskyPattern again = find_pattern(matrix, 3, known), rows = find_pattern(matrix, 1, known);
    EXPECT_EQ(again.place, rows.place);
    EXPECT_EQ(again.row, rows.row);
    EXPECT_EQ(again.row_in_parent, rows.row_in_parent);
    EXPECT_EQ(again.entry_source, rows.entry_source);
    EXPECT_EQ(again.entry_place, rows.entry_place);
    EXPECT_EQ(again.order, rows.order);
    EXPECT_EQ(again.values, rows.values);
    EXPECT_EQ(again.nonzeros, rows.nonzeros);
    EXPECT_EQ(again.ordered_nonzeros, nonzeros) << "kept";
  }
  EXPECT_EQ(find_pattern(matrix, 3, {blocks.place, blocks.nonzeros / 2}).place, blocks.place) << "found afresh";
}

// With `count` pairs of vertices joined that lie `apart` numbers from each other: a layer on another.
Eigen::SparseMatrix<double> with_layers(const Eigen::SparseMatrix<double>& cloth, int count, int apart) {
  std::vector<Eigen::Triplet<double>> entries;
  const int n = static_cast<int>(cloth.rows());
  for (int j = 0; j < n; ++j)
    for (Eigen::SparseMatrix<double>::InnerIterator it(cloth, j); it; ++it)
      entries.emplace_back(static_cast<int>(it.row()), j, it.value());
  for (int k = 0; k < count; ++k) {
    const int i = (7 * k) % n, j = (i + apart) % n;
    for (const auto& [a, b, value] : {std::tuple(i, i, 1.0), {j, j, 1.0}, {i, j, -1.0}, {j, i, -1.0}})
      entries.emplace_back(a, b, value);
  }
  Eigen::SparseMatrix<double> out(n, n);
  out.setFromTriplets(entries.begin(), entries.end());
  return out;
}

TEST(Panels, AKnownOrderIsKeptWhereLayersAddLittleToTheFactor) {
  const Eigen::SparseMatrix<double> cloth = cloth_matrix(40), few = with_layers(cloth, 5, 3),
                                    many = with_layers(cloth, 400, 800);
  const CholeskyPattern alone = find_pattern(cloth);
  const KnownOrder known = alone.known();
  const CholeskyPattern by_few = find_pattern(few, 1, known), by_many = find_pattern(many, 1, known);
  EXPECT_EQ(by_few.ordered_nonzeros, alone.nonzeros) << "kept";
  EXPECT_GE(by_few.nonzeros, alone.nonzeros);
  EXPECT_LT(static_cast<double>(by_few.nonzeros), 1.15 * static_cast<double>(alone.nonzeros));
  EXPECT_EQ(by_many.place, find_pattern(many).place) << "found afresh";
  EXPECT_EQ(by_many.ordered_nonzeros, by_many.nonzeros);
  const CholeskyPattern again = find_pattern(with_layers(cloth, 405, 800), 1, by_many.known());
  EXPECT_EQ(again.ordered_nonzeros, by_many.nonzeros) << "kept from the layers before";
  for (const auto& matrix : {few, many}) {
    Cholesky own;
    own.analyse_once(matrix, 1, known);
    ASSERT_EQ(own.factor(matrix.valuePtr()), -1);
    std::vector<RVec3> x = some_right_side(static_cast<int>(matrix.rows()));
    own.solve(x.data(), x.data());
    expect_solution(matrix, x);
  }
}

// What is kept in a quarter of the room solves for another matrix, a little off; but for that one as exactly as float
// does: its inverse is symmetric and positive, as a descent wants it.
TEST(Panels, AFactorKeptShortIsThatOfASymmetricMatrixNearby) {
  const Eigen::SparseMatrix<double> matrix = block_matrix(23);
  const int n = static_cast<int>(matrix.rows());
  Eigen::MatrixXd right(n, 2), whole(n, 2), kept(n, 2);
  for (int i = 0; i < n; ++i) right.row(i) << std::sin(i), std::cos(0.01 * i * i);
  for (auto* x : {&whole, &kept}) {
    Cholesky own(x == &kept ? Cholesky::Kept::kShort : Cholesky::Kept::kWhole);
    own.analyse(matrix, 3);
    ASSERT_EQ(own.factor(matrix.valuePtr()), -1);
    for (int k = 0; k < 2; ++k) own.solve(right.col(k).data(), x->col(k).data());
  }
  EXPECT_LT((kept - whole).norm(), 4e-5 * whole.norm());
  EXPECT_GT((kept - whole).norm(), 1e-7 * whole.norm()) << "nothing was rounded";
  const double close = sizeof(Real) == 8 ? 1e-9 : 1e-4;
  EXPECT_NEAR(right.col(0).dot(kept.col(1)), right.col(1).dot(kept.col(0)), close * right.norm() * kept.norm());
  EXPECT_GT(right.col(0).dot(kept.col(0)), 0.0);
}

TEST(Panels, AFactorKeptShortSolvesForThreeRightHandSidesAsForEach) {
  const Eigen::SparseMatrix<double> matrix = cloth_matrix(40, SpringLayout::kEdges);
  const int n = static_cast<int>(matrix.rows());
  Cholesky own(Cholesky::Kept::kShort);
  own.analyse(matrix);
  ASSERT_EQ(own.factor(matrix.valuePtr()), -1);
  const std::vector<RVec3> right = some_right_side(n);
  std::vector<RVec3> three(n);
  own.solve(right.data(), three.data());
  for (int axis = 0; axis < 3; ++axis) {
    Eigen::VectorXd one(n), same(n);
    for (int i = 0; i < n; ++i) one[i] = right[i][axis], same[i] = three[i][axis];
    own.solve(one.data(), one.data());
    EXPECT_LT((one - same).norm(), 1e-5 * one.norm()) << axis;
  }
}

TEST(Panels, WhatFloatRoundsToSingularIsFactoredInDouble) {
  Eigen::SparseMatrix<double> matrix(2, 2);
  for (const auto& [i, j, value] : {std::tuple(0, 0, 1.0), {1, 0, -1.0}, {1, 1, 1 + 1e-9}}) matrix.insert(i, j) = value;
  matrix.makeCompressed();
  Cholesky own(Cholesky::Kept::kShort);
  own.analyse(matrix);
  EXPECT_GE(own.factor(matrix.valuePtr()), 0);
  ASSERT_EQ(own.factor_in_double(matrix.valuePtr()), -1);
  Eigen::Vector2d x(0, 1e-9);
  own.solve(x.data(), x.data());
  EXPECT_LT((x - Eigen::Vector2d(1, 1)).norm(), sizeof(Real) == 8 ? 1e-6 : 1e-3);
}

TEST(Panels, ARowWithoutAPositivePivotIsNamedAndTheNextFactorIsWhole) {
  Eigen::SparseMatrix<double> matrix = cloth_matrix(9);
  Cholesky own;
  own.analyse(matrix);
  const double good = matrix.coeff(44, 44);
  matrix.coeffRef(44, 44) = -1e6;
  const int failed = own.factor(matrix.valuePtr());
  EXPECT_GE(failed, 0);
  matrix.coeffRef(44, 44) = good;
  ASSERT_EQ(own.factor(matrix.valuePtr()), -1);
  std::vector<RVec3> x = some_right_side(static_cast<int>(matrix.rows()));
  own.solve(x.data(), x.data());
  expect_solution(matrix, x);
  matrix.coeffRef(7, 7) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_GE(own.factor(matrix.valuePtr()), 0);
}

TEST(Panels, AFactorIsStoppedBetweenPieces) {
  const Eigen::SparseMatrix<double> matrix = cloth_matrix(60, SpringLayout::kEdges);
  Cholesky own;
  own.analyse(matrix);
  RunContext run;
  EXPECT_EQ(own.factor(matrix.valuePtr(), run), -1);
  run.cancel.cancel();
  EXPECT_EQ(own.factor(matrix.valuePtr(), run), Cholesky::kStopped);
  // 50 ms are far more than 5e7 multiplications; the context is asked after every kWorkBetweenChecks and one panel.
  EXPECT_LT(own.longest_stretch(), 20'000'000);
  EXPECT_GT(own.total_work(), 3 * Cholesky::kWorkBetweenChecks) << "the claim needs a factor with several pieces";
}

// --- the kernels ---

template <typename Number>
struct Packed {
  std::vector<Number> front;
  std::vector<Real> values;  // of double
  std::vector<panels::Short> short_values;
  std::vector<float> scale;
  int eliminated = 0;
};

// A front whose first `w` of `m` columns are eliminated and packed; what is taken off the rest is cut at `cut`.
template <typename Number>
Packed<Number> packed_front(const panels::Kernels& build, int m, int w, int spare = 0, int cut = 0) {
  std::mt19937 random(static_cast<unsigned>(m * 100 + w));
  const panels::Elimination<Number>& kernels = build.elimination<Number>();
  Packed<Number> out;
  const int stride = m + spare;
  out.front.assign(stride * m, 0);
  for (int j = 0; j < m; ++j)
    for (int i = 0; i < m; ++i)
      out.front[j * stride + i] =
          i == j ? static_cast<Number>(2 * m) : static_cast<Number>(static_cast<double>(random()) / 4294967296.0);
  std::vector<Number> inverse(panels::kWidest * panels::kWidest), below(panels::below_values(m, w));
  out.eliminated = kernels.eliminate(out.front.data(), m, w, stride, below.data());
  for (const auto& [begin, end] : {std::pair(0, cut), std::pair(cut, m - w)})
    kernels.take_off(out.front.data(), m, w, stride, below.data(), begin, end);
  panels::Panel panel{0, w, 0, 0, m - w, stride};
  out.short_values.resize(panel.values());
  std::vector<Number> front = out.front;
  out.scale.resize(w);
  kernels.pack_short(front.data(), m, w, stride, below.data(), inverse.data(), out.short_values.data(),
                     out.scale.data());
  if constexpr (sizeof(Number) == 8) {
    out.values.resize(panel.values());
    build.pack(out.front.data(), m, w, stride, below.data(), inverse.data(), out.values.data());
  }
  return out;
}

bool same_bytes(const auto& a, const auto& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(a[0])) == 0);
}

bool same_lower(const auto& a, int stride_a, const auto& b, int stride_b, int m) {
  for (int j = 0; j < m; ++j)
    if (std::memcmp(&a[j * stride_a + j], &b[j * stride_b + j], (m - j) * sizeof(a[0])) != 0) return false;
  return true;
}

template <typename Number>
void expect_same_front(const Packed<Number>& one, const Packed<Number>& two, int m, int spare = 0) {
  EXPECT_EQ(one.eliminated, -1);
  ASSERT_TRUE(same_lower(one.front, m, two.front, m + spare, m) && same_bytes(one.values, two.values) &&
              same_bytes(one.short_values, two.short_values) && same_bytes(one.scale, two.scale))
      << m << " rows of " << sizeof(Number) << " bytes";
}

class Builds : public ::testing::TestWithParam<const panels::Kernels* (*)()> {};
INSTANTIATE_TEST_SUITE_P(Panels, Builds, ::testing::Values(&panels::avx2_kernels, &panels::avx512_kernels));

TEST_P(Builds, GiveTheBytesOfTheBaseline) {
  const panels::Kernels* const build = GetParam()();
  if (build == nullptr) GTEST_SKIP() << "not on this processor";
  std::mt19937 random(3);
  const auto unit = [&] { return static_cast<Real>(static_cast<double>(random()) / 4294967296.0 - 0.5); };
  for (int w : {1, 2, 3, 4, 5, 6, 7, 8, 9, 13, 16, 21, 48})
    for (int r : {0, 1, 3, 4, 6, 8, 11, 12, 30, 53, 130}) {
      const Packed one = packed_front<double>(panels::baseline_kernels(), w + r, w);
      ASSERT_NO_FATAL_FAILURE(expect_same_front(one, packed_front<double>(*build, w + r, w), w + r));
      ASSERT_NO_FATAL_FAILURE(expect_same_front(packed_front<float>(panels::baseline_kernels(), w + r, w),
                                                packed_front<float>(*build, w + r, w), w + r));
      const panels::Panel panel{0, w, 0, 0, r, w + r};
      struct alignas(64) Block {
        Real at[64 / sizeof(Real)];
      };
      const auto aligned = [](const auto& values) {
        const size_t size = values.size() * sizeof(values[0]);
        std::vector<Block> out((size + sizeof(Block) - 1) / sizeof(Block));
        std::memcpy(out.data(), values.data(), size);
        return out;
      };
      const std::vector<Block> value = aligned(one.values), short_value = aligned(one.short_values);
      std::vector<Block> work(3 * 32);
      // One after the other, in threes apart, or each by itself.
      const int rows_together = std::array{r + 1, 3, 1}[static_cast<size_t>(w + r) % 3];
      std::vector<int> row(r);
      for (int k = 0; k < r; ++k) row[k] = w + 2 + k + k / rows_together;
      const int length = w + 2 + 2 * r;
      std::vector<Real> pivot(w, Real(0.7));
      std::vector<panels::Lane> x(length), y;
      for (panels::Lane& lane : x) lane = {{unit(), unit(), unit(), 0}};
      y = x;
      const int stride = static_cast<int>(work.size() / 3 * 64 / sizeof(Real));
      const panels::View<Real> view{&panel,  value.data()->at, row.data(), pivot.data(),
                                    nullptr, work.data()->at,  stride};
      const auto* short_at = reinterpret_cast<const panels::Short*>(short_value.data());
      const panels::View<panels::Short> in_short{&panel,           short_at,        row.data(), pivot.data(),
                                                 one.scale.data(), work.data()->at, stride};
      ASSERT_GE(view.work_stride, w + r) << "the test's own array";
      std::vector<Real> single(length), other;
      for (Real& number : single) number = unit();
      other = single;
      const int first = 0;
      std::vector<panels::ShortLane> short_x(x.size()), short_y;
      for (size_t i = 0; i < x.size(); ++i)
        for (int c = 0; c < 3; ++c) short_x[i].at[c] = static_cast<float>(x[i].at[c]);
      short_y = short_x;
      using K = panels::Kernels;
      const auto both = [&](auto half_of, const auto& of, auto* by_one, auto* by_other) {
        half_of(panels::baseline_kernels())(of, &first, 1, by_one->data());
        half_of (*build)(of, &first, 1, by_other->data());
      };
      const auto expect_same = [&](auto half, auto half_of_one, auto half_in_short, auto half_in_short_of_one) {
        both(half, view, &x, &y);
        both(half_of_one, view, &single, &other);
        both(half_in_short, in_short, &short_x, &short_y);
        both(half_in_short_of_one, in_short, &single, &other);
        EXPECT_TRUE(same_bytes(x, y) && same_bytes(single, other) && same_bytes(short_x, short_y)) << w << " " << r;
      };
      expect_same([](const K& k) { return k.whole.forward; }, [](const K& k) { return k.forward_one; },
                  [](const K& k) { return k.kept_short.forward; }, [](const K& k) { return k.forward_short_one; });
      expect_same([](const K& k) { return k.whole.backward; }, [](const K& k) { return k.backward_one; },
                  [](const K& k) { return k.kept_short.backward; }, [](const K& k) { return k.backward_short_one; });
    }
}

// A front inside a larger one, and its rest in two pieces: the same panel and the same complement.
TEST(Panels, AFrontGivesTheSameBytesWhereverItLiesAndHoweverItsRestIsCut) {
  const auto look_at = [](auto number, int w, int r) {
    using Number = decltype(number);
    const panels::Kernels& best = panels::best_kernels();
    expect_same_front(packed_front<Number>(best, w + r, w), packed_front<Number>(best, w + r, w, 7, r / 8 * 4), w + r,
                      7);
  };
  for (int w : {1, 5, 8, 13, 48})
    for (int r : {4, 11, 30, 61, 130}) {
      ASSERT_NO_FATAL_FAILURE(look_at(0.0, w, r));
      ASSERT_NO_FATAL_FAILURE(look_at(0.0f, w, r));
    }
}

TEST(Panels, AFactorAndItsSolvesGiveTheSameBytesForAnyNumberOfThreads) {
  const Eigen::SparseMatrix<double> matrix = cloth_matrix(90, SpringLayout::kEdges);
  const int n = static_cast<int>(matrix.rows());
  std::vector<std::vector<RVec3>> solutions, in_short;
  std::array<std::vector<Eigen::VectorXd>, 2> singles;  // whole, short
  for (int threads : {1, 2, 7}) {
    Executor executor(threads);
    RunContext run;
    run.executor = &executor;
    Cholesky own;
    own.analyse(matrix);
    ASSERT_GT(own.length(), n) << "nothing is shared";
    ASSERT_EQ(own.factor(matrix.valuePtr(), run), -1);
    solutions.push_back(some_right_side(n));
    own.solve(solutions.back().data(), solutions.back().data(), run);
    Cholesky short_own(Cholesky::Kept::kShort);
    short_own.analyse(matrix);
    ASSERT_EQ(short_own.factor(matrix.valuePtr(), run), -1);
    in_short.push_back(some_right_side(n));
    short_own.solve(in_short.back().data(), in_short.back().data(), run);
    for (const Cholesky::Kept kept : {Cholesky::Kept::kWhole, Cholesky::Kept::kShort}) {
      Cholesky of_one(kept);
      of_one.analyse(matrix);
      ASSERT_EQ(of_one.factor(matrix.valuePtr(), run), -1);
      Eigen::VectorXd x = Eigen::VectorXd::LinSpaced(n, -1, 2);
      of_one.solve(x.data(), x.data(), run);
      singles[kept == Cholesky::Kept::kShort].push_back(x);
    }
    EXPECT_TRUE(same_bytes(solutions[0], solutions.back()) && same_bytes(in_short[0], in_short.back())) << threads;
    for (const auto& of_kept : singles) EXPECT_EQ(of_kept[0], of_kept.back()) << threads;
  }
  expect_solution(matrix, solutions[0]);
  const Eigen::VectorXd right = Eigen::VectorXd::LinSpaced(n, -1, 2);
  EXPECT_LT((matrix * singles[0][0] - right).norm(), (sizeof(Real) == 8 ? 1e-9 : 1e-2) * right.norm());
}

// A pivot that fails in a part that is shared, and one above all parts.
TEST(Panels, SharedFactorsNameARowAndTheNextFactorIsWhole) {
  Eigen::SparseMatrix<double> matrix = cloth_matrix(90, SpringLayout::kEdges);
  const int n = static_cast<int>(matrix.rows());
  Executor executor(3);
  RunContext run;
  run.executor = &executor;
  Cholesky own;
  own.analyse(matrix);
  ASSERT_GT(own.length(), n) << "nothing is shared";
  for (const int place : {5, n - 2}) {
    int row = 0;
    while (own.place(row) != place) ++row;
    const double good = matrix.coeff(row, row);
    matrix.coeffRef(row, row) = -1e6;
    EXPECT_EQ(own.factor(matrix.valuePtr(), run), row);
    matrix.coeffRef(row, row) = good;
    ASSERT_EQ(own.factor(matrix.valuePtr(), run), -1);
    std::vector<RVec3> x = some_right_side(n);
    own.solve(x.data(), x.data(), run);
    expect_solution(matrix, x);
  }
}

}  // namespace
}  // namespace tryon::sim
