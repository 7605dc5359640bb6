// What it is: panels drafted by walking round them, their mirror images, and seams between them.
// Units: metres, absolute control points. Shapes: edges are numbered in walking order. How it fails: never.
// Thread rules: plain values.
#pragma once

#include <algorithm>
#include <string>
#include <utility>

#include "server/garment/pattern.h"

namespace tryon {

// Builds a panel by walking round it; points in metres, curves by absolute control points.
class PanelDraft {
 public:
  PanelDraft(std::string name, std::string label, Vec2 start) {
    panel_.name = std::move(name);
    panel_.label = std::move(label);
    panel_.vertices.push_back(start);
  }
  int line(Vec2 to) { return edge(to, {}); }
  int curve(Vec2 c1, Vec2 c2, Vec2 to) {
    const Vec2 s = panel_.vertices.back(), d = to - s, n(-d.y(), d.x());
    auto relative = [&](const Vec2& c) -> Vec2 { return Vec2((c - s).dot(d), (c - s).dot(n)) / d.squaredNorm(); };
    EdgeCurve curve;
    curve.kind = EdgeCurve::Kind::kCubic;
    curve.controls = {relative(c1), relative(c2)};
    return edge(to, curve);
  }
  // Closes the loop with the last edge going back to the first vertex.
  int close(EdgeCurve curve = {}) {
    panel_.edges.push_back({static_cast<int>(panel_.vertices.size()) - 1, 0, std::move(curve), ""});
    return static_cast<int>(panel_.edges.size()) - 1;
  }
  // A circular arc of less than half a turn that bulges to the right of the walking direction, or to its left.
  int arc(Vec2 to, double radius, bool right) {
    EdgeCurve curve;
    curve.kind = EdgeCurve::Kind::kArc;
    curve.radius = radius;
    curve.right = right;
    return edge(to, curve);
  }
  Panel& panel() { return panel_; }

 private:
  int edge(Vec2 to, EdgeCurve curve) {
    const int from = static_cast<int>(panel_.vertices.size()) - 1;
    panel_.vertices.push_back(to);
    panel_.edges.push_back({from, from + 1, std::move(curve), ""});
    return from;
  }
  Panel panel_;
};

// The mirror image at x = 0: the loop keeps its edge numbers and turns the other way; controls flip their side.
Panel mirrored(Panel panel, std::string name);
// A loop's edges walked backwards, so that the outer side changes; edge i becomes edge n - 1 - i.
Panel reversed(Panel panel);
inline int turned(int edge, int count) { return count - 1 - edge; }

class PatternDraft {
 public:
  explicit PatternDraft(std::string name) { pattern_.name = std::move(name); }
  int add(Panel panel) {
    pattern_.panels.push_back(std::move(panel));
    return static_cast<int>(pattern_.panels.size()) - 1;
  }
  void sew(int panel_a, int edge_a, int panel_b, int edge_b) {
    pattern_.stitches.push_back({{panel_a, edge_a}, {panel_b, edge_b}, false});
  }
  Pattern take() { return std::move(pattern_); }

 private:
  Pattern pattern_;
};

}  // namespace tryon
