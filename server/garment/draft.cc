#include "server/garment/draft.h"

#include <string_view>

#include "server/base/status.h"
#include "server/base/text.h"

namespace tryon {
namespace {

absl::Status check(std::string_view field, double value, double low, double high) {
  if (value >= low && value <= high) return absl::OkStatus();
  return invalid_input("MEASUREMENT_IMPOSSIBLE", field, cat(field, " is ", value, ", outside ", low, " .. ", high),
                       "Measure again, or give a pattern of your own.");
}

}  // namespace

absl::Status validate(const DraftMeasurements& m) {
  RETURN_IF_ERROR(check("bust_girth", m.bust_girth, 400, 2000));
  RETURN_IF_ERROR(check("waist_girth", m.waist_girth, 300, 2000));
  RETURN_IF_ERROR(check("hip_girth", m.hip_girth, 400, 2200));
  RETURN_IF_ERROR(check("shoulder_width", m.shoulder_width, 180, 700));
  RETURN_IF_ERROR(check("neck_girth", m.neck_girth, 180, 700));
  RETURN_IF_ERROR(check("upper_arm_girth", m.upper_arm_girth, 100, 700));
  RETURN_IF_ERROR(check("neck_height", m.neck_height, 400, 2100));
  RETURN_IF_ERROR(check("waist_height", m.waist_height, 300, m.neck_height - 100));
  RETURN_IF_ERROR(check("hip_height", m.hip_height, 200, m.waist_height - 30));
  return check("crotch_height", m.crotch_height, 150, m.hip_height);
}

}  // namespace tryon
