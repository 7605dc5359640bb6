// What it is: a fabric's file of any kind to a tryon.fabric.v1 document through one door: our own JSON, U3M (the .u3ma
// zip, or its physics JSON alone), KES-F and FAST sheets (CSV or JSON). How each is read: server/fabric/fabrics.md.
// Units: SI per unit width in what comes out. How it fails: FABRIC_FILE_UNKNOWN, FABRIC_FILE_TOO_LARGE, FABRIC_ZIP_*,
// FABRIC_UNREADABLE, FABRIC_FIELD_MISSING, FABRIC_OUT_OF_RANGE, FABRIC_CURVE_NOT_MONOTONE, each with file and field.
// Thread rules: pure functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "server/fabric/fabric.h"

namespace tryon {

struct ImportedFabric {
  std::string format;  // "tryon", "u3m", "kes", "fast"
  std::string json;    // tryon.fabric.v1: what a drape takes
  Fabric fabric;
  std::vector<std::string> notes;  // what the file did not say and was assumed
};

inline constexpr size_t kMaxFabricFile = 8 << 20;  // bytes

absl::StatusOr<ImportedFabric> import_fabric(std::string_view bytes, std::string_view file_name);

}  // namespace tryon
