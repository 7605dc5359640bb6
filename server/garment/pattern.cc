#include "server/garment/pattern.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include "server/base/status.h"
#include "server/base/text.h"
#include "server/base/units.h"
#include "server/mesh/predicates.h"

namespace tryon {
namespace {

constexpr double kMinPanelSize = 1e-3, kMaxPanelSize = 10.0;  // metres
constexpr double kMinEdgeLength = 1e-5;
constexpr double kMaxDistance = 100.0;  // of a panel from the origin
constexpr double kMaxSeamRatio = 10.0;  // longest gathering that can be sewn
constexpr int kOutlineSamplesPerCurve = 48;

Vec2 turned_left(const Vec2& d) { return {-d.y(), d.x()}; }

struct Arc {
  Vec2 centre;
  double radius = 0.0, start_angle = 0.0, sweep = 0.0;  // sweep > 0: counter-clockwise
};

// SVG's rule in a y-up frame; a radius too small for the chord becomes half the chord.
Arc arc_of(const Vec2& s, const Vec2& e, const EdgeCurve& curve) {
  const Vec2 d = e - s;
  const double half = 0.5 * d.norm();
  Arc arc;
  arc.radius = std::max(curve.radius, half);
  const double rise = std::sqrt(std::max(0.0, (arc.radius - half) * (arc.radius + half)));
  const double side = curve.right != curve.large_arc ? 1.0 : -1.0;
  arc.centre = s + 0.5 * d + turned_left(d).normalized() * (side * rise);
  arc.start_angle = std::atan2(s.y() - arc.centre.y(), s.x() - arc.centre.x());
  const double small = 2.0 * std::asin(std::min(1.0, half / arc.radius));
  const double span = curve.large_arc ? 2.0 * kPi - small : small;
  arc.sweep = curve.right ? span : -span;
  return arc;
}

struct Bezier {  // cubic form of a quadratic or cubic edge
  Vec2 p0, p1, p2, p3;

