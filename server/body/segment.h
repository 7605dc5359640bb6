// What it is: a canonical standing mesh cut into head, neck, torso, arms and legs, with the levels of the cuts.
// Units and frame: metres, +Y up, facing +Z, floor at y = 0. Shapes: part [vertex_count]; side 0 left (+X), 1 right.
// Above the armpit an arm begins at the plane through armpit and shoulder; below it an arm is whatever hangs together
// without the trunk. Legs are cut at the crotch, the neck where the shoulders begin to slope.
//
//        top ____        raised arms: the flank flares into the armpit, so the cut leans in towards the top;
//           /            lowered arms: pit and top lie above each other and the cut is upright.
//      pit /
//         |  flank
//
// How it fails: BODY_NOT_HUMAN names the level that was not found. Thread rules: pure functions.
#pragma once

#include <vector>

#include "absl/status/statusor.h"
#include "server/body/body.h"
#include "server/body/slices.h"

namespace tryon {

struct ArmCut {  // distances across from the middle are positive on either side
  double pit_across = 0, pit_y = 0;
  double top_across = 0, top_y = 0;
  double across_at(double y) const;
};

struct BodyLevels {  // m
  double height = 0, crotch = 0, neck_bottom = 0, neck_narrow = 0, neck_top = 0;
  double middle = 0;        // x of the trunk
  bool legs_touch = false;  // one piece below the crotch
  ArmCut arm[2];
  double armpit() const;  // the lower of the two
  Vec3 cut_point(int side, double across, double y, double z) const;
};

struct Segmentation {
  std::vector<BodyPart> part;
  BodyLevels levels;
};

absl::StatusOr<Segmentation> segment_body(const TriangleMesh& mesh);

// The loop of a horizontal slice that belongs to the trunk: large, and nearest to the middle. Null if there is none.
const SliceLoop* trunk_loop(const std::vector<SliceLoop>& loops, double middle_x = 0.0);

inline double side_sign(int side) { return side == 0 ? 1.0 : -1.0; }

}  // namespace tryon
