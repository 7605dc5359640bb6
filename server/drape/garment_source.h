// What it is: where a garment comes from: a pattern file of any kind with its seam sidecar, in one of its sizes, or a
// template drafted for a size, a body or the wearer. Units: metres. Shapes: see Pattern and MeshPattern.
// How it fails: the caller's errors, with the file's name before the element; TEMPLATE_*, SIZE_UNKNOWN.
// Thread rules: pure function of the request and the input's bytes.
#pragma once

#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "server/drape/pipeline.h"
#include "server/garment/draft.h"
#include "server/garment/lint.h"
#include "server/io/pattern_import.h"

namespace tryon {

struct LoadedGarment {
  ImportedPattern made;
  std::string_view format;        // "garmentcode", "tryon", "dxf", "freesewing", "obj", "template"
  std::vector<Finding> findings;  // what a tailor would say; seams that it told how to mend are mended
  bool grown = false;             // on the wearer's shape: it is where it belongs
  bool sound = true;  // false: of a check only; names and findings can be told, but nothing can be measured or drawn
};

// Whom a template without a size and without a body of its own is drafted for; without a body, the project's own sample
// figure has the shape that offset garments grow on.
struct Wearer {
  Wearer(const DraftMeasurements& measured = {}) : measurements(measured) {}  // NOLINT: a list of numbers is a wearer
  explicit Wearer(const Body& whole);
  DraftMeasurements measurements;
  const Body* body = nullptr;
  double edge_m = 0.02;  // distance of an offset garment's particles
};

// The pattern may have faults that the linter finds; validate() it before it is cut.
absl::StatusOr<LoadedGarment> load_garment(const RunContext& run, const GarmentRequest& request,
                                           const PipelineInput& input, const Wearer& wearer);

}  // namespace tryon
