// What it is: the project's own sample garments, drafted flat from body measurements: T-shirt with two-piece short
// sleeves, A-line skirt and straight trousers with waistbands. Placed for the body that was measured.
// Units: millimetres in the table, metres in the pattern. Frame: floor origin, body facing +Z.
// How it fails: a measurement that is missing, or that no person has, is named. Thread rules: pure functions.
// The block construction (quarter girths plus ease, scye depth from the bust, crotch extension from the hip) is the
// common one of flat pattern cutting, e.g. Aldrich, Metric Pattern Cutting.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "server/garment/pattern.h"

namespace tryon {

struct DraftMeasurements {  // mm, names as in Body::measurements_mm
  double bust_girth = 900, waist_girth = 720, hip_girth = 970, shoulder_width = 390, neck_girth = 340,
         upper_arm_girth = 280;
  double neck_height = 1440, shoulder_height = 1380, waist_height = 1050, hip_height = 860, crotch_height = 770;
  double arm_angle_deg = 45;  // below the horizontal
};

absl::Status validate(const DraftMeasurements& m);  // MEASUREMENT_IMPOSSIBLE names the one that no person has
absl::StatusOr<Pattern> draft_sample(std::string_view name, const DraftMeasurements& m);  // "tshirt", ...
std::vector<std::string> draft_names();

}  // namespace tryon
