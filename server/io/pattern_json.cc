#include "server/io/pattern_json.h"

#include <utility>

#include "server/base/status.h"
#include "server/base/text.h"
#include "server/io/json_gate.h"
#include "server/io/pattern_values.h"

namespace tryon {
namespace {

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
                         "Send a GarmentCode specification (*_specification.json) or a tryon.pattern.v2 file.");
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Pattern> read_pattern(std::string_view bytes, std::string_view file_name, const PatternLimits& limits) {
  RETURN_IF_ERROR(check_bytes(bytes, limits));
  RETURN_IF_ERROR(check_json(bytes, limits.max_depth));
  const pattern_io::Json root = pattern_io::Json::parse(bytes, nullptr, false);  // cannot fail: check_json read it all
  if (!root.is_object()) return pattern_io::wrong_type("the file", "an object with a \"pattern\"", root);
  const pattern_io::Json* schema = pattern_io::optional_member(root, "schema");
  const bool own = schema != nullptr && (*schema == "tryon.pattern.v1" || *schema == "tryon.pattern.v2");
  if (!own && !root.contains("pattern")) {
    return invalid_input("PATTERN_NOT_A_PATTERN", "file", "the file is JSON, but it describes no sewing pattern",
                         "Send a GarmentCode specification (*_specification.json) or a tryon.pattern.v2 file.");
  }
  absl::StatusOr<Pattern> pattern =
      own ? pattern_io::read_own(root, limits) : pattern_io::read_garmentcode(root, limits);
  if (pattern.ok() && pattern->name.empty()) pattern->name = stem(file_name);
  return pattern;
}

}  // namespace tryon
