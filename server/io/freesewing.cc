#include "server/io/freesewing.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <sstream>

#include "server/base/status.h"
#include "server/base/text.h"
#include "server/base/units.h"
#include "server/garment/pattern_curve.h"
#include "server/garment/pattern_outline.h"
#include "server/mesh/predicates.h"

namespace tryon {
namespace {

using pattern_io::Json;

constexpr double kSame = 5e-5;        // metres: ends that meet
constexpr double kJoin = 1e-3;        // metres: ends of two paths that are one outline
constexpr double kNotchNear = 0.012;  // metres from the outline

struct Segment {
  Vec2 from, to;
  std::optional<std::pair<Vec2, Vec2>> controls;
};
using Path = std::vector<Segment>;

class Importer {
 public:
  explicit Importer(const ImportOptions& options) : options_(options) {}

  absl::StatusOr<ImportedPattern> run(const Json& root) {
    out_.format = ImportedPattern::Format::kFreeSewing;
    RETURN_IF_ERROR(find_unit(root));
    ASSIGN_OR_RETURN(const Json* parts, pattern_io::member(root, "the file", "parts"));
    if (!parts->is_object()) return pattern_io::wrong_type("parts", "an object of parts by name", *parts);
    RETURN_IF_ERROR(pattern_io::check_count(parts->size(), options_.limits.max_panels, "PATTERN_TOO_MANY_PANELS",
                                            "parts", "parts"));
    ASSIGN_OR_RETURN(out_.pattern.name, pattern_io::optional_text(root, "the file", "design"));
    for (const auto& [name, part] : parts->items()) RETURN_IF_ERROR(read_part(name, part));
    return std::move(out_);
  }

 private:
  absl::Status find_unit(const Json& root) {
    ASSIGN_OR_RETURN(const std::string unit, pattern_io::optional_text(root, "the file", "unit"));
    out_.metres_per_unit = options_.metres_per_unit > 0.0       ? options_.metres_per_unit
                           : unit.empty() || unit == "mm"       ? 1e-3
                           : unit == "cm"                       ? 1e-2
                           : unit == "in" || unit == "imperial" ? 0.0254
                                                                : 0.0;
    ASSIGN_OR_RETURN(const std::string axis, pattern_io::optional_text(root, "the file", "y_axis"));
    up_ = axis == "up" ? 1.0 : -1.0;
    if (out_.metres_per_unit > 0.0) return absl::OkStatus();
    return invalid_input("PATTERN_UNIT", "unit", cat("the unit \"", unit, "\" is not known here"),
                         "Write mm, cm or in.");
  }

  absl::StatusOr<Vec2> point(const Json& object, const std::string& field, const char* key) const {
    ASSIGN_OR_RETURN(const Json* value, pattern_io::member(object, field, key));
    ASSIGN_OR_RETURN(const auto xy, pattern_io::numbers(*value, cat(field, ".", key), 2));
    return Vec2(xy[0], up_ * xy[1]) * out_.metres_per_unit;
  }

  absl::StatusOr<Path> read_path(const Json& path, const std::string& field) {
    Path out;
    ASSIGN_OR_RETURN(const Json* ops, pattern_io::member(path, field, "ops"));
    if (!ops->is_array()) return pattern_io::wrong_type(cat(field, ".ops"), "a list", *ops);
    edge_count_ += static_cast<int>(std::min<size_t>(ops->size(), 1'000'000));
    RETURN_IF_ERROR(pattern_io::check_count(static_cast<size_t>(edge_count_), options_.limits.max_edges,
                                            "PATTERN_TOO_MANY_EDGES", field, "edges"));
    Vec2 at = Vec2::Zero(), begin = Vec2::Zero();
    for (size_t i = 0; i < ops->size(); ++i) {
      const Json& op = (*ops)[i];
      const std::string where = cat(field, ".ops[", i, "]");
      ASSIGN_OR_RETURN(const std::string type, pattern_io::optional_text(op, where, "type"));
      if (type == "close") {
        if ((at - begin).norm() > kSame) out.push_back({at, begin, {}});
        at = begin;
        continue;
      }
      ASSIGN_OR_RETURN(const Vec2 to, point(op, where, "to"));
      if (type == "move") {
        begin = to;
      } else if (type == "line" || type == "curve") {
        Segment segment{at, to, {}};
        if (type == "curve") {
          ASSIGN_OR_RETURN(const Vec2 c1, point(op, where, "cp1"));
          ASSIGN_OR_RETURN(const Vec2 c2, point(op, where, "cp2"));
          segment.controls = {c1, c2};
        }
        if ((at - to).norm() > kSame) out.push_back(segment);
      } else {
        return pattern_io::unknown_curve(where, type.substr(0, 40));
      }
      at = to;
    }
    return out;
  }

