#include "server/drape/pipeline.h"

#include <algorithm>
#include <utility>

#include "absl/strings/cord.h"
#include "server/base/stage_clock.h"
#include "server/base/status.h"
#include "server/drape/assemble.h"
#include "server/drape/cut_cloth.h"
#include "server/drape/deliver.h"
#include "server/drape/garment_report.h"
#include "server/drape/garment_source.h"
#include "server/drape/limb_ends.h"
#include "server/drape/measure.h"
#include "server/drape/measure_fit.h"
#include "server/drape/outfit.h"
#include "server/drape/report_data.h"
#include "server/drape/report_html.h"
#include "server/drape/settle.h"
#include "server/drape/setup.h"
#include "server/drape/showing.h"
#include "server/drape/worn.h"
#include "server/garment/waist_fit.h"

namespace tryon {
namespace {

constexpr char kReplayPayload[] = "tryon/replay";
// Whether the waist holds depends on how far the cloth gives.
void note_waist(const LoadedGarment& source, const FittedPerson& person, const Fabric& fabric,
                ArrangeReport* arranged) {
  if (source.grown) return;
  const DraftMeasurements girths = draft_measurements(person.body);
  const ClothGive give{fabric.comfortable_strain.warp, fabric.comfortable_strain.weft};
  arranged->findings = waist_findings(source.made.pattern, girths.waist_girth, girths.hip_girth, give);
}

Artifact json_artifact(const std::string& text) { return {text, "application/json"}; }

Artifact report_artifact(const RunContext& run, const ReportSource& source) {
  return {report_html(report_data_json(run, source)), "text/html"};
}

}  // namespace

std::string replay_of(const absl::Status& status) {
  const auto bundle = status.GetPayload(kReplayPayload);
  return bundle ? std::string(*bundle) : std::string();
}

// A shirt over trousers of 13,600 vertices is certified, measured and exported in 3.5 s; twice that on a busy machine.
absl::Duration time_to_hand_over(const GarmentMesh& garment, const std::vector<Worn>& beneath) {
  size_t vertices = garment.placed.size();
  for (const Worn& worn : beneath) vertices += worn.garment.cloth.mesh.positions.size();
  return absl::Microseconds(500) * static_cast<double>(vertices);
}

absl::Status with_replay(absl::Status status, std::string_view bundle) {
  if (!bundle.empty()) status.SetPayload(kReplayPayload, absl::Cord(absl::string_view(bundle.data(), bundle.size())));
  return status;
}

absl::StatusOr<PipelineResult> run_body(const RunContext& run, const BodyRequest& request, const PipelineInput& input) {
  ASSIGN_OR_RETURN(StoredBody stored, load_body(run, request, input));
  std::string file = write_body_file(stored);
  ASSIGN_OR_RETURN(const FittedPerson person, person_of(std::move(stored), request.proxy_shape));
  PipelineResult result;
  ASSIGN_OR_RETURN(result.artifacts, deliver_body(run, person));
  result.artifacts[kStoredBodyName] = {std::move(file), "application/octet-stream"};
  result.artifacts["body.json"] = json_artifact(body_json(person));
  result.summary_json = body_summary_json(person);
  run.report("export", 1.0);
  return result;
}

absl::StatusOr<PipelineResult> run_garment(const RunContext& run, const GarmentRequest& request,
                                           const PipelineInput& input) {
  run.report("parse", 0.0);
  ASSIGN_OR_RETURN(const LoadedGarment garment, load_garment(run, request, input, Wearer()));
  ASSIGN_OR_RETURN(const GarmentReport report, inspect_garment(run, garment, request.check_only));
  if (!request.check_only) RETURN_IF_ERROR(report.first_error);
  PipelineResult result;
  result.summary_json = report.json;
  ASSIGN_OR_RETURN(result.artifacts, garment_artifacts(run, garment, report));
  run.report("export", 1.0);
  return result;
}

absl::StatusOr<PipelineResult> run_drape(const RunContext& given, const DrapeRequest& request,
                                         const PipelineInput& input) {
  RunContext run = with_reserve(given);
  const DrapeSettings& settings = request.settings;
  RETURN_IF_ERROR(validate(settings));
  if (!request.over.empty()) RETURN_IF_ERROR(validate_over(settings));
  if (!request.starts_from.empty()) RETURN_IF_ERROR(validate_start(settings, !request.over.empty()));
  ASSIGN_OR_RETURN(const Fabric fabric, fabric_by_name(settings.fabric));
  StageClock clock;
  clock.enter("parse");
  ASSIGN_OR_RETURN(StoredBody stored, load_body(run, request.body, input));
  ASSIGN_OR_RETURN(const FittedPerson person, person_to_dress(run, std::move(stored), settings.proxy_shape));
  Wearer wearer(person.body);
  wearer.edge_m = settings.resolution_mm * 1e-3;
  ASSIGN_OR_RETURN(const LoadedGarment source, load_garment(run, request.garment, input, wearer));
  ASSIGN_OR_RETURN(std::vector<Worn> beneath, worn_beneath(request, input));
  clock.enter("assemble");
  ArrangeReport arranged;
  ASSIGN_OR_RETURN(const CutCloth cut,
                   cut_cloth(run, request, input, source, wearer, clothed(person, beneath), &arranged));
  const GarmentMesh& garment = cut.garment;
  note_waist(source, person, fabric, &arranged);
  run.reserve = std::max(run.reserve, time_to_hand_over(garment, beneath));
  clock.enter("drape");
  const auto collider = make_collider(settings, person);
  SettleOptions options = settle_options(settings);
  options.before_step = input.before_step;
  Showing showing(run, garment, fabric, settings);
  showing.listen(&options);
  std::string replay;
  options.on_fault = [&replay](std::string bundle) { replay = std::move(bundle); };
  auto outcome = !beneath.empty()   ? dress_over(run, garment, fabric, *collider, options, std::move(beneath))
                 : cut.lies.empty() ? sew_and_settle(run, garment, fabric, *collider, options)
                                    : settle_from(run, garment, fabric, *collider, options, cut.lies);
  if (!outcome.ok()) return with_replay(outcome.status(), replay);
  const Settled settled = *std::move(outcome);
  for (Finding& finding : limb_findings(garment, settled.cloth))
    arranged.findings.push_back(std::move(finding));
  clock.enter("export");
  PipelineResult result;
  ASSIGN_OR_RETURN(result.artifacts, deliver_drape(run, {person, garment, settled, fabric, settings}));
  result.artifacts.merge(std::move(showing).frames());
  clock.enter("measure");
  run.report("measure", 0.0);
  const FitReport fit = measure_fit(run, person, garment, settled, fabric);
  const DrapeFacts facts{person, garment, arranged, settled, settings, fit, digest(request)};
  result.summary_json = metrics_json(run, facts, &clock);
  result.artifacts["metrics.json"] = json_artifact(result.summary_json);
  result.artifacts["report.html"] =
      report_artifact(run, {facts, source.made.pattern, fabric, result.artifacts, result.summary_json, ""});
  result.artifacts[kWornName] = {worn_file(request, source.made.pattern.name, cut, settled),
                                 "application/octet-stream"};
  result.settled = settled.report.grade != "none" || settled.report.termination == "blown";
  return result;
}

}  // namespace tryon
