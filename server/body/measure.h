// What it is: landmarks and ISO 8559-1 measurements of a segmented body, girths as a tape takes them (convex hull).
// Units and frame: measurements in mm, landmarks in metres, +Y up, facing +Z. How it fails: a level that the body does
// not have is left out, never 0. Thread rules: pure functions. Cites: ISO 8559-1:2017 for names and levels; the waist
// is taken at the narrowest level between hip and ribs, the bust and hip at the widest.
#pragma once

#include "server/body/body.h"
#include "server/body/segment.h"

namespace tryon {

// Fills body->landmarks, measurements_mm, pose and arm_angle_deg from body->mesh and body->part.
void measure_body(const BodyLevels& levels, Body* body);

}  // namespace tryon
