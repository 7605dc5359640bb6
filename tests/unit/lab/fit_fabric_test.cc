#include "server/lab/fit_fabric.h"

#include "gtest/gtest.h"
#include "server/base/status.h"

namespace tryon::lab {
namespace {

DrapeMeter quick() {
  DrapeMeter meter;
  meter.cell = 1.2e-2;
  meter.seeds = {6};
  return meter;
}

TEST(FitFabric, AFabricIsFoundAgainFromItsOwnTests) {
  Fabric truth;
  truth.areal_density = 0.2;
  truth.stretch_warp = 800, truth.stretch_weft = 400, truth.shear = 50;
  truth.bend_warp = truth.bend_weft = 1.2e-5;
  truth.bend_hysteresis = 150 * truth.bend_warp;
  const auto draped = drape_specimen({}, truth, quick());
  ASSERT_TRUE(draped.ok()) << draped.status();
  FabricTests tests;
  tests.areal_density = truth.areal_density;
  tests.drape_coefficient = draped->coefficient;
  const auto strain_at = [](double load, double stiffness) {  // of load = Y E lambda
    double strain = 0;
    for (int i = 0; i < 60; ++i) strain = load / (stiffness * (1 + 0.5 * strain) * (1 + strain));
    return strain;
  };
  tests.warp = {98.0665, strain_at(98.0665, 800)};
  tests.weft = {98.0665, strain_at(98.0665, 400)};
  const double bias = 4 / (1 / 800.0 + 1 / 400.0 + 1 / 50.0);
  tests.bias = {4.903325, strain_at(4.903325, bias)};
  const auto fitted = fit_fabric({}, tests, quick());
  ASSERT_TRUE(fitted.ok()) << fitted.status();
  EXPECT_NEAR(fitted->fabric.stretch_warp, 800, 1);
  EXPECT_NEAR(fitted->fabric.stretch_weft, 400, 1);
  EXPECT_NEAR(fitted->fabric.shear, 50, 0.5);
  EXPECT_NEAR(fitted->drape_coefficient, draped->coefficient, 5e-3);
  EXPECT_NEAR(fitted->fabric.bend_warp, 1.2e-5, 0.15 * 1.2e-5);
}

TEST(FitFabric, ImpossibleTestsAreRefusedByName) {
  FabricTests tests;
  tests.areal_density = 150;  // g/m2
  EXPECT_EQ(error_detail(fit_fabric({}, tests, quick()).status())->field, "areal_density");
  tests = {};
  tests.bias.strain = 0.0006;
  EXPECT_EQ(error_detail(fit_fabric({}, tests, quick()).status())->field, "bias.strain");
}

TEST(FitFabric, ADrapeOutOfReachSaysWhatCanBeReached) {
  FabricTests tests;
  tests.drape_coefficient = 0.05;
  tests.areal_density = 0.1;
  const auto status = fit_fabric({}, tests, quick()).status();
  ASSERT_TRUE(error_detail(status).has_value());
  EXPECT_EQ(error_detail(status)->reason, "FIT_OUT_OF_REACH");
}

}  // namespace
}  // namespace tryon::lab
