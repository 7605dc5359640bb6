// Leggings for stretch cloth: leg_parts.h with negative ease; knee and ankle follow the hip's girth (0.385 and 0.265 of
// it, this project's proportions).
#include <algorithm>
#include <cmath>
#include <numbers>

#include "server/garment/templates/leg_parts.h"

namespace tryon {
namespace {

Pattern draw(const TemplateInput& in) {
  const double hip = from_mm(in.body.hip_girth) + in.m("ease");
  return draw_legs(in, 0.385 * hip, 0.265 * hip, "leggings");
}

}  // namespace

TemplateEntry leggings_template() {
  return {{"leggings", "close leggings for stretch cloth", leg_parameters(700, -30, 5, -120)}, draw};
}

}  // namespace tryon
