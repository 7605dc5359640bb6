// The vector loops of the elastic energy against their slow twins, element by element, and their two builds against
// each other.
#include "server/sim/constraints/local_step.h"

#include <cstring>
#include <numeric>
#include <random>

#include "Eigen/Eigenvalues"
#include "gtest/gtest.h"
#include "server/sim/constraints/bend.h"
#include "server/sim/constraints/bend_matrix.h"
#include "server/sim/constraints/springs.h"
#include "server/sim/constraints/threads.h"

namespace tryon::sim::local_step {
namespace {

constexpr int kCount = 203;  // leaves a rest of three
constexpr double kClose = sizeof(Real) == 8 ? 1e-12 : 1e-4;

// Of one of four triangles, its corners' x, y, z.
Eigen::Matrix<double, 9, 9> matrix_of(const Blocks& blocks, int which) {
  Eigen::Matrix<double, 9, 9> out;
  int pair = 0;
  for (int a = 0; a < 3; ++a)
    for (int b = 0; b <= a; ++b, ++pair) {
      const auto at = [&](int n) { return blocks.at[pair][n][which]; };
      Eigen::Matrix3d block;
      block << at(0), at(3), at(4), at(3), at(1), at(5), at(4), at(5), at(2);
      out.block<3, 3>(3 * a, 3 * b) = block;
      out.block<3, 3>(3 * b, 3 * a) = block;
    }
  return out;
}

class LocalStep : public ::testing::Test {
 protected:
  LocalStep() {
    for (int i = 0; i < kCount + 3; ++i) x.push_back(RVec3(unit(), unit(), unit()));
    for (int i = 0; i < kCount; ++i) {
      a.push_back(i);
      b.push_back(i % 50 == 7 ? i : i + 2);  // some springs of no length
      rest.push_back(unit() + Real(1.1));
      stiffness.push_back(unit() + 3);
      corner.push_back(Triangle(i, i + 1, i % 60 == 9 ? i + 1 : i + 3));  // some triangles of no area
      shape.push_back({unit(), unit(), unit(), unit()});
      weft.push_back(unit() + 2), warp.push_back(unit() + 2), bias.push_back(unit() + 2);
      limit_weft.push_back(Real(0.1) * unit() + Real(0.1));
      limit_warp.push_back(i % 3 == 0 ? thread::kNoLimit : Real(0.1));
      membrane.push_back({unit() + 2, unit() + 2, unit(), unit() + 2, i % 3 == 0 ? Real(0) : unit() + 1});
      hinge.push_back({i, i + 3, i + 1, i + 2});
      rows.row_begin.push_back(rows.count());
      for (int k = 0; k < i % 4; ++k) rows.column.push_back((i + 7 * k + 1) % (kCount + 3));  // none, odd and even
      for (int k = 0; k < i % 4; ++k) rows.stiffness.push_back(unit());
    }
    rows.row_begin.push_back(rows.count());
  }
  Real unit() { return static_cast<Real>(static_cast<double>(random()) / 2147483648.0 - 1); }
  int last() const { return static_cast<int>(x.size()) - 1; }
  SpringView springs() const { return {a.data(), b.data(), rest.data(), stiffness.data(), last()}; }
  MembraneView membranes() const { return {corner.data(), shape.data(), membrane.data(), last()}; }
  BendView bend_rows() const { return {rows.row_begin.data(), rows.column.data(), rows.stiffness.data(), last()}; }
  HingeView hinges() const { return {hinge.data(), shape.data(), stiffness.data(), last()}; }
  std::pair<RVec3, RVec3> images(int i) const {  // f_x, f_y
    const RVec3 e1 = x[corner[i][1]] - x[corner[i][0]], e2 = x[corner[i][2]] - x[corner[i][0]];
    return {shape[i][0] * e1 + shape[i][1] * e2, shape[i][2] * e1 + shape[i][3] * e2};
  }
  ThreadView threads() const {
    return {corner.data(), shape.data(), weft.data(), warp.data(), bias.data(), nullptr, nullptr, last()};
  }
  ThreadView limited(const std::vector<Real>& limit_weft, const std::vector<Real>& limit_warp) const {
    ThreadView out = threads();
    out.limit_weft = limit_weft.data(), out.limit_warp = limit_warp.data();
    return out;
  }
  thread::Stiffness thread(int i) const { return {weft[i], warp[i], bias[i], limit_weft[i], limit_warp[i]}; }

