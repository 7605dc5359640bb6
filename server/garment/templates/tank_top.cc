// A tank top: the block of top_parts.h without sleeves, its shoulders drawn in and its neckline lowered.
#include <algorithm>
#include <cmath>

#include "server/garment/templates/top_parts.h"

namespace tryon {
namespace {

Pattern draw(const TemplateInput& in) {
  PatternDraft draft("tank_top");
  add_top(&draft, top_shape(in), false);
  return finished(&draft);
}

}  // namespace

TemplateEntry tank_top_template() { return {{"tank_top", "sleeveless top", top_parameters(50, 640, 60, -30)}, draw}; }

}  // namespace tryon
