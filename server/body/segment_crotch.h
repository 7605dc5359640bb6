// What it is: the level at which the legs part, free or pressed together.
// Units and frame: metres, +Y up, floor at y = 0. A coarse mesh draws the crotch's fine arch a centimetre high or low,
// but not the area of its sections; so the level is where that area begins to grow fast, near to where the sections
// join:
//
//    area |        ____     above: one trunk
//         |     __/
//         |    /            <- the gap between the thighs closes
//         | __/
//         |/________ y      below: two legs
//
// Thighs that are one piece (a scan of closed legs) join far below that; there the crotch is where the trunk's section
// becomes deep in its middle. How it fails: BODY_NOT_HUMAN without legs, BODY_LEGS_HIDDEN where no cleft tells one leg
// from the other (a skirt, a coat). Thread rules: pure functions.
#pragma once

#include "absl/status/statusor.h"
#include "server/body/slices.h"

namespace tryon {

struct Crotch {
  double level = 0.0;
  bool legs_touch = false;  // one piece from here to far below
};

absl::StatusOr<Crotch> find_crotch(const LevelSlicer& slicer, double height, double middle_x);

}  // namespace tryon
