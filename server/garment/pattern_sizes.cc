// Sizes of one topology, and cuts of an edge that mean the same cloth in all of them.
#include <algorithm>
#include <cmath>
#include <utility>

#include "server/base/status.h"
#include "server/base/text.h"
#include "server/garment/pattern.h"
#include "server/garment/pattern_curve.h"
#include "server/garment/pattern_outline.h"

namespace tryon {
namespace {

// The edge's pieces in one size: inserts the new vertices behind `at`, returns the curves.
std::vector<EdgeCurve> cut_shape(const CurveShape& shape, const std::vector<double>& shares, int at, const Vec2& s,
                                 const Vec2& e, std::vector<Vec2>* vertices) {
  std::vector<Vec2> points = {s};
  for (const double share : shares) points.push_back(shape.at(share));
  vertices->insert(vertices->begin() + at + 1, points.begin() + 1, points.end());
  points.push_back(e);
  std::vector<EdgeCurve> curves;
  double from = 0.0;
  for (size_t i = 0; i + 1 < points.size(); ++i) {
    const double to = i < shares.size() ? shares[i] : 1.0;
    curves.push_back(shape.piece(from, to, points[i], points[i + 1]));
    from = to;
  }
  return curves;
}

struct Place {
  int edge;
  double at;
};

// Where a share of the old edge lies on its pieces.
Place place_of(int edge, const std::vector<double>& shares, double at) {
  const int i = static_cast<int>(std::upper_bound(shares.begin(), shares.end(), at) - shares.begin());
  const double from = i > 0 ? shares[i - 1] : 0.0, to = i < static_cast<int>(shares.size()) ? shares[i] : 1.0;
  return {edge + i, std::clamp((at - from) / (to - from), 0.0, 1.0)};
}

std::vector<SeamRange> cut_range(const SeamRange& range, const std::vector<double>& shares) {
  const double low = std::min(range.from, range.to), high = std::max(range.from, range.to);
  std::vector<SeamRange> out;
  for (int i = 0; i <= static_cast<int>(shares.size()); ++i) {
    const double from = i > 0 ? shares[i - 1] : 0.0, to = i < static_cast<int>(shares.size()) ? shares[i] : 1.0;
    const double a = std::max(from, low), b = std::min(to, high);
    if (b - a < 1e-9) continue;
    auto local = [&](double x) {
      const double share = (x - from) / (to - from);
      return share < 1e-7 ? 0.0 : share > 1.0 - 1e-7 ? 1.0 : share;
    };
    out.push_back({range.panel, range.edge + i, local(a), local(b)});
  }
  if (range.from > range.to) {
    std::reverse(out.begin(), out.end());
    for (SeamRange& r : out) std::swap(r.from, r.to);
  }
  return out;
}

void cut_chain(std::vector<SeamRange>* chain, int panel, int edge, const std::vector<double>& shares) {
  std::vector<SeamRange> out;
  for (SeamRange range : *chain) {
    if (range.panel == panel && range.edge == edge) {
      for (const SeamRange& piece : cut_range(range, shares)) out.push_back(piece);
      continue;
    }
    if (range.panel == panel && range.edge > edge) range.edge += static_cast<int>(shares.size());
    out.push_back(range);
  }
  *chain = std::move(out);
}

void move_marks(Panel* panel, int edge, const std::vector<double>& shares) {
  const int more = static_cast<int>(shares.size());
  auto move = [&](int* e, double* at) {
    if (*e == edge) {
      const Place place = place_of(edge, shares, *at);
      *e = place.edge, *at = place.at;
    } else if (*e > edge) {
      *e += more;
    }
  };
  for (Notch& n : panel->notches) move(&n.edge, &n.at);
  for (Pleat& p : panel->pleats) move(&p.edge, &p.at);
  for (Dart& d : panel->darts) {
    if (d.edge != edge) {
      if (d.edge > edge) d.edge += more;
      continue;
    }
    const Place middle = place_of(edge, shares, 0.5 * (d.from + d.to));
    const int i = middle.edge - edge;
    const double from = i > 0 ? shares[i - 1] : 0.0, to = i < more ? shares[i] : 1.0;
    d.edge = middle.edge;
    d.from = std::clamp((d.from - from) / (to - from), 0.0, 1.0);
    d.to = std::clamp((d.to - from) / (to - from), 0.0, 1.0);
  }
}

std::vector<Vec2*> marks_of(Panel* panel) {
  std::vector<Vec2*> out;
  for (InternalLine& line : panel->lines) {
    for (Vec2& p : line.points) out.push_back(&p);
  }
  for (Dart& d : panel->darts) out.push_back(&d.tip);
  for (DrillHole& h : panel->drill_holes) out.push_back(&h.at);
  return out;
}

void swap_shape(Panel* panel, PanelShape* shape) {
  std::swap(panel->vertices, shape->vertices);
  for (size_t e = 0; e < panel->edges.size(); ++e) std::swap(panel->edges[e].curve, shape->curves[e]);
  if (shape->marks.empty()) return;
  const std::vector<Vec2*> marks = marks_of(panel);
  for (size_t i = 0; i < marks.size(); ++i) std::swap(*marks[i], shape->marks[i]);
}

}  // namespace

Panel in_shape(Panel panel, const PanelShape& shape) {
  PanelShape other = shape;
  swap_shape(&panel, &other);
  return panel;
}

PanelShape shape_of(const Panel& panel) {
  PanelShape shape;
  shape.vertices = panel.vertices;
  for (const PanelEdge& e : panel.edges) shape.curves.push_back(e.curve);
  Panel copy = panel;
  for (const Vec2* mark : marks_of(&copy)) shape.marks.push_back(*mark);
  return shape;
}

void cut_edge(Pattern* pattern, int panel_index, int edge, const std::vector<double>& shares) {
  if (shares.empty()) return;
  Panel& panel = pattern->panels[panel_index];
  const PanelEdge old = panel.edges[edge];
  const int more = static_cast<int>(shares.size());
  auto cut = [&](std::vector<Vec2>* vertices, const EdgeCurve& curve) {
    const Vec2 s = (*vertices)[old.start], e = (*vertices)[old.end];
    return cut_shape(CurveShape(s, e, curve), shares, old.start, s, e, vertices);
  };
  for (SizeVariant& variant : pattern->sizes) {
    PanelShape& shape = variant.panels[panel_index];
    const std::vector<EdgeCurve> curves = cut(&shape.vertices, EdgeCurve(shape.curves[edge]));
    shape.curves[edge] = curves[0];
    shape.curves.insert(shape.curves.begin() + edge + 1, curves.begin() + 1, curves.end());
  }
  const std::vector<EdgeCurve> curves = cut(&panel.vertices, old.curve);
  auto moved = [&](int v) { return v > old.start ? v + more : v; };
  for (PanelEdge& e : panel.edges) e.start = moved(e.start), e.end = moved(e.end);
  std::vector<PanelEdge> pieces;
  for (int i = 0; i <= more; ++i) {
    pieces.push_back({old.start + i, i < more ? old.start + i + 1 : moved(old.end), curves[i], old.label});
  }
  panel.edges[edge] = pieces[0];
  panel.edges.insert(panel.edges.begin() + edge + 1, pieces.begin() + 1, pieces.end());
  for (Stitch& s : pattern->stitches) {
    for (StitchSide* side : {&s.a, &s.b}) side->edge += side->panel == panel_index && side->edge > edge ? more : 0;
  }
  for (SeamSpec& seam : pattern->seams) {
    cut_chain(&seam.a, panel_index, edge, shares);
    cut_chain(&seam.b, panel_index, edge, shares);
  }
  move_marks(&panel, edge, shares);
}

std::string name_of_size(const Pattern& pattern) { return pattern.size.empty() ? "base" : pattern.size; }

absl::StatusOr<Pattern> at_size(const Pattern& pattern, const std::string& size) {
  if (size == pattern.size) return pattern;
  Pattern out = pattern;
  for (SizeVariant& variant : out.sizes) {
    if (variant.name != size) continue;
    if (variant.panels.size() != out.panels.size()) break;
    RETURN_IF_ERROR(validate(pattern));
    for (size_t p = 0; p < out.panels.size(); ++p) swap_shape(&out.panels[p], &variant.panels[p]);
    variant.name = name_of_size(pattern);
    out.size = size;
    return out;
  }
  std::string known = pattern.size;
  for (const SizeVariant& variant : pattern.sizes) known += cat(known.empty() ? "" : ", ", variant.name);
  return invalid_input("SIZE_UNKNOWN", "size", cat("the pattern has no size ", size),
                       known.empty() ? std::string("Leave the size empty: the pattern has one size only.")
                                     : cat("Choose one of: ", known, "."));
}

}  // namespace tryon
