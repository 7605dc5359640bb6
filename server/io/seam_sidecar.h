// What it is: the small file that says what a DXF cannot: "tryon.seams.v1", JSON: which panels to cut from which piece
// (once, mirrored, unfolded at an edge), their roles and places, and the seams between ranges of their edges.
// Units: millimetres in the file. Panels are named by the sidecar; without a list every piece is one panel. Pieces that
// it cuts no panel from are told in `notes`, with the reason that its list "left_out" gives (an interfacing, a pocket).
// How it fails: names the entry; SIDECAR_MISMATCH where pieces, edges or stated lengths are not those of the pattern.
// Thread rules: pure functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "server/garment/pattern.h"
#include "server/io/pattern_json.h"

namespace tryon {

absl::StatusOr<Pattern> apply_sidecar(std::string_view sidecar, const Pattern& pieces, const PatternLimits& limits = {},
                                      std::vector<std::string>* notes = nullptr);

}  // namespace tryon
