// A skirt cut as a circle or a part of one: the inner radius is waist / (2 pi share), so that the inner arc is the
// waist (dresspatternmaking.com, "Circle skirts": waist / 6.28 for a whole, / 4.71 for three quarters, / 3.14 for a
// half one).
#include <algorithm>
#include <cmath>
#include <numbers>

#include "server/garment/templates/skirt_parts.h"

namespace tryon {
namespace {

// A quarter of a circle each side. Edges: 0, 1 hem, 2 side, 3, 4 waist, 5 side.
Panel half_circle(double radius, double length, double share, std::string name) {
  const double outer = radius + length, half = 0.5 * std::numbers::pi * share;  // half of the panel's angle
  const auto at = [half](double r, double a) -> Vec2 { return Vec2(r * std::sin(a * half), -r * std::cos(a * half)); };
  PanelDraft d(std::move(name), "body", at(outer, -1));
  d.arc(at(outer, 0), outer, true);
  d.arc(at(outer, 1), outer, true);
  d.line(at(radius, 1));
  d.arc(at(radius, 0), radius, false);
  d.arc(at(radius, -1), radius, false);
  d.close();
  return d.panel();
}

Pattern draw(const TemplateInput& in) {
  const double waist = waist_of(in), share = in.value("circle");
  const double radius = waist / (2 * std::numbers::pi * share);
  PatternDraft draft("circle_skirt");
  const auto bands = add_bands(&draft, waist, {waist / 4, waist / 4});
  const int f = draft.add(half_circle(radius, in.m("length"), share, "skirt_front"));
  const int b = draft.add(reversed(half_circle(radius, in.m("length"), share, "skirt_back")));
  sew_two(&draft, f, b, bands, {2, 5}, {3, 4}, 6);
  return finished(&draft);
}

}  // namespace

TemplateEntry circle_skirt_template() {
  return {{"circle_skirt",
           "skirt cut as a circle or a part of one",
           {{"length", "mm", "from the waistband to the hem", 250, 900, 520},
            {"circle", "share", "1: a whole circle; 0.5: half of one", 0.4, 1.0, 1.0}}},
          draw};
}

}  // namespace tryon
