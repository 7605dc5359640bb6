#include "server/garment/pattern.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "server/base/status.h"
#include "server/base/text.h"
#include "server/base/units.h"
#include "server/garment/pattern_curve.h"
#include "server/garment/pattern_marks.h"
#include "server/garment/pleats.h"
#include "server/mesh/predicates.h"

namespace tryon {
namespace {

constexpr double kMinPanelSize = 1e-3, kMaxPanelSize = 10.0;  // metres
constexpr double kMinEdgeLength = 1e-5;
constexpr double kMaxDistance = 100.0;  // of a panel from the origin
constexpr size_t kMaxPolylinePoints = 5000;
constexpr double kMaxSeamRatio = 10.0;  // longest gathering that can be sewn

CurveShape shape_of(const Panel& panel, int edge) {
  const PanelEdge& e = panel.edges[edge];
  return CurveShape(panel.vertices[e.start], panel.vertices[e.end], e.curve);
}

Vec2 start_of(const Panel& panel, int edge) { return panel.vertices[panel.edges[edge].start]; }
Vec2 end_of(const Panel& panel, int edge) { return panel.vertices[panel.edges[edge].end]; }

// ---- validation -----------------------------------------------------------------------------------------------

std::string panel_field(const Panel& panel) { return cat("pattern.panels[", panel.name, "]"); }
std::string edge_field(const Panel& panel, int edge) { return cat(panel_field(panel), ".edges[", edge, "]"); }

absl::Status check_curve(const Panel& panel, int e) {
  const EdgeCurve& curve = panel.edges[e].curve;
  const std::string field = cat(edge_field(panel, e), ".curvature");
  const size_t found = curve.controls.size();
  const size_t wanted = curve.kind == EdgeCurve::Kind::kQuadratic  ? 1
                        : curve.kind == EdgeCurve::Kind::kCubic    ? 2
                        : curve.kind == EdgeCurve::Kind::kPolyline ? std::clamp<size_t>(found, 1, kMaxPolylinePoints)
                                                                   : 0;
  if (found != wanted) {
    return invalid_input(
        "EDGE_CURVE", field,
        cat("panel ", panel.name, ": the curve of edge ", e, " has ", found, " control points, its kind needs ",
            wanted),
        "Give one control point for a quadratic curve, two for a cubic one, up to 5000 for a polyline.");
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

absl::Status check_outline(const Panel& panel) {
  std::vector<int> edge_of;
  const std::vector<Vec2> outline = outline_points(panel, 48, &edge_of);
  Eigen::AlignedBox2d box;
  for (const Vec2& p : outline) box.extend(p);
  const Vec2 size = box.sizes();
  if (size.maxCoeff() > kMaxPanelSize || size.minCoeff() < kMinPanelSize) {
    return invalid_input("PANEL_SIZE", panel_field(panel),
                         cat("panel ", panel.name, " measures ", to_mm(size.x()), " mm by ", to_mm(size.y()), " mm"),
                         "A panel must measure from 1 mm to 10 m; check the unit of the file.");
  }
  if (const auto crossing = find_crossing(outline)) {
    const int a = edge_of[crossing->first], b = edge_of[crossing->second];
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
  RETURN_IF_ERROR(check_outline(panel));
  return check_marks(panel);
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

double length_without_pleats(const Panel& panel, int edge) {
  double length = edge_length(panel, edge);
  const std::vector<bool> laid = laid_pleats(panel);
  for (size_t i = 0; i < panel.pleats.size(); ++i) {
    if (panel.pleats[i].edge == edge && laid[i]) length -= 2.0 * pleat_reach(panel.pleats[i]);
  }
  return length;
}

absl::Status check_seam_lengths(const Pattern& pattern, int s) {
  const Stitch& stitch = pattern.stitches[s];
  const Panel &pa = pattern.panels[stitch.a.panel], &pb = pattern.panels[stitch.b.panel];
  const double a = length_without_pleats(pa, stitch.a.edge), b = length_without_pleats(pb, stitch.b.edge);
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
      if (pattern.stitches[s].pleat) continue;
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

Vec2 edge_point(const Panel& panel, int edge, double t) { return shape_of(panel, edge).point(t); }
double edge_length(const Panel& panel, int edge) { return shape_of(panel, edge).length(); }
Vec2 edge_at(const Panel& panel, int edge, double share) { return shape_of(panel, edge).at(share); }

std::vector<Vec2> sample_edge(const Panel& panel, int edge, int count) {
  const CurveShape shape = shape_of(panel, edge);
  std::vector<Vec2> points(count + 1);
  for (int k = 0; k <= count; ++k) points[k] = shape.at(double(k) / count);
  return points;
}

std::vector<Vec2> outline_points(const Panel& panel, int per_curve, std::vector<int>* edge_of) {
  std::vector<Vec2> points;
  for (int e = 0; e < static_cast<int>(panel.edges.size()); ++e) {
    const EdgeCurve& curve = panel.edges[e].curve;
    const Vec2 s = start_of(panel, e), end = end_of(panel, e);
    points.push_back(s);
    if (curve.kind == EdgeCurve::Kind::kPolyline) {
      for (const Vec2& c : curve.controls) points.push_back(from_relative(c, s, end));
    } else if (curve.kind != EdgeCurve::Kind::kLine) {
      const CurveShape shape(s, end, curve);
      for (int k = 1; k < per_curve; ++k) points.push_back(shape.point(double(k) / per_curve));
    }
    if (edge_of != nullptr) edge_of->resize(points.size(), e);
  }
  return points;
}

double panel_area(const Panel& panel) { return std::abs(signed_area(outline_points(panel))); }

std::vector<absl::Status> validate_all(const Pattern& pattern) {
  std::vector<absl::Status> out;
  auto keep = [&](absl::Status status) {
    if (!status.ok()) out.push_back(std::move(status));
    return out.empty();
  };
  if (pattern.panels.empty()) {
    keep(invalid_input("PATTERN_WITHOUT_PANELS", "pattern.panels", "the pattern has no panels",
                       "Send a pattern with at least one panel."));
  }
  std::set<std::string> names;
  for (const Panel& panel : pattern.panels) {
    if (panel.name.empty() || !names.insert(panel.name).second) {
      keep(invalid_input(
          "PANEL_NAME", panel_field(panel),
          panel.name.empty() ? std::string("a panel has no name") : cat("two panels are called ", panel.name),
          "Give every panel a name of its own."));
    }
    keep(check_panel(panel));
  }
  if (!out.empty()) return out;  // seams are measured on sound outlines only
  if (keep(check_stitches(pattern))) keep(check_seams(pattern));
  keep(check_sizes(pattern));
  return out;
}

absl::Status validate(const Pattern& pattern) {
  const std::vector<absl::Status> problems = validate_all(pattern);
  return problems.empty() ? absl::OkStatus() : problems.front();
}

}  // namespace tryon