  static bool closed(const Path& path) {
    return path.size() > 1 && (path.back().to - path.front().from).norm() < kJoin;
  }

  static double area(const Path& path) {
    std::vector<Vec2> points;
    for (const Segment& s : path) points.push_back(s.from);
    return points.size() < 3 ? 0.0 : std::abs(signed_area(points));
  }

  static Path reversed_path(const Path& path) {
    Path out;
    for (auto s = path.rbegin(); s != path.rend(); ++s) {
      Segment segment{s->to, s->from, {}};
      if (s->controls) segment.controls = {s->controls->second, s->controls->first};
      out.push_back(segment);
    }
    return out;
  }

  // Open paths whose ends meet are one.
  static Path joined(std::vector<Path> parts) {
    Path out = parts[0];
    parts.erase(parts.begin());
    for (bool more = true; more;) {
      more = false;
      for (size_t i = 0; i < parts.size() && !more; ++i) {
        for (const bool turn : {false, true}) {
          const Path part = turn ? reversed_path(parts[i]) : parts[i];
          if ((out.back().to - part.front().from).norm() > kJoin) continue;
          out.insert(out.end(), part.begin(), part.end());
          parts.erase(parts.begin() + static_cast<long>(i));
          more = true;
          break;
        }
      }
    }
    return out;
  }

  struct Classes {
    bool fabric = false, other_cloth = false, none = true, aid = false;
    std::string cloth;
  };
  static Classes classes_of(const std::string& text) {
    Classes c;
    std::istringstream words(text);
    for (std::string w; words >> w;) {
      c.none = false;
      if (w == "fabric") c.fabric = true;
      if (w == "lining" || w == "interfacing" || w == "canvas" || w == "various") c.other_cloth = true, c.cloth = w;
      if (w == "help" || w == "note" || w == "mark" || w == "hidden" || w == "scalebox" || w == "sa" ||
          w == "contrast" || w == "dashed" || w == "lashed" || w == "dotted") {
        c.aid = true;
      }
    }
    return c;
  }

  // The outline: cloth of the garment before linings before a path without a class.
  absl::StatusOr<Path> find_outline(const Json& paths, const std::string& field, Panel* panel) {
    std::vector<Path> candidates[3];
    std::string cloth[3] = {"", "", ""};
    for (const auto& [name, json] : paths.items()) {
      const std::string where = cat(field, ".paths[", name.substr(0, 80), "]");
      ASSIGN_OR_RETURN(const std::string text, pattern_io::optional_text(json, where, "class"));
      const Classes c = classes_of(text);
      if (c.aid || name.rfind("__", 0) == 0 || !(c.fabric || c.other_cloth || c.none)) continue;
      ASSIGN_OR_RETURN(Path path, read_path(json, where));
      const int rank = c.fabric ? 0 : c.other_cloth ? 1 : 2;
      if (!path.empty()) candidates[rank].push_back(std::move(path)), cloth[rank] = c.cloth;
    }
    for (int rank = 0; rank < 3; ++rank) {
      Path best;
      std::vector<Path> open;
      for (Path& path : candidates[rank]) {
        if (!closed(path)) {
          open.push_back(path);
        } else if (area(path) > area(best)) {
          best = path;
        }
      }
      if (best.empty() && !open.empty()) best = joined(open);
      if (best.empty()) continue;
      panel->fabric = cloth[rank];
      if (closed(best)) return best;
      return invalid_input("PANEL_LOOP_OPEN", field,
                           cat("part ", panel->name, ": its outline is open: ",
                               to_mm((best.back().to - best.front().from).norm()), " mm are missing"),
                           "Close the outline of the part.");
    }
    return Path();
  }

  static void set_edges(Path path, Panel* panel) {
    path.back().to = path.front().from;
    std::vector<Vec2> points;
    for (const Segment& s : path) {
      points.push_back(s.from);
      if (!s.controls) continue;
      points.push_back(s.controls->first), points.push_back(s.controls->second);
    }
    if (signed_area(points) < 0.0) path = reversed_path(path);
    const int n = static_cast<int>(path.size());
    for (int i = 0; i < n; ++i) {
      const Segment& s = path[i];
      EdgeCurve curve;
      if (s.controls) {
        curve.kind = EdgeCurve::Kind::kCubic;
        curve.controls = {to_relative(s.controls->first, s.from, s.to), to_relative(s.controls->second, s.from, s.to)};
      }
      panel->vertices.push_back(s.from);
      panel->edges.push_back({i, (i + 1) % n, std::move(curve), ""});
    }
  }

