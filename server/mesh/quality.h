// What it is: how good a planar triangulation is: angles, and edge lengths against the length wanted at their place.
// Units: degrees; lengths as ratios. The wanted length at a point is the target, or less near short sides: the side's
// length plus 0.35 of the distance to it. Shapes: see the fields. How it fails: it does not. Pure function.
// Exempt from the angles: triangles that touch a sharp corner (two sides or lines meet there at less than 60 degrees),
// and those that span, from outline to outline, a passage narrower than a fifth of the target: its tips and cusps.
#pragma once

#include <array>
#include <vector>

#include "server/mesh/triangulate.h"

namespace tryon {

struct MeshQuality {
  static constexpr int kBins =
      10;  // of inner edges by length over wanted length: [0, 0.2), [0.2, 0.4), ... 1.8 and more

  int triangles = 0, exempt = 0;
  double min_angle = 180.0;            // of those not exempt
  double min_angle_anywhere = 180.0;   // of all
  int narrow = 0;                      // below 25 degrees and not exempt
  int inner_edges = 0, outside = 0;    // outside 0.6 to 1.6 of the wanted length
  int far_edges = 0, far_outside = 0;  // those where the wanted length is the target itself
  std::array<int, kBins> histogram{};

  void add(const MeshQuality& other);
};

// outline_count: the first positions are the outline.
MeshQuality measure_quality(const PlanarMesh& mesh, int outline_count, double edge_length);

}  // namespace tryon