  std::mt19937 random{11};
  std::vector<RVec3> x;
  std::vector<int> a, b;
  std::vector<Real> rest, stiffness, weft, warp, bias, limit_weft, limit_warp;
  std::vector<Triangle> corner;
  std::vector<std::array<Real, 4>> shape;
  std::vector<membrane::Stiffness> membrane;
  std::vector<std::array<int, 4>> hinge;
  BendMatrix rows;
};

TEST_F(LocalStep, SpringsPullAsTheirSlowTwins) {
  std::vector<RVec3> slot(kCount);
  const double energy = best_kernels().springs(springs(), x.data(), 0, kCount, slot.data());
  double expected = 0;
  for (int i = 0; i < kCount; ++i) {
    const RVec3 e = x[a[i]] - x[b[i]];
    expected += static_cast<double>(spring::value(stiffness[i], rest[i], e));
    EXPECT_LT((slot[i] - spring::gradient(stiffness[i], rest[i], e)).norm(), 10 * kClose) << i;
  }
  EXPECT_NEAR(energy, expected, kCount * 10 * kClose);
}

TEST_F(LocalStep, ThreadsPullAsTheirSlowTwins) {
  std::vector<RVec3> slot(2 * kCount);
  const double energy = best_kernels().threads(threads(), x.data(), 0, kCount, slot.data());
  double expected = 0;
  for (int i = 0; i < kCount; ++i) {
    const auto [fx, fy] = images(i);
    const thread::Stiffness k{weft[i], warp[i], bias[i]};
    expected += static_cast<double>(thread::value(k, fx, fy));
    const thread::Vector6 g = thread::gradient(k, fx, fy);
    EXPECT_LT((slot[2 * i] - g.head<3>()).norm() + (slot[2 * i + 1] - g.tail<3>()).norm(), 100 * kClose) << i;
  }
  EXPECT_NEAR(energy, expected, kCount * 100 * kClose);
}

TEST_F(LocalStep, ThreadsPastTheirLimitPullAsTheirSlowTwins) {
  std::vector<RVec3> slot(2 * kCount);
  const double energy = best_kernels().threads(limited(limit_weft, limit_warp), x.data(), 0, kCount, slot.data());
  double expected = 0;
  int beyond = 0;
  for (int i = 0; i < kCount; ++i) {
    const auto [fx, fy] = images(i);
    beyond += fx.norm() > 1 + limit_weft[i];
    expected += static_cast<double>(thread::value(thread(i), fx, fy));
    const thread::Vector6 g = thread::gradient(thread(i), fx, fy);
    EXPECT_LT((slot[2 * i] - g.head<3>()).norm() + (slot[2 * i + 1] - g.tail<3>()).norm(),
              100 * kClose * (1 + static_cast<double>(g.norm())))
        << i;
  }
  EXPECT_NEAR(energy, expected, 100 * kClose * expected);
  EXPECT_GT(beyond, kCount / 10);
}

TEST_F(LocalStep, ALimitThatNothingReachesChangesNoByte) {
  const std::vector<Real> never(kCount, thread::kNoLimit);
  std::vector<RVec3> free(2 * kCount), held = free;
  EXPECT_EQ(best_kernels().threads(threads(), x.data(), 0, kCount, free.data()),
            best_kernels().threads(limited(never, never), x.data(), 0, kCount, held.data()));
  EXPECT_EQ(std::memcmp(free.data(), held.data(), free.size() * sizeof(RVec3)), 0);
}

TEST_F(LocalStep, MembranesPullAsTheirSlowTwinsWithinTheirLimitAndBeyond) {
  std::vector<RVec3> slot(2 * kCount);
  const double energy = best_kernels().membranes(membranes(), x.data(), 0, kCount, slot.data());
  double expected = 0;
  for (int i = 0; i < kCount; ++i) {
    const auto [fx, fy] = images(i);
    expected += static_cast<double>(membrane::value(membrane[i], fx, fy));
    const membrane::Vector6 g = membrane::gradient(membrane[i], fx, fy);
    EXPECT_LT((slot[2 * i] - g.head<3>()).norm() + (slot[2 * i + 1] - g.tail<3>()).norm(),
              100 * kClose * (1 + static_cast<double>(g.norm())))
        << i;
  }
  EXPECT_NEAR(energy, expected, 100 * kClose * expected);
}

TEST_F(LocalStep, HingesPullAsTheirSlowTwins) {
  std::vector<RVec3> slot(kCount);
  const double energy = best_kernels().hinges(hinges(), x.data(), 0, kCount, slot.data());
  double expected = 0;
  for (int i = 0; i < kCount; ++i) {
    const auto& p = hinge[i];
    const RVec3 e = bend::vector(shape[i], x[p[0]], x[p[1]], x[p[2]], x[p[3]]);
    expected += static_cast<double>(bend::value(stiffness[i], e));
    EXPECT_LT((slot[i] - bend::gradient(stiffness[i], e)).norm(), 100 * kClose) << i;
  }
  EXPECT_NEAR(energy, expected, kCount * 100 * kClose);
}

TEST_F(LocalStep, RowsOfTheBendingMatrixPullAsTheirSlowTwins) {
  std::vector<RVec3> gradient(kCount, RVec3(1, 2, 3));
  const double energy = best_kernels().bend_rows(bend_rows(), x.data(), 0, kCount, gradient.data());
  double expected = 0;
  for (int i = 0; i < kCount; ++i) {
    double own = 0;
    const RVec3 pull = bend_matrix::gradient(rows, i, x.data(), &own);
    EXPECT_LT((gradient[i] - RVec3(1, 2, 3) - pull).norm(), 100 * kClose) << i;
    expected += own;
  }
  EXPECT_NEAR(energy, expected, kCount * 100 * kClose);
}

// With everything kept the judge is thread::hessian; with nothing kept, what compressed threads push sideways is gone.
TEST_F(LocalStep, BlocksOfThreadsAreThoseOfTheirSlowTwins) {
  const ThreadView view = limited(limit_weft, limit_warp);
  for (int begin = 0; begin < kCount; begin += 4) {
    const int end = std::min(begin + 4, kCount);
    Blocks whole, convex;
    best_kernels().thread_blocks(view, x.data(), begin, end, 1, &whole);
    best_kernels().thread_blocks(view, x.data(), begin, end, 0, &convex);
    for (int i = begin; i < end; ++i) {
      const auto [fx, fy] = images(i);
      const auto& s = shape[i];
      const thread::Matrix6 k = thread::hessian(thread(i), fx, fy);
      Eigen::Matrix<double, 9, 6> by_corner;
      for (int a = 0; a < 3; ++a) {
        const double cx = a == 0 ? -double(s[0]) - double(s[1]) : double(s[a - 1]);
        const double cy = a == 0 ? -double(s[2]) - double(s[3]) : double(s[a + 1]);
        by_corner.block<3, 3>(3 * a, 0) = cx * Eigen::Matrix3d::Identity();
        by_corner.block<3, 3>(3 * a, 3) = cy * Eigen::Matrix3d::Identity();
      }
      const Eigen::Matrix<double, 9, 9> expected = by_corner * k.cast<double>() * by_corner.transpose();
      EXPECT_LT((matrix_of(whole, i - begin) - expected).norm(), 100 * kClose * (1 + expected.norm())) << i;
      const Eigen::Matrix<double, 9, 9> clamped = matrix_of(convex, i - begin);
      const Eigen::SelfAdjointEigenSolver<Eigen::Matrix<double, 9, 9>> eigen(clamped);
      EXPECT_GT(eigen.eigenvalues().minCoeff(), -100 * kClose * (1 + clamped.norm())) << i;
      const Eigen::SelfAdjointEigenSolver<Eigen::Matrix<double, 9, 9>> added(clamped - expected);
      EXPECT_GT(added.eigenvalues().minCoeff(), -100 * kClose * (1 + expected.norm())) << i;
    }
  }
}

TEST_F(LocalStep, TheTwoBuildsGiveTheSameBytesWhereverChunksEnd) {
  if (!avx2_kernels()) GTEST_SKIP() << "this processor has no AVX2";
  for (int end : {1, 2, 3, 4, 64, kCount}) {
    std::vector<RVec3> one(2 * kCount, RVec3::Zero()), two = one;
    EXPECT_EQ(baseline_kernels().springs(springs(), x.data(), 0, end, one.data()),
              avx2_kernels()->springs(springs(), x.data(), 0, end, two.data()));
    EXPECT_EQ(std::memcmp(one.data(), two.data(), one.size() * sizeof(RVec3)), 0);
    EXPECT_EQ(baseline_kernels().threads(threads(), x.data(), 0, end, one.data()),
              avx2_kernels()->threads(threads(), x.data(), 0, end, two.data()));
    EXPECT_EQ(std::memcmp(one.data(), two.data(), one.size() * sizeof(RVec3)), 0);
    const ThreadView view = limited(limit_weft, limit_warp);
    EXPECT_EQ(baseline_kernels().threads(view, x.data(), 0, end, one.data()),
              avx2_kernels()->threads(view, x.data(), 0, end, two.data()));
    EXPECT_EQ(std::memcmp(one.data(), two.data(), one.size() * sizeof(RVec3)), 0);
    EXPECT_EQ(baseline_kernels().membranes(membranes(), x.data(), 0, end, one.data()),
              avx2_kernels()->membranes(membranes(), x.data(), 0, end, two.data()));
    EXPECT_EQ(std::memcmp(one.data(), two.data(), one.size() * sizeof(RVec3)), 0);
    EXPECT_EQ(baseline_kernels().hinges(hinges(), x.data(), 0, end, one.data()),
              avx2_kernels()->hinges(hinges(), x.data(), 0, end, two.data()));
    EXPECT_EQ(std::memcmp(one.data(), two.data(), one.size() * sizeof(RVec3)), 0);
    EXPECT_EQ(baseline_kernels().bend_rows(bend_rows(), x.data(), 0, end, one.data()),
              avx2_kernels()->bend_rows(bend_rows(), x.data(), 0, end, two.data()));
    EXPECT_EQ(std::memcmp(one.data(), two.data(), one.size() * sizeof(RVec3)), 0);
    Blocks these, those;
    baseline_kernels().thread_blocks(view, x.data(), 0, std::min(end, 4), 0.5, &these);
    avx2_kernels()->thread_blocks(view, x.data(), 0, std::min(end, 4), 0.5, &those);
    EXPECT_EQ(std::memcmp(&these, &those, sizeof these), 0);
  }
}

TEST_F(LocalStep, WhatIsNoNumberStaysNoNumber) {
  x[3][1] = std::numeric_limits<Real>::quiet_NaN();
  std::vector<RVec3> slot(2 * kCount);
  EXPECT_TRUE(std::isnan(best_kernels().springs(springs(), x.data(), 0, kCount, slot.data())));
  EXPECT_FALSE(slot[3].allFinite());
}

TEST_F(LocalStep, GatherAddsInTheGivenOrder) {
  const std::vector<int> begin{0, 3, 3, 5}, from{4, 1, 9, 2, 2};
  const std::vector<Real> weight{1, -2, Real(0.5), 3, -3};
  for (const Kernels* kernels : {&best_kernels(), &baseline_kernels()}) {
    std::vector<RVec3> out(3);
    kernels->gather({begin.data(), from.data(), weight.data()}, x.data(), 0, 3, out.data());
    EXPECT_EQ(out[0], RVec3((x[4] + -2 * x[1]) + Real(0.5) * x[9]));
    EXPECT_EQ(out[1], RVec3(0, 0, 0));
    EXPECT_EQ(out[2], RVec3(0, 0, 0));
  }
}

}  // namespace
}  // namespace tryon::sim::local_step
