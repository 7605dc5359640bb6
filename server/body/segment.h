// What it is: a canonical standing mesh cut into head, neck, torso, arms and legs, with the levels of the cuts.
// Units and frame: metres, +Y up, facing +Z, floor at y = 0. Shapes: part [vertex_count].
// Arms are cut by the plane through armpit and shoulder, legs at the crotch, the neck where the shoulders begin to
// slope. How it fails: BODY_NOT_HUMAN names the level that was not found. Thread rules: pure functions.
#pragma once

#include <vector>

#include "absl/status/statusor.h"
#include "server/body/body.h"
#include "server/body/slices.h"

namespace tryon {

struct BodyLevels {  // heights, m
  double height = 0, crotch = 0, armpit = 0, neck_bottom = 0, neck_narrow = 0, neck_top = 0;
  double arm_plane[2] = {0, 0};  // x of the arm cut, left (positive) and right (negative)
};

struct Segmentation {
  std::vector<BodyPart> part;
  BodyLevels levels;
};

absl::StatusOr<Segmentation> segment_body(const TriangleMesh& mesh);

// The loop of a horizontal slice that belongs to the trunk: the one that encloses or comes nearest the middle.
const SliceLoop* trunk_loop(const std::vector<SliceLoop>& loops);

}  // namespace tryon
