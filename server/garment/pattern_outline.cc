#include "server/garment/pattern_outline.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "server/base/status.h"
#include "server/base/text.h"
#include "server/base/units.h"
#include "server/garment/pattern_curve.h"
#include "server/mesh/predicates.h"

namespace tryon {
namespace {

constexpr double kSamePoint = 5e-5;
constexpr double kWindow = 0.008;      // metres on either side over which a turn is looked at
constexpr double kSharp = 35.0;        // degrees within the window that make a corner ...
constexpr double kVertexSharp = 12.0;  // ... if the vertex itself turns by as much
constexpr double kStraight = 1e-4;     // metres from the chord: a line
constexpr double kFoldNear = 1.5e-3;   // metres from the fold line

double angle_between(const Vec2& a, const Vec2& b) {
  return degrees(std::abs(std::atan2(a.x() * b.y() - a.y() * b.x(), a.dot(b))));
}

// The point `reach` along the loop from i, forwards or backwards.
Vec2 walk(const std::vector<Vec2>& loop, int i, int step, double reach) {
  const int n = static_cast<int>(loop.size());
  Vec2 at = loop[i];
  for (int k = 0; k < n; ++k) {
    const int next = (i + step + n) % n;
    const double length = (loop[next] - at).norm();
    if (length >= reach) return at + (loop[next] - at) * (reach / length);
    reach -= length, at = loop[next], i = next;
  }
  return at;
}

double vertex_turn(const std::vector<Vec2>& loop, int i) {
  const int n = static_cast<int>(loop.size());
  return angle_between(loop[i] - loop[(i + n - 1) % n], loop[(i + 1) % n] - loop[i]);
}

// At the ends of the bounding box's longer side: for outlines that turn nowhere.
std::vector<int> extremes(const std::vector<Vec2>& loop) {
  Eigen::AlignedBox2d box;
  for (const Vec2& p : loop) box.extend(p);
  const int axis = box.sizes().x() > box.sizes().y() ? 0 : 1;
  int low = 0, high = 0;
  for (int i = 0; i < static_cast<int>(loop.size()); ++i) {
    if (loop[i][axis] < loop[low][axis]) low = i;
    if (loop[i][axis] > loop[high][axis]) high = i;
  }
  return {std::min(low, high), std::max(low, high)};
}

EdgeCurve curve_through(const std::vector<Vec2>& loop, int from, int to) {
  const int n = static_cast<int>(loop.size());
  const Vec2 s = loop[from], e = loop[to % n];
  EdgeCurve curve;
  double off = 0.0;
  const Vec2 along = (e - s).normalized();
  for (int i = from + 1; i < to; ++i) {
    const Vec2 d = loop[i % n] - s;
    off = std::max(off, std::abs(along.x() * d.y() - along.y() * d.x()));
    curve.controls.push_back(to_relative(loop[i % n], s, e));
  }
  if (off <= kStraight) curve.controls.clear();
  curve.kind = curve.controls.empty() ? EdgeCurve::Kind::kLine : EdgeCurve::Kind::kPolyline;
  return curve;
}

Vec2 reflect(const Vec2& p, const Vec2& a, const Vec2& axis) {
  const Vec2 d = p - a;
  return a + 2.0 * d.dot(axis) * axis - d;
}

// Edges of which every point lies on the line.
std::vector<bool> edges_on_line(const Panel& panel, const Vec2& a, const Vec2& axis) {
  std::vector<bool> on;
  for (int e = 0; e < static_cast<int>(panel.edges.size()); ++e) {
    double off = 0.0;
    for (double t = 0.0; t <= 1.0; t += 0.25) {
      const Vec2 d = edge_at(panel, e, t) - a;
      off = std::max(off, std::abs(axis.x() * d.y() - axis.y() * d.x()));
    }
    on.push_back(off <= kFoldNear);
  }
  return on;
}

void mirror_marks(const Vec2& a, const Vec2& axis, Panel* panel) {
  const size_t lines = panel->lines.size(), holes = panel->drill_holes.size();
  for (size_t i = 0; i < lines; ++i) {
    InternalLine line = panel->lines[i];
    for (Vec2& p : line.points) p = reflect(p, a, axis);
    for (EdgeCurve& c : line.curves) c = mirrored(c);
    panel->lines.push_back(std::move(line));
  }
  for (size_t i = 0; i < holes; ++i) {
    DrillHole hole = panel->drill_holes[i];
    hole.at = reflect(hole.at, a, axis);
    panel->drill_holes.push_back(std::move(hole));
  }
}

Pleat::Kind turned_round(Pleat::Kind kind) {
  if (kind == Pleat::Kind::kKnifeToStart) return Pleat::Kind::kKnifeToEnd;
  return kind == Pleat::Kind::kKnifeToEnd ? Pleat::Kind::kKnifeToStart : kind;
}

// The run of edges that lie on the line: the first one and their number, which is 0 unless they follow one another.
std::pair<int, int> fold_edges(const Panel& panel, const Vec2& a, const Vec2& b) {
  const std::vector<bool> on = edges_on_line(panel, a, (b - a).normalized());
  const int n = static_cast<int>(panel.edges.size());
  int first = -1, count = 0, runs = 0;
  for (int e = 0; e < n; ++e) {
    count += on[e] ? 1 : 0;
    if (on[e] && !on[(e + n - 1) % n]) first = e, ++runs;
  }
  return runs == 1 && n - count >= 2 ? std::pair(first, count) : std::pair(-1, 0);
}

// What lies on the edges that are kept comes twice: edge i is also edge last - 1 - i, walked the other way.
void mirror_edge_marks(const Panel& half, int first_kept, int kept, const Vec2& a, const Vec2& axis, Panel* panel) {
  const int n = static_cast<int>(half.edges.size()), last = 2 * kept;
  auto place = [&](int edge) { return (edge - first_kept + 2 * n) % n; };
  panel->notches.clear(), panel->pleats.clear(), panel->darts.clear();
  for (const Notch& notch : half.notches) {
    const int i = place(notch.edge);
    if (i >= kept) continue;
    panel->notches.push_back({notch.kind, i, notch.at, notch.depth});
    panel->notches.push_back({notch.kind, last - 1 - i, 1.0 - notch.at, notch.depth});
  }
  for (const Pleat& pleat : half.pleats) {
    const int i = place(pleat.edge);
    if (i >= kept) continue;
    panel->pleats.push_back({pleat.kind, i, pleat.at, pleat.depth, pleat.stitched});
    panel->pleats.push_back({turned_round(pleat.kind), last - 1 - i, 1.0 - pleat.at, pleat.depth, pleat.stitched});
  }
  for (const Dart& dart : half.darts) {
    const int i = place(dart.edge);
    if (i >= kept) continue;
    panel->darts.push_back({i, dart.from, dart.to, dart.tip});
    panel->darts.push_back({last - 1 - i, 1.0 - dart.to, 1.0 - dart.from, reflect(dart.tip, a, axis)});
  }
}

}  // namespace

std::vector<Vec2> clean_loop(std::vector<Vec2> points) {
  std::vector<Vec2> out;
  for (const Vec2& p : points) {
    if (out.empty() || (p - out.back()).norm() > kSamePoint) out.push_back(p);
  }
  while (out.size() > 1 && (out.front() - out.back()).norm() <= kSamePoint) out.pop_back();
  if (out.size() >= 3 && signed_area(out) < 0.0) std::reverse(out.begin() + 1, out.end());
  return out;
}

std::vector<int> find_corners(const std::vector<Vec2>& loop) {
  const int n = static_cast<int>(loop.size());
  double length = 0.0;
  for (int i = 0; i < n; ++i) length += (loop[(i + 1) % n] - loop[i]).norm();
  const double reach = std::min(kWindow, length / 12.0);
  std::vector<double> turn(n);
  std::vector<int> corners;
  for (int i = 0; i < n; ++i) {
    const double over = angle_between(loop[i] - walk(loop, i, -1, reach), walk(loop, i, 1, reach) - loop[i]);
    turn[i] = over > kSharp && vertex_turn(loop, i) > kVertexSharp ? over : 0.0;
  }
  for (int i = 0; i < n; ++i) {
    if (turn[i] == 0.0) continue;
    bool sharpest = true;  // of the curve within reach, the first of equals
    for (const int step : {-1, 1}) {
      double gone = 0.0;
      for (int k = 1, j = i; k < n; ++k) {
        const int next = (j + step + n) % n;
        gone += (loop[next] - loop[j]).norm();
        j = next;
        if (gone > 0.75 * reach) break;
        const bool both = vertex_turn(loop, i) > 2.0 * kSharp && vertex_turn(loop, j) > 2.0 * kSharp;  // a short edge
        if (!both && (turn[j] > turn[i] || (turn[j] == turn[i] && j < i))) sharpest = false;
      }
    }
    if (sharpest) corners.push_back(i);
  }
  return corners.size() >= 2 ? corners : extremes(loop);
}

void set_outline(const std::vector<Vec2>& loop, std::vector<int> corners, Panel* panel) {
  if (corners.size() < 2) corners = find_corners(loop);
  const int count = static_cast<int>(corners.size()), n = static_cast<int>(loop.size());
  panel->vertices.clear(), panel->edges.clear();
  for (int i = 0; i < count; ++i) {
    panel->vertices.push_back(loop[corners[i]]);
    const int to = i + 1 < count ? corners[i + 1] : corners[0] + n;
    panel->edges.push_back({i, (i + 1) % count, curve_through(loop, corners[i], to), ""});
  }
}

OutlinePlace nearest_on_outline(const Panel& panel, const Vec2& point) {
  OutlinePlace best;
  best.distance = std::numeric_limits<double>::max();
  for (int e = 0; e < static_cast<int>(panel.edges.size()); ++e) {
    constexpr int kSpans = 64;
    const std::vector<Vec2> points = sample_edge(panel, e, kSpans);
    for (int i = 0; i < kSpans; ++i) {
      const Vec2 d = points[i + 1] - points[i];
      const double t = std::clamp((point - points[i]).dot(d) / std::max(d.squaredNorm(), 1e-30), 0.0, 1.0);
      const double distance = (points[i] + t * d - point).norm();
      if (distance < best.distance) best = {e, (i + t) / kSpans, distance};
    }
  }
  return best;
}

absl::Status unfold(const Vec2& a, const Vec2& b, Panel* panel) {
  const Vec2 axis = (b - a).normalized();
  const auto [first, count] = fold_edges(*panel, a, b);
  if (first < 0) {
    return invalid_input("PANEL_FOLD", cat("pattern.panels[", panel->name, "]"),
                         cat("panel ", panel->name, ": no single edge lies on its fold line"),
                         "Draw the fold along one straight edge of the half piece.");
  }
  const Panel half = *panel;
  panel->vertices.clear(), panel->edges.clear();
  const int n = static_cast<int>(half.edges.size()), kept = n - count, last = 2 * kept, first_kept = first + count;
  auto old_edge = [&](int i) { return (first_kept + i) % n; };
  for (int i = 0; i < kept; ++i) {
    const PanelEdge& e = half.edges[old_edge(i)];
    panel->vertices.push_back(half.vertices[e.start]);
    panel->edges.push_back({i, i + 1, e.curve, e.label});
  }
  for (int i = 0; i < kept; ++i) {
    const PanelEdge& e = half.edges[old_edge(kept - 1 - i)];
    panel->vertices.push_back(i == 0 ? half.vertices[e.end] : reflect(half.vertices[e.end], a, axis));
    panel->edges.push_back({kept + i, (kept + i + 1) % last, reversed(mirrored(e.curve)), e.label});
  }
  mirror_edge_marks(half, first_kept, kept, a, axis, panel);
  mirror_marks(a, axis, panel);
  return absl::OkStatus();
}

absl::Status unfold_sizes(const Vec2& a, const Vec2& b, Panel* panel, const std::vector<PanelShape*>& shapes) {
  const Panel half = *panel;
  const auto [first, count] = fold_edges(half, a, b);
  RETURN_IF_ERROR(unfold(a, b, panel));
  const int n = static_cast<int>(half.edges.size());
  for (PanelShape* shape : shapes) {
    Panel there = in_shape(half, *shape);
    const Vec2 from = there.vertices[there.edges[first].start];
    const Vec2 to = there.vertices[there.edges[(first + count - 1) % n].end];
    RETURN_IF_ERROR(unfold(from, to, &there));
    *shape = shape_of(there);
  }
  return absl::OkStatus();
}

Panel mirror_piece(const Panel& panel) {
  Panel out = panel;
  const int n = static_cast<int>(panel.edges.size());
  auto flip = [](const Vec2& p) { return Vec2(-p.x(), p.y()); };
  out.vertices.clear(), out.edges.clear();
  for (int i = 0; i < n; ++i) {
    const PanelEdge& e = panel.edges[n - 1 - i];
    out.vertices.push_back(flip(panel.vertices[e.end]));
    out.edges.push_back({i, (i + 1) % n, reversed(mirrored(e.curve)), e.label});
  }
  for (Notch& m : out.notches) m.edge = n - 1 - m.edge, m.at = 1.0 - m.at;
  for (Pleat& m : out.pleats) {
    m.edge = n - 1 - m.edge, m.at = 1.0 - m.at;
    m.kind = turned_round(m.kind);
  }
  for (Dart& m : out.darts) {
    m.edge = n - 1 - m.edge, m.tip = flip(m.tip);
    std::swap(m.from, m.to);
    m.from = 1.0 - m.from, m.to = 1.0 - m.to;
  }
  for (InternalLine& line : out.lines) {
    for (Vec2& p : line.points) p = flip(p);
    for (EdgeCurve& c : line.curves) c = mirrored(c);
  }
  for (DrillHole& h : out.drill_holes) h.at = flip(h.at);
  out.grain.x() = -out.grain.x();
  return out;
}

}  // namespace tryon
