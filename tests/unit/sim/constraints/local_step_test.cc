// The vector loops of the elastic energy against their slow twins, element by element, and their two builds against
// each other.
#include "server/sim/constraints/local_step.h"

#include <cstring>
#include <numeric>
#include <random>

#include "gtest/gtest.h"
#include "server/sim/constraints/springs.h"
#include "server/sim/constraints/threads.h"

namespace tryon::sim::local_step {
namespace {

constexpr int kCount = 203;  // leaves a rest of three
constexpr double kClose = sizeof(Real) == 8 ? 1e-12 : 1e-4;

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
    }
  }
  Real unit() { return static_cast<Real>(static_cast<double>(random()) / 2147483648.0 - 1); }
  int last() const { return static_cast<int>(x.size()) - 1; }
  SpringView springs() const { return {a.data(), b.data(), rest.data(), stiffness.data(), last()}; }
  ThreadView threads() const { return {corner.data(), shape.data(), weft.data(), warp.data(), bias.data(), last()}; }

  std::mt19937 random{11};
  std::vector<RVec3> x;
  std::vector<int> a, b;
  std::vector<Real> rest, stiffness, weft, warp, bias;
  std::vector<Triangle> corner;
  std::vector<std::array<Real, 4>> shape;
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
    const RVec3 e1 = x[corner[i][1]] - x[corner[i][0]], e2 = x[corner[i][2]] - x[corner[i][0]];
    const RVec3 fx = shape[i][0] * e1 + shape[i][1] * e2, fy = shape[i][2] * e1 + shape[i][3] * e2;
    const thread::Stiffness k{weft[i], warp[i], bias[i]};
    expected += static_cast<double>(thread::value(k, fx, fy));
    const thread::Vector6 g = thread::gradient(k, fx, fy);
    EXPECT_LT((slot[2 * i] - g.head<3>()).norm() + (slot[2 * i + 1] - g.tail<3>()).norm(), 100 * kClose) << i;
  }
  EXPECT_NEAR(energy, expected, kCount * 100 * kClose);
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
