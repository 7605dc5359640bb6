// What it is: how far the sides of seams are stretched or pressed together along the seam: what is sewn to something
// longer must give, and a length that was cut wrongly would hide there. Units: metres; strain is a ratio, 0 = rest.
// Shapes: [edge_count of the side]. How it fails: it does not; sides without length are left out.
// Thread rules: pure functions.
#pragma once

#include <vector>

namespace tryon {

// One side of a seam, edge by edge: as it was cut, and as it lies.
struct SewnSide {
  std::vector<double> rest, length;
};

struct SeamStrain {
  double p95 = 0, max = 0;  // of all edges, by rest length; absolute values
  double side_max = 0;      // of whole sides: |length / rest - 1|
  double length = 0;        // m at rest of all sides; 0: there are none
};
SeamStrain seam_strain(const std::vector<SewnSide>& sides);

}  // namespace tryon
