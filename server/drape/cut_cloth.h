// What it is: the cloth that a drape begins with: the pattern's panels triangulated and put round the person, to be
// sewn; or, of a drape that starts from another one (DrapeRequest::starts_from), the triangles of that one carried to
// this size (garment/regrade.h) with the places where they lie (rehang.h). Where the triangles cannot be shared (pleats
// that lie on each other otherwise, panels that are no smooth change of each other) the cloth is cut afresh. Units and
// frame: metres, +Y up, body facing +Z. Shapes: as GarmentMesh and WeldedMesh. How it fails: WORN_FILE_UNREADABLE;
// START_OF_ANOTHER_BODY, START_OF_ANOTHER_GARMENT, START_OF_ANOTHER_MESH; as mesh_garment() and arrange(). Thread
// rules: as RunContext.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "server/drape/assemble.h"
#include "server/drape/garment_source.h"
#include "server/drape/pipeline.h"
#include "server/drape/request.h"

namespace tryon {

struct CutCloth {
  GarmentMesh garment;
  std::string meshed_in;   // the size whose triangles it has; empty: as the garment was created
  std::vector<Vec3> lies;  // [welded vertex_count]; empty: it is to be sewn
};

absl::StatusOr<CutCloth> cut_cloth(const RunContext& run, const DrapeRequest& request, const PipelineInput& input,
                                   const LoadedGarment& source, const Wearer& wearer, const FittedPerson& person,
                                   ArrangeReport* arranged);

}  // namespace tryon
