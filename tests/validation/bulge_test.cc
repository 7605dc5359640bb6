// T9 (bulge), T10 b (rigid plate): validation.md 2.5, 2.6.
#include "tests/validation/membrane_scenes.h"

namespace tryon::sim::validation {
namespace {

TEST(T9Bulge, ADiscRisesAsHenckySays) {
  const std::pair<double, double> table[] = {{0.0, 0.71831924}, {0.3, 0.65344334}};
  for (const auto& [poisson, exact] : table)
    EXPECT_NEAR(bulge_of_disc("newton", poisson, 20, 10), exact, 0.015 * exact) << poisson;
  EXPECT_NEAR(bulge_of_disc("lbfgs", 0.3, 20, 10), 0.65344334, 0.015 * 0.653);
}

TEST(T9Bulge, ADiscIsTautInItsMiddleAsHenckySays) {
  const std::pair<double, double> table[] = {
      {0.0, 0.40510327}, {0.2, 0.42068309}, {0.3, 0.43110102}, {0.5, 0.46132768}};
  for (const auto& [poisson, exact] : table)
    EXPECT_NEAR(bulge_and_tension("newton", poisson, 20, 10).tension, exact, 0.015 * exact) << poisson;
}

TEST(T9Bulge, ItsErrorFallsWithTheSquareOfTheMesh) {
  const double exact = 0.71831924;
  const double coarse = bulge_of_disc("newton", 0, 6, 0.01) - exact,
               fine = bulge_of_disc("newton", 0, 12, 0.01) - exact;
  EXPECT_GT(std::log2(coarse / fine), 1.7);
}

TEST(T9Bulge, AStripIsACircularArcAtAnyHeight) {
  const double lambda[] = {0.001, 0.01, 0.05, 0.1};
  const double linear[] = {0.0911573, 0.1988055, 0.3506634, 0.4548442};
  const double stvk[] = {0.0909059, 0.1962382, 0.3371437, 0.4264916};
  for (int i = 0; i < 4; ++i) {
    EXPECT_NEAR(bulge_of_strip("newton", SpringLayout::kThreads, lambda[i], 20), linear[i], 0.005 * linear[i]);
    EXPECT_NEAR(bulge_of_strip("newton", SpringLayout::kMembrane, lambda[i], 20), stvk[i], 0.005 * stvk[i]);
    EXPECT_NEAR(bulge_of_strip("lbfgs", SpringLayout::kThreads, lambda[i], 20), linear[i], 0.005 * linear[i]);
  }
}

TEST(T10RigidPlate, SwingsWithThePeriodOfTheEllipticIntegral) {
  const std::pair<double, double> table[] = {{5, 1.158953}, {30, 1.178567}, {90, 1.367308}};
  for (const auto& [degrees, exact] : table)
    EXPECT_NEAR(plate_period("newton", degrees, 1.0 / 240), exact, 0.005 * exact) << degrees;
}

}  // namespace
}  // namespace tryon::sim::validation
