#include "server/drape/cut_cloth.h"

#include <cmath>
#include <utility>

#include "server/base/status.h"
#include "server/base/text.h"
#include "server/drape/rehang.h"
#include "server/garment/regrade.h"
#include "server/io/worn_file.h"

namespace tryon {
namespace {

double edge_of(const DrapeRequest& request) { return request.settings.resolution_mm * 1e-3; }

// A mesh keeps the triangles that it came with.
absl::StatusOr<GarmentMesh> meshed(const RunContext& run, const ImportedPattern& made, double edge_m) {
  if (made.mesh) return ready_garment(*made.mesh);
  return mesh_garment(run, made.pattern, edge_m);
}

absl::Status check(const StoredOutfit& outfit, const DrapeRequest& request) {
  const StoredGarment& from = outfit.garments.back();
  if (outfit.body != digest(request.body)) return start_of_another_body();
  if (from.made_of != digest(in_size(request.garment, ""))) return start_of_another_garment();
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
  ASSIGN_OR_RETURN(const GarmentMesh mesh, mesh_garment(run, other.made.pattern, edge_of(request)));
  return regraded(mesh, other.made.pattern, name_of_size(source.made.pattern));
}

bool same_triangles(const GarmentMesh& garment, const StoredGarment& stored) {
  return garment.triangles == stored.shown && weld(garment, garment.placed).source == stored.cloth.source;
}

// What the drape to start from has left, on this garment's triangles; nothing where they cannot be shared. `from`:
// as it was stored.
absl::StatusOr<CutCloth> taken_up(const RunContext& run, const DrapeRequest& request, const PipelineInput& input,
                                  const LoadedGarment& source, const Wearer& wearer, StoredGarment* from) {
  ASSIGN_OR_RETURN(StoredOutfit outfit, read_worn_file(input.start));
  RETURN_IF_ERROR(check(outfit, request));
  *from = std::move(outfit.garments.back());
  auto mesh = carried(run, request, input, source, wearer, from->meshed_in);
  RETURN_IF_ERROR(run.check());
  if (!mesh.ok() || !same_triangles(*mesh, *from)) return CutCloth();
  return CutCloth{*std::move(mesh), from->meshed_in, from->cloth.mesh.positions};
}

}  // namespace

absl::StatusOr<CutCloth> cut_cloth(const RunContext& run, const DrapeRequest& request, const PipelineInput& input,
                                   const LoadedGarment& source, const Wearer& wearer, const FittedPerson& person,
                                   ArrangeReport* arranged) {
  run.report("assemble", 0.0);
  CutCloth out;
  StoredGarment from;
  if (!request.starts_from.empty()) {
    ASSIGN_OR_RETURN(out, taken_up(run, request, input, source, wearer, &from));
  }
  if (out.lies.empty()) {
    out.meshed_in = size_of(request.garment);
    ASSIGN_OR_RETURN(out.garment, meshed(run, source.made, edge_of(request)));
  }
  run.report("assemble", 0.5);
  if (!source.grown) RETURN_IF_ERROR(place_garment(run, source.made.pattern, person, &out.garment, arranged));
  if (!out.lies.empty()) out.lies = rehung(out.garment, from.uv, from.cloth);
  run.report("assemble", 1.0);
  return out;
}

}  // namespace tryon
