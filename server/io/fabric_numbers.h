// What it is: what the readers of fabric files share: the numbers found, and the curve that must not turn back.
// Units: SI per unit width. How it fails: FABRIC_CURVE_NOT_MONOTONE names the curve and the point.
// Thread rules: pure functions.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "nlohmann/json.hpp"

namespace tryon {

struct FabricNumbers {
  nlohmann::json document;  // keys of tryon.fabric.v1, without schema
  std::vector<std::string> notes;
};

using Curve = std::vector<std::pair<double, double>>;  // strain, N/m

// Strain must grow from point to point; force may fall by a twentieth of its range (an instrument's noise), not more.
// The answer is the stiffness that stores the curve's work up to its end: 2 work / strain^2.
absl::StatusOr<double> stiffness_of(const Curve& curve, std::string_view file, std::string_view name);

absl::StatusOr<FabricNumbers> read_u3m(const nlohmann::json& json, std::string_view file);
bool looks_like_u3m(const nlohmann::json& json);
// A sheet of key, value [, value]: KES-F where it has G or LT or 2HB, FAST where it has E100 or EB5.
bool looks_like_sheet(std::string_view bytes);
absl::StatusOr<FabricNumbers> read_sheet(std::string_view bytes, std::string_view file, std::string* format);

}  // namespace tryon
