// What it is: garment patterns in and out: the GarmentCode JSON specification (2021 templates, 1.0 and 2.x) and tryon's
// own JSON ("schema": "tryon.pattern.v1", millimetres). Units: converted to metres here.
// How it fails: INVALID_ARGUMENT naming panel, edge or stitch, and the remedy; every limit of ParsePatternLimits is
// finite. Thread rules: pure functions.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "server/garment/pattern.h"

namespace tryon {

struct PatternLimits {
  int64_t max_file_bytes = 8ll << 20;
  int max_depth = 100, max_panels = 256, max_edges = 20'000, max_stitches = 1'024;
};

absl::StatusOr<Pattern> read_pattern(std::string_view bytes, std::string_view file_name,
                                     const PatternLimits& limits = {});
std::string write_pattern(const Pattern& pattern);  // tryon.pattern.v1, canonical

}  // namespace tryon
