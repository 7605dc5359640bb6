// What it is: landmarks and ISO 8559-1 measurements of a segmented body, girths as a tape takes them (convex hull).
// Units and frame: measurements in mm, landmarks in metres, +Y up, facing +Z. How it fails: a level that the body does
// not have is left out, never 0. Thread rules: pure functions. Cites: ISO 8559-1:2017 for names and levels.
// Where the tape lies: bust at the foremost point of the chest; under-bust at the smallest girth just below it; waist
// at the smallest girth between hip and ribs (a belly without one: at 5/8 of the height); hip at the largest girth
// below; thigh just below the crotch; neck at its narrowest, across its own lean; arm girths across upper arm and
// forearm.
#pragma once

#include "server/body/body.h"
#include "server/body/segment.h"

namespace tryon {

// Fills body->landmarks, measurements_mm, pose and arm_angle_deg from body->mesh and body->part.
void measure_body(const BodyLevels& levels, Body* body);

}  // namespace tryon
