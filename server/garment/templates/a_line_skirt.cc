// The straight skirt's draft with 360 mm of flare in the hem, all of it at the side seams below the hip.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "server/garment/templates/skirt_parts.h"

namespace tryon {
TemplateEntry a_line_skirt_template() {
  return {{"a_line_skirt", "skirt of two pieces that widens to the hem", skirt_parameters(560, 30, 360)},
          draw_two_piece_skirt};
}

}  // namespace tryon
