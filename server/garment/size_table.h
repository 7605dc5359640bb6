// What it is: body measurements of the letter sizes XS to XXL. Girths follow EN 13402-3:2004, Size designation of
// clothes, part 3: a letter takes two of the standard's sizes, and the figure stands at their middle.
//   women  bust: the intervals 74, 78 .. 102, 107, 113 .. 131 cm, two a letter: XS 74-82, S 82-90, M 90-98, L 98-107,
//          XL 107-119, XXL 119-131 (checked: bustSizesStandard of the R package Anthropometry publishes the standard's
//          twelve sizes as seq(74, 102, 4), seq(107, 131, 6)); waist and hip: its secondary dimensions
//   men    chest 78-86, 86-94, 94-102, 102-110, 110-118, 118-129 cm and waist: as the standard is commonly summarised;
//          no publication of the intervals was at hand to check them against
// All other measurements are not in that table: they are this project's proportions, linear in height and girth about
// DraftMeasurements' defaults, as is men's hip (chest and waist halved). Units: mm.
// How it fails: SIZE_UNKNOWN with the known names. Thread rules: pure functions.
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
