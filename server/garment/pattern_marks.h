// What it is: the parts of validate() that look at what a panel carries besides its outline, at the seams between
// ranges of edges, and at the sizes. Units: metres.
// How it fails: names the mark, the seam or the size (PANEL_MARK, SEAM_RANGE, SEAM_EDGE_TWICE, SIZE_TOPOLOGY ...).
// Thread rules: pure functions.
#pragma once

#include "absl/status/status.h"
#include "server/garment/pattern.h"

namespace tryon {

absl::Status check_marks(const Panel& panel);
// Existing panels and edges, shares from 0 to 1, no cloth in two seams or in a seam and a stitch of its own.
absl::Status check_seams(const Pattern& pattern);
absl::Status check_sizes(const Pattern& pattern);

}  // namespace tryon