  Vec2 point(double t) const {
    const double u = 1.0 - t;
    return u * u * u * p0 + 3.0 * u * u * t * p1 + 3.0 * u * t * t * p2 + t * t * t * p3;
  }
  double speed(double t) const {
    const double u = 1.0 - t;
    return (3.0 * (u * u * (p1 - p0) + 2.0 * u * t * (p2 - p1) + t * t * (p3 - p2))).norm();
  }
};

Bezier bezier_of(const Vec2& s, const Vec2& e, const EdgeCurve& curve) {
  const Vec2 d = e - s, n = turned_left(d);
  auto control = [&](int i) { return Vec2(s + curve.controls[i].x() * d + curve.controls[i].y() * n); };
  if (curve.kind == EdgeCurve::Kind::kCubic) return {s, control(0), control(1), e};
  const Vec2 c = control(0);
  return {s, s + 2.0 / 3.0 * (c - s), e + 2.0 / 3.0 * (c - e), e};
}

// Five-point Gauss-Legendre on [a, b].
double gauss_length(const Bezier& curve, double a, double b) {
  constexpr std::array<double, 3> kNode = {0.0, 0.5384693101056831, 0.9061798459386640};
  constexpr std::array<double, 3> kWeight = {0.5688888888888889, 0.4786286704993665, 0.2369268850561891};
  const double mid = 0.5 * (a + b), half = 0.5 * (b - a);
  double sum = kWeight[0] * curve.speed(mid);
  for (int i = 1; i < 3; ++i) {
    sum += kWeight[i] * (curve.speed(mid - half * kNode[i]) + curve.speed(mid + half * kNode[i]));
  }
  return sum * half;
}

// Halves the interval until halving changes the length by less than a picometre (or the rounding of a long curve).
double adaptive_length(const Bezier& curve, double a, double b, int depth = 0) {
  const double mid = 0.5 * (a + b), whole = gauss_length(curve, a, b);
  const double parts = gauss_length(curve, a, mid) + gauss_length(curve, mid, b);
  if (!(std::abs(parts - whole) > 1e-12 * std::max(1.0, whole)) || depth >= 16) return parts;  // also for NaN
  return adaptive_length(curve, a, mid, depth + 1) + adaptive_length(curve, mid, b, depth + 1);
}

constexpr int kTableSize = 32;

// Arc length at kTableSize + 1 even parameters.
std::array<double, kTableSize + 1> length_table(const Bezier& curve) {
  std::array<double, kTableSize + 1> table{};
  for (int i = 0; i < kTableSize; ++i) {
    table[i + 1] = table[i] + adaptive_length(curve, double(i) / kTableSize, double(i + 1) / kTableSize);
  }
  return table;
}

// The parameter at arc length `target`: the table gives the interval, bisection the rest.
double parameter_at(const Bezier& curve, const std::array<double, kTableSize + 1>& table, double target) {
  const auto above = std::upper_bound(table.begin() + 1, table.end() - 1, target);
  const int i = static_cast<int>(above - table.begin()) - 1;
  const double begin = double(i) / kTableSize;
  double low = begin, high = double(i + 1) / kTableSize;
  for (int k = 0; k < 36; ++k) {
    const double mid = 0.5 * (low + high);
    (table[i] + gauss_length(curve, begin, mid) < target ? low : high) = mid;
  }
  return 0.5 * (low + high);
}

Vec2 start_of(const Panel& panel, int edge) { return panel.vertices[panel.edges[edge].start]; }
Vec2 end_of(const Panel& panel, int edge) { return panel.vertices[panel.edges[edge].end]; }

// ---- validation -----------------------------------------------------------------------------------------------

std::string panel_field(const Panel& panel) { return cat("pattern.panels[", panel.name, "]"); }
std::string edge_field(const Panel& panel, int edge) { return cat(panel_field(panel), ".edges[", edge, "]"); }

absl::Status check_curve(const Panel& panel, int e) {
  const EdgeCurve& curve = panel.edges[e].curve;
  const std::string field = cat(edge_field(panel, e), ".curvature");
  const size_t wanted = curve.kind == EdgeCurve::Kind::kQuadratic ? 1 : curve.kind == EdgeCurve::Kind::kCubic ? 2 : 0;
  if (curve.controls.size() != wanted) {
    return invalid_input("EDGE_CURVE", field,
                         cat("panel ", panel.name, ": the curve of edge ", e, " has ", curve.controls.size(),
                             " control points, its kind needs ", wanted),
                         "Give one control point for a quadratic curve, two for a cubic one.");
  }
  for (const Vec2& c : curve.controls) {
    if (c.allFinite() && c.cwiseAbs().maxCoeff() < 1e4) continue;
    return invalid_input("EDGE_CURVE", field,
                         cat("panel ", panel.name, ": a control point of edge ", e, " is not a usable number"),
                         "Draw the curve again.");
  }
  if (curve.kind == EdgeCurve::Kind::kArc && !(curve.radius > 0.0 && curve.radius <= 1e4)) {
    return invalid_input("EDGE_CURVE", field,
                         cat("panel ", panel.name, ": the arc of edge ", e, " has the radius ", curve.radius, " m"),
                         "Give a radius above zero and below 10 km, or make the edge straight.");
  }
  return absl::OkStatus();
}

absl::Status check_edge(const Panel& panel, int e) {
  const PanelEdge& edge = panel.edges[e];
  const int n = static_cast<int>(panel.vertices.size());
  for (const int v : {edge.start, edge.end}) {
    if (v >= 0 && v < n) continue;
    return invalid_input("PANEL_VERTEX_MISSING", cat(edge_field(panel, e), ".endpoints"),
                         cat("panel ", panel.name, ": edge ", e, " uses vertex ", v, ", the panel has ", n),
                         cat("Use vertices from 0 to ", n - 1, "."));
  }
  const int next = (e + 1) % static_cast<int>(panel.edges.size());
  if (edge.end != panel.edges[next].start) {
    return invalid_input("PANEL_LOOP_OPEN", edge_field(panel, e),
                         cat("panel ", panel.name, ": the outline is open: edge ", e, " ends at vertex ", edge.end,
                             ", edge ", next, " starts at vertex ", panel.edges[next].start),
                         "Let every edge start where the one before ends, and the last one end at the first.");
  }
  RETURN_IF_ERROR(check_curve(panel, e));
  if ((end_of(panel, e) - start_of(panel, e)).norm() < kMinEdgeLength) {
    return invalid_input("EDGE_WITHOUT_LENGTH", edge_field(panel, e),
                         cat("panel ", panel.name, ": edge ", e, " has no length"),
                         "Remove the edge, or move its end points apart.");
  }
  return absl::OkStatus();
}

absl::Status check_placement(const Panel& panel) {
  const Eigen::Matrix3d& r = panel.rotation;
  const bool rigid = r.allFinite() && (r * r.transpose() - Eigen::Matrix3d::Identity()).norm() < 1e-6;
  if (!rigid || r.determinant() < 0.0) {
    return invalid_input("PANEL_PLACEMENT", cat(panel_field(panel), ".rotation"),
                         cat("panel ", panel.name, ": the rotation is not a turn in space"),
                         "Give the rotation again; a mirror image or a scale does not belong in it.");
  }
  if (!panel.translation.allFinite() || panel.translation.norm() > kMaxDistance) {
    return invalid_input("PANEL_PLACEMENT", cat(panel_field(panel), ".translation"),
                         cat("panel ", panel.name, ": it lies more than ", kMaxDistance, " m away"),
                         "Place the panel near the body; check units_in_meter.");
  }
  return absl::OkStatus();
}

struct Outline {
  std::vector<Vec2> points;
  std::vector<int> edge;  // [point_count] the edge that the point starts on
};

Outline outline_of(const Panel& panel) {
  Outline out;
  for (int e = 0; e < static_cast<int>(panel.edges.size()); ++e) {
    const int count = panel.edges[e].curve.kind == EdgeCurve::Kind::kLine ? 1 : kOutlineSamplesPerCurve;
    for (int k = 0; k < count; ++k) {
      out.points.push_back(edge_point(panel, e, double(k) / count));
      out.edge.push_back(e);
    }
  }
  return out;
}

absl::Status check_outline(const Panel& panel) {
  const Outline outline = outline_of(panel);
  Eigen::AlignedBox2d box;
  for (const Vec2& p : outline.points) box.extend(p);
  const Vec2 size = box.sizes();
  if (size.maxCoeff() > kMaxPanelSize || size.minCoeff() < kMinPanelSize) {
    return invalid_input("PANEL_SIZE", panel_field(panel),
                         cat("panel ", panel.name, " measures ", to_mm(size.x()), " mm by ", to_mm(size.y()), " mm"),
                         "A panel must measure from 1 mm to 10 m; check the unit of the file.");
  }
  if (const auto crossing = find_crossing(outline.points)) {
    const int a = outline.edge[crossing->first], b = outline.edge[crossing->second];
    return invalid_input("PANEL_CROSSES_ITSELF", edge_field(panel, a),
                         a == b ? cat("panel ", panel.name, ": edge ", a, " crosses itself")
                                : cat("panel ", panel.name, ": edge ", a, " crosses or touches edge ", b),
                         "Draw the outline so that it never meets itself.");
  }
  return absl::OkStatus();
}

absl::Status check_panel(const Panel& panel) {
  if (panel.edges.size() < 2 || panel.vertices.size() < 2) {
    return invalid_input("PANEL_LOOP_OPEN", panel_field(panel),
                         cat("panel ", panel.name, " has ", panel.edges.size(), " edges: no closed outline"),
                         "Give the panel at least three edges (two, if they are curved).");
  }
  for (size_t v = 0; v < panel.vertices.size(); ++v) {
    if (panel.vertices[v].allFinite() && panel.vertices[v].norm() < 1e3) continue;
    return invalid_input("PANEL_SIZE", cat(panel_field(panel), ".vertices[", v, "]"),
                         cat("panel ", panel.name, ": vertex ", v, " is not a usable point"),
                         "Give finite coordinates of a real piece of cloth; check the unit of the file.");
  }
  for (int e = 0; e < static_cast<int>(panel.edges.size()); ++e) RETURN_IF_ERROR(check_edge(panel, e));
  RETURN_IF_ERROR(check_placement(panel));
  return check_outline(panel);
}

absl::Status check_stitch_side(const Pattern& pattern, int s, const StitchSide& side) {
  const std::string field = cat("pattern.stitches[", s, "]");
  if (side.panel < 0 || side.panel >= static_cast<int>(pattern.panels.size())) {
    return invalid_input("SEAM_PANEL_MISSING", field,
                         cat("stitch ", s, " names panel ", side.panel, ", which does not exist"),
                         cat("Name a panel from 0 to ", pattern.panels.size() - 1, "."));
  }
  const Panel& panel = pattern.panels[side.panel];
  if (side.edge < 0 || side.edge >= static_cast<int>(panel.edges.size())) {
    return invalid_input("SEAM_EDGE_MISSING", field,
                         cat("stitch ", s, " names edge ", side.edge, " of panel ", panel.name, ", which has ",
                             panel.edges.size(), " edges"),
                         cat("Name an edge from 0 to ", panel.edges.size() - 1, "."));
  }
  return absl::OkStatus();
}

absl::Status check_seam_lengths(const Pattern& pattern, int s) {
  const Stitch& stitch = pattern.stitches[s];
  const Panel &pa = pattern.panels[stitch.a.panel], &pb = pattern.panels[stitch.b.panel];
  const double a = edge_length(pa, stitch.a.edge), b = edge_length(pb, stitch.b.edge);
  if (std::max(a, b) <= kMaxSeamRatio * std::min(a, b) || std::max(a, b) < 0.01) return absl::OkStatus();
  return invalid_input(
      "SEAM_LENGTHS_DIFFER", cat("pattern.stitches[", s, "]"),
      cat("stitch ", s, ": edge ", stitch.a.edge, " of panel ", pa.name, " is ", to_mm(a), " mm, its partner, edge ",
          stitch.b.edge, " of panel ", pb.name, ", is ", to_mm(b), " mm"),
      cat("No cloth can be gathered more than ", kMaxSeamRatio, " to 1; join edges that belong together."));
}

absl::Status check_stitches(const Pattern& pattern) {
  std::map<std::pair<int, int>, int> user;  // edge -> stitch
  for (int s = 0; s < static_cast<int>(pattern.stitches.size()); ++s) {
    for (const StitchSide* side : {&pattern.stitches[s].a, &pattern.stitches[s].b}) {
      RETURN_IF_ERROR(check_stitch_side(pattern, s, *side));
      const auto [it, fresh] = user.insert({{side->panel, side->edge}, s});
      if (fresh) continue;
      const std::string& name = pattern.panels[side->panel].name;
      return invalid_input(
          "SEAM_EDGE_TWICE", cat("pattern.stitches[", s, "]"),
          it->second == s
              ? cat("stitch ", s, " joins edge ", side->edge, " of panel ", name, " to itself")
              : cat("edge ", side->edge, " of panel ", name, " is in stitch ", it->second, " and in stitch ", s),
          "Let every edge take part in one stitch; split it where two seams meet it.");
    }
    RETURN_IF_ERROR(check_seam_lengths(pattern, s));
  }
  return absl::OkStatus();
}

}  // namespace

Vec2 edge_point(const Panel& panel, int edge, double t) {
  const Vec2 s = start_of(panel, edge), e = end_of(panel, edge);
  if (t <= 0.0) return s;
  if (t >= 1.0) return e;
  const EdgeCurve& curve = panel.edges[edge].curve;
  if (curve.kind == EdgeCurve::Kind::kLine) return s + t * (e - s);
  if (curve.kind != EdgeCurve::Kind::kArc) return bezier_of(s, e, curve).point(t);
  const Arc arc = arc_of(s, e, curve);
  const double angle = arc.start_angle + t * arc.sweep;
  return arc.centre + arc.radius * Vec2(std::cos(angle), std::sin(angle));
}

double edge_length(const Panel& panel, int edge) {
  const Vec2 s = start_of(panel, edge), e = end_of(panel, edge);
  const EdgeCurve& curve = panel.edges[edge].curve;
  if (curve.kind == EdgeCurve::Kind::kLine) return (e - s).norm();
  if (curve.kind == EdgeCurve::Kind::kArc) {
    const Arc arc = arc_of(s, e, curve);
    return arc.radius * std::abs(arc.sweep);
  }
  return length_table(bezier_of(s, e, curve)).back();
}

std::vector<Vec2> sample_edge(const Panel& panel, int edge, int count) {
  const EdgeCurve& curve = panel.edges[edge].curve;
  const bool even = curve.kind == EdgeCurve::Kind::kLine || curve.kind == EdgeCurve::Kind::kArc;
  std::vector<Vec2> points(count + 1);
  if (even) {
    for (int k = 0; k <= count; ++k) points[k] = edge_point(panel, edge, double(k) / count);
    return points;
  }
  const Bezier bezier = bezier_of(start_of(panel, edge), end_of(panel, edge), curve);
  const auto table = length_table(bezier);
  points.front() = start_of(panel, edge);
  points.back() = end_of(panel, edge);
  for (int k = 1; k < count; ++k) points[k] = bezier.point(parameter_at(bezier, table, table.back() * k / count));
  return points;
}

absl::Status validate(const Pattern& pattern) {
  if (pattern.panels.empty()) {
    return invalid_input("PATTERN_WITHOUT_PANELS", "pattern.panels", "the pattern has no panels",
                         "Send a pattern with at least one panel.");
  }
  std::set<std::string> names;
  for (const Panel& panel : pattern.panels) {
    if (panel.name.empty() || !names.insert(panel.name).second) {
      return invalid_input(
          "PANEL_NAME", panel_field(panel),
          panel.name.empty() ? std::string("a panel has no name") : cat("two panels are called ", panel.name),
          "Give every panel a name of its own.");
    }
    RETURN_IF_ERROR(check_panel(panel));
  }
  return check_stitches(pattern);
}

}  // namespace tryon
