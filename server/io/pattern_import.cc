#include "server/io/pattern_import.h"

#include <set>
#include <utility>

#include "server/base/status.h"
#include "server/base/text.h"
#include "server/garment/seam_graph.h"
#include "server/io/dxf.h"
#include "server/io/dxf_pattern.h"
#include "server/io/freesewing.h"
#include "server/io/json_gate.h"
#include "server/io/pattern_obj.h"
#include "server/io/pattern_values.h"
#include "server/io/seam_sidecar.h"

namespace tryon {
namespace {

using pattern_io::Json;

std::string stem(std::string_view file_name) {
  const size_t slash = file_name.find_last_of("/\\");
  if (slash != std::string_view::npos) file_name.remove_prefix(slash + 1);
  return std::string(file_name.substr(0, file_name.find('.')));
}

bool is_json(std::string_view bytes) {
  if (bytes.substr(0, 3) == "\xEF\xBB\xBF") bytes.remove_prefix(3);
  const size_t at = bytes.find_first_not_of(" \t\r\n");
  return at != std::string_view::npos && (bytes[at] == '{' || bytes[at] == '[');
}

absl::StatusOr<ImportedPattern> read_json(std::string_view bytes, std::string_view file_name,
                                          const ImportOptions& options) {
  RETURN_IF_ERROR(check_json(bytes, options.limits.max_depth));
  const Json root = Json::parse(bytes, nullptr, false);
  if (root.is_object() && root.contains("parts") && !root.contains("pattern")) return read_freesewing(root, options);
  ImportedPattern out;
  ASSIGN_OR_RETURN(out.pattern, read_pattern(bytes, file_name, options.limits));
  const bool own = root.is_object() && root.contains("schema") && !root.contains("pattern");
  out.format = own ? ImportedPattern::Format::kOwn : ImportedPattern::Format::kGarmentCode;
  return out;
}

absl::StatusOr<ImportedPattern> read_any(std::string_view bytes, std::string_view file_name,
                                         const ImportOptions& options) {
  if (!is_json(bytes)) {
    if (looks_like_dxf(bytes)) return read_dxf_pattern(bytes, file_name, options);
    if (looks_like_obj(bytes)) return read_obj_pattern(bytes, file_name, options);
  }
  return read_json(bytes, file_name, options);
}

absl::Status check_options(std::string_view bytes, const ImportOptions& options) {
  for (const std::string_view file : {bytes, options.sidecar, options.grading, options.placed_mesh}) {
    if (static_cast<int64_t>(file.size()) <= options.limits.max_file_bytes) continue;
    return invalid_input(
        "PATTERN_TOO_LARGE", "file",
        cat("the file has ", file.size(), " bytes, at most ", options.limits.max_file_bytes, " are taken"),
        "Send the pattern alone, without pictures.");
  }
  const double unit = options.metres_per_unit;
  if (unit == 0.0 || (unit >= 1e-5 && unit <= 10.0)) return absl::OkStatus();
  return invalid_input("PATTERN_UNIT", "unit", cat("a unit of ", unit, " m"), "Give 0.001 for millimetres.");
}

absl::StatusOr<Pattern> split_of(const Pattern& pattern) {
  RETURN_IF_ERROR(validate(pattern));
  return split_seams(pattern);
}

}  // namespace

absl::StatusOr<ImportedPattern> import_pattern(std::string_view bytes, std::string_view file_name,
                                               const ImportOptions& options) {
  RETURN_IF_ERROR(check_options(bytes, options));
  ASSIGN_OR_RETURN(ImportedPattern out, read_any(bytes, file_name, options));
  if (out.pattern.name.empty()) out.pattern.name = stem(file_name);
  if (!options.sidecar.empty()) {
    ASSIGN_OR_RETURN(out.pattern, apply_sidecar(options.sidecar, out.pattern, options.limits, &out.notes));
  }
  if (!options.size.empty()) {
    ASSIGN_OR_RETURN(out.pattern, at_size(out.pattern, options.size));
  }
  if (out.mesh) return out;
  auto split = split_of(out.pattern);
  if (!split.ok() && !options.keep_faults) return split.status();
  if (split.ok()) out.pattern = *std::move(split);
  return out;
}

}  // namespace tryon
