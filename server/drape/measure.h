// What it is: the numbers of a finished drape as tryon.metrics.v1, of a body as tryon.body.v1, of a garment.
// Units: as the key says; a figure that was not computed is absent, never 0. Shapes: see the contracts.
// How it fails: it does not. Thread rules: as RunContext.
#pragma once

#include <string>

#include "server/base/run_context.h"
#include "server/base/stage_clock.h"
#include "server/drape/assemble.h"
#include "server/drape/measure_fit.h"
#include "server/drape/settle.h"

namespace tryon {

struct DrapeFacts {
  const FittedPerson& person;
  const GarmentMesh& garment;
  const ArrangeReport& arranged;
  const Settled& settled;
  const DrapeSettings& settings;
  const FitReport& fit;
  std::string request_digest;
};

std::string metrics_json(const RunContext& run, const DrapeFacts& facts, StageClock* clock);
std::string body_json(const FittedPerson& person);
std::string body_summary_json(const FittedPerson& person);  // without solids and curves

}  // namespace tryon
