// tryon.pattern.v1 and v2: the whole model in millimetres.
#include <algorithm>
#include <array>
#include <cmath>

#include "server/base/status.h"
#include "server/base/text.h"
#include "server/base/units.h"
#include "server/io/pattern_names.h"
#include "server/io/pattern_values.h"

namespace tryon::pattern_io {
namespace {

absl::StatusOr<std::vector<Vec2>> read_points_mm(const Json& json, const std::string& field, const char* key,
                                                 Reader* reader) {
  ASSIGN_OR_RETURN(const Json* list, member(json, field, key));
  reader->mark_count += list->is_array() ? static_cast<int64_t>(list->size()) : 0;
  RETURN_IF_ERROR(check_count(static_cast<size_t>(reader->mark_count), reader->limits.max_points,
                              "PATTERN_TOO_MANY_EDGES", field, "points"));
  ASSIGN_OR_RETURN(std::vector<Vec2> points, read_points(*list, cat(field, ".", key)));
  for (Vec2& p : points) p *= 1e-3;
  return points;
}

absl::StatusOr<Vec2> read_point_mm(const Json& json, const std::string& field, const char* key) {
  ASSIGN_OR_RETURN(const Json* value, member(json, field, key));
  ASSIGN_OR_RETURN(const auto xy, numbers(*value, cat(field, ".", key), 2));
  return Vec2(xy[0], xy[1]) * 1e-3;
}

absl::StatusOr<EdgeCurve> read_arc(const Json& json, const std::string& field) {
  EdgeCurve curve;
  curve.kind = EdgeCurve::Kind::kArc;
  ASSIGN_OR_RETURN(const Json* radius, member(json, field, "radius_mm"));
  ASSIGN_OR_RETURN(const double radius_mm, number(*radius, cat(field, ".radius_mm")));
  curve.radius = from_mm(radius_mm);
  ASSIGN_OR_RETURN(curve.large_arc, flag(json, field, "large_arc"));
  ASSIGN_OR_RETURN(curve.right, flag(json, field, "right"));
  return curve;
}

absl::StatusOr<EdgeCurve> read_curve(const Json& json, const std::string& field) {
  if (json.is_null()) return EdgeCurve{};
  ASSIGN_OR_RETURN(const Json* type_json, member(json, field, "type"));
  ASSIGN_OR_RETURN(const std::string type, text(*type_json, cat(field, ".type")));
  if (type == "arc") return read_arc(json, field);
  EdgeCurve curve;
  if (type == "quadratic") curve.kind = EdgeCurve::Kind::kQuadratic;
  if (type == "cubic") curve.kind = EdgeCurve::Kind::kCubic;
  if (type == "polyline") curve.kind = EdgeCurve::Kind::kPolyline;
  if (curve.kind == EdgeCurve::Kind::kLine) {
    return invalid_input("EDGE_CURVE", cat(field, ".type"),
                         cat("\"", type, "\" is no kind of curve that is known here"),
                         "Use quadratic, cubic, arc or polyline.");
  }
  ASSIGN_OR_RETURN(const Json* controls, member(json, field, "controls"));
  const size_t count = curve.kind == EdgeCurve::Kind::kQuadratic ? 1
                       : curve.kind == EdgeCurve::Kind::kCubic   ? 2
                                                                 : controls->size();
  ASSIGN_OR_RETURN(curve.controls, read_controls(*controls, cat(field, ".controls"), count));
  return curve;
}

absl::StatusOr<PanelEdge> read_edge(const Json& json, const std::string& field, const Panel& panel) {
  PanelEdge edge;
  ASSIGN_OR_RETURN(const Json* ends, member(json, field, "endpoints"));
  if (!ends->is_array() || ends->size() != 2)
    return wrong_type(cat(field, ".endpoints"), "a list of two vertices", *ends);
  ASSIGN_OR_RETURN(edge.start, index((*ends)[0], cat(field, ".endpoints[0]")));
  ASSIGN_OR_RETURN(edge.end, index((*ends)[1], cat(field, ".endpoints[1]")));
  RETURN_IF_ERROR(check_endpoints(panel, edge, cat(field, ".endpoints")));
  if (const Json* curve = optional_member(json, "curve")) {
    ASSIGN_OR_RETURN(edge.curve, read_curve(*curve, cat(field, ".curve")));
  }
  ASSIGN_OR_RETURN(edge.label, optional_text(json, field, "label"));
  return edge;
}

// ---- marks ----------------------------------------------------------------------------------------------------

// A number of a closed vocabulary.
template <typename Enum, size_t kCount>
absl::StatusOr<Enum> word(const Json& json, const std::string& field, const char* key,
                          const std::array<const char*, kCount>& names) {
  ASSIGN_OR_RETURN(const std::string found, optional_text(json, field, key));
  if (found.empty()) return static_cast<Enum>(0);
  std::string known;
  for (size_t i = 0; i < kCount; ++i) {
    if (found == names[i]) return static_cast<Enum>(i);
    known += cat(i > 0 ? ", " : "", names[i]);
  }
  return invalid_input("PATTERN_FIELD_TYPE", cat(field, ".", key), cat(field, ".", key, " is \"", found, "\""),
                       cat("Write one of: ", known, "."));
}

struct PanelReader {
  const Json& json;
  std::string field;
  int panel_index;
  Reader* reader;
  Panel* panel;

