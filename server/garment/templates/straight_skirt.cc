// A skirt of two pieces that falls straight from the hip: hip and 40 mm of ease in quarters (the tailored skirt block's
// ease, Aldrich, Metric Pattern Cutting for Women's Wear: 30 to 40 mm).
#include <algorithm>
#include <cmath>
#include <numbers>

#include "server/garment/templates/skirt_parts.h"

namespace tryon {
TemplateEntry straight_skirt_template() {
  return {{"straight_skirt", "skirt of two pieces that falls straight from the hip", skirt_parameters(560, 40, 0)},
          draw_two_piece_skirt};
}

}  // namespace tryon
