// The vector loops of the elastic energy against their slow twins, element by element, and their two builds against
// each other.
#include "server/sim/constraints/local_step.h"

#include <cstring>
#include <numeric>
#include <random>

#include "Eigen/Eigenvalues"
#include "gtest/gtest.h"
#include "server/sim/constraints/bend.h"
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

// What six numbers of (f_x, f_y) add to three corners.
Eigen::Matrix<double, 9, 9> by_corners(const std::array<Real, 4>& s, const Eigen::Matrix<double, 6, 6>& k) {
  Eigen::Matrix<double, 9, 6> by_corner;
  for (int a = 0; a < 3; ++a) {
    const double cx = a == 0 ? -double(s[0]) - double(s[1]) : double(s[a - 1]);
    const double cy = a == 0 ? -double(s[2]) - double(s[3]) : double(s[a + 1]);
    by_corner.block<3, 3>(3 * a, 0) = cx * Eigen::Matrix3d::Identity();
    by_corner.block<3, 3>(3 * a, 3) = cy * Eigen::Matrix3d::Identity();
  }
  return by_corner * k * by_corner.transpose();
}

Eigen::Matrix<double, 9, 9> matrix_of(const WholeBlocks<kPairs>& blocks, int which) {
  Eigen::Matrix<double, 9, 9> out;
  int pair = 0;
  for (int a = 0; a < 3; ++a)
    for (int b = 0; b <= a; ++b, ++pair)
      for (int n = 0; n < 9; ++n)
        out(3 * a + n % 3, 3 * b + n / 3) = out(3 * b + n / 3, 3 * a + n % 3) = blocks.at[pair][n][which];
  return out;
}

// The slow twin of the clamped membrane: all six eigenvalues.
Eigen::Matrix<double, 6, 6> clamped(const Eigen::Matrix<double, 6, 6>& k, double kept) {
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix<double, 6, 6>> eigen(k);
  const auto positive = eigen.eigenvalues().cwiseMax(kept * eigen.eigenvalues());
  return eigen.eigenvectors() * positive.asDiagonal() * eigen.eigenvectors().transpose();
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
    }
  }
  Real unit() { return static_cast<Real>(static_cast<double>(random()) / 2147483648.0 - 1); }
  int last() const { return static_cast<int>(x.size()) - 1; }
  SpringView springs() const { return {a.data(), b.data(), rest.data(), stiffness.data(), last()}; }
  MembraneView membranes() const { return {corner.data(), shape.data(), membrane.data(), last()}; }
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
      const Eigen::Matrix<double, 9, 9> expected = by_corners(s, k.cast<double>());
      EXPECT_LT((matrix_of(whole, i - begin) - expected).norm(), 100 * kClose * (1 + expected.norm())) << i;
      const Eigen::Matrix<double, 9, 9> clamped = matrix_of(convex, i - begin);
      const Eigen::SelfAdjointEigenSolver<Eigen::Matrix<double, 9, 9>> eigen(clamped);
      EXPECT_GT(eigen.eigenvalues().minCoeff(), -100 * kClose * (1 + clamped.norm())) << i;
      const Eigen::SelfAdjointEigenSolver<Eigen::Matrix<double, 9, 9>> added(clamped - expected);
      EXPECT_GT(added.eigenvalues().minCoeff(), -100 * kClose * (1 + expected.norm())) << i;
    }
  }
}

