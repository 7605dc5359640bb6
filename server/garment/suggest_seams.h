// What it is: seams proposed for pieces that come without any, as in DXF: from lengths, the corners at their ends,
// curvature, notches, symmetry, grain and names; darts drawn as notches of the outline too. Proposals are between
// pieces as they are cut: a pair of mirrored pieces is one. Units: metres. Shapes: proposals by falling confidence,
// each edge in the first one that could take it. How it fails: it does not; without a plausible seam it proposes none.
// Thread rules: pure function.
#pragma once

#include <string>
#include <vector>

#include "server/garment/pattern.h"

namespace tryon {

struct SeamProposal {
  SeamSpec seam;
  double confidence = 0.0;  // the share of such proposals that are right; above 0.9 only where nothing else fits
  std::string why;
};

std::vector<SeamProposal> suggest_seams(const Pattern& pattern);

}  // namespace tryon
