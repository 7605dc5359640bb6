// What it is: floors and walls round a scanned person, found as flat patches at least as wide as what stands on them.
// Units and frame: the scan's own. Shapes: `on_plane` [point_count].
// How it fails: it does not; where all is flat (a sheet, a box) nothing is taken away. Thread rules: pure functions;
// no randomness: hypotheses are drawn evenly from the points.
#pragma once

#include <vector>

#include "server/body/orient.h"

namespace tryon {

struct FlatThings {
  std::vector<FlatThing> planes;  // the one with most points first
  std::vector<char> on_plane;     // [point_count]
  double thickness = 0.0;         // points this near a plane were taken as its own
};
FlatThings find_flat_things(const std::vector<Vec3>& points);

}  // namespace tryon
