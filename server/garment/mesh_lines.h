// What it is: what a tailor marks on a panel, made ready for meshing: internal lines and the fold lines of pleats
// clipped to the cloth and given points as far apart as the triangles' edges, drill holes, and the places of the
// outline where lines end and notches stand, which become vertices. Units: metres, panel frame. Shapes: stops are
// (edge, share of its length); lines of a Domain are those of the PanelMarks, in parts. How it fails: it does not. What
// cannot be drawn at the resolution is left out of the mesh, not the panel: parts of lines that run within kClear edges
// of the outline. Thread rules: pure functions.
#pragma once

#include <vector>

#include "absl/status/status.h"
#include "server/garment/garment.h"
#include "server/garment/pattern.h"
#include "server/garment/pattern_outline.h"
#include "server/mesh/triangulate.h"

namespace tryon {

struct PanelOutline;

struct MarkedLine {
  ClothLine::Kind kind = ClothLine::Kind::kDrawn;
  int source = 0;            // in Panel::lines, or of a fold in Panel::pleats
  std::vector<Vec2> points;  // inside the cloth; a closed line ends with its first point
  bool closed = false;
  double offset = 0.0;  // of a fold: metres along the edge from its pleat's middle
  bool starts_on_outline = false, ends_on_outline = false;
  OutlinePlace start, end;  // where it does
};

struct PanelMarks {
  std::vector<MarkedLine> lines;
  std::vector<Vec2> holes;            // drill holes
  std::vector<OutlinePlace> notches;  // distance unused
};

// Lines nearer to the outline than this fraction of an edge are not drawn there.
constexpr double kClear = 0.35;

PanelMarks panel_marks(const Panel& panel, double edge_m);

// What the mesher takes for a sampled outline: lines that start and end on its points, and never cross it.
struct MarkedDomain {
  PlanarDomain domain;
  std::vector<int> line;  // [domain line] -> in PanelMarks::lines
};
// The sampled outline's point nearest to a place on its edge.
int outline_vertex(const PanelOutline& outline, const OutlinePlace& place);
MarkedDomain marked_domain(const PanelMarks& marks, const PanelOutline& outline, double edge_m);

// Drops the line or point that a refusal of the mesher names; false if it names none.
bool drop_faulty(const absl::Status& refusal, MarkedDomain* marked);
// f(domain), again and again without what it refuses: a mark is no reason to refuse the cloth.
template <class F>
auto without_faulty_marks(MarkedDomain* marked, const F& f) {
  auto result = f(marked->domain);
  while (!result.ok() && drop_faulty(result.status(), marked)) result = f(marked->domain);
  return result;
}

}  // namespace tryon
