// What it is: arms and legs cut at their joints: planes across the limb through elbow, wrist, knee and ankle.
// Units and frame: metres, +Y up. Shapes: the result [vertex_count]. How it fails: a joint that was not found (a limb
// that ends before it) cuts nothing: all beyond the last joint belongs to the piece before it.
// Thread rules: pure functions.
#pragma once

#include <vector>

#include "server/body/body.h"

namespace tryon {

// From body.part and the landmarks left_shoulder, left_armpit, left_elbow, left_wrist, left_fingertip, left_knee,
// left_ankle_bone and the right ones.
std::vector<BodySegment> segment_limbs(const Body& body);

}  // namespace tryon
