// What it is: a parametric standing figure in A-pose, generated from a table of measurements: the project's own sample
// body. Closed, smooth, about 10,000 vertices, the same topology for every table.
// Units and frame: the table in millimetres; the mesh in metres, +Y up, facing +Z, floor at y = 0.
// How it fails: an impossible table is refused by name. Thread rules: pure function.
#pragma once

#include "absl/status/statusor.h"
#include "server/mesh/triangle_mesh.h"

namespace tryon {

struct MannequinTable {  // mm; the defaults are a woman of size M
  double height = 1680, neck_girth = 340, shoulder_width = 390, bust_girth = 900, under_bust_girth = 770,
         waist_girth = 720, hip_girth = 970, thigh_girth = 560, knee_girth = 370, calf_girth = 355, ankle_girth = 220,
         upper_arm_girth = 280, elbow_girth = 245, wrist_girth = 160, arm_length = 580, inside_leg = 770,
         head_girth = 560;
  double arm_angle_deg = 45;  // below the horizontal
  double manliness = 0;       // of chest, back and belly: 0 a woman's, 1 a man's
};

absl::StatusOr<TriangleMesh> make_mannequin(const MannequinTable& table);

}  // namespace tryon
