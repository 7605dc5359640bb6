// What it is: the way from a scan's frame to the body's: unit, up, facing, floor.
// Units and frame: in: any; out: metres, +Y up, facing +Z, floor at y = 0, +X the person's left.
// A scan that already stands in that frame (middle of the torso within 3 cm of x = 0 and 12 cm of z = 0) keeps its x
// and z, so that patterns drafted for the file's own frame still fit; any other is centred on the torso.
// How it fails: BODY_NOT_HUMAN, BODY_HEIGHT_OUT_OF_RANGE. Thread rules: pure functions.
#pragma once

#include "absl/status/statusor.h"
#include "server/body/body.h"

namespace tryon {

absl::StatusOr<ScanSource> orient_body(const ScanOptions& options, TriangleMesh* mesh);

}  // namespace tryon
