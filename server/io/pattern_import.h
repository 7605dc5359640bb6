// What it is: the one door for pattern files of every kind: GarmentCode JSON, tryon's own JSON, ASTM and AAMA DXF (with
// a RUL table of grading), FreeSewing path exports, and meshes with flat coordinates (OBJ).
// Units: metres out. A DXF says no unit: `metres_per_unit` if given, else its own "Units:" text, else millimetres.
// How it fails: INVALID_ARGUMENT naming the file's element and the remedy; every count is limited before memory is
// taken. What was read but not understood stands in `notes`. Thread rules: pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "server/garment/mesh_pattern.h"
#include "server/garment/pattern.h"
#include "server/io/pattern_json.h"

namespace tryon {

struct ImportOptions {
  double metres_per_unit = 0.0;  // 0: as the format says
  std::string_view sidecar;      // bytes of a tryon.seams.v1 file: seams, roles, copies
  std::string_view grading;      // bytes of a RUL file
  std::string size;              // which one to make; empty: the sample size
  std::string_view placed_mesh;  // bytes of the placed OBJ that belongs to a flat one (NAME-w.obj to NAME-m.obj)
  bool keep_faults = false;      // leave in what validate() refuses, for lint(): the pattern is then not split
  PatternLimits limits;
};

struct ImportedPattern {
  enum class Format { kGarmentCode, kOwn, kDxf, kFreeSewing, kMesh } format = Format::kGarmentCode;
  Pattern pattern;                  // split: every stitch joins whole edges
  std::optional<MeshPattern> mesh;  // of a mesh; pattern then holds its outlines, to look at
  double metres_per_unit = 1.0;
  std::vector<std::string> notes;  // what was assumed, mended, or not understood
};

absl::StatusOr<ImportedPattern> import_pattern(std::string_view bytes, std::string_view file_name,
                                               const ImportOptions& options = {});

}  // namespace tryon
