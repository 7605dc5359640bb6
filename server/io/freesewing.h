// What it is: FreeSewing's path exports (.paths.json): parts with named paths of moves, lines and cubic curves, and
// snippets. The cloth is the path of class fabric (lining, interfacing); a cut-on-fold mark unfolds the half piece.
// Units: the file's (millimetres unless it says inches or centimetres), y down in the file and up here.
// How it fails: names part and path. Thread rules: pure function.
#pragma once

#include "absl/status/statusor.h"
#include "server/io/pattern_import.h"
#include "server/io/pattern_values.h"

namespace tryon {

absl::StatusOr<ImportedPattern> read_freesewing(const pattern_io::Json& root, const ImportOptions& options);

}  // namespace tryon
