// What it is: landmarks, segments and ISO 8559-1 measurements of a body whose parts are known, girths as a tape takes
// them (convex hull), each with the curve that was measured. What each item means stands in items.h.
// Units and frame: measurements in mm, landmarks and curves in metres, +Y up, facing +Z. Shapes: segment
// [vertex_count]. How it fails: a level that the body does not have is left out, never 0. Thread rules: pure functions.
// Cites: ISO 8559-1:2017 for names and levels; Drillis and Contini 1966 for where joints lie along a limb.
#pragma once

#include "server/body/body.h"
#include "server/body/segment.h"

namespace tryon {

// Fills body->segment, landmarks, measurements_mm, curves, pose and arm_angle_deg from body->mesh and body->part.
void measure_body(const BodyLevels& levels, Body* body);

}  // namespace tryon
