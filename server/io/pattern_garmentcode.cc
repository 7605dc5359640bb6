// GarmentCode specifications: the 2021 templates, 1.0 and 2.x.
#include <algorithm>
#include <cmath>
#include <cstdint>

#include "server/base/status.h"
#include "server/base/text.h"
#include "server/base/units.h"
#include "server/garment/pattern_curve.h"
#include "server/io/pattern_values.h"

namespace tryon::pattern_io {
namespace {

constexpr size_t kMaxNameBytes = 200;
constexpr double kDefaultUnitsInMetre = 100.0;  // GarmentCode's own unit, the centimetre

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

}  // namespace

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

}  // namespace tryon::pattern_io
