// What it is: the whole work of a worker on one request, in the order data flows: parse, fit, assemble, sew, drape,
// measure, export. Inputs and outputs are bytes; no store, no network, no clock in the physics.
// Units and frame: outputs in metres, +Y up, body facing +Z. Shapes: artifacts by file name (see contracts).
// How it fails: the caller's errors name file and element; CANCELLED and DEADLINE_EXCEEDED come from the context.
// Thread rules: one call, one thread (plus the context's executor); calls are independent.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "server/base/run_context.h"
#include "server/drape/request.h"
#include "server/io/mesh_file.h"

namespace tryon {

namespace sim {
struct DrapeState;
}

struct Artifact {
  std::string bytes;
  std::string media_type;  // "model/gltf-binary", "image/png", "application/json", ...
};
using Artifacts = std::map<std::string, Artifact>;  // file name -> artifact

inline constexpr char kStoredBodyName[] = "body.tryon";  // the artifact that a drape of the body begins with

inline constexpr char kWornName[] = "worn.tryon";  // of a drape: what another can be dressed over, or start from

inline constexpr char kReplayName[] = "replay.tryon";  // of a drape that failed by our fault: see sim/replay.h

struct PipelineInput {
  std::string body_bytes;     // the scan's file; empty for a figure and the sample
  std::string stored_body;    // body.tryon of the same request, where it was made before: then nothing else is read
  std::string garment_bytes;  // the pattern file; empty for a template
  std::string seams_bytes;    // its sidecar; empty without
  std::string grading_bytes;  // its RUL file; empty without
  std::string tailored_body;  // body.tryon of the body that a template is made to measure for; empty without
  std::string worn;           // worn.tryon of the drape beneath; empty without
  std::string start;          // worn.tryon of the drape that this one starts from; empty without
  std::string meshparse_path = default_meshparse_path();
  ParseLimits parse_limits;
  // Told of the cloth before each step, and may change it: the door for faults that tests inject. May be empty.
  std::function<void(sim::DrapeState*)> before_step;
};

struct PipelineResult {
  Artifacts artifacts;
  bool settled = true;  // drape: reached its grade
  std::string
      summary_json;  // small: metrics.json of a drape, garment.json of a garment, body.json without its long lists
};

// body.tryon (io/body_file.h), body.json, body.glb, proxies.glb, preview_{front,back,left,measurements,proxies}.png
absl::StatusOr<PipelineResult> run_body(const RunContext& run, const BodyRequest& request, const PipelineInput& input);
// garment.json, pattern.json (tryon.pattern.v2), pattern.svg, pattern.png
absl::StatusOr<PipelineResult> run_garment(const RunContext& run, const GarmentRequest& request,
                                           const PipelineInput& input);
// garment.glb, garment.obj, scene.glb, preview_{front,back,left,right}.png, metrics.json, report.html, worn.tryon;
// meanwhile it shows what showing.h says
absl::StatusOr<PipelineResult> run_drape(const RunContext& run, const DrapeRequest& request,
                                         const PipelineInput& input);
// The bundle of a run_drape that ended by our fault in a step of the cloth; empty for any other status.
std::string replay_of(const absl::Status& status);
absl::Status with_replay(absl::Status status, std::string_view bundle);

}  // namespace tryon
