// What it is: the flat pattern as a picture: pieces side by side, the two sides of a seam in one colour (the SVG's).
// Units: as the layout. How it fails: as render_view. Thread rules: as RunContext.
#pragma once

#include "absl/status/statusor.h"
#include "server/base/run_context.h"
#include "server/garment/pattern.h"
#include "server/render/preview.h"

namespace tryon {

absl::StatusOr<Image> pattern_picture(const RunContext& run, const Pattern& pattern);

}  // namespace tryon
