// What it is: a whole drape in the test's own process on so many threads. How it fails: as run_drape(). Thread rules:
// plain function.
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

}  // namespace tryon::testing
