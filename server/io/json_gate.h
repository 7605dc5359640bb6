// What it is: the gate that untrusted JSON passes before it is built in memory: syntax, depth, doubled names.
// Reads the text once and keeps nothing but the path to where it is, so that a fault is named by its element
// ("pattern.panels[front].edges[3].curvature") as well as by its line. Units: none.
// How it fails: INVALID_ARGUMENT (PATTERN_NOT_JSON, PATTERN_TOO_DEEP, PATTERN_DUPLICATE_NAME). Pure function.
#pragma once

#include <string_view>

#include "absl/status/status.h"

namespace tryon {

absl::Status check_json(std::string_view bytes, int max_depth);

}  // namespace tryon
