#include "server/io/pattern_values.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "server/base/status.h"
#include "server/base/text.h"
#include "server/base/units.h"

namespace tryon::pattern_io {
namespace {

constexpr size_t kMaxNameBytes = 200;

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

}  // namespace

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

absl::StatusOr<double> optional_number(const Json& object, const std::string& field, const char* key,
                                       double otherwise) {
  const Json* value = optional_member(object, key);
  return value == nullptr ? absl::StatusOr<double>(otherwise) : number(*value, cat(field, ".", key));
}

absl::StatusOr<int> optional_index(const Json& object, const std::string& field, const char* key, int otherwise) {
  const Json* value = optional_member(object, key);
  return value == nullptr ? absl::StatusOr<int>(otherwise) : index(*value, cat(field, ".", key));
}

absl::StatusOr<const Json*> optional_list(const Json& object, const std::string& field, const char* key) {
  const Json* value = optional_member(object, key);
  if (value == nullptr || value->is_array()) return value;
  return wrong_type(cat(field, ".", key), "a list", *value);
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
  reader->edge_order.resize(panel_index + 1);
  reader->vertex_order.resize(panel_index + 1);
  reader->edge_order[panel_index] = order;
  for (const int e : order) reader->vertex_order[panel_index].push_back(panel->edges[e].start);
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

}  // namespace tryon::pattern_io
