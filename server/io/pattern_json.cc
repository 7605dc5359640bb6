#include "server/io/pattern_json.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "nlohmann/json.hpp"
#include "server/base/status.h"
#include "server/base/text.h"
#include "server/base/units.h"
#include "server/io/json_gate.h"

namespace tryon {
namespace {

using Json = nlohmann::json;

constexpr size_t kMaxNameBytes = 200;
constexpr double kDefaultUnitsInMetre = 100.0;  // GarmentCode's own unit, the centimetre

// ---- typed access: every failure names its element ------------------------------------------------------------

absl::Status wrong_type(const std::string& field, const std::string& wanted, const Json& found) {
  return invalid_input("PATTERN_FIELD_TYPE", field, cat(field, " is ", found.type_name(), ", it should be ", wanted),
                       cat("Write ", wanted, " there."));
}

absl::StatusOr<const Json*> member(const Json& object, const std::string& field, const char* key) {
  if (!object.is_object()) return wrong_type(field, "an object", object);
  const auto it = object.find(key);
  if (it != object.end()) return &*it;
  return invalid_input("PATTERN_FIELD_MISSING", cat(field, ".", key), cat(field, " has no \"", key, "\""),
                       cat("Add \"", key, "\"."));
}

// The member's value, or null where it is absent.
const Json* optional_member(const Json& object, const char* key) {
  const auto it = object.is_object() ? object.find(key) : object.end();
  return it == object.end() || it->is_null() ? nullptr : &*it;
}

absl::StatusOr<double> number(const Json& value, const std::string& field) {
  if (!value.is_number()) return wrong_type(field, "a number", value);
  const double x = value.get<double>();
  if (std::isfinite(x) && std::abs(x) < 1e9) return x;
  return invalid_input("PATTERN_NUMBER_RANGE", field, cat(field, " is ", x, ": no measure of cloth"),
                       "Give a number of ordinary size.");
}

absl::StatusOr<std::vector<double>> numbers(const Json& value, const std::string& field, size_t count) {
  const std::string wanted = cat("a list of ", count, " numbers");
  if (!value.is_array()) return wrong_type(field, wanted, value);
  if (value.size() != count) {
    return invalid_input("PATTERN_FIELD_TYPE", field,
                         cat(field, " has ", value.size(), " entries, it should have ", count),
                         cat("Write ", wanted, " there."));
  }
  std::vector<double> out;
  for (size_t i = 0; i < count; ++i) {
    ASSIGN_OR_RETURN(const double x, number(value[i], cat(field, "[", i, "]")));
    out.push_back(x);
  }
  return out;
}

absl::StatusOr<int> index(const Json& value, const std::string& field) {
  if (!value.is_number_integer()) return wrong_type(field, "a whole number", value);
  ASSIGN_OR_RETURN(const double x, number(value, field));
  return static_cast<int>(x);
}

absl::StatusOr<std::string> text(const Json& value, const std::string& field) {
  if (!value.is_string()) return wrong_type(field, "a text", value);
  const std::string& s = value.get_ref<const std::string&>();
  if (s.size() <= kMaxNameBytes) return s;
  return invalid_input("PATTERN_NAME_TOO_LONG", field, cat(field, " is a text of ", s.size(), " bytes"),
                       cat("Use at most ", kMaxNameBytes, " bytes."));
}

absl::StatusOr<std::string> optional_text(const Json& object, const std::string& field, const char* key) {
  const Json* value = optional_member(object, key);
  return value == nullptr ? absl::StatusOr<std::string>(std::string()) : text(*value, cat(field, ".", key));
}

// false where absent; 0 and 1 count as answers.
absl::StatusOr<bool> flag(const Json& object, const std::string& field, const char* key) {
  const Json* value = optional_member(object, key);
  if (value == nullptr) return false;
  if (value->is_boolean()) return value->get<bool>();
  if (value->is_number()) return value->get<double>() != 0.0;
  return wrong_type(cat(field, ".", key), "true or false", *value);
}

absl::Status check_count(size_t found, int limit, const char* reason, const std::string& field, const char* what) {
  if (found <= static_cast<size_t>(limit)) return absl::OkStatus();
  return invalid_input(reason, field, cat(field, " has ", found, " ", what, ", at most ", limit, " are taken"),
                       cat("Split the garment, or remove ", what, "."));
}

// ---- shared by both formats -----------------------------------------------------------------------------------

struct Reader {
  explicit Reader(const PatternLimits& l) : limits(l) {}

