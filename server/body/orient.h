// What it is: the way from a scan's frame to the body's: unit, up, facing, floor.
// Units and frame: in: any; out: metres, +Y up, facing +Z, floor at y = 0, +X the person's left.
// A scan that already stands in that frame (middle of the torso within 3 cm of x = 0 and 12 cm of z = 0) keeps its x
// and z, so that patterns drafted for the file's own frame still fit; any other is centred on the torso. A lean of up
// to 15 degrees is straightened: onto the floor where one was seen, else onto the soles.
// How it fails: BODY_NOT_HUMAN, BODY_PARTIAL, BODY_LYING_DOWN, BODY_HEIGHT_OUT_OF_RANGE, BODY_DECLARATION_CONTRADICTED,
// SETTING_OUT_OF_RANGE. Thread rules: pure functions.
#pragma once

#include <vector>

#include "absl/status/statusor.h"
#include "server/body/body.h"

namespace tryon {

struct FlatThing {              // a floor or a wall, in the scan's frame
  Vec3 normal = Vec3::UnitY();  // unit, towards the person
  double offset = 0.0;          // normal.dot(p) of its points
};

struct Placement {
  Eigen::Matrix3d turn = Eigen::Matrix3d::Identity();
  ScanSource source;
  Vec3 operator()(const Vec3& p) const { return source.scale_m * (turn * p) + source.shift_m; }
};

// `points` closely spaced over the skin (see sample_surface); `flat` what else was found in the scan: the floor tells
// upright from lying, and where zero is.
absl::StatusOr<Placement> find_placement(const std::vector<Vec3>& points, const ScanOptions& options,
                                         const std::vector<FlatThing>& flat);
// Whether the points stand like a person along some axis of their frame (a declared one only, if there is one).
bool stands_like_a_person(const std::vector<Vec3>& points, const ScanOptions& options);

}  // namespace tryon
