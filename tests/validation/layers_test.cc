// T17 b, c (contact of the cloth with itself), short: validation.md 3.5.
#include "tests/validation/layer_scenes.h"

namespace tryon::sim::validation {
namespace {

TEST(T17Layers, APileOfThreeIsAsHighAsItsGaps) {
  const Stack stack = pile_up(3, 3);
  EXPECT_NEAR(stack.height, stack.expected, 0.05 * stack.expected);
  EXPECT_NEAR(stack.support, 1, 2e-3);
  EXPECT_EQ(stack.crossings, 0);
}

// Contact is so much stiffer than the constant matrix knows that a step may need more than a dozen halvings: with no
// more, lbfgs stood still where the sheets had fallen together, 5 to 10 % too high.
TEST(T17Layers, APileOfTenIsAsHighAsItsGaps) {
  const Stack stack = pile_up(10, 8, 5, 1);
  EXPECT_NEAR(stack.height, stack.expected, 0.05 * stack.expected);
  EXPECT_EQ(stack.crossings, 0);
}

// A layer goes as far as its friction takes to grow, and then no farther; on a steeper slope it slides as a block does.
TEST(T17Layers, ALayerHoldsOnASlopeWithoutCreepAndSlidesOnASteeperOne) {
  const double mu = 0.4, steep = 27 * kPi / 180, time = 0.5;
  const double second = slide_of_layer(mu, 15, 1), fourth = slide_of_layer(mu, 15, 4);
  EXPECT_LT(second, 1e-4);
  EXPECT_LT(std::abs(fourth - second), 1e-7) << "no creep";
  const double exact = kGravity * (std::sin(steep) - mu * std::cos(steep)) * time * time / 2;
  EXPECT_NEAR(slide_of_layer(mu, 27, time), exact, 0.12 * exact) << "it trembles on its layer";
}

TEST(T17Layers, ATwistedStripNeverCrossesItself) {
  const Twisted twisted = twist_strip(0.25, 10);
  EXPECT_EQ(twisted.crossings, 0);
  EXPECT_NEAR(twisted.turns, 0.25, 1e-9);
}

}  // namespace
}  // namespace tryon::sim::validation
