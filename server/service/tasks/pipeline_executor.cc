// The only file here that calls the physics.
#include <utility>

#include "server/base/status.h"
#include "server/base/text.h"
#include "server/drape/fabric_request.h"
#include "server/drape/pipeline.h"
#include "server/drape/request.h"
#include "server/drape/size_advice.h"
#include "server/service/tasks/runner.h"

namespace tryon {
namespace {

absl::StatusOr<std::string> fetch(const BlobReader& read, const std::string& digest, std::string_view field) {
  if (digest.empty()) return std::string();  // one of the project's own samples
  auto bytes = read(digest);
  if (!bytes.ok()) return prefix_field(bytes.status(), cat(field, "."));
  return bytes;
}

absl::StatusOr<PipelineResult> do_body(const RunContext& run, const std::string& spec, const BlobReader& read,
                                       PipelineInput input) {
  ASSIGN_OR_RETURN(const BodyRequest request, body_request_from_json(spec));
  ASSIGN_OR_RETURN(input.body_bytes, fetch(read, request.blob, "body"));
  return run_body(run, request, input);
}

absl::Status fetch_garment(const BlobReader& read, const GarmentRequest& request, PipelineInput* input) {
  ASSIGN_OR_RETURN(input->garment_bytes, fetch(read, request.blob, "garment"));
  ASSIGN_OR_RETURN(input->seams_bytes, fetch(read, request.seams_blob, "garment"));
  ASSIGN_OR_RETURN(input->grading_bytes, fetch(read, request.grading_blob, "garment"));
  if (!request.draft || request.draft->body.empty()) return absl::OkStatus();
  auto body = read.output(request.draft->body, kStoredBodyName);
  if (!body.ok()) return prefix_field(body.status(), "garment.");
  input->tailored_body = *std::move(body);
  return absl::OkStatus();
}

absl::StatusOr<PipelineResult> do_garment(const RunContext& run, const std::string& spec, const BlobReader& read,
                                          PipelineInput input) {
  ASSIGN_OR_RETURN(const GarmentRequest request, garment_request_from_json(spec));
  RETURN_IF_ERROR(fetch_garment(read, request, &input));
  return run_garment(run, request, input);
}

// The stored body; where it is not made yet, the scan: and where that has just gone, it is made by now.
absl::Status fetch_body(const BlobReader& read, const BodyRequest& request, PipelineInput* input) {
  const std::string body = read.id_of(digest(request));
  for (int look = 0; look < 2; ++look) {
    auto stored = read.output(body, kStoredBodyName);
    if (stored.ok()) input->stored_body = *std::move(stored);
    if (stored.ok() || !absl::IsNotFound(stored.status())) return stored.status();
    auto scan = fetch(read, request.blob, "body");
    if (scan.ok()) input->body_bytes = *std::move(scan);
    if (scan.ok() || !absl::IsNotFound(scan.status()) || look > 0) return scan.status();
  }
  return absl::OkStatus();
}

absl::StatusOr<PipelineResult> do_drape(const RunContext& run, const std::string& spec, const BlobReader& read,
                                        PipelineInput input) {
  ASSIGN_OR_RETURN(const DrapeRequest request, drape_request_from_json(spec));
  RETURN_IF_ERROR(validate(request.settings));
  RETURN_IF_ERROR(fetch_body(read, request.body, &input));
  RETURN_IF_ERROR(fetch_garment(read, request.garment, &input));
  ASSIGN_OR_RETURN(input.worn, fetch(read, request.over, "over"));
  ASSIGN_OR_RETURN(input.start, fetch(read, request.starts_from, "starts_from"));
  Executor executor(request.settings.threads);
  RunContext parallel = run;
  parallel.executor = &executor;
  return run_drape(parallel, request, input);
}

absl::StatusOr<PipelineResult> do_fabric(const std::string& spec, const BlobReader& read) {
  ASSIGN_OR_RETURN(const FabricRequest request, fabric_request_from_json(spec));
  ASSIGN_OR_RETURN(const std::string bytes, fetch(read, request.blob, "fabric"));
  return run_fabric(request, bytes);
}

absl::StatusOr<PipelineResult> do_advice(const RunContext& run, const std::string& spec, const BlobReader& read,
                                         PipelineInput input) {
  ASSIGN_OR_RETURN(const AdviceRequest request, advice_request_from_json(spec));
  RETURN_IF_ERROR(fetch_body(read, request.drape.body, &input));
  RETURN_IF_ERROR(fetch_garment(read, request.drape.garment, &input));
  Executor executor(request.drape.settings.threads);
  RunContext parallel = run;
  parallel.executor = &executor;
  return run_advice(parallel, request, input);
}

}  // namespace

TaskExecutor pipeline_executor(const std::string& meshparse_path) {
  PipelineInput input;
  if (!meshparse_path.empty()) input.meshparse_path = meshparse_path;
  return pipeline_executor(std::move(input));
}

TaskExecutor pipeline_executor(PipelineInput input) {
  return [input = std::move(input)](const RunContext& run, const std::string& kind, const std::string& spec,
                                    const BlobReader& read) -> absl::StatusOr<PipelineResult> {
    if (kind == "body") return do_body(run, spec, read, input);
    if (kind == "garment" || kind == "check") return do_garment(run, spec, read, input);
    if (kind == "drape") return do_drape(run, spec, read, input);
    if (kind == "fabric" || kind == "fabric_check") return do_fabric(spec, read);
    if (kind == "advice") return do_advice(run, spec, read, input);
    return invalid_input("TASK_KIND_UNKNOWN", "kind", cat("this worker cannot do '", kind, "'"),
                         "Run workers of the same version as the server.");
  };
}

TaskRunner::TaskRunner(JobStore* jobs, BlobStore* blobs, RunnerOptions options,
                       std::function<void(const TaskEventLog&)> on_task)
    : TaskRunner(jobs, blobs, options, pipeline_executor(options.meshparse_path), std::move(on_task)) {}

}  // namespace tryon