  absl::StatusOr<int> edge_of(const Json& mark, const std::string& where) const {
    ASSIGN_OR_RETURN(const Json* value, member(mark, where, "edge"));
    ASSIGN_OR_RETURN(const int edge, index(*value, cat(where, ".edge")));
    const auto moved = reader->moved_edges.find({panel_index, edge});
    return moved != reader->moved_edges.end() ? moved->second : edge;
  }

  template <typename Read>
  absl::Status each(const char* key, const Read& read) const {
    ASSIGN_OR_RETURN(const Json* list, optional_list(json, field, key));
    if (list == nullptr) return absl::OkStatus();
    reader->mark_count += static_cast<int64_t>(list->size());
    RETURN_IF_ERROR(check_count(static_cast<size_t>(reader->mark_count), reader->limits.max_points,
                                "PATTERN_TOO_MANY_EDGES", cat(field, ".", key), "marks"));
    for (size_t i = 0; i < list->size(); ++i) RETURN_IF_ERROR(read((*list)[i], cat(field, ".", key, "[", i, "]")));
    return absl::OkStatus();
  }

  absl::Status line(const Json& mark, const std::string& where) const {
    InternalLine line;
    ASSIGN_OR_RETURN(line.kind, (word<InternalLine::Kind>(mark, where, "kind", kLineNames)));
    ASSIGN_OR_RETURN(line.name, optional_text(mark, where, "name"));
    ASSIGN_OR_RETURN(line.closed, flag(mark, where, "closed"));
    ASSIGN_OR_RETURN(line.points, read_points_mm(mark, where, "points_mm", reader));
    ASSIGN_OR_RETURN(const Json* curves, optional_list(mark, where, "curves"));
    for (size_t i = 0; curves != nullptr && i < curves->size(); ++i) {
      ASSIGN_OR_RETURN(EdgeCurve curve, read_curve((*curves)[i], cat(where, ".curves[", i, "]")));
      line.curves.push_back(std::move(curve));
    }
    panel->lines.push_back(std::move(line));
    return absl::OkStatus();
  }

  absl::Status dart(const Json& mark, const std::string& where) const {
    Dart dart;
    ASSIGN_OR_RETURN(dart.edge, edge_of(mark, where));
    ASSIGN_OR_RETURN(dart.from, optional_number(mark, where, "from", 0.0));
    ASSIGN_OR_RETURN(dart.to, optional_number(mark, where, "to", 1.0));
    ASSIGN_OR_RETURN(dart.tip, read_point_mm(mark, where, "tip_mm"));
    panel->darts.push_back(dart);
    return absl::OkStatus();
  }

  absl::Status pleat(const Json& mark, const std::string& where) const {
    Pleat pleat;
    ASSIGN_OR_RETURN(pleat.kind, (word<Pleat::Kind>(mark, where, "kind", kPleatNames)));
    ASSIGN_OR_RETURN(pleat.edge, edge_of(mark, where));
    ASSIGN_OR_RETURN(pleat.at, optional_number(mark, where, "at", 0.5));
    ASSIGN_OR_RETURN(const double depth, optional_number(mark, where, "depth_mm", 0.0));
    ASSIGN_OR_RETURN(const double stitched, optional_number(mark, where, "stitched_mm", 0.0));
    pleat.depth = from_mm(depth), pleat.stitched = from_mm(stitched);
    panel->pleats.push_back(pleat);
    return absl::OkStatus();
  }

