// What it is: what a drape leaves for another to go over, or to start from (worn.tryon, io/worn_file.h), and how what
// lies beneath is taken up again (cut_cloth.h: how a start is).
// Units and frame: metres, +Y up, body facing +Z. Shapes: innermost first. How it fails: WORN_FILE_UNREADABLE;
// OUTFIT_OF_ANOTHER_BODY for a drape on another body; OUTFIT_TOO_THICK for more than eight garments. Thread rules: pure
// functions.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "server/drape/assemble.h"
#include "server/drape/cut_cloth.h"
#include "server/drape/pipeline.h"
#include "server/drape/settle.h"

namespace tryon {

// Empty where the request goes over nothing.
absl::StatusOr<std::vector<Worn>> worn_beneath(const DrapeRequest& request, const PipelineInput& input);
// The person with what is worn among its solids, for arranging.
FittedPerson clothed(const FittedPerson& person, const std::vector<Worn>& beneath);
std::string worn_file(const DrapeRequest& request, const std::string& name, const CutCloth& cut,
                      const Settled& settled);

}  // namespace tryon
