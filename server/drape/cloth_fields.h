// What it is: what a drape does to its cloth and its body, vertex by vertex, ready to be coloured: strain along warp,
// weft and bias, distance to the skin, contact pressure where it is known. Shared by pictures, files and the report.
// Units: values SI (ratio, m, Pa); shown = value * scale in `unit`. Shapes: values [vertex_count of the welded cloth].
// How it fails: it does not; a field that was not computed is absent. Thread rules: as RunContext.
#pragma once

#include <string>
#include <vector>

#include "server/base/run_context.h"
#include "server/drape/assemble.h"
#include "server/drape/settle.h"
#include "server/render/colour_map.h"

namespace tryon {

struct ClothField {
  std::string key;    // "strain_warp"
  std::string title;  // "Strain along the warp"
  std::string unit;   // "%"
  double scale = 1.0;
  bool about_zero = false;  // both signs: a scale with 0 in its middle
  std::vector<double> values;
  double low = 0.0, high = 1.0;  // SI: the range of the colour scale, round numbers in the shown unit

  ColourMap map() const { return about_zero ? ColourMap::kAboutZero : ColourMap::kViridis; }
  double share(double value) const { return (value - low) / (high - low); }
};

std::vector<ClothField> cloth_fields(const RunContext& run, const FittedPerson& person, const Settled& settled);

// 1, 2 or 5 times a power of ten, the least that is not below x > 0.
double round_up_125(double x);

}  // namespace tryon
