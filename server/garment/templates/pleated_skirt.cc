// A skirt with knife pleats caught in the waistband: each takes two depths of cloth out of the waist. The waist is cut
// into one edge a pleat, with the pleat in its middle, so that a size keeps the pleat's depth and shares out what
// shows.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "server/garment/templates/skirt_parts.h"

namespace tryon {
namespace {

// Edges: 0 hem, 1 side, then waist, a pleat each, last the other side.
Panel pleated(double waist_half, double depth, double stitched, int pleats, double length, std::string name) {
  const double show = waist_half / pleats, half = waist_half / 2 + pleats * depth;
  PanelDraft d(std::move(name), "body", {-half, 0});
  d.line({half, 0});
  d.line({half, length});
  for (int i = 1; i <= pleats; ++i) {
    const int edge = d.line({half - i * (show + 2 * depth), length});
    d.panel().pleats.push_back({Pleat::Kind::kKnifeToEnd, edge, 0.5, depth, stitched});
  }
  d.close();
  return d.panel();
}

Pattern draw(const TemplateInput& in) {
  const double waist = waist_of(in), length = in.m("length");
  const int pleats = static_cast<int>(std::lround(in.value("pleats"))), n = 3 + pleats;
  PatternDraft draft("pleated_skirt");
  const auto bands = add_bands(&draft, waist, std::vector<double>(static_cast<size_t>(pleats), waist / 2 / pleats));
  const Panel panel =
      pleated(waist / 2, in.m("pleat_depth"), std::min(in.m("sewn_down"), 0.5 * length), pleats, length, "skirt_front");
  Panel behind = panel;
  behind.name = "skirt_back";
  for (Pleat& pleat : behind.pleats) pleat.kind = Pleat::Kind::kKnifeToStart;  // all creases face one way round
  const int f = draft.add(panel), b = draft.add(reversed(behind));
  std::vector<int> tops;
  for (int i = 0; i < pleats; ++i) tops.push_back(2 + i);
  sew_two(&draft, f, b, bands, {1, n - 1}, tops, n);
  return finished(&draft);
}

}  // namespace

TemplateEntry pleated_skirt_template() {
  return {{"pleated_skirt",
           "skirt of two pieces with pleats caught in the waistband",
           {{"length", "mm", "from the waistband to the hem", 250, 900, 520},
            {"pleats", "count", "of the front, and of the back", 2, 16, 8},
            {"pleat_depth", "mm", "of one fold", 15, 60, 30},
            {"sewn_down", "mm", "of each pleat below the waistband", 0, 200, 0}}},
          draw};
}

}  // namespace tryon
