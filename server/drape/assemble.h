// What it is: from bytes to things that can be draped: a fitted person, a pattern, an arranged garment.
// Units and frame: metres, +Y up, body facing +Z, floor at y = 0. Shapes: see Body and GarmentMesh.
// How it fails: the caller's errors, with the file's name before the element. Thread rules: as RunContext.
#pragma once

#include <memory>

#include "absl/status/statusor.h"
#include "server/body/body.h"
#include "server/body/yielding.h"
#include "server/drape/pipeline.h"
#include "server/garment/arrange.h"
#include "server/garment/draft.h"
#include "server/garment/garment.h"
#include "server/io/body_file.h"
#include "server/mesh/closest_point.h"
#include "server/mesh/sharp_points.h"

namespace tryon {

struct FittedPerson {
  Body body;
  YieldingSkin skin;  // what the cloth may not enter: the body, but where it touches itself
  std::shared_ptr<const ClosestPointIndex> surface;  // the skin's, for queries
  std::vector<SharpPoint> sharp;                     // the skin's
  ProxySet proxies;
  SolidSet solids;  // the proxies' shapes, for queries; legs that are dressed on them yield as the skin does
  bool has_head_and_hands = false;
  std::map<std::string, MeasurementOutcome> outcome;  // of a body from a table
};

// The person as asked for: read, measured, cut as the request says, bounded by both shapes. Where the input holds the
// stored body of this request, that one.
absl::StatusOr<StoredBody> load_body(const RunContext& run, const BodyRequest& request, const PipelineInput& input);
absl::StatusOr<FittedPerson> person_of(StoredBody stored, ProxyShape shape);  // without a skin: nothing dresses it
// The same with its skin, which gives way to cloth where parts of the body touch.
absl::StatusOr<FittedPerson> person_to_dress(const RunContext& run, StoredBody stored, ProxyShape shape);
void put_on_skin(const RunContext& run, YieldingSkin skin, FittedPerson* person);  // and what is asked of it
absl::StatusOr<Body> sample_body(const RunContext& run);
DraftMeasurements draft_measurements(const Body& body);
absl::StatusOr<GarmentMesh> assemble_garment(const RunContext& run, const Pattern& pattern, const FittedPerson& person,
                                             double edge_m, ArrangeReport* report);
// Round the person: GarmentMesh::placed changes.
absl::Status place_garment(const RunContext& run, const Pattern& pattern, const FittedPerson& person,
                           GarmentMesh* garment, ArrangeReport* report);

}  // namespace tryon