  const PatternLimits& limits;
  double metres_per_unit = 0.01;
  bool absolute_controls = false, normalize_translation = false;
  bool old_generation = false;  // a 2021 template: seen by its curvature lists, constraints or free vertex order
  int edge_count = 0;
  std::map<std::pair<int, int>, int> moved_edges;  // (panel, edge in the file) -> edge, where the file's order was free
};

Vec2 to_relative(const Vec2& control, const Vec2& s, const Vec2& e) {
  const Vec2 d = e - s, n(-d.y(), d.x()), c = control - s;
  return Vec2(c.dot(d), c.dot(n)) / d.squaredNorm();
}

absl::StatusOr<std::vector<Vec2>> read_points(const Json& list, const std::string& field) {
  if (!list.is_array()) return wrong_type(field, "a list of points", list);
  std::vector<Vec2> points;
  for (size_t i = 0; i < list.size(); ++i) {
    ASSIGN_OR_RETURN(const auto xy, numbers(list[i], cat(field, "[", i, "]"), 2));
    points.emplace_back(xy[0], xy[1]);
  }
  return points;
}

absl::StatusOr<std::vector<Vec2>> read_controls(const Json& list, const std::string& field, size_t count) {
  ASSIGN_OR_RETURN(std::vector<Vec2> points, read_points(list, field));
  if (points.size() == count) return points;
  return invalid_input("EDGE_CURVE", field,
                       cat(field, " has ", points.size(), " control points, this curve needs ", count),
                       "Give one control point for a quadratic curve, two for a cubic one.");
}

absl::Status unknown_curve(const std::string& field, const std::string& type) {
  return invalid_input("EDGE_CURVE", cat(field, ".type"), cat("\"", type, "\" is no kind of curve that is known here"),
                       "Use quadratic, cubic or circle.");
}

// Edges in the order of the walk: those of the file may stand in any order, if only they form one loop.
absl::StatusOr<std::vector<int>> walking_order(const Panel& panel, const std::string& field) {
  std::map<int, int> leaving;  // vertex -> edge
  const int n = static_cast<int>(panel.edges.size());
  for (int e = 0; e < n; ++e) {
    if (leaving.insert({panel.edges[e].start, e}).second) continue;
    return invalid_input("PANEL_LOOP_OPEN", cat(field, ".edges[", e, "]"),
                         cat("panel ", panel.name, ": edges ", leaving[panel.edges[e].start], " and ", e,
                             " both start at vertex ", panel.edges[e].start),
                         "Let the edges walk once round the panel, each in the same direction.");
  }
  std::vector<int> order = {0};
  while (static_cast<int>(order.size()) < n) {
    const int end = panel.edges[order.back()].end;
    const auto next = leaving.find(end);
    if (next == leaving.end() || next->second == 0) {
      return invalid_input(
          "PANEL_LOOP_OPEN", cat(field, ".edges[", order.back(), "]"),
          cat("panel ", panel.name, ": the outline is ", next == leaving.end() ? "open" : "not one loop",
              ": no further edge starts at vertex ", end, ", where edge ", order.back(), " ends"),
          "Let every edge start where the one before ends, and the last one end at the first.");
    }
    order.push_back(next->second);
  }
  return order;
}

// Puts vertices and edges into walking order: afterwards edge i goes from vertex i to i + 1.
absl::Status normalize_loop(int panel_index, const std::string& field, Reader* reader, Panel* panel) {
  if (panel->edges.size() < 2) {
    return invalid_input("PANEL_LOOP_OPEN", cat(field, ".edges"),
                         cat("panel ", panel->name, " has ", panel->edges.size(), " edges: no closed outline"),
                         "Give the panel at least three edges (two, if they are curved).");
  }
  ASSIGN_OR_RETURN(const std::vector<int> order, walking_order(*panel, field));
  const int n = static_cast<int>(order.size());
  if (panel->edges[order.back()].end != panel->edges[order.front()].start) {
    return invalid_input("PANEL_LOOP_OPEN", cat(field, ".edges[", order.back(), "]"),
                         cat("panel ", panel->name, ": the outline is open: edge ", order.back(),
                             " does not come back to the start of edge ", order.front()),
                         "Let the last edge end where the first one starts.");
  }
  std::vector<Vec2> vertices;
  std::vector<PanelEdge> edges;
  for (int i = 0; i < n; ++i) {
    PanelEdge edge = panel->edges[order[i]];
    vertices.push_back(panel->vertices[edge.start]);
    if (edge.start != i) reader->old_generation = true;
    edge.start = i, edge.end = (i + 1) % n;
    edges.push_back(std::move(edge));
    if (order[i] != i) reader->moved_edges[{panel_index, order[i]}] = i;
  }
  panel->vertices = std::move(vertices);
  panel->edges = std::move(edges);
  return absl::OkStatus();
}

absl::Status check_endpoints(const Panel& panel, const PanelEdge& edge, const std::string& field) {
  for (const int v : {edge.start, edge.end}) {
    if (v >= 0 && v < static_cast<int>(panel.vertices.size())) continue;
    return invalid_input("PANEL_VERTEX_MISSING", field,
                         cat(field, " names vertex ", v, ", panel ", panel.name, " has ", panel.vertices.size()),
                         cat("Name vertices from 0 to ", static_cast<int>(panel.vertices.size()) - 1, "."));
  }
  if (panel.vertices[edge.start] != panel.vertices[edge.end]) return absl::OkStatus();
  return invalid_input("EDGE_WITHOUT_LENGTH", field,
                       cat("panel ", panel.name, ": an edge starts and ends at the same point"),
                       "Remove the edge, or move its end points apart.");
}

Eigen::Matrix3d from_euler_degrees(const std::vector<double>& a) {
  auto turn = [](double degrees_, const Vec3& axis) {
    return Eigen::AngleAxisd(radians(degrees_), axis).toRotationMatrix();
  };
  return turn(a[2], Vec3::UnitZ()) * turn(a[1], Vec3::UnitY()) * turn(a[0], Vec3::UnitX());
}

absl::StatusOr<StitchSide> read_stitch_side(const Json& side, const std::string& field, const Pattern& pattern,
                                            const Reader& reader) {
  ASSIGN_OR_RETURN(const Json* panel_json, member(side, field, "panel"));
  ASSIGN_OR_RETURN(const Json* edge_json, member(side, field, "edge"));
  ASSIGN_OR_RETURN(const std::string name, text(*panel_json, cat(field, ".panel")));
  StitchSide out;
  ASSIGN_OR_RETURN(out.edge, index(*edge_json, cat(field, ".edge")));
  const auto it =
      std::find_if(pattern.panels.begin(), pattern.panels.end(), [&](const Panel& p) { return p.name == name; });
  if (it == pattern.panels.end()) {
    return invalid_input("SEAM_PANEL_MISSING", cat(field, ".panel"),
                         cat(field, " names panel \"", name, "\", which the pattern does not have"),
                         "Name a panel of the pattern.");
  }
  out.panel = static_cast<int>(it - pattern.panels.begin());
  if (out.edge < 0 || out.edge >= static_cast<int>(it->edges.size())) {
    return invalid_input(
        "SEAM_EDGE_MISSING", cat(field, ".edge"),
        cat(field, " names edge ", out.edge, " of panel ", name, ", which has ", it->edges.size(), " edges"),
        cat("Name an edge from 0 to ", it->edges.size() - 1, "."));
  }
  const auto moved = reader.moved_edges.find({out.panel, out.edge});
  if (moved != reader.moved_edges.end()) out.edge = moved->second;
  return out;
}

// ---- GarmentCode ----------------------------------------------------------------------------------------------

absl::Status read_properties(const Json& root, Reader* reader) {
  const Json* properties = optional_member(root, "properties");
  if (properties == nullptr) return absl::OkStatus();
  if (!properties->is_object()) return wrong_type("properties", "an object", *properties);
  double units = kDefaultUnitsInMetre;
  if (const Json* value = optional_member(*properties, "units_in_meter")) {
    ASSIGN_OR_RETURN(units, number(*value, "properties.units_in_meter"));
  }
  if (!(units >= 1e-3 && units <= 1e6)) {
    return invalid_input("PATTERN_UNIT", "properties.units_in_meter", cat(units, " units in a metre make no unit"),
                         "Give 100 for centimetres, 1000 for millimetres.");
  }
  reader->metres_per_unit = 1.0 / units;
  ASSIGN_OR_RETURN(const std::string coords, optional_text(*properties, "properties", "curvature_coords"));
  if (!coords.empty() && coords != "relative" && coords != "absolute") {
    return invalid_input("PATTERN_FIELD_TYPE", "properties.curvature_coords",
                         cat("curvature_coords is \"", coords, "\""), "Write \"relative\" or \"absolute\".");
  }
  reader->absolute_controls = coords == "absolute";
  ASSIGN_OR_RETURN(reader->normalize_translation, flag(*properties, "properties", "normalize_panel_translation"));
  const Json* constraints = optional_member(root, "constraints");
  if (constraints != nullptr && !constraints->empty()) reader->old_generation = true;
  return absl::OkStatus();
}

// {"type": "circle", "params": [radius, large_arc, right]}; the radius is absolute, in file units.
absl::StatusOr<EdgeCurve> read_circle(const Json& params, const std::string& field, const Reader& reader) {
  ASSIGN_OR_RETURN(const auto values, numbers(params, field, 3));
  EdgeCurve curve;
  curve.kind = EdgeCurve::Kind::kArc;
  curve.radius = values[0] * reader.metres_per_unit;
  curve.large_arc = values[1] != 0.0, curve.right = values[2] != 0.0;
  return curve;
}

absl::StatusOr<EdgeCurve> read_bezier(const Json& params, const std::string& field, size_t count, const Vec2& s,
                                      const Vec2& e, const Reader& reader) {
  EdgeCurve curve;
  curve.kind = count == 1 ? EdgeCurve::Kind::kQuadratic : EdgeCurve::Kind::kCubic;
  ASSIGN_OR_RETURN(curve.controls, read_controls(params, field, count));
  if (reader.absolute_controls) {
    for (Vec2& c : curve.controls) c = to_relative(c * reader.metres_per_unit, s, e);
  }
  return curve;
}

absl::StatusOr<EdgeCurve> read_curvature(const Json& value, const std::string& field, const Vec2& s, const Vec2& e,
                                         Reader* reader) {
  if (value.is_array()) {  // 2021: the one control point of a quadratic curve
    reader->old_generation = true;
    return read_bezier(Json::array({value}), field, 1, s, e, *reader);
  }
  ASSIGN_OR_RETURN(const Json* type_json, member(value, field, "type"));
  ASSIGN_OR_RETURN(const Json* params, member(value, field, "params"));
  ASSIGN_OR_RETURN(const std::string type, text(*type_json, cat(field, ".type")));
  const std::string params_field = cat(field, ".params");
  if (type == "circle") return read_circle(*params, params_field, *reader);
  if (type == "quadratic") return read_bezier(*params, params_field, 1, s, e, *reader);
  if (type == "cubic") return read_bezier(*params, params_field, 2, s, e, *reader);
  return unknown_curve(field, type);
}

absl::StatusOr<PanelEdge> read_edge(const Json& json, const std::string& field, const Panel& panel, Reader* reader) {
  ASSIGN_OR_RETURN(const Json* ends, member(json, field, "endpoints"));
  if (!ends->is_array() || ends->size() != 2)
    return wrong_type(cat(field, ".endpoints"), "a list of two vertices", *ends);
  PanelEdge edge;
  ASSIGN_OR_RETURN(edge.start, index((*ends)[0], cat(field, ".endpoints[0]")));
  ASSIGN_OR_RETURN(edge.end, index((*ends)[1], cat(field, ".endpoints[1]")));
  RETURN_IF_ERROR(check_endpoints(panel, edge, cat(field, ".endpoints")));
  if (const Json* curvature = optional_member(json, "curvature")) {
    ASSIGN_OR_RETURN(edge.curve, read_curvature(*curvature, cat(field, ".curvature"), panel.vertices[edge.start],
                                                panel.vertices[edge.end], reader));
  }
  ASSIGN_OR_RETURN(edge.label, optional_text(json, field, "label"));
  return edge;
}

absl::Status read_edges(const Json& list, const std::string& field, Reader* reader, Panel* panel) {
  if (!list.is_array()) return wrong_type(field, "a list of edges", list);
  reader->edge_count += static_cast<int>(std::min<size_t>(list.size(), 1'000'000));
  RETURN_IF_ERROR(check_count(reader->edge_count, reader->limits.max_edges, "PATTERN_TOO_MANY_EDGES", field, "edges"));
  for (size_t e = 0; e < list.size(); ++e) {
    ASSIGN_OR_RETURN(PanelEdge edge, read_edge(list[e], cat(field, "[", e, "]"), *panel, reader));
    panel->edges.push_back(std::move(edge));
  }
  return absl::OkStatus();
}

void move_mean_to_translation(Panel* panel) {
  Vec2 mean = Vec2::Zero();
  for (const Vec2& v : panel->vertices) mean += v / static_cast<double>(panel->vertices.size());
  for (Vec2& v : panel->vertices) v -= mean;
  panel->translation += Vec3(mean.x(), mean.y(), 0.0);
}

absl::StatusOr<Panel> read_panel(const std::string& name, const Json& json, int panel_index, Reader* reader) {
  const std::string field = cat("pattern.panels[", name, "]");
  Panel panel;
  panel.name = name;
  ASSIGN_OR_RETURN(const Json* vertices, member(json, field, "vertices"));
  ASSIGN_OR_RETURN(panel.vertices, read_points(*vertices, cat(field, ".vertices")));
  for (Vec2& v : panel.vertices) v *= reader->metres_per_unit;
  ASSIGN_OR_RETURN(const Json* edges, member(json, field, "edges"));
  RETURN_IF_ERROR(read_edges(*edges, cat(field, ".edges"), reader, &panel));
  ASSIGN_OR_RETURN(const Json* translation, member(json, field, "translation"));
  ASSIGN_OR_RETURN(const auto shift, numbers(*translation, cat(field, ".translation"), 3));
  panel.translation = Vec3(shift[0], shift[1], shift[2]) * reader->metres_per_unit;
  ASSIGN_OR_RETURN(const Json* rotation, member(json, field, "rotation"));
  ASSIGN_OR_RETURN(const auto angles, numbers(*rotation, cat(field, ".rotation"), 3));
  panel.rotation = from_euler_degrees(angles);
  ASSIGN_OR_RETURN(panel.label, optional_text(json, field, "label"));
  if (reader->normalize_translation && !panel.vertices.empty()) move_mean_to_translation(&panel);
  RETURN_IF_ERROR(normalize_loop(panel_index, field, reader, &panel));
  return panel;
}

absl::StatusOr<Stitch> read_stitch(const Json& json, const std::string& field, const Pattern& pattern,
                                   const Reader& reader) {
  if (!json.is_array() || json.size() < 2 || json.size() > 3) {
    return wrong_type(field, "a list of two edges and, at most, \"right_wrong\"", json);
  }
  Stitch stitch;
  ASSIGN_OR_RETURN(stitch.a, read_stitch_side(json[0], cat(field, "[0]"), pattern, reader));
  ASSIGN_OR_RETURN(stitch.b, read_stitch_side(json[1], cat(field, "[1]"), pattern, reader));
  if (json.size() == 3) {
    if (json[2] != "right_wrong") return wrong_type(cat(field, "[2]"), "\"right_wrong\"", json[2]);
    stitch.right_wrong = true;
  }
  return stitch;
}

// 2021 templates stand round a pelvis at the origin, everything since on a floor: no garment seated on a standing
// person ends below 0.9 m at its top and reaches under the floor.
PatternOrigin find_origin(const Pattern& pattern, bool old_generation) {
  double low = 1e9, high = -1e9;
  for (const Panel& panel : pattern.panels) {
    for (const Vec2& v : panel.vertices) {
      const double y = (panel.rotation * Vec3(v.x(), v.y(), 0.0) + panel.translation).y();
      low = std::min(low, y), high = std::max(high, y);
    }
  }
  const bool pelvis = high < 0.9 && low < (old_generation ? 0.0 : -0.2);
  return pelvis ? PatternOrigin::kPelvis : PatternOrigin::kFloor;
}

absl::StatusOr<Pattern> read_garmentcode(const Json& root, const PatternLimits& limits) {
  Reader reader(limits);
  RETURN_IF_ERROR(read_properties(root, &reader));
  ASSIGN_OR_RETURN(const Json* spec, member(root, "the file", "pattern"));
  ASSIGN_OR_RETURN(const Json* panels, member(*spec, "pattern", "panels"));
  if (!panels->is_object()) return wrong_type("pattern.panels", "an object of panels by name", *panels);
  RETURN_IF_ERROR(
      check_count(panels->size(), limits.max_panels, "PATTERN_TOO_MANY_PANELS", "pattern.panels", "panels"));
  Pattern pattern;
  for (const auto& [name, json] : panels->items()) {  // by name: the file's order does not matter
    if (name.size() > kMaxNameBytes) RETURN_IF_ERROR(text(Json(name), "pattern.panels").status());
    ASSIGN_OR_RETURN(Panel panel, read_panel(name, json, static_cast<int>(pattern.panels.size()), &reader));
    pattern.panels.push_back(std::move(panel));
  }
  if (const Json* stitches = optional_member(*spec, "stitches")) {
    if (!stitches->is_array()) return wrong_type("pattern.stitches", "a list of stitches", *stitches);
    RETURN_IF_ERROR(check_count(stitches->size(), limits.max_stitches, "PATTERN_TOO_MANY_STITCHES", "pattern.stitches",
                                "stitches"));
    for (size_t s = 0; s < stitches->size(); ++s) {
      ASSIGN_OR_RETURN(Stitch stitch, read_stitch((*stitches)[s], cat("pattern.stitches[", s, "]"), pattern, reader));
      pattern.stitches.push_back(stitch);
    }
  }
  pattern.origin = find_origin(pattern, reader.old_generation);
  return pattern;
}

// ---- tryon.pattern.v1 -----------------------------------------------------------------------------------------

absl::StatusOr<EdgeCurve> read_own_curve(const Json& json, const std::string& field) {
  ASSIGN_OR_RETURN(const Json* type_json, member(json, field, "type"));
  ASSIGN_OR_RETURN(const std::string type, text(*type_json, cat(field, ".type")));
  EdgeCurve curve;
  if (type == "arc") {
    curve.kind = EdgeCurve::Kind::kArc;
    ASSIGN_OR_RETURN(const Json* radius, member(json, field, "radius_mm"));
    ASSIGN_OR_RETURN(const double radius_mm, number(*radius, cat(field, ".radius_mm")));
    curve.radius = from_mm(radius_mm);
    ASSIGN_OR_RETURN(curve.large_arc, flag(json, field, "large_arc"));
    ASSIGN_OR_RETURN(curve.right, flag(json, field, "right"));
    return curve;
  }
  if (type != "quadratic" && type != "cubic") {
    return invalid_input("EDGE_CURVE", cat(field, ".type"),
                         cat("\"", type, "\" is no kind of curve that is known here"), "Use quadratic, cubic or arc.");
  }
  curve.kind = type == "cubic" ? EdgeCurve::Kind::kCubic : EdgeCurve::Kind::kQuadratic;
  ASSIGN_OR_RETURN(const Json* controls, member(json, field, "controls"));
  ASSIGN_OR_RETURN(curve.controls, read_controls(*controls, cat(field, ".controls"), type == "cubic" ? 2 : 1));
  return curve;
}

absl::StatusOr<PanelEdge> read_own_edge(const Json& json, const std::string& field, const Panel& panel) {
  PanelEdge edge;
  ASSIGN_OR_RETURN(const Json* ends, member(json, field, "endpoints"));
  if (!ends->is_array() || ends->size() != 2)
    return wrong_type(cat(field, ".endpoints"), "a list of two vertices", *ends);
  ASSIGN_OR_RETURN(edge.start, index((*ends)[0], cat(field, ".endpoints[0]")));
  ASSIGN_OR_RETURN(edge.end, index((*ends)[1], cat(field, ".endpoints[1]")));
  RETURN_IF_ERROR(check_endpoints(panel, edge, cat(field, ".endpoints")));
  if (const Json* curve = optional_member(json, "curve")) {
    ASSIGN_OR_RETURN(edge.curve, read_own_curve(*curve, cat(field, ".curve")));
  }
  ASSIGN_OR_RETURN(edge.label, optional_text(json, field, "label"));
  return edge;
}

// "rotation": a 3 x 3 matrix row by row, or "rotation_deg": angles about the fixed axes x, y, z, in this order.
absl::Status read_own_placement(const Json& json, const std::string& field, Panel* panel) {
  ASSIGN_OR_RETURN(const Json* translation, member(json, field, "translation_mm"));
  ASSIGN_OR_RETURN(const auto shift, numbers(*translation, cat(field, ".translation_mm"), 3));
  panel->translation = Vec3(shift[0], shift[1], shift[2]) * 1e-3;
  if (const Json* degrees_json = optional_member(json, "rotation_deg")) {
    ASSIGN_OR_RETURN(const auto angles, numbers(*degrees_json, cat(field, ".rotation_deg"), 3));
    panel->rotation = from_euler_degrees(angles);
    return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(const Json* rotation, member(json, field, "rotation"));
  ASSIGN_OR_RETURN(const auto m, numbers(*rotation, cat(field, ".rotation"), 9));
  panel->rotation << m[0], m[1], m[2], m[3], m[4], m[5], m[6], m[7], m[8];
  return absl::OkStatus();
}

absl::StatusOr<Panel> read_own_panel(const Json& json, int panel_index, Reader* reader) {
  std::string field = cat("panels[", panel_index, "]");
  Panel panel;
  ASSIGN_OR_RETURN(const Json* name, member(json, field, "name"));
  ASSIGN_OR_RETURN(panel.name, text(*name, cat(field, ".name")));
  field = cat("panels[", panel.name, "]");
  ASSIGN_OR_RETURN(panel.label, optional_text(json, field, "label"));
  ASSIGN_OR_RETURN(const Json* vertices, member(json, field, "vertices_mm"));
  ASSIGN_OR_RETURN(panel.vertices, read_points(*vertices, cat(field, ".vertices_mm")));
  for (Vec2& v : panel.vertices) v *= 1e-3;
  ASSIGN_OR_RETURN(const Json* edges, member(json, field, "edges"));
  if (!edges->is_array()) return wrong_type(cat(field, ".edges"), "a list of edges", *edges);
  reader->edge_count += static_cast<int>(std::min<size_t>(edges->size(), 1'000'000));
  RETURN_IF_ERROR(check_count(reader->edge_count, reader->limits.max_edges, "PATTERN_TOO_MANY_EDGES", field, "edges"));
  for (size_t e = 0; e < edges->size(); ++e) {
    ASSIGN_OR_RETURN(PanelEdge edge, read_own_edge((*edges)[e], cat(field, ".edges[", e, "]"), panel));
    panel.edges.push_back(std::move(edge));
  }
  RETURN_IF_ERROR(read_own_placement(json, field, &panel));
  RETURN_IF_ERROR(normalize_loop(panel_index, field, reader, &panel));
  return panel;
}

absl::StatusOr<Stitch> read_own_stitch(const Json& json, const std::string& field, const Pattern& pattern,
                                       const Reader& reader) {
  Stitch stitch;
  ASSIGN_OR_RETURN(const Json* a, member(json, field, "a"));
  ASSIGN_OR_RETURN(const Json* b, member(json, field, "b"));
  ASSIGN_OR_RETURN(stitch.a, read_stitch_side(*a, cat(field, ".a"), pattern, reader));
  ASSIGN_OR_RETURN(stitch.b, read_stitch_side(*b, cat(field, ".b"), pattern, reader));
  ASSIGN_OR_RETURN(stitch.right_wrong, flag(json, field, "right_wrong"));
  return stitch;
}

absl::StatusOr<Pattern> read_own(const Json& root, const PatternLimits& limits) {
  Reader reader(limits);
  Pattern pattern;
  ASSIGN_OR_RETURN(pattern.name, optional_text(root, "the file", "name"));
  ASSIGN_OR_RETURN(const std::string origin, optional_text(root, "the file", "origin"));
  if (!origin.empty() && origin != "floor" && origin != "pelvis") {
    return invalid_input("PATTERN_FIELD_TYPE", "origin", cat("origin is \"", origin, "\""),
                         "Write \"floor\" or \"pelvis\".");
  }
  pattern.origin = origin == "pelvis" ? PatternOrigin::kPelvis : PatternOrigin::kFloor;
  ASSIGN_OR_RETURN(const Json* panels, member(root, "the file", "panels"));
  if (!panels->is_array()) return wrong_type("panels", "a list of panels", *panels);
  RETURN_IF_ERROR(check_count(panels->size(), limits.max_panels, "PATTERN_TOO_MANY_PANELS", "panels", "panels"));
  for (size_t p = 0; p < panels->size(); ++p) {
    ASSIGN_OR_RETURN(Panel panel, read_own_panel((*panels)[p], static_cast<int>(p), &reader));
    pattern.panels.push_back(std::move(panel));
  }
  const Json* stitches = optional_member(root, "stitches");
  if (stitches == nullptr) return pattern;
  if (!stitches->is_array()) return wrong_type("stitches", "a list of stitches", *stitches);
  RETURN_IF_ERROR(
      check_count(stitches->size(), limits.max_stitches, "PATTERN_TOO_MANY_STITCHES", "stitches", "stitches"));
  for (size_t s = 0; s < stitches->size(); ++s) {
    ASSIGN_OR_RETURN(Stitch stitch, read_own_stitch((*stitches)[s], cat("stitches[", s, "]"), pattern, reader));
    pattern.stitches.push_back(stitch);
  }
  return pattern;
}

// ---- writing --------------------------------------------------------------------------------------------------

// Millimetres to a ten-millionth: finer than any cloth, and the same text after reading it back.
Json mm(double metres) { return std::nearbyint(to_mm(metres) * 1e7) / 1e7 + 0.0; }
Json mm(const Vec2& p) { return Json::array({mm(p.x()), mm(p.y())}); }

std::string dumped(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

std::string curve_text(const EdgeCurve& curve) {
  if (curve.kind == EdgeCurve::Kind::kArc) {
    return cat("{\"type\": \"arc\", \"radius_mm\": ", dumped(mm(curve.radius)), ", \"large_arc\": ", curve.large_arc,
               ", \"right\": ", curve.right, "}");
  }
  Json controls = Json::array();
  for (const Vec2& c : curve.controls) controls.push_back(Json::array({c.x(), c.y()}));
  const char* type = curve.kind == EdgeCurve::Kind::kCubic ? "cubic" : "quadratic";
  return cat("{\"type\": \"", type, "\", \"controls\": ", dumped(controls), "}");
}

std::string edge_text(const PanelEdge& edge) {
  std::string out = cat("{\"endpoints\": [", edge.start, ", ", edge.end, "]");
  if (edge.curve.kind != EdgeCurve::Kind::kLine) out += cat(", \"curve\": ", curve_text(edge.curve));
  if (!edge.label.empty()) out += cat(", \"label\": ", dumped(edge.label));
  return out + "}";
}

// One element a line, commas between.
template <typename List, typename Text>
std::string lines(const List& list, const char* indent, const Text& text_of) {
  std::string out;
  for (const auto& element : list) out += cat(out.empty() ? "" : ",", "\n", indent, text_of(element));
  return out;
}

std::string panel_text(const Panel& panel) {
  Json rotation = Json::array();
  for (int i = 0; i < 9; ++i) rotation.push_back(panel.rotation(i / 3, i % 3) + 0.0);
  Json translation = Json::array();
  for (int i = 0; i < 3; ++i) translation.push_back(mm(panel.translation[i]));
  return cat("{\"name\": ", dumped(panel.name), ", \"label\": ", dumped(panel.label),
             ",\n   \"translation_mm\": ", dumped(translation), ",\n   \"rotation\": ", dumped(rotation),
             ",\n   \"vertices_mm\": [", lines(panel.vertices, "    ", [](const Vec2& v) { return dumped(mm(v)); }),
             "],\n   \"edges\": [", lines(panel.edges, "    ", edge_text), "]}");
}

// ---- the door -------------------------------------------------------------------------------------------------

std::string stem(std::string_view file_name) {
  const size_t slash = file_name.find_last_of("/\\");
  if (slash != std::string_view::npos) file_name.remove_prefix(slash + 1);
  return std::string(file_name.substr(0, file_name.find_last_of('.')));
}

// What a file is that begins like this, if it is one of those that are sent by mistake; empty otherwise.
std::string_view mistaken_type(std::string_view bytes) {
  constexpr std::pair<std::string_view, std::string_view> kBeginnings[] = {
      {"\x89PNG", "a PNG picture"},   {"\xFF\xD8\xFF", "a JPEG picture"},
      {"%PDF", "a PDF document"},     {"PK\x03\x04", "a ZIP archive"},
      {"\x1F\x8B", "a gzip archive"}, {"glTF", "a GLB mesh"},
      {"ply\n", "a PLY mesh"},        {"ply\r", "a PLY mesh"},
      {"solid", "an STL mesh"},       {"v ", "an OBJ mesh"},
      {"# ", "an OBJ mesh"},          {"<", "an SVG or XML file"}};
  for (const auto& [beginning, type] : kBeginnings) {
    if (bytes.substr(0, beginning.size()) == beginning) return type;
  }
  return {};
}

absl::Status check_bytes(std::string_view bytes, const PatternLimits& limits) {
  if (bytes.empty()) {
    return invalid_input("PATTERN_EMPTY", "file", "the file is empty (0 bytes)",
                         "Save the pattern again and resend it.");
  }
  if (static_cast<int64_t>(bytes.size()) > limits.max_file_bytes) {
    return invalid_input("PATTERN_TOO_LARGE", "file",
                         cat("the file has ", bytes.size(), " bytes, at most ", limits.max_file_bytes, " are taken"),
                         "Send the specification alone, without pictures or meshes.");
  }
  const std::string_view other = mistaken_type(bytes);
  if (!other.empty()) {
    return invalid_input("PATTERN_NOT_JSON", "file", cat("the file is ", other, ", not a pattern in JSON"),
                         "Send a GarmentCode specification (*_specification.json) or a tryon.pattern.v1 file.");
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Pattern> read_pattern(std::string_view bytes, std::string_view file_name, const PatternLimits& limits) {
  RETURN_IF_ERROR(check_bytes(bytes, limits));
  RETURN_IF_ERROR(check_json(bytes, limits.max_depth));
  const Json root = Json::parse(bytes, nullptr, false);  // cannot fail: check_json read it all
  if (!root.is_object()) return wrong_type("the file", "an object with a \"pattern\"", root);
  const Json* schema = optional_member(root, "schema");
  const bool own = schema != nullptr && *schema == "tryon.pattern.v1";
  if (!own && !root.contains("pattern")) {
    return invalid_input("PATTERN_NOT_A_PATTERN", "file", "the file is JSON, but it describes no sewing pattern",
                         "Send a GarmentCode specification (*_specification.json) or a tryon.pattern.v1 file.");
  }
  absl::StatusOr<Pattern> pattern = own ? read_own(root, limits) : read_garmentcode(root, limits);
  if (pattern.ok() && pattern->name.empty()) pattern->name = stem(file_name);
  return pattern;
}

std::string write_pattern(const Pattern& pattern) {
  auto side_text = [&](const StitchSide& side) {
    return cat("{\"panel\": ", dumped(pattern.panels[side.panel].name), ", \"edge\": ", side.edge, "}");
  };
  auto stitch_text = [&](const Stitch& s) {
    return cat("{\"a\": ", side_text(s.a), ", \"b\": ", side_text(s.b),
               s.right_wrong ? ", \"right_wrong\": true}" : "}");
  };
  return cat("{\"schema\": \"tryon.pattern.v1\",\n \"name\": ", dumped(pattern.name), ",\n \"origin\": \"",
             pattern.origin == PatternOrigin::kPelvis ? "pelvis" : "floor", "\",\n \"panels\": [",
             lines(pattern.panels, "  ", panel_text), "],\n \"stitches\": [",
             lines(pattern.stitches, "  ", stitch_text), "]}\n");
}

}  // namespace tryon
