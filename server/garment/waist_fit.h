// What it is: whether a garment that hangs from the waist can stay there: the length of its upper opening beside the
// body's girths. Cloth without shoulders is held by the first level at which the body is as wide as the opening; one
// that is wider than the hip meets no such level and falls.
// Units: millimetres. How it fails: never; a garment with shoulders, or without an upper opening, has no finding.
// Thread rules: pure functions.
#pragma once

#include <vector>

#include "server/garment/lint.h"

namespace tryon {

// Strain that the cloth allows in wear, along its yarns; 0 where no cloth is chosen yet.
struct ClothGive {
  double warp = 0.0, weft = 0.0;
};

// Length round the free upper edges of pieces on the trunk, elastic counted as relaxed; 0: none, or it has shoulders.
double upper_opening_mm(const Pattern& pattern);
// WAIST_FALLS (wider than the waist, and than the hip once the cloth gives) or WAIST_SLIDES (wider than the waist by
// more than 30 mm): warnings. What the cloth gives round the body is what it gives along the opening's edges, each by
// its piece's grain; an edge of kWaistLabel gives nothing.
std::vector<Finding> waist_findings(const Pattern& pattern, double waist_girth_mm, double hip_girth_mm,
                                    const ClothGive& give = {});

}  // namespace tryon