  absl::Status notch(const Json& mark, const std::string& where) const {
    Notch notch;
    ASSIGN_OR_RETURN(notch.kind, (word<Notch::Kind>(mark, where, "kind", kNotchNames)));
    ASSIGN_OR_RETURN(notch.edge, edge_of(mark, where));
    ASSIGN_OR_RETURN(notch.at, optional_number(mark, where, "at", 0.5));
    ASSIGN_OR_RETURN(const double depth, optional_number(mark, where, "depth_mm", 0.0));
    notch.depth = from_mm(depth);
    panel->notches.push_back(notch);
    return absl::OkStatus();
  }

  absl::Status hole(const Json& mark, const std::string& where) const {
    DrillHole hole;
    ASSIGN_OR_RETURN(hole.at, read_point_mm(mark, where, "at_mm"));
    ASSIGN_OR_RETURN(hole.name, optional_text(mark, where, "name"));
    panel->drill_holes.push_back(std::move(hole));
    return absl::OkStatus();
  }

  absl::Status properties() const {
    ASSIGN_OR_RETURN(panel->role, optional_text(json, field, "role"));
    ASSIGN_OR_RETURN(panel->fabric, optional_text(json, field, "fabric"));
    ASSIGN_OR_RETURN(panel->layer, optional_index(json, field, "layer", 0));
    ASSIGN_OR_RETURN(panel->quantity, optional_index(json, field, "quantity", 1));
    ASSIGN_OR_RETURN(panel->mirrored, flag(json, field, "mirrored"));
    const Json* grain = optional_member(json, "grain");
    if (grain == nullptr) return absl::OkStatus();
    ASSIGN_OR_RETURN(const auto xy, numbers(*grain, cat(field, ".grain"), 2));
    panel->grain = Vec2(xy[0], xy[1]);
    const double length = panel->grain.norm();  // of any length; without one validate() refuses it
    if (length > 1e-9 && std::abs(length - 1.0) > 1e-6) panel->grain /= length;
    panel->grain_given = true;
    return absl::OkStatus();
  }

