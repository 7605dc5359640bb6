// What it is: a person without a scan: height and any subset of the measurements give a body whose own tape
// (measure_body, the judge) reads what was asked; what was not asked follows the regression of anthropometry.h.
// Units and frame: the table in mm; the body as make_body returns it (metres, +Y up, facing +Z, floor at y = 0).
// Shapes: the same vertices and triangles, in the same order, for every table.
// How it fails: BODY_MEASUREMENT_UNKNOWN, BODY_MEASUREMENT_OUT_OF_RANGE, BODY_MEASUREMENTS_INCONSISTENT (the message
// names the items and their plausible range), BODY_MEASUREMENTS_UNREACHABLE (no figure has them all together).
// Thread rules: pure function; the same table gives the same bytes.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "server/base/run_context.h"
#include "server/body/anthropometry.h"
#include "server/body/body.h"

namespace tryon {

std::string_view figure_type_name(FigureType type);  // "neutral", "female", "male"
absl::StatusOr<FigureType> parse_figure_type(std::string_view name);

struct BodyTable {
  double height_mm = 0.0;                         // 0: predicted as well, if measurements_mm has no "height"
  std::map<std::string, double> measurements_mm;  // by the names of body_table_items()
  FigureType figure = FigureType::kNeutral;
  double arm_angle_deg = 45.0;  // below the horizontal; 0 is the T-pose, 0 .. 60
};

struct BodyTableItem {
  std::string name;
  double low_mm, typical_mm, high_mm;  // of the figure type, whatever its height
};
// What may be asked, in a fixed order.
std::vector<BodyTableItem> body_table_items(FigureType type);

struct MeasurementOutcome {
  double wanted_mm = 0.0, achieved_mm = 0.0;
  bool predicted = false;     // by regression; not asked for
  double deviation_mm = 0.0;  // standard deviation of the prediction; 0 where asked
};

struct BodyFromMeasurements {
  Body body;  // canonical, re-measured by make_body
  FigureType figure = FigureType::kNeutral;
  std::map<std::string, MeasurementOutcome> outcome;  // every item of body_table_items
  double worst_error_ratio = 0.0;                     // largest |achieved / wanted - 1| of what was asked
  int passes = 0;                                     // of the fitting loop
};

absl::StatusOr<BodyFromMeasurements> body_from_measurements(const RunContext& run, const BodyTable& table);

}  // namespace tryon
