// What it is: the measurements that garments are drafted from. Units: millimetres, degrees. Frame: heights above the
// floor. How it fails: a measurement that is missing, or that no person has, is named. Thread rules: pure functions.
#pragma once

#include "absl/status/status.h"

namespace tryon {

struct DraftMeasurements {  // mm, names as in Body::measurements_mm
  double bust_girth = 900, waist_girth = 720, hip_girth = 970, shoulder_width = 390, neck_girth = 340,
         upper_arm_girth = 280;
  double neck_height = 1440, shoulder_height = 1380, waist_height = 1050, hip_height = 860, crotch_height = 770;
  double arm_angle_deg = 45;  // below the horizontal
};

absl::Status validate(const DraftMeasurements& m);  // MEASUREMENT_IMPOSSIBLE names the one that no person has

}  // namespace tryon
