// What it is: everything that a tailor would say about a pattern before cutting it, all at once, and the seams that can
// be mended without asking. Units: metres; messages in millimetres.
// Shapes: findings, errors first, then in the pattern's order.
// How it fails: it does not; a pattern that cannot be sewn gives findings of severity error.
// Thread rules: pure functions.
#pragma once

#include <string>
#include <vector>

#include "server/garment/pattern.h"

namespace tryon {

struct Finding {
  enum class Severity { kError, kWarning, kNote } severity = Severity::kWarning;
  std::string code;  // SEAM_LENGTHS_UNEQUAL, SEAM_TWISTED, EDGE_NOT_SEWN, GRAIN_MISSING, PANEL_DUPLICATE ...
  std::string panel;
  int edge = -1, seam = -1;  // seam: index in all_seams()
  std::string message, remedy;
  bool mended = false;
};

std::vector<Finding> lint(const Pattern& pattern);

// Turns seams round that are sewn twisted where both their cloth's sides and the placement, if there is one, say so.
Pattern mend(const Pattern& pattern, std::vector<Finding>* findings);

}  // namespace tryon
