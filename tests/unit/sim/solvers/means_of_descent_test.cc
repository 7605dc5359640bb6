#include "server/sim/solvers/means_of_descent.h"

#include <limits>

#include "gtest/gtest.h"

namespace tryon::sim {
namespace {

constexpr double kAtFirst = std::numeric_limits<double>::infinity();

// How many steps are plain where each leaves `rms(step)`, up to `most`.
template <typename Rms>
int plain_steps(Rms rms, bool layers, int most = 100) {
  MeansOfDescent means;
  means.choose({kAtFirst}, layers);
  int steps = 0;
  for (; !means.by_hessian() && steps < most; ++steps) means.choose({rms(steps)}, layers);
  return steps;
}

double halving(int step) { return 16.0 / (1 << step); }

TEST(MeansOfDescent, WithoutLayersTheHessianBeginsNearRest) {
  EXPECT_EQ(plain_steps(halving, false), 8);  // 0.125
}

TEST(MeansOfDescent, NotWhereARoughRestIsAllThatIsAskedForAndNear) {
  constexpr double kRough = 0.02, kFine = 0.0004;
  MeansOfDescent rough(kRough), fine(kFine);
  for (const double rms : {1.0, 0.6, 0.3, 0.2, 0.14, 0.1}) {
    rough.choose({rms, false}, false), fine.choose({rms, false}, false);
    EXPECT_EQ(fine.by_hessian(), rms < 0.15) << rms;
    EXPECT_FALSE(rough.by_hessian()) << rms;
  }
  MeansOfDescent slow(kRough);  // it would be there after nine steps and more
  for (const double rms : {0.2, 0.18, 0.17, 0.16, 0.149}) slow.choose({rms, false}, false);
  EXPECT_TRUE(slow.by_hessian());
  for (int step = 0; step < 6; ++step) rough.choose({0.05, false}, false);
  EXPECT_TRUE(rough.by_hessian()) << "it has stalled";
}

TEST(MeansOfDescent, AndWhereTheForcesNoLongerFall) {
  EXPECT_EQ(plain_steps([](int) { return 0.5; }, false), 5);
  EXPECT_EQ(plain_steps([](int) { return 0.5; }, true), 14);
}

TEST(MeansOfDescent, ClothThatHasOnlyBegunToTravelIsNotTakenForStalled) {
  EXPECT_EQ(plain_steps([](int) { return 5.0; }, false), 20);
}

TEST(MeansOfDescent, LayersWaitHoweverNearToRestTheyAre) {
  EXPECT_EQ(plain_steps([](int step) { return halving(step); }, true), 20);
}

MeansOfDescent by_hessian_at(double rms) {
  MeansOfDescent means;
  means.choose({rms}, true);
  means.take_hessian();
  means.choose({rms}, true);
  EXPECT_TRUE(means.by_hessian());
  return means;
}

TEST(MeansOfDescent, StepsOfLayersInVainFarFromRestAreFollowedByPlainOnes) {
  MeansOfDescent means = by_hessian_at(1.0);
  means.choose({0.9, true}, true);
  int plain = 0;
  for (; !means.by_hessian(); ++plain) {
    EXPECT_EQ(means.hessian_may_follow(), plain == 7) << plain;
    means.choose({0.9}, true);
  }
  EXPECT_EQ(plain, 8);
}

TEST(MeansOfDescent, NotWhereTheyGainNorNearRestNorWithoutLayersNorWhereFewParticlesAreWanting) {
  for (const MeansOfDescent::LastStep& last : {MeansOfDescent::LastStep{0.6, true}, {0.9, false}}) {
    MeansOfDescent means = by_hessian_at(1.0);
    means.choose(last, true);
    EXPECT_TRUE(means.by_hessian());
  }
  MeansOfDescent without = by_hessian_at(1.0);
  without.choose({0.9, true}, false);
  EXPECT_TRUE(without.by_hessian());
  MeansOfDescent near = by_hessian_at(0.2);
  near.choose({0.25, true}, true);
  EXPECT_TRUE(near.by_hessian());
}

TEST(MeansOfDescent, WhatHasNoFactorGoesOnPlainly) {
  MeansOfDescent means = by_hessian_at(0.5);
  means.give_up_hessian();
  EXPECT_FALSE(means.by_hessian());
  int plain = 0;
  for (; !means.by_hessian(); ++plain) means.choose({0.01}, false);
  EXPECT_EQ(plain, 21);
}

}  // namespace
}  // namespace tryon::sim
