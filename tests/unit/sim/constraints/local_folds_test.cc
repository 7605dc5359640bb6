// The vector loops of folds (local_step.h) against their slow twins, fold by fold, and their two builds against each
// other.
#include <cmath>
#include <cstring>
#include <random>

#include "gtest/gtest.h"
#include "server/sim/constraints/folds.h"
#include "server/sim/constraints/local_step.h"
#include "tests/unit/sim/fold_judge.h"

namespace tryon::sim::local_step {
namespace {

constexpr double kClose = sizeof(Real) == 8 ? 1e-12 : 1e-4;

// Folds of every angle up to 179.9 degrees, of every size and shape, and some that have a triangle without area.
struct ManyFolds {
  ManyFolds() {
    std::mt19937 random(13);
    const auto unit = [&] { return static_cast<double>(random()) / 2147483648.0 - 1; };
    for (int i = 0; i < kMany; ++i) {
      const double theta = 3.14 * unit(), size = std::pow(10.0, 2 * unit());
      const double high = (i % 5 == 0 ? 1e-3 : 0.1) + std::abs(unit()), low = 0.1 + std::abs(unit());
      const Eigen::Matrix3d turn =
          Eigen::AngleAxisd(3 * unit(), Vec3(unit(), unit(), unit()).normalized()).toRotationMatrix();
      const Vec3 at[4] = {Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(unit(), high * std::cos(theta), high * std::sin(theta)),
                          Vec3(unit(), i % 40 == 9 ? 0 : -low, 0)};
      for (const Vec3& p : at) x.push_back((size * turn * p).cast<Real>());
      folds.particle.push_back({4 * i, 4 * i + 1, 4 * i + 2, 4 * i + 3});
      folds.rest_angle.push_back(Real(0.1 * unit()));
      folds.row_begin.push_back(static_cast<int>(folds.column.size()));
      for (const int g : {i - 1, i, i + 1})
        if (g >= 0 && g < kMany) folds.column.push_back(g), folds.stiffness.push_back(Real(g == i ? 2 : 0.5));
    }
    folds.row_begin.push_back(static_cast<int>(folds.column.size()));
    angle.resize(kMany), slot.assign(4 * kMany + 1, RVec3::Zero());
  }
  FoldView view() const {
    return {folds.particle.data(), folds.rest_angle.data(), folds.row_begin.data(),
            folds.column.data(),   folds.stiffness.data(),  4 * kMany - 1};
  }
  fold::Corners corners(int i) const { return {x[4 * i], x[4 * i + 1], x[4 * i + 2], x[4 * i + 3]}; }
  void pull(const Kernels& kernels) { kernels.fold_angles(view(), x.data(), 0, kMany, angle.data(), slot.data()); }
  double moment(int i) const {
    double sum = 0;
    for (int k = folds.row_begin[i]; k < folds.row_begin[i + 1]; ++k)
      sum += double(folds.stiffness[k]) * double(angle[folds.column[k]]);
    return sum;
  }
  static constexpr int kMany = 2003;
  std::vector<RVec3> x, slot;
  std::vector<Real> angle;
  Folds folds;
};

testing::Matrix12 matrix_of_fold(const WholeBlocks<kFoldPairs>& blocks, int which) {
  testing::Matrix12 out = testing::Matrix12::Zero();
  int pair = 0;
  for (int a = 0; a < 4; ++a)
    for (int b = 0; b <= a; ++b) {
      if (a == 3 && b == 2) continue;
      for (int n = 0; n < 9; ++n)
        out(3 * a + n % 3, 3 * b + n / 3) = out(3 * b + n / 3, 3 * a + n % 3) = blocks.at[pair][n][which];
      ++pair;
    }
  return out;
}

TEST(FoldLoops, PullAsTheirSlowTwins) {
  ManyFolds many;
  many.pull(best_kernels());
  double expected = 0;
  for (int i = 0; i < many.kMany; ++i) {
    const double theta = double(fold::angle(many.corners(i)) - many.folds.rest_angle[i]);
    const double thin = i % 5 == 0 ? 1e3 : 1;
    EXPECT_NEAR(double(many.angle[i]), theta, 10 * thin * kClose) << i;
    const fold::Corners g = fold::angle_gradient(many.corners(i));
    for (int k = 0; k < 4; ++k)
      EXPECT_LT(double((many.slot[4 * i + k] - g[k]).norm()),
                100 * thin * kClose * double(g[2].norm() + g[3].norm()) + 1e-30)
          << i;
    expected += 0.5 * many.moment(i) * double(many.angle[i]);
  }
  const std::vector<RVec3> gradient = many.slot;
  EXPECT_NEAR(best_kernels().fold_moments(many.view(), many.angle.data(), 0, many.kMany, many.slot.data()), expected,
              100 * kClose * expected);
  for (int i = 0; i < 4 * many.kMany; ++i)
    EXPECT_LT(double((many.slot[i] - Real(many.moment(i / 4)) * gradient[i]).norm()),
              100 * kClose * double(gradient[i].norm()) + 1e-30);
}

TEST(FoldLoops, BlocksAreTheAnglesHessianByMachine) {
  ManyFolds many;
  many.pull(best_kernels());
  for (int begin = 0; begin < many.kMany; begin += 4) {
    const int end = std::min(begin + 4, many.kMany);
    WholeBlocks<kFoldPairs> blocks;
    best_kernels().fold_blocks(many.view(), many.x.data(), many.angle.data(), begin, end, 0.5, &blocks);
    for (int i = begin; i < end; ++i) {
      const testing::Matrix12 found = matrix_of_fold(blocks, i - begin);
      if (i % 40 == 9) {
        EXPECT_EQ(found.norm(), 0) << i;
        continue;
      }
      const testing::Matrix12 expected = 0.5 * many.moment(i) * testing::fold_angle_hessian(many.corners(i));
      EXPECT_LT((found - expected).norm(), (i % 5 == 0 ? 1e4 : 100) * kClose * expected.norm()) << i;
    }
  }
}

TEST(FoldLoops, TheTwoBuildsGiveTheSameBytesWhereverChunksEnd) {
  if (!avx2_kernels()) GTEST_SKIP() << "this processor has no AVX2";
  ManyFolds whole, parts;
  whole.pull(baseline_kernels());
  for (int begin = 0; begin < whole.kMany; begin += 7)
    avx2_kernels()->fold_angles(parts.view(), parts.x.data(), begin, std::min(begin + 7, whole.kMany),
                                parts.angle.data(), parts.slot.data());
  const auto same = [&] {
    return std::memcmp(whole.slot.data(), parts.slot.data(), whole.slot.size() * sizeof(RVec3)) == 0 &&
           std::memcmp(whole.angle.data(), parts.angle.data(), whole.angle.size() * sizeof(Real)) == 0;
  };
  EXPECT_TRUE(same());
  for (int i = 0; i < whole.kMany; i += 4) {
    const int end = std::min(i + 4, whole.kMany);
    WholeBlocks<kFoldPairs> these, those;
    baseline_kernels().fold_blocks(whole.view(), whole.x.data(), whole.angle.data(), i, end, 1, &these);
    avx2_kernels()->fold_blocks(whole.view(), whole.x.data(), whole.angle.data(), i, end, 1, &those);
    EXPECT_EQ(std::memcmp(&these, &those, sizeof these), 0) << i;
  }
  EXPECT_EQ(baseline_kernels().fold_moments(whole.view(), whole.angle.data(), 0, whole.kMany, whole.slot.data()),
            avx2_kernels()->fold_moments(parts.view(), parts.angle.data(), 0, whole.kMany, parts.slot.data()));
  EXPECT_TRUE(same());
}

// The tangents of all angles, on circles of every size: no further from atan2 than three of its last digits.
TEST(FoldLoops, AnglesAreRightToTheLastDigits) {
  if constexpr (std::is_same_v<Real, float>) return;  // as expect_derivatives()
  Folds folds;
  std::vector<RVec3> x;
  for (int i = -2000; i <= 2000; ++i) {  // an edge along x: the angle is that of (y, z) and (-1, 0)
    const double angle = i * 1.57e-3 + std::pow(0.97, std::abs(i)) * 1e-9;
    folds.particle.push_back({0, 1, static_cast<int>(x.size()) + 2, static_cast<int>(x.size()) + 3});
    x.push_back(RVec3(Real(0.5), Real(std::cos(angle)), Real(std::sin(angle)))), x.push_back(RVec3(Real(0.5), -1, 0));
  }
  x.insert(x.begin(), {RVec3(0, 0, 0), RVec3(1, 0, 0)});
  const int count = folds.count();
  folds.rest_angle.assign(count, 0);
  std::vector<Real> theta(count);
  std::vector<RVec3> slot(4 * count + 1);
  const FoldView view{folds.particle.data(),         folds.rest_angle.data(), nullptr, nullptr, nullptr,
                      static_cast<int>(x.size()) - 1};
  best_kernels().fold_angles(view, x.data(), 0, count, theta.data(), slot.data());
  for (int i = 0; i < count; ++i) {
    const RVec3& p = x[static_cast<size_t>(folds.particle[i][2])];
    const double expected = std::atan2(double(p[2]), double(p[1]));
    EXPECT_NEAR(double(theta[i]), expected, 3 * 0x1p-53 * std::abs(expected)) << i;
  }
}

TEST(FoldLoops, WhatIsNoNumberStaysNoNumberInItsOwnFoldOnly) {
  ManyFolds many;
  many.x[4 * 5 + 2][1] = std::numeric_limits<Real>::quiet_NaN();
  many.pull(best_kernels());
  for (int i = 0; i < 8; ++i) EXPECT_EQ(std::isfinite(many.angle[i]), i != 5) << i;
  for (int i = 0; i < 32; ++i) EXPECT_TRUE(i / 4 == 5 || many.slot[i].allFinite()) << i;
}

}  // namespace
}  // namespace tryon::sim::local_step