// Triangles of every kind: stretched, compressed, inverted, slivers, flat to a line or a point, at rest, beyond the
// limit; f_x and f_y are what the shape says, since the edges are the axes.
struct ManyMembranes {
  ManyMembranes() {
    std::mt19937 random(12);
    const auto unit = [&] { return static_cast<double>(random()) / 2147483648.0 - 1; };
    const auto any = [&]() -> Vec3 { return Vec3(unit(), unit(), unit()); };
    for (int i = 0; i < kMany; ++i) {
      const double size = i % 3 == 0 ? 1.5 : i % 3 == 1 ? 0.9 : 0.3;
      Vec3 fx = size * any(), fy = size * any();
      if (i % 7 == 1) fy = fx * unit() + std::pow(10.0, 8 * unit() - 8) * any();  // slivers, down to 1e-16
      if (i % 7 == 2) fx = (1 + 0.01 * unit()) * any().normalized(), fy = fx.cross(any()).normalized();
      if (i % 50 == 3) fx.setZero();
      if (i % 50 == 4) fy.setZero();
      if (i % 50 == 5) fx.setZero(), fy.setZero();
      if (i % 50 == 6) fy = 0.5 * fx;
      if (i % 50 == 7) fx = Vec3(0, 0, 0.5), fy = Vec3(0, -0.7, 0);
      add(fx, fy);
      const double limit = i % 4 == 0 ? 0.05 : 0;
      stiffness.push_back(membrane::from_fabric(2 + unit(), 2 + unit(), 1 + unit(), 0.9 * unit(), limit));
    }
  }
  // Edges (1, 2, 2), (-1, 0, 3) in the plane of f_x and f_y; shape is the inverse of what they are in it.
  void add(const Vec3& fx, const Vec3& fy) {
    const double a = 1, b = 2, c = -1, d = 3, det = a * d - b * c;
    const int first = static_cast<int>(x.size());
    for (const Vec3& p : {Vec3(0, 0, 0), Vec3(a * fx + b * fy), Vec3(c * fx + d * fy)}) x.push_back(p.cast<Real>());
    corner.push_back(Triangle(first, first + 1, first + 2));
    shape.push_back({Real(d / det), Real(-b / det), Real(-c / det), Real(a / det)});
  }
  MembraneView view() const { return {corner.data(), shape.data(), stiffness.data(), static_cast<int>(x.size()) - 1}; }
  Eigen::Matrix<double, 6, 6> hessian(int i) const {
    const RVec3 e1 = x[corner[i][1]] - x[corner[i][0]], e2 = x[corner[i][2]] - x[corner[i][0]];
    const auto& s = shape[i];
    return membrane::hessian(stiffness[i], s[0] * e1 + s[1] * e2, s[2] * e1 + s[3] * e2).cast<double>();
  }
  static constexpr int kMany = 4001;
  std::vector<RVec3> x;
  std::vector<Triangle> corner;
  std::vector<std::array<Real, 4>> shape;
  std::vector<membrane::Stiffness> stiffness;
};

TEST(MembraneBlocks, AreThoseOfAllSixEigenvaluesWhateverTheTriangle) {
  const ManyMembranes m;
  int indefinite = 0;
  for (const double kept : {0.0, 0.25, 1.0})
    for (int begin = 0; begin < m.kMany; begin += 4) {
      const int end = std::min(begin + 4, m.kMany);
      WholeBlocks<kPairs> blocks;
      best_kernels().membrane_blocks(m.view(), m.x.data(), begin, end, kept, &blocks);
      for (int i = begin; i < end; ++i) {
        const Eigen::Matrix<double, 6, 6> whole = m.hessian(i), positive = clamped(whole, kept);
        const Eigen::Matrix<double, 9, 9> expected = by_corners(m.shape[i], positive);
        const double bound = (sizeof(Real) == 8 ? 1e-12 : 1e-4) * (1e-3 + by_corners(m.shape[i], whole).norm());
        EXPECT_LT((matrix_of(blocks, i - begin) - expected).norm(), bound) << i << " kept " << kept;
        indefinite += (positive - whole).norm() > 1e-3 * whole.norm();
      }
    }
  EXPECT_GT(indefinite, 2000);
}

TEST(MembraneBlocks, OfOneTriangleAreTheSameBytesWhateverLiesBesideIt) {
  ManyMembranes m;
  for (int begin = 0; begin < m.kMany; begin += 4) {
    const int end = std::min(begin + 4, m.kMany);
    WholeBlocks<kPairs> together, alone;
    best_kernels().membrane_blocks(m.view(), m.x.data(), begin, end, 0, &together);
    for (int i = begin; i < end; ++i) {
      best_kernels().membrane_blocks(m.view(), m.x.data(), i, i + 1, 0, &alone);
      for (int pair = 0; pair < kPairs; ++pair)
        for (int n = 0; n < 9; ++n) EXPECT_EQ(together.at[pair][n][i - begin], alone.at[pair][n][0]) << i;
    }
  }
}

TEST(MembraneBlocks, OfTheTwoBuildsAreTheSameBytes) {
  if (!avx2_kernels()) GTEST_SKIP() << "this processor has no AVX2";
  const ManyMembranes m;
  for (int begin = 0; begin < m.kMany; begin += 4) {
    const int end = std::min(begin + 4, m.kMany);
    WholeBlocks<kPairs> these, those;
    baseline_kernels().membrane_blocks(m.view(), m.x.data(), begin, end, 0, &these);
    avx2_kernels()->membrane_blocks(m.view(), m.x.data(), begin, end, 0, &those);
    EXPECT_EQ(std::memcmp(&these, &those, sizeof these), 0) << begin;
  }
}

