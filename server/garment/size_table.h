// What it is: body measurements of the letter sizes XS to XXL. Girths follow EN 13402-3:2004, Size designation of
// clothes, part 3: a letter takes two of the standard's sizes, and the figure stands at their middle.
//   women  twelve sizes by bust 74, 78 .. 102, 107, 113 .. 131 cm (also published as bustSizesStandard of the R package
//          Anthropometry: seq(74, 102, 4), seq(107, 131, 6)), each with its waist and hip: 82-86 goes with 66-70 and
//          90-94, 102-107 with 86-91 and 110-115, from there steps of 6, 6 and 5 cm. Public tables that name the
//          standard agree up to bust 113 (waist 91-97, hip 115-120); the last three sizes go on in these steps.
//   men    chest, as the standard's letters: XS 78-86, S 86-94, M 94-102, L 102-110, XL 110-118, XXL 118-129 cm (three
//          independent published summaries agree); the standard gives men no waist or hip by letter.
// All other measurements are not in that table: they are this project's proportions, linear in height and girth about
// DraftMeasurements' defaults, as are men's waist and hip. Units: mm.
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
