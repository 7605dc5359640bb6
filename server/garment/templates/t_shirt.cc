// A T-shirt: the block of top_parts.h with one front, 90 mm of ease and short set-in sleeves.
#include <algorithm>
#include <cmath>

#include "server/garment/templates/top_parts.h"

namespace tryon {
namespace {

Pattern draw(const TemplateInput& in) {
  PatternDraft draft("t_shirt");
  const TopShape t = top_shape(in);
  add_sleeves(&draft, in, t, add_top(&draft, t, false));
  return finished(&draft);
}

}  // namespace

TemplateEntry t_shirt_template() {
  return {{"t_shirt", "T-shirt with set-in short sleeves", top_parameters(90, 680, 30, 0) + sleeve_parameters(230, 80)},
          draw};
}

}  // namespace tryon
