// Trousers with a waistband: leg_parts.h with the knee and the hem as chosen.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "server/garment/templates/leg_parts.h"

namespace tryon {
TemplateEntry trousers_template() {
  return {{"trousers", "trousers with a waistband",
           leg_parameters(740, 40, 20, 10) +
               TemplateParameters{{"knee_width", "mm", "round the leg at the knee", 360, 700, 480},
                                  {"hem_width", "mm", "round the leg at the hem", 300, 800, 440}}},
          [](const TemplateInput& in) { return draw_legs(in, in.m("knee_width"), in.m("hem_width"), "trousers"); }};
}

}  // namespace tryon
