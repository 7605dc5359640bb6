// What it is: a fabric from three tests that any workroom can do: its weight, its drape coefficient and how far it
// stretches; by inverting our own drape meter (bisection over the bending rigidity) and the closed answer that the
// membrane gives to a pull with free edges: load = Y E lambda, E = (lambda^2 - 1) / 2.
// Units: SI per unit width, strain and coefficient as ratios. How it fails: SETTING_OUT_OF_RANGE with the test's name;
// FIT_OUT_OF_REACH where no rigidity drapes so, with the coefficients that can be reached.
// Thread rules: pure functions; the context's executor inside.
#pragma once

#include "absl/status/statusor.h"
#include "server/base/run_context.h"
#include "server/fabric/fabric.h"
#include "server/lab/drape_meter.h"

namespace tryon::lab {

struct Pull {
  double load = 98.0665, strain = 0.03;  // N/m, ratio
};

struct FabricTests {
  double areal_density = 0.15;     // kg/m^2, 0.01 .. 3
  double drape_coefficient = 0.4;  // 0.05 .. 0.98
  Pull warp, weft;                 // 100 gf/cm as FAST pulls; strain 0.0005 .. 1
  Pull bias{4.903325, 0.08};       // 5 gf/cm at 45 degrees
  double hysteresis_ratio = 150;   // 1/m: 2HB over B, 0 .. 300; 150 as for the wovens of fabrics.md
  double warp_over_weft = 1;       // of the bending rigidities, 0.1 .. 10
  double thickness = 5e-4;         // m
};

struct FittedFabric {
  Fabric fabric;
  double drape_coefficient = 0;  // simulated, of the answer
  int drape_count = 0;           // how many specimens were draped
};

double stiffness_of(const Pull& pull);
absl::StatusOr<FittedFabric> fit_fabric(const RunContext& run, const FabricTests& tests, const DrapeMeter& meter);

}  // namespace tryon::lab
