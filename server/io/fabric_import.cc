#include "server/io/fabric_import.h"

#include <algorithm>
#include <cmath>

#include "server/base/status.h"
#include "server/base/text.h"
#include "server/io/fabric_numbers.h"
#include "server/io/fabric_zip.h"
#include "server/io/json_gate.h"

namespace tryon {
namespace {

using Json = nlohmann::json;

constexpr int kMaxDepth = 24;

absl::Status unknown_file(std::string_view file) {
  return invalid_input("FABRIC_FILE_UNKNOWN", file, "this is no fabric that can be read",
                       "Send tryon.fabric.v1 JSON, a U3M (.u3ma), or a KES-F or FAST sheet as CSV or JSON.");
}

bool ends_with(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

absl::StatusOr<Json> parsed(std::string_view bytes, std::string_view file) {
  if (!check_json(bytes, kMaxDepth).ok())
    return invalid_input("FABRIC_UNREADABLE", file, "the file is not sound JSON, or nested too deeply",
                         "Export the fabric again, or check the file with a JSON reader.");
  return Json::parse(bytes, nullptr, false);
}

// Friction and thickness are seldom measured: what is assumed is told.
void fill(FabricNumbers* numbers) {
  const auto assume = [&](const char* key, double value, const char* what) {
    if (numbers->document.contains(key)) return;
    numbers->document[key] = value;
    numbers->notes.push_back(cat(what, " is not in the file: ", value, " assumed"));
  };
  assume("friction_static", 0.4, "friction");
  assume("friction_kinetic", std::max(0.0, numbers->document["friction_static"].get<double>() - 0.05),
         "kinetic friction");
  assume("thickness_m", 5e-4, "the thickness");
}

absl::StatusOr<ImportedFabric> finished(FabricNumbers numbers, std::string format, std::string_view file) {
  fill(&numbers);
  ImportedFabric out;
  out.format = std::move(format);
  out.notes = numbers.notes;
  numbers.document["schema"] = "tryon.fabric.v1";
  if (!numbers.document.contains("source")) numbers.document["source"] = cat("read from ", file, " (", out.format, ")");
  if (!numbers.notes.empty()) numbers.document["assumed"] = numbers.notes;
  out.json = numbers.document.dump(2, ' ', false, Json::error_handler_t::replace);
  ASSIGN_OR_RETURN(out.fabric, fabric_from_json(out.json, file));
  return out;
}

absl::StatusOr<ImportedFabric> from_json(const Json& json, std::string_view bytes, std::string_view file) {
  if (looks_like_u3m(json)) {
    ASSIGN_OR_RETURN(FabricNumbers numbers, read_u3m(json, file));
    return finished(std::move(numbers), "u3m", file);
  }
  const bool own =
      json.is_object() && (json.value("schema", Json()) == "tryon.fabric.v1" || json.contains("areal_density_kg_m2"));
  if (own) {
    ASSIGN_OR_RETURN(const Fabric fabric, fabric_from_json(bytes, file));
    return ImportedFabric{"tryon", json.dump(2, ' ', false, Json::error_handler_t::replace), fabric, {}};
  }
  std::string format;
  ASSIGN_OR_RETURN(FabricNumbers numbers, read_sheet(bytes, file, &format));
  return finished(std::move(numbers), format, file);
}

// The .u3ma holds the .u3m (what it looks like) and the physics in a JSON beside it; either may have the block.
absl::StatusOr<ImportedFabric> from_zip(std::string_view bytes, std::string_view file) {
  const auto wanted = [](std::string_view name) { return ends_with(name, ".u3m") || ends_with(name, ".json"); };
  ASSIGN_OR_RETURN(const auto files, read_zip(bytes, file, wanted));
  for (const auto& [name, text] : files) {
    const std::string inner = cat(file, ": ", name);
    ASSIGN_OR_RETURN(const Json json, parsed(text, inner));
    if (looks_like_u3m(json)) return from_json(json, text, inner);
  }
  return invalid_input("FABRIC_FIELD_MISSING", file, "the archive has no physics: it says only how the cloth looks",
                       "Export the U3M with its physics, or send a KES-F or FAST sheet.");
}

}  // namespace

absl::StatusOr<double> stiffness_of(const Curve& curve, std::string_view file, std::string_view name) {
  const auto refuse = [&](size_t point, std::string_view what) {
    return invalid_input("FABRIC_CURVE_NOT_MONOTONE", cat(file, ": ", name, "[", point, "]"),
                         cat("the curve ", name, " ", what, " at point ", point),
                         "Send one pull from rest to its end, without the way back.");
  };
  if (curve.size() < 2) return refuse(curve.size(), "has fewer than two points and ends");
  double most = curve[0].second, least = curve[0].second;
  for (const auto& [strain, force] : curve) most = std::max(most, force), least = std::min(least, force);
  double peak = curve[0].second, work = 0;
  for (size_t i = 1; i < curve.size(); ++i) {
    const double step = curve[i].first - curve[i - 1].first;
    if (!(step > 0)) return refuse(i, "does not stretch on");
    if (!(curve[i].second >= peak - 0.05 * (most - least))) return refuse(i, "pulls less");
    peak = std::max(peak, curve[i].second);
    work += step * (0.5 * (curve[i].second + curve[i - 1].second) - curve[0].second);
  }
  const double strain = curve.back().first - curve[0].first;
  if (!(work > 0)) return refuse(curve.size() - 1, "stores no work and ends");
  return 2 * work / (strain * strain);
}

absl::StatusOr<ImportedFabric> import_fabric(std::string_view bytes, std::string_view file_name) {
  if (bytes.size() > kMaxFabricFile)
    return invalid_input("FABRIC_FILE_TOO_LARGE", file_name,
                         cat("the file has ", bytes.size() >> 20, " MiB, more than 8"),
                         "Send the fabric's own file, without its pictures.");
  if (is_zip(bytes)) return from_zip(bytes, file_name);
  const size_t first = bytes.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return unknown_file(file_name);
  if (bytes[first] == '{') {
    ASSIGN_OR_RETURN(const Json json, parsed(bytes, file_name));
    return from_json(json, bytes, file_name);
  }
  if (!looks_like_sheet(bytes)) return unknown_file(file_name);
  std::string format;
  ASSIGN_OR_RETURN(FabricNumbers numbers, read_sheet(bytes, file_name, &format));
  return finished(std::move(numbers), format, file_name);
}

}  // namespace tryon
