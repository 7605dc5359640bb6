// What it is: body measurements of the letter sizes XS to XXL. Girths of bust (chest), waist and, for women, hip follow
// the ranges of EN 13402-3 (middle of each letter's bust range; waist and hip interpolated between its steps). All
// other measurements are not in that table: they are this project's proportions, linear in height and girth about
// DraftMeasurements' defaults. Units: mm. How it fails: SIZE_UNKNOWN with the known names. Thread rules: pure
// functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "server/garment/draft.h"

namespace tryon {

enum class Figure { kWomen, kMen };

std::vector<std::string> size_names();  // "XS", "S", "M", "L", "XL", "XXL"
absl::StatusOr<DraftMeasurements> size_measurements(Figure figure, std::string_view size);

}  // namespace tryon
