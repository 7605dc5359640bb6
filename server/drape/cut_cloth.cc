#include "server/drape/cut_cloth.h"

#include <cmath>
#include <utility>

#include "server/base/status.h"
#include "server/base/text.h"
#include "server/garment/regrade.h"
#include "server/io/worn_file.h"

namespace tryon {
namespace {

double edge_of(const DrapeRequest& request) { return request.settings.resolution_mm * 1e-3; }

// A mesh keeps the triangles that it came with.
absl::StatusOr<GarmentMesh> afresh(const RunContext& run, const LoadedGarment& source, const FittedPerson& person,
                                   double edge_m, ArrangeReport* arranged) {
  if (!source.made.mesh) return assemble_garment(run, source.made.pattern, person, edge_m, arranged);
  GarmentMesh garment = ready_garment(*source.made.mesh);
  if (source.grown) return garment;
  RETURN_IF_ERROR(place_garment(run, source.made.pattern, person, &garment, arranged));
  return garment;
}

absl::Status check(const StoredOutfit& outfit, const DrapeRequest& request) {
  const StoredGarment& from = outfit.garments.back();
  if (outfit.body != digest(request.body)) {
    return invalid_input("START_OF_ANOTHER_BODY", "starts_from", "the drape to start from lies on another body",
                         "Start from a drape on the same body.");
  }
  if (from.made_of != digest(in_size(request.garment, ""))) {
    return invalid_input("START_OF_ANOTHER_GARMENT", "starts_from", "the drape to start from is of another garment",
                         "Start from a drape of the same garment, in any size and fabric, by this engine.");
  }
  if (std::abs(from.edge_m - edge_of(request)) <= 1e-9) return absl::OkStatus();
  return invalid_input("START_OF_ANOTHER_MESH", "starts_from",
                       cat("the drape to start from has triangles of ", from.edge_m * 1e3, " mm, this one of ",
                           request.settings.resolution_mm, " mm"),
                       "Ask for the same resolution_mm.");
}

// The triangles of the size `from` in the source's own size.
absl::StatusOr<GarmentMesh> carried(const RunContext& run, const DrapeRequest& request, const PipelineInput& input,
                                    const LoadedGarment& source, const Wearer& wearer, const std::string& from) {
  if (source.made.mesh) return ready_garment(*source.made.mesh);
  ASSIGN_OR_RETURN(const LoadedGarment other, load_garment(run, in_size(request.garment, from), input, wearer));
  const Pattern& pattern = other.made.pattern;
  ASSIGN_OR_RETURN(GarmentMesh mesh, mesh_garment(run, pattern, edge_of(request)));
  const std::string& own = source.made.pattern.size;
  if (own == pattern.size) return mesh;
  return regraded(mesh, pattern, own.empty() ? "base" : own);
}

bool same_triangles(const GarmentMesh& garment, const StoredGarment& stored) {
  return garment.triangles == stored.shown && weld(garment, garment.placed).source == stored.cloth.source;
}

}  // namespace

absl::StatusOr<CutCloth> cut_cloth(const RunContext& run, const DrapeRequest& request, const PipelineInput& input,
                                   const LoadedGarment& source, const Wearer& wearer, const FittedPerson& person,
                                   ArrangeReport* arranged) {
  CutCloth out;
  if (!request.starts_from.empty()) {
    ASSIGN_OR_RETURN(StoredOutfit outfit, read_worn_file(input.start));
    RETURN_IF_ERROR(check(outfit, request));
    StoredGarment& from = outfit.garments.back();
    auto mesh = carried(run, request, input, source, wearer, from.meshed_in);
    if (mesh.ok() && same_triangles(*mesh, from)) {
      out.garment = *std::move(mesh), out.meshed_in = std::move(from.meshed_in);
      out.lies = std::move(from.cloth.mesh.positions);
      if (source.grown) return out;
      RETURN_IF_ERROR(place_garment(run, source.made.pattern, person, &out.garment, arranged));
      return out;
    }
    RETURN_IF_ERROR(run.check());
  }
  out.meshed_in = size_of(request.garment);
  ASSIGN_OR_RETURN(out.garment, afresh(run, source, person, edge_of(request), arranged));
  return out;
}

}  // namespace tryon
