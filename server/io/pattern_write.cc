// tryon.pattern.v2, canonical: fields in one order, members that have their default value left out, one edge a line.
#include <cmath>

#include "server/base/text.h"
#include "server/base/units.h"
#include "server/io/pattern_json.h"
#include "server/io/pattern_names.h"
#include "server/io/pattern_values.h"

namespace tryon {
namespace {

using pattern_io::Json;

// Millimetres to a ten-millionth: finer than any cloth, and the same text after reading it back.
Json mm(double metres) { return std::nearbyint(to_mm(metres) * 1e7) / 1e7 + 0.0; }
Json mm(const Vec2& p) { return Json::array({mm(p.x()), mm(p.y())}); }
Json mm(const std::vector<Vec2>& points) {
  Json out = Json::array();
  for (const Vec2& p : points) out.push_back(mm(p));
  return out;
}

std::string dumped(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

// One element a line, commas between.
template <typename List, typename Text>
std::string lines(const List& list, const char* indent, const Text& text_of) {
  std::string out;
  for (const auto& element : list) out += cat(out.empty() ? "" : ",", "\n", indent, text_of(element));
  return out;
}

// A list that is left out where it is empty.
template <typename List, typename Text>
std::string section(const char* before, const char* key, const List& list, const char* indent, const Text& text_of) {
  return list.empty() ? std::string() : cat(",", before, "\"", key, "\": [", lines(list, indent, text_of), "]");
}

template <typename Value>
std::string field(const char* key, const Value& value, const Value& otherwise) {
  return value == otherwise ? std::string() : cat(", \"", key, "\": ", dumped(Json(value)));
}
std::string text_field(const char* key, const std::string& value) { return field(key, value, std::string()); }

std::string curve_text(const EdgeCurve& curve) {
  if (curve.kind == EdgeCurve::Kind::kLine) return "null";
  if (curve.kind == EdgeCurve::Kind::kArc) {
    return cat("{\"type\": \"arc\", \"radius_mm\": ", dumped(mm(curve.radius)), ", \"large_arc\": ", curve.large_arc,
               ", \"right\": ", curve.right, "}");
  }
  Json controls = Json::array();
  for (const Vec2& c : curve.controls) controls.push_back(Json::array({c.x(), c.y()}));
  const char* type = curve.kind == EdgeCurve::Kind::kCubic      ? "cubic"
                     : curve.kind == EdgeCurve::Kind::kPolyline ? "polyline"
                                                                : "quadratic";
  return cat("{\"type\": \"", type, "\", \"controls\": ", dumped(controls), "}");
}

std::string edge_text(const PanelEdge& edge) {
  std::string out = cat("{\"endpoints\": [", edge.start, ", ", edge.end, "]");
  if (edge.curve.kind != EdgeCurve::Kind::kLine) out += cat(", \"curve\": ", curve_text(edge.curve));
  return out + text_field("label", edge.label) + "}";
}

std::string curves_text(const std::vector<EdgeCurve>& curves) {
  bool straight = true;
  for (const EdgeCurve& c : curves) straight = straight && c.kind == EdgeCurve::Kind::kLine;
  return straight ? std::string() : cat(", \"curves\": [", lines(curves, "     ", curve_text), "]");
}

// ---- marks ----------------------------------------------------------------------------------------------------

std::string line_text(const InternalLine& line) {
  return cat("{\"kind\": \"", pattern_io::kLineNames[static_cast<size_t>(line.kind)], "\"",
             text_field("name", line.name), field("closed", line.closed, false),
             ", \"points_mm\": ", dumped(mm(line.points)), curves_text(line.curves), "}");
}

std::string dart_text(const Dart& dart) {
  return cat("{\"edge\": ", dart.edge, ", \"from\": ", dumped(dart.from), ", \"to\": ", dumped(dart.to),
             ", \"tip_mm\": ", dumped(mm(dart.tip)), "}");
}

std::string pleat_text(const Pleat& pleat) {
  return cat("{\"kind\": \"", pattern_io::kPleatNames[static_cast<size_t>(pleat.kind)], "\", \"edge\": ", pleat.edge,
             ", \"at\": ", dumped(pleat.at), ", \"depth_mm\": ", dumped(mm(pleat.depth)),
             ", \"stitched_mm\": ", dumped(mm(pleat.stitched)), "}");
}

std::string notch_text(const Notch& notch) {
  return cat("{\"kind\": \"", pattern_io::kNotchNames[static_cast<size_t>(notch.kind)], "\", \"edge\": ", notch.edge,
             ", \"at\": ", dumped(notch.at), ", \"depth_mm\": ", dumped(mm(notch.depth)), "}");
}

std::string hole_text(const DrillHole& hole) {
  return cat("{\"at_mm\": ", dumped(mm(hole.at)), text_field("name", hole.name), "}");
}

std::string marks_text(const Panel& panel) {
  const char* before = "\n   ";
  return cat(section(before, "lines", panel.lines, "    ", line_text),
             section(before, "darts", panel.darts, "    ", dart_text),
             section(before, "pleats", panel.pleats, "    ", pleat_text),
             section(before, "notches", panel.notches, "    ", notch_text),
             section(before, "drill_holes", panel.drill_holes, "    ", hole_text));
}

std::string placement_text(const Panel& panel) {
  if (!panel.placed) return "";
  Json rotation = Json::array(), translation = Json::array();
  for (int i = 0; i < 9; ++i) rotation.push_back(panel.rotation(i / 3, i % 3) + 0.0);
  for (int i = 0; i < 3; ++i) translation.push_back(mm(panel.translation[i]));
  return cat(",\n   \"translation_mm\": ", dumped(translation), ",\n   \"rotation\": ", dumped(rotation));
}

std::string panel_text(const Panel& panel) {
  const std::string grain =
      panel.grain_given ? cat(", \"grain\": ", dumped(Json::array({panel.grain.x(), panel.grain.y()}))) : "";
  return cat("{\"name\": ", dumped(panel.name), ", \"label\": ", dumped(panel.label), text_field("role", panel.role),
             text_field("fabric", panel.fabric), field("layer", panel.layer, 0), field("quantity", panel.quantity, 1),
             field("mirrored", panel.mirrored, false), grain, placement_text(panel), ",\n   \"vertices_mm\": [",
             lines(panel.vertices, "    ", [](const Vec2& v) { return dumped(mm(v)); }), "],\n   \"edges\": [",
             lines(panel.edges, "    ", edge_text), "]", marks_text(panel), "}");
}

// ---- seams and sizes ------------------------------------------------------------------------------------------

struct JointText {
  const Pattern& pattern;

  std::string side(const StitchSide& s) const {
    return cat("{\"panel\": ", dumped(pattern.panels[s.panel].name), ", \"edge\": ", s.edge, "}");
  }
  std::string operator()(const Stitch& s) const {
    return cat("{\"a\": ", side(s.a), ", \"b\": ", side(s.b), s.right_wrong ? ", \"right_wrong\": true}" : "}");
  }
  std::string range(const SeamRange& r) const {
    return cat("{\"panel\": ", dumped(pattern.panels[r.panel].name), ", \"edge\": ", r.edge, field("from", r.from, 0.0),
               field("to", r.to, 1.0), "}");
  }
  std::string chain(const char* key, const std::vector<SeamRange>& ranges) const {
    std::string list;
    for (const SeamRange& r : ranges) list += cat(list.empty() ? "" : ", ", range(r));
    return cat(",\n   \"", key, "\": [", list, "]");
  }
  std::string operator()(const SeamSpec& s) const {
    const bool band = s.elastic.relaxed != 1.0 || s.elastic.stiffness != 0.0;
    const std::string elastic = band ? cat(", \"elastic\": {\"relaxed\": ", dumped(s.elastic.relaxed),
                                           ", \"stiffness_n\": ", dumped(s.elastic.stiffness), "}")
                                     : "";
    const std::string closure =
        s.closure == SeamSpec::Closure::kNone
            ? ""
            : cat(", \"closure\": \"", pattern_io::kClosureNames[static_cast<size_t>(s.closure)], "\"");
    return cat("{\"kind\": \"", pattern_io::kSeamNames[static_cast<size_t>(s.kind)], "\"", text_field("name", s.name),
               closure, field("open", s.open, false), field("gather", s.gather, 1.0),
               field("ease", s.ease, SeamSpec().ease), field("right_wrong", s.right_wrong, false),
               field("pleat", s.pleat, false), elastic, chain("a", s.a), s.b.empty() ? "" : chain("b", s.b), "}");
  }
};

std::string shape_text(const PanelShape& shape) {
  const std::string marks = shape.marks.empty() ? "" : cat(", \"marks_mm\": ", dumped(mm(shape.marks)));
  return cat("{\"vertices_mm\": ", dumped(mm(shape.vertices)), curves_text(shape.curves), marks, "}");
}

std::string size_text(const SizeVariant& variant) {
  return cat("{\"name\": ", dumped(variant.name), ", \"panels\": [", lines(variant.panels, "    ", shape_text), "]}");
}

}  // namespace

std::string write_pattern(const Pattern& pattern) {
  const JointText joint{pattern};
  std::vector<Stitch> own;
  for (const Stitch& s : pattern.stitches) {
    if (s.seam < 0) own.push_back(s);
  }
  return cat("{\"schema\": \"tryon.pattern.v2\",\n \"name\": ", dumped(pattern.name), ",\n \"origin\": \"",
             pattern.origin == PatternOrigin::kPelvis ? "pelvis" : "floor", "\"", text_field("size", pattern.size),
             ",\n \"panels\": [", lines(pattern.panels, "  ", panel_text), "],\n \"stitches\": [",
             lines(own, "  ", joint), "]", section("\n ", "seams", pattern.seams, "  ", joint),
             section("\n ", "sizes", pattern.sizes, "  ", size_text), "}\n");
}

}  // namespace tryon