TEST(MembraneBlocks, WhatIsNoNumberStaysNoNumberInItsOwnTriangleOnly) {
  ManyMembranes m;
  m.x[3 * 5 + 1][2] = std::numeric_limits<Real>::quiet_NaN();
  WholeBlocks<kPairs> blocks;
  best_kernels().membrane_blocks(m.view(), m.x.data(), 4, 8, 0, &blocks);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(matrix_of(blocks, i).allFinite(), i != 1) << i;
}

// Those that this processor has, beside the baseline's.
std::vector<const Kernels*> other_builds() {
  std::vector<const Kernels*> out;
  for (const Kernels* const build : {avx2_kernels(), avx512_kernels()})
    if (build != nullptr) out.push_back(build);
  return out;
}

TEST_F(LocalStep, AllBuildsGiveTheSameBytesWhereverChunksEnd) {
  if (other_builds().empty()) GTEST_SKIP() << "this processor has no AVX2";
  for (const Kernels* const other : other_builds())
    for (int end : {1, 2, 3, 4, 64, kCount}) {
      std::vector<RVec3> one(2 * kCount, RVec3::Zero()), two = one;
      EXPECT_EQ(baseline_kernels().springs(springs(), x.data(), 0, end, one.data()),
                other->springs(springs(), x.data(), 0, end, two.data()));
      EXPECT_EQ(std::memcmp(one.data(), two.data(), one.size() * sizeof(RVec3)), 0);
      const ThreadView view = limited(limit_weft, limit_warp);
      EXPECT_EQ(baseline_kernels().membranes(membranes(), x.data(), 0, end, one.data()),
                other->membranes(membranes(), x.data(), 0, end, two.data()));
      EXPECT_EQ(std::memcmp(one.data(), two.data(), one.size() * sizeof(RVec3)), 0);
      EXPECT_EQ(baseline_kernels().hinges(hinges(), x.data(), 0, end, one.data()),
                other->hinges(hinges(), x.data(), 0, end, two.data()));
      EXPECT_EQ(std::memcmp(one.data(), two.data(), one.size() * sizeof(RVec3)), 0);
      Blocks these, those;
      baseline_kernels().thread_blocks(view, x.data(), 0, std::min(end, 4), 0.5, &these);
      other->thread_blocks(view, x.data(), 0, std::min(end, 4), 0.5, &those);
      EXPECT_EQ(std::memcmp(&these, &those, sizeof these), 0);
      WholeBlocks<kPairs> these_membranes, those_membranes;
      baseline_kernels().membrane_blocks(membranes(), x.data(), 0, std::min(end, 4), 0, &these_membranes);
      other->membrane_blocks(membranes(), x.data(), 0, std::min(end, 4), 0, &those_membranes);
      EXPECT_EQ(std::memcmp(&these_membranes, &those_membranes, sizeof these_membranes), 0);
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

TEST_F(LocalStep, GatherBeginsWithWhatPullsOnCopies) {
  const std::vector<int> begin{0, 1, 1, 2}, from{4, 1}, copy_begin{0, 3, 5, 5}, copy{0, 2, 3, 1, 4};
  const std::vector<Real> weight{2, 3};
  const std::vector<Lane> pull{{{1, 2, 3, 0}}, {{4, 5, 6, 0}}, {{7, 8, 9, 0}}, {{-1, -3, -2, 0}}, {{5, 5, 5, 0}}};
  for (const Kernels* kernels : {&best_kernels(), &baseline_kernels()}) {
    std::vector<RVec3> out(3);
    const GatherView view{begin.data(), from.data(), weight.data(), copy_begin.data(), copy.data(), pull.data()};
    kernels->gather(view, x.data(), 0, 3, out.data());
    EXPECT_EQ(out[0], RVec3(RVec3(7, 7, 10) + 2 * x[4]));
    EXPECT_EQ(out[1], RVec3(9, 10, 11));
    EXPECT_EQ(out[2], RVec3(3 * x[1]));
  }
}

}  // namespace
}  // namespace tryon::sim::local_step
