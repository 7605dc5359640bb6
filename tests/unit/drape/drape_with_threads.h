// What it is: whole drapes in the test's own process: of templates on the sample body at 40 mm, on so many threads, and
// such as take up what another has left (over it, or starting from it). How it fails: as run_drape(). Thread rules:
// plain functions.
#pragma once

#include "server/base/executor.h"
#include "server/drape/pipeline.h"

namespace tryon::testing {

inline absl::StatusOr<PipelineResult> drape_with_threads(const DrapeRequest& request, int threads,
                                                         const PipelineInput& input = {}) {
  Executor executor(threads);
  RunContext run;
  run.executor = &executor;
  return run_drape(run, request, input);
}

inline DrapeRequest template_drape(const char* garment, const char* size, const char* fabric = "cotton_jersey") {
  DrapeRequest request;
  request.body.sample = true;
  request.garment.draft.emplace().name = garment;
  request.garment.draft->size = size;
  request.settings.resolution_mm = 40;
  request.settings.fabric = fabric;
  return request;
}

// `link` and `file`: &DrapeRequest::over and &PipelineInput::worn, or starts_from and start.
inline absl::StatusOr<PipelineResult> drape_linked(std::string DrapeRequest::*link, std::string PipelineInput::*file,
                                                   DrapeRequest request, const PipelineResult& to, int threads) {
  PipelineInput input;
  input.*file = to.artifacts.at(kWornName).bytes;
  request.*link = std::string(64, 'a');  // its digest is the service's business
  return drape_with_threads(request, threads, input);
}

}  // namespace tryon::testing
