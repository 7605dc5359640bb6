// A skirt with knife pleats caught in the waistband: each takes two depths of cloth out of the waist. The halves of a
// fold are sewn to each other along the waist, between runs that show and are sewn to the band. Folds stand between
// vertices of the outline, not in Panel::pleats, because every size must keep the pleat's depth and not its share.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "server/garment/templates/skirt_parts.h"

namespace tryon {
namespace {

// Knife pleats: along the waist runs of cloth that show, and between them folds whose two halves are sewn together.
// Edges: 0 hem, 1 side, then waist (show, fold, fold, show, ...), last the other side.
Panel pleated(double waist_half, double depth, int pleats, double length, std::string name) {
  const double show = waist_half / (pleats + 1);
  const double half = waist_half / 2 + pleats * depth;
  PanelDraft d(std::move(name), "body", {-half, 0});
  d.line({half, 0});
  double x = half;
  d.line({x, length});
  for (int i = 0; i <= pleats; ++i) {
    d.line({x -= show, length});
    if (i == pleats) break;
    d.line({x -= depth, length});
    d.line({x -= depth, length});
  }
  d.close();
  return d.panel();
}

Pattern draw(const TemplateInput& in) {
  const double waist = waist_of(in);
  const int pleats = static_cast<int>(std::lround(in.value("pleats")));
  const int n = 4 + 3 * pleats;
  PatternDraft draft("pleated_skirt");
  const auto bands =
      add_bands(&draft, waist, std::vector<double>(static_cast<size_t>(pleats) + 1, waist / 2 / (pleats + 1)));
  const Panel panel = pleated(waist / 2, in.m("pleat_depth"), pleats, in.m("length"), "skirt_front");
  Panel behind = panel;
  behind.name = "skirt_back";
  const int f = draft.add(panel), b = draft.add(reversed(behind));
  std::vector<int> tops;
  for (int i = 0; i <= pleats; ++i) tops.push_back(2 + 3 * i);
  sew_two(&draft, f, b, bands, {1, n - 1}, tops, n);
  for (int i = 0; i < pleats; ++i) {
    draft.sew(f, 3 + 3 * i, f, 4 + 3 * i);
    draft.sew(b, turned(3 + 3 * i, n), b, turned(4 + 3 * i, n));
  }
  return finished(&draft);
}

}  // namespace

TemplateEntry pleated_skirt_template() {
  return {{"pleated_skirt",
           "skirt of two pieces with pleats caught in the waistband",
           {{"length", "mm", "from the waistband to the hem", 250, 900, 520},
            {"pleats", "count", "of the front, and of the back", 2, 16, 8},
            {"pleat_depth", "mm", "of one fold", 15, 60, 30}}},
          draw};
}

}  // namespace tryon
