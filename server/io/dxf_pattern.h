// What it is: sewing pieces out of a DXF file by the layers of ASTM D6673 (AAMA before it): boundary 1, turn points 2,
// curve points 3, notches 4 and 80-83, mirror line 6, grain 7, internal lines 8, cutouts 11, drill holes 13, sew line
// 14, texts 15; 84-87 are copies for quality control. Where a sew line is there, it is the outline. Units: metres out.
// Shapes: one panel a piece, in the file's order; its corners are found (pattern_outline.h). How it fails: names block
// and line. Thread rules: pure function.
#pragma once

#include <string_view>

#include "absl/status/statusor.h"
#include "server/io/pattern_import.h"

namespace tryon {

absl::StatusOr<ImportedPattern> read_dxf_pattern(std::string_view bytes, std::string_view file_name,
                                                 const ImportOptions& options);

}  // namespace tryon
