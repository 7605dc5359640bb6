// What it is: finished things to files: GLB, OBJ and pictures of a drape or a fitted body.
// Units and frame: metres, +Y up, body facing +Z. Shapes: file name -> artifact. UVs are the flat pattern in
// metres. What the settings ask for beyond the usual files stands in exports.h and drape_pictures.h.
// How it fails: INTERNAL for a shape that does not fit. Thread rules: as RunContext.
#pragma once

#include "absl/status/statusor.h"
#include "server/base/run_context.h"
#include "server/drape/assemble.h"
#include "server/drape/drape_goods.h"
#include "server/drape/pipeline.h"

namespace tryon {

absl::StatusOr<Artifacts> deliver_drape(const RunContext& run, const DrapeGoods& goods);
absl::StatusOr<Artifacts> deliver_body(const RunContext& run, const FittedPerson& person);

}  // namespace tryon
