// What it is: whether a table of measurements can be a person's: names, ranges, pairs and all together.
// Units: mm. How it fails: BODY_MEASUREMENT_UNKNOWN, BODY_MEASUREMENT_OUT_OF_RANGE, BODY_MEASUREMENTS_INCONSISTENT with
// the items and their plausible range by the statistics of anthropometry.h. Thread rules: pure functions.
#pragma once

#include "absl/status/statusor.h"
#include "server/body/anthropometry.h"
#include "server/body/body_from_measurements.h"

namespace tryon {

absl::StatusOr<ItemValues> check_body_table(const BodyTable& table);

}  // namespace tryon
