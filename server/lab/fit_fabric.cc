#include "server/lab/fit_fabric.h"

#include <algorithm>
#include <cmath>

#include "server/base/status.h"
#include "server/base/text.h"
#include "server/base/units.h"

namespace tryon::lab {
namespace {

constexpr double kLeastLength = 4e-3, kMostLength = 7e-2;  // m: bending lengths between which the answer is sought
constexpr double kClose = 4e-3;                            // of the coefficient
constexpr int kMostDrapes = 16;

absl::Status check(const FabricTests& t) {
  const struct {
    const char *name, *range;
    double value, low, high;
  } fields[] = {{"areal_density", "0.01 .. 3 kg/m2", t.areal_density, 0.01, 3},
                {"drape_coefficient", "0.05 .. 0.98", t.drape_coefficient, 0.05, 0.98},
                {"warp.load", "0.1 .. 2000 N/m", t.warp.load, 0.1, 2000},
                {"warp.strain", "0.0005 .. 1", t.warp.strain, 5e-4, 1},
                {"weft.load", "0.1 .. 2000 N/m", t.weft.load, 0.1, 2000},
                {"weft.strain", "0.0005 .. 1", t.weft.strain, 5e-4, 1},
                {"bias.load", "0.1 .. 2000 N/m", t.bias.load, 0.1, 2000},
                {"bias.strain", "0.0005 .. 1", t.bias.strain, 5e-4, 1},
                {"hysteresis_ratio", "0 .. 300 1/m", t.hysteresis_ratio, 0, 300},
                {"warp_over_weft", "0.1 .. 10", t.warp_over_weft, 0.1, 10},
                {"thickness", "1e-5 .. 2e-2 m", t.thickness, 1e-5, 2e-2}};
  for (const auto& f : fields)
    if (!(f.value >= f.low && f.value <= f.high))
      return invalid_input("SETTING_OUT_OF_RANGE", f.name, cat(f.name, " is ", f.value, ", outside ", f.range),
                           cat("Give a value in ", f.range, "."));
  return absl::OkStatus();
}

// 1 / Y_45 = (1 / Y_warp + 1 / Y_weft + 1 / G) / 4 where warp and weft do not couple.
absl::StatusOr<double> shear_of(const FabricTests& t, const Fabric& f) {
  const double rest = 4 / stiffness_of(t.bias) - 1 / f.stretch_warp - 1 / f.stretch_weft;
  if (rest > 0 && 1 / rest >= 0.1 && 1 / rest <= 1e5) return 1 / rest;
  return invalid_input("SETTING_OUT_OF_RANGE", "bias.strain",
                       "on the bias the cloth would stretch less than warp and weft allow",
                       "Check the loads: FAST pulls the bias with 5 gf/cm, warp and weft with 100.");
}

struct Search {
  const RunContext& run;
  const FabricTests& tests;
  const DrapeMeter& meter;
  FittedFabric best;

  absl::StatusOr<double> drape(double bending_length) {
    Fabric& f = best.fabric;
    const double bend = tests.areal_density * kGravity * std::pow(bending_length, 3);
    f.bend_warp = bend * std::sqrt(tests.warp_over_weft);
    f.bend_weft = bend / std::sqrt(tests.warp_over_weft);
    f.bend_hysteresis = tests.hysteresis_ratio * bend;
    ASSIGN_OR_RETURN(const Draped draped, drape_specimen(run, f, meter));
    ++best.drape_count;
    run.report("fit", static_cast<double>(best.drape_count) / kMostDrapes);
    best.drape_coefficient = draped.coefficient;
    return draped.coefficient;
  }

  // More rigid cloth stays flatter; where a fold more or less breaks that by a point, bisection ends beside it.
  absl::Status bisect() {
    double low = kLeastLength, high = kMostLength;
    ASSIGN_OR_RETURN(const double limp, drape(low));
    ASSIGN_OR_RETURN(const double stiff, drape(high));
    if (tests.drape_coefficient < limp - kClose || tests.drape_coefficient > stiff + kClose)
      return invalid_input(
          "FIT_OUT_OF_REACH", "drape_coefficient",
          cat("no bending rigidity gives this cloth a drape coefficient of ", 100 * tests.drape_coefficient,
              " %: it can have ", std::round(100 * limp), " .. ", std::round(100 * stiff), " %"),
          "Check the specimen's size (300 mm over 180 mm is meant) and the weight.");
    while (best.drape_count < kMostDrapes) {
      const double middle = std::sqrt(low * high);
      ASSIGN_OR_RETURN(const double at, drape(middle));
      if (std::abs(at - tests.drape_coefficient) < kClose) return absl::OkStatus();
      (at < tests.drape_coefficient ? low : high) = middle;
    }
    return absl::OkStatus();
  }
};

}  // namespace

double stiffness_of(const Pull& pull) {
  const double stretch = 1 + pull.strain;
  return pull.load / (0.5 * (stretch * stretch - 1) * stretch);
}

absl::StatusOr<FittedFabric> fit_fabric(const RunContext& run, const FabricTests& tests, const DrapeMeter& meter) {
  RETURN_IF_ERROR(check(tests));
  Search search{run, tests, meter, {}};
  Fabric& f = search.best.fabric;
  f.areal_density = tests.areal_density;
  f.thickness = tests.thickness;
  f.stretch_warp = stiffness_of(tests.warp);
  f.stretch_weft = stiffness_of(tests.weft);
  ASSIGN_OR_RETURN(f.shear, shear_of(tests, f));
  RETURN_IF_ERROR(search.bisect());
  f.comfortable_strain = comfortable_strain_of(f);
  return std::move(search.best);
}

}  // namespace tryon::lab
