// What it is: from points along a cut line to the outline of a panel: corners found, straight runs told from curves,
// half pieces unfolded, left pieces from right ones. Units: metres, panel frame.
// Shapes: points of one closed loop, the first not repeated. Edges run from corner to corner, counter-clockwise.
// How it fails: OUTLINE_TOO_SHORT for fewer than three different points; PANEL_FOLD where no edge lies on the fold.
// Thread rules: pure functions.
#pragma once

#include <vector>

#include "absl/status/statusor.h"
#include "server/garment/pattern.h"

namespace tryon {

// Points without repetitions (nearer than 0.05 mm), in counter-clockwise order.
std::vector<Vec2> clean_loop(std::vector<Vec2> points);
// Indices of the points where the cut line turns sharply, ascending; at least two.
std::vector<int> find_corners(const std::vector<Vec2>& loop);
// Vertices and edges of the panel from a clean loop. `corners` empty: found.
void set_outline(const std::vector<Vec2>& loop, std::vector<int> corners, Panel* panel);
// The nearest place of the outline.
struct OutlinePlace {
  int edge = 0;
  double at = 0.0, distance = 0.0;
};
OutlinePlace nearest_on_outline(const Panel& panel, const Vec2& point);

// The whole piece of a half that is cut on the fold along the line a..b; marks come twice.
absl::Status unfold(const Vec2& a, const Vec2& b, Panel* panel);
// The same for a panel in several sizes: in each of them about the line on which the base size's fold edges lie there.
absl::Status unfold_sizes(const Vec2& a, const Vec2& b, Panel* panel, const std::vector<PanelShape*>& shapes);

// A panel in another of its sizes, and what of it differs from size to size.
Panel in_shape(Panel panel, const PanelShape& shape);
PanelShape shape_of(const Panel& panel);
// The other one of a pair: seen in a mirror, walked so that its outer side stays outer. Edge e becomes edge
// edge_count - 1 - e, walked the other way.
Panel mirror_piece(const Panel& panel);

}  // namespace tryon
