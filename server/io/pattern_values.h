// What it is: what the readers of pattern files in JSON share: typed access in which every failure names its element,
// and the walk round a panel's edges. Units: the reader's own, converted by the callers.
// How it fails: PATTERN_FIELD_MISSING, PATTERN_FIELD_TYPE, PATTERN_NUMBER_RANGE, PATTERN_NAME_TOO_LONG,
// PANEL_LOOP_OPEN. Thread rules: pure functions; one Reader a file.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "nlohmann/json.hpp"
#include "server/garment/pattern.h"
#include "server/io/pattern_json.h"

namespace tryon::pattern_io {

using Json = nlohmann::json;

absl::Status wrong_type(const std::string& field, const std::string& wanted, const Json& found);
absl::StatusOr<const Json*> member(const Json& object, const std::string& field, const char* key);
// The member's value, or null where it is absent.
const Json* optional_member(const Json& object, const char* key);
absl::StatusOr<double> number(const Json& value, const std::string& field);
absl::StatusOr<double> optional_number(const Json& object, const std::string& field, const char* key, double otherwise);
absl::StatusOr<std::vector<double>> numbers(const Json& value, const std::string& field, size_t count);
absl::StatusOr<int> index(const Json& value, const std::string& field);
absl::StatusOr<int> optional_index(const Json& object, const std::string& field, const char* key, int otherwise);
absl::StatusOr<std::string> text(const Json& value, const std::string& field);
absl::StatusOr<std::string> optional_text(const Json& object, const std::string& field, const char* key);
// false where absent; 0 and 1 count as answers.
absl::StatusOr<bool> flag(const Json& object, const std::string& field, const char* key);
// The list, or null where it is absent.
absl::StatusOr<const Json*> optional_list(const Json& object, const std::string& field, const char* key);
absl::Status check_count(size_t found, int limit, const char* reason, const std::string& field, const char* what);
absl::StatusOr<std::vector<Vec2>> read_points(const Json& list, const std::string& field);
absl::StatusOr<std::vector<Vec2>> read_controls(const Json& list, const std::string& field, size_t count);

struct Reader {
  explicit Reader(const PatternLimits& l) : limits(l) {}

  const PatternLimits& limits;
  double metres_per_unit = 0.01;
  bool absolute_controls = false, normalize_translation = false;
  bool old_generation = false;  // a 2021 template: seen by its curvature lists, constraints or free vertex order
  int edge_count = 0;
  int64_t mark_count = 0;
  std::map<std::pair<int, int>, int> moved_edges;  // (panel, edge in the file) -> edge, where the file's order was free
  std::vector<std::vector<int>> vertex_order, edge_order;  // [panel] the file's index of each vertex and edge
};

absl::Status unknown_curve(const std::string& field, const std::string& type);
absl::Status check_endpoints(const Panel& panel, const PanelEdge& edge, const std::string& field);
// Puts vertices and edges into walking order: afterwards edge i goes from vertex i to i + 1.
absl::Status normalize_loop(int panel_index, const std::string& field, Reader* reader, Panel* panel);
Eigen::Matrix3d from_euler_degrees(const std::vector<double>& degrees);
absl::StatusOr<StitchSide> read_stitch_side(const Json& side, const std::string& field, const Pattern& pattern,
                                            const Reader& reader);

// Of tryon's own formats: "translation_mm" with "rotation" or "rotation_deg"; and a list of seams.
absl::Status read_placement(const Json& json, const std::string& field, Panel* panel);
absl::StatusOr<std::vector<SeamSpec>> read_seams(const Json& list, const Pattern& pattern, Reader* reader);

absl::StatusOr<Pattern> read_garmentcode(const Json& root, const PatternLimits& limits);
absl::StatusOr<Pattern> read_own(const Json& root, const PatternLimits& limits);

}  // namespace tryon::pattern_io
