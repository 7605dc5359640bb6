// What it is: garment patterns in JSON, in and out: the GarmentCode specification (2021 templates, 1.0 and 2.x) and
// tryon's own JSON ("schema": "tryon.pattern.v2", and v1 before it, millimetres). Units: converted to metres here.
// How it fails: INVALID_ARGUMENT naming panel, edge, mark, seam or stitch, and the remedy; every limit of
// PatternLimits is finite. Thread rules: pure functions.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "server/garment/pattern.h"

namespace tryon {

struct PatternLimits {
  int64_t max_file_bytes = 8ll << 20;
  int max_depth = 100, max_panels = kMaxPanels, max_edges = 20'000, max_stitches = 1'024;
  int max_points = 400'000;  // vertices, curve points and marks of all panels and sizes
  int max_sizes = 64;
};

// The seams are as the file has them: split_seams() (seam_graph.h) makes the stitches of those between ranges.
absl::StatusOr<Pattern> read_pattern(std::string_view bytes, std::string_view file_name,
                                     const PatternLimits& limits = {});
std::string write_pattern(const Pattern& pattern);  // tryon.pattern.v2, canonical

}  // namespace tryon
