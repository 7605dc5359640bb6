// What it is: patterns that come as OBJ meshes. Flat coordinates are the texture coordinates where the mesh stands in
// space (sewn vertices then have several, and become stitches), or the vertices themselves where these lie flat; the
// placed mesh of equal topology may come beside it. Lines "stitch a b c t" sew vertex a to (1 - t) b + t c, from 0.
// Units: metres, or as told; +Z up as these tools write it, turned to +Y up here.
// How it fails: names the line of the file. Thread rules: pure function.
#pragma once

#include <string_view>

#include "absl/status/statusor.h"
#include "server/io/pattern_import.h"

namespace tryon {

bool looks_like_obj(std::string_view bytes);
absl::StatusOr<ImportedPattern> read_obj_pattern(std::string_view bytes, std::string_view file_name,
                                                 const ImportOptions& options);

}  // namespace tryon