  absl::Status all() const {
    RETURN_IF_ERROR(properties());
    RETURN_IF_ERROR(each("lines", [this](const Json& m, const std::string& f) { return line(m, f); }));
    RETURN_IF_ERROR(each("darts", [this](const Json& m, const std::string& f) { return dart(m, f); }));
    RETURN_IF_ERROR(each("pleats", [this](const Json& m, const std::string& f) { return pleat(m, f); }));
    RETURN_IF_ERROR(each("notches", [this](const Json& m, const std::string& f) { return notch(m, f); }));
    return each("drill_holes", [this](const Json& m, const std::string& f) { return hole(m, f); });
  }
};

absl::StatusOr<Panel> read_panel(const Json& json, int panel_index, Reader* reader) {
  std::string field = cat("panels[", panel_index, "]");
  Panel panel;
  ASSIGN_OR_RETURN(const Json* name, member(json, field, "name"));
  ASSIGN_OR_RETURN(panel.name, text(*name, cat(field, ".name")));
  field = cat("panels[", panel.name, "]");
  ASSIGN_OR_RETURN(panel.label, optional_text(json, field, "label"));
  ASSIGN_OR_RETURN(panel.vertices, read_points_mm(json, field, "vertices_mm", reader));
  ASSIGN_OR_RETURN(const Json* edges, member(json, field, "edges"));
  if (!edges->is_array()) return wrong_type(cat(field, ".edges"), "a list of edges", *edges);
  reader->edge_count += static_cast<int>(std::min<size_t>(edges->size(), 1'000'000));
  RETURN_IF_ERROR(check_count(reader->edge_count, reader->limits.max_edges, "PATTERN_TOO_MANY_EDGES", field, "edges"));
  for (size_t e = 0; e < edges->size(); ++e) {
    ASSIGN_OR_RETURN(PanelEdge edge, read_edge((*edges)[e], cat(field, ".edges[", e, "]"), panel));
    panel.edges.push_back(std::move(edge));
  }
  RETURN_IF_ERROR(read_placement(json, field, &panel));
  RETURN_IF_ERROR(normalize_loop(panel_index, field, reader, &panel));
  RETURN_IF_ERROR((PanelReader{json, field, panel_index, reader, &panel}.all()));
  return panel;
}

// ---- seams and sizes ------------------------------------------------------------------------------------------

absl::StatusOr<Stitch> read_stitch(const Json& json, const std::string& field, const Pattern& pattern,
                                   const Reader& reader) {
  Stitch stitch;
  ASSIGN_OR_RETURN(const Json* a, member(json, field, "a"));
  ASSIGN_OR_RETURN(const Json* b, member(json, field, "b"));
  ASSIGN_OR_RETURN(stitch.a, read_stitch_side(*a, cat(field, ".a"), pattern, reader));
  ASSIGN_OR_RETURN(stitch.b, read_stitch_side(*b, cat(field, ".b"), pattern, reader));
  ASSIGN_OR_RETURN(stitch.right_wrong, flag(json, field, "right_wrong"));
  return stitch;
}

absl::StatusOr<std::vector<SeamRange>> read_chain(const Json& json, const std::string& field, const char* key,
                                                  const Pattern& pattern, Reader* reader) {
  std::vector<SeamRange> chain;
  ASSIGN_OR_RETURN(const Json* list, optional_list(json, field, key));
  if (list == nullptr) return chain;
  reader->mark_count += static_cast<int64_t>(list->size());
  RETURN_IF_ERROR(check_count(static_cast<size_t>(reader->mark_count), reader->limits.max_points,
                              "PATTERN_TOO_MANY_STITCHES", cat(field, ".", key), "ranges"));
  for (size_t i = 0; i < list->size(); ++i) {
    const std::string where = cat(field, ".", key, "[", i, "]");
    ASSIGN_OR_RETURN(const StitchSide side, read_stitch_side((*list)[i], where, pattern, *reader));
    SeamRange range{side.panel, side.edge};
    ASSIGN_OR_RETURN(range.from, optional_number((*list)[i], where, "from", 0.0));
    ASSIGN_OR_RETURN(range.to, optional_number((*list)[i], where, "to", 1.0));
    chain.push_back(range);
  }
  return chain;
}

absl::StatusOr<SeamSpec> read_seam(const Json& json, const std::string& field, const Pattern& pattern, Reader* reader) {
  SeamSpec seam;
  ASSIGN_OR_RETURN(seam.name, optional_text(json, field, "name"));
  ASSIGN_OR_RETURN(seam.kind, (word<SeamSpec::Kind>(json, field, "kind", kSeamNames)));
  ASSIGN_OR_RETURN(seam.closure, (word<SeamSpec::Closure>(json, field, "closure", kClosureNames)));
  ASSIGN_OR_RETURN(seam.gather, optional_number(json, field, "gather", 1.0));
  ASSIGN_OR_RETURN(seam.ease, optional_number(json, field, "ease", SeamSpec().ease));
  ASSIGN_OR_RETURN(seam.open, flag(json, field, "open"));
  ASSIGN_OR_RETURN(seam.right_wrong, flag(json, field, "right_wrong"));
  ASSIGN_OR_RETURN(seam.pleat, flag(json, field, "pleat"));
  if (const Json* elastic = optional_member(json, "elastic")) {
    ASSIGN_OR_RETURN(seam.elastic.relaxed, optional_number(*elastic, cat(field, ".elastic"), "relaxed", 1.0));
    ASSIGN_OR_RETURN(seam.elastic.stiffness, optional_number(*elastic, cat(field, ".elastic"), "stiffness_n", 0.0));
  }
  ASSIGN_OR_RETURN(seam.a, read_chain(json, field, "a", pattern, reader));
  ASSIGN_OR_RETURN(seam.b, read_chain(json, field, "b", pattern, reader));
  return seam;
}

absl::StatusOr<PanelShape> read_shape(const Json& json, const std::string& field, size_t p, Reader* reader) {
  PanelShape shape;
  ASSIGN_OR_RETURN(const std::vector<Vec2> vertices, read_points_mm(json, field, "vertices_mm", reader));
  ASSIGN_OR_RETURN(const Json* curves, optional_list(json, field, "curves"));
  std::vector<EdgeCurve> in_file;
  for (size_t i = 0; curves != nullptr && i < curves->size(); ++i) {
    ASSIGN_OR_RETURN(EdgeCurve curve, read_curve((*curves)[i], cat(field, ".curves[", i, "]")));
    in_file.push_back(std::move(curve));
  }
  if (optional_member(json, "marks_mm") != nullptr) {
    ASSIGN_OR_RETURN(shape.marks, read_points_mm(json, field, "marks_mm", reader));
  }
  in_file.resize(std::max(in_file.size(), reader->edge_order[p].size()));
  for (const int v : reader->vertex_order[p]) {
    if (v >= static_cast<int>(vertices.size())) {
      return invalid_input("SIZE_TOPOLOGY", cat(field, ".vertices_mm"),
                           cat(field, " has ", vertices.size(), " vertices, fewer than the base size"),
                           "Give every vertex of the panel in every size.");
    }
    shape.vertices.push_back(vertices[v]);
  }
  for (const int e : reader->edge_order[p]) shape.curves.push_back(in_file[e]);
  return shape;
}

absl::Status read_sizes(const Json& root, Reader* reader, Pattern* pattern) {
  ASSIGN_OR_RETURN(pattern->size, optional_text(root, "the file", "size"));
  ASSIGN_OR_RETURN(const Json* sizes, optional_list(root, "the file", "sizes"));
  if (sizes == nullptr) return absl::OkStatus();
  RETURN_IF_ERROR(check_count(sizes->size(), reader->limits.max_sizes, "PATTERN_TOO_MANY_SIZES", "sizes", "sizes"));
  for (size_t i = 0; i < sizes->size(); ++i) {
    const std::string field = cat("sizes[", i, "]");
    SizeVariant variant;
    ASSIGN_OR_RETURN(variant.name, optional_text((*sizes)[i], field, "name"));
    ASSIGN_OR_RETURN(const Json* panels, member((*sizes)[i], field, "panels"));
    if (!panels->is_array() || panels->size() != pattern->panels.size()) {
      return invalid_input(
          "SIZE_TOPOLOGY", cat(field, ".panels"),
          cat("size ", variant.name, " does not list the pattern's ", pattern->panels.size(), " panels"),
          "Give every panel in every size, in the same order.");
    }
    for (size_t p = 0; p < panels->size(); ++p) {
      ASSIGN_OR_RETURN(PanelShape shape, read_shape((*panels)[p], cat(field, ".panels[", p, "]"), p, reader));
      variant.panels.push_back(std::move(shape));
    }
    pattern->sizes.push_back(std::move(variant));
  }
  return absl::OkStatus();
}

absl::Status read_joints(const Json& root, Reader* reader, Pattern* pattern) {
  const PatternLimits& limits = reader->limits;
  const Json* stitches = optional_member(root, "stitches");
  if (stitches != nullptr && !stitches->is_array()) return wrong_type("stitches", "a list of stitches", *stitches);
  const size_t stitch_count = stitches == nullptr ? 0 : stitches->size();
  RETURN_IF_ERROR(check_count(stitch_count, limits.max_stitches, "PATTERN_TOO_MANY_STITCHES", "stitches", "stitches"));
  for (size_t s = 0; s < stitch_count; ++s) {
    ASSIGN_OR_RETURN(Stitch stitch, read_stitch((*stitches)[s], cat("stitches[", s, "]"), *pattern, *reader));
    pattern->stitches.push_back(stitch);
  }
  ASSIGN_OR_RETURN(const Json* seams, optional_list(root, "the file", "seams"));
  if (seams == nullptr) return absl::OkStatus();
  ASSIGN_OR_RETURN(pattern->seams, read_seams(*seams, *pattern, reader));
  return absl::OkStatus();
}

}  // namespace

// "rotation": a 3 x 3 matrix row by row, or "rotation_deg": angles about the fixed axes x, y, z, in this order. A panel
// of which the file says neither lies in no place yet.
absl::Status read_placement(const Json& json, const std::string& field, Panel* panel) {
  panel->placed = optional_member(json, "translation_mm") != nullptr || optional_member(json, "rotation") != nullptr ||
                  optional_member(json, "rotation_deg") != nullptr;
  if (!panel->placed) return absl::OkStatus();
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

absl::StatusOr<std::vector<SeamSpec>> read_seams(const Json& list, const Pattern& pattern, Reader* reader) {
  RETURN_IF_ERROR(check_count(list.size(), reader->limits.max_stitches, "PATTERN_TOO_MANY_STITCHES", "seams", "seams"));
  std::vector<SeamSpec> out;
  for (size_t s = 0; s < list.size(); ++s) {
    ASSIGN_OR_RETURN(SeamSpec seam, read_seam(list[s], cat("seams[", s, "]"), pattern, reader));
    out.push_back(std::move(seam));
  }
  return out;
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
    ASSIGN_OR_RETURN(Panel panel, read_panel((*panels)[p], static_cast<int>(p), &reader));
    pattern.panels.push_back(std::move(panel));
  }
  RETURN_IF_ERROR(read_joints(root, &reader, &pattern));
  RETURN_IF_ERROR(read_sizes(root, &reader, &pattern));
  return pattern;
}

}  // namespace tryon::pattern_io
