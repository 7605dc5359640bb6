// What it is: moves the ellipses of strands until their union hugs the skin: least mean gap with the wanted share of
// points inside. Units and frame: metres, the body's. Shapes: as Skin and Strand.
// The gap of a point is that of the strand that holds it deepest, or where none does, of the nearest that claims its
// part. Least absolute gaps with the outside weighing many times the inside are a quantile regression, solved by
// reweighted Gauss-Newton steps. A residual touches two neighbouring levels of one strand, so each strand's normal
// equations are block tridiagonal and solved apart. How it fails: it does not. Thread rules: pure function.
#pragma once

#include "server/body/proxy_strand.h"

namespace tryon {

struct RefineSettings {
  int sweeps = 10;
  double outside_weight = 60.0;  // of a millimetre outside against one inside, 1 .. 1e4
  double tolerance_m = 0.0003;   // farther outside than this counts as outside
  double soft_m = 0.003;         // gaps smaller than this are squared, larger ones absolute
  double deep_m = 0.020;         // skin deeper inside (between fingers, within a mouth) pulls less and less
  double compact_calm = 0.03;    // the same for hands and feet
  double turning = 0.0;          // share of each Gauss-Newton turn that is taken, 0 .. 1
  double anchor = 0.3;           // of that, towards where the levels began
  double calm = 0.005;           // share of a strand's own weight that holds its levels in place
};
void refine_strands(const Skin& skin, const RefineSettings& settings, std::vector<Strand>* strands);

// Scales a strand's radii until it holds the given share of its claimed points between its ends.
void hold_points(const Skin& skin, double share, Strand* strand);

// The points' gaps against the union: positive outside, infinite beyond all strands. First order in the distance, exact
// on the surface.
std::vector<double> strand_gaps(const Skin& skin, const std::vector<Strand>& strands);

// The skin that each level of each strand answers for: result [strand_count][level_count].
std::vector<std::vector<LevelShares>> owned_shares(const Skin& skin, const std::vector<Strand>& strands);

}  // namespace tryon
