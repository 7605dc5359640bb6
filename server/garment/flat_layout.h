// What it is: where the pieces of a pattern lie on a table: in rows, side by side, without overlap, for a picture.
// Units and frame: metres, y up; `offset` moves a panel's own coordinates. Shapes: offset [panel_count].
// How it fails: it does not. Thread rules: pure function.
#pragma once

#include <vector>

#include "server/garment/pattern.h"

namespace tryon {

struct FlatLayout {
  std::vector<Vec2> offset;
  double width = 0.0, height = 0.0;  // of the table, from (0, 0)
};

FlatLayout lay_flat(const Pattern& pattern, double gap_m = 0.03);

}  // namespace tryon