  absl::Status read_aids(const Json& paths, const std::string& field, Panel* panel) {
    for (const auto& [name, json] : paths.items()) {
      const bool fold = name.rfind("__macro_cutonfold", 0) == 0, grain = name.rfind("__macro_grainline", 0) == 0;
      const bool dart = name.find("dart") != std::string::npos || name.find("fold") == 0;
      if (!fold && !grain && !dart) continue;
      ASSIGN_OR_RETURN(const Path path, read_path(json, cat(field, ".paths[", name.substr(0, 80), "]")));
      if (path.empty()) continue;
      const Vec2 a = path.front().from, b = path.back().to;
      if ((fold || grain) && (b - a).norm() > kSame) panel->grain = (b - a).normalized(), panel->grain_given = true;
      if (!fold && !grain) {
        InternalLine line;
        line.name = name.substr(0, 80);
        line.points.push_back(a);
        for (const Segment& s : path) line.points.push_back(s.to);
        panel->lines.push_back(std::move(line));
      }
    }
    return absl::OkStatus();
  }

  absl::Status read_snippets(const Json& part, const std::string& field, Panel* panel) {
    ASSIGN_OR_RETURN(const Json* list, pattern_io::optional_list(part, field, "snippets"));
    if (list == nullptr) return absl::OkStatus();
    RETURN_IF_ERROR(pattern_io::check_count(list->size(), 2'000, "PATTERN_TOO_MANY_EDGES", field, "snippets"));
    for (size_t i = 0; i < list->size(); ++i) {
      const std::string where = cat(field, ".snippets[", i, "]");
      ASSIGN_OR_RETURN(const std::string def, pattern_io::optional_text((*list)[i], where, "def"));
      if (def == "logo") continue;
      ASSIGN_OR_RETURN(const Vec2 at, point((*list)[i], where, "at"));
      if (def != "notch" && def != "bnotch") {
        panel->drill_holes.push_back({at, def});
        continue;
      }
      const OutlinePlace place = nearest_on_outline(*panel, at);
      if (place.distance <= kNotchNear) {
        panel->notches.push_back({def == "notch" ? Notch::Kind::kV : Notch::Kind::kT, place.edge, place.at, 0.0});
      } else {
        panel->drill_holes.push_back({at, def});
      }
    }
    return absl::OkStatus();
  }

  absl::Status unfold_half(const Json& paths, const std::string& field, Panel* panel) {
    for (const auto& [name, json] : paths.items()) {
      if (name.rfind("__macro_cutonfold", 0) != 0) continue;
      ASSIGN_OR_RETURN(const Path path, read_path(json, cat(field, ".paths[", name.substr(0, 80), "]")));
      if (path.empty()) continue;
      RETURN_IF_ERROR(unfold(path.front().from, path.back().to, panel));
      out_.notes.push_back(cat("part ", panel->name, ": unfolded at its fold"));
      return absl::OkStatus();
    }
    return absl::OkStatus();
  }

  absl::Status read_part(const std::string& name, const Json& part) {
    const std::string field = cat("parts[", name.substr(0, 100), "]");
    Panel panel;
    ASSIGN_OR_RETURN(panel.name, pattern_io::text(Json(name), "parts"));
    panel.placed = false;
    ASSIGN_OR_RETURN(const Json* paths, pattern_io::member(part, field, "paths"));
    if (!paths->is_object()) return pattern_io::wrong_type(cat(field, ".paths"), "an object of paths by name", *paths);
    ASSIGN_OR_RETURN(const Path outline, find_outline(*paths, field, &panel));
    if (outline.empty()) {
      out_.notes.push_back(cat("part ", panel.name, " has no outline of cloth: left out"));
      return absl::OkStatus();
    }
    set_edges(outline, &panel);
    RETURN_IF_ERROR(read_aids(*paths, field, &panel));
    RETURN_IF_ERROR(read_snippets(part, field, &panel));
    RETURN_IF_ERROR(unfold_half(*paths, field, &panel));
    out_.pattern.panels.push_back(std::move(panel));
    return absl::OkStatus();
  }

  const ImportOptions& options_;
  ImportedPattern out_;
  double up_ = -1.0;
  int edge_count_ = 0;
};

}  // namespace

absl::StatusOr<ImportedPattern> read_freesewing(const Json& root, const ImportOptions& options) {
  return Importer(options).run(root);
}

}  // namespace tryon
