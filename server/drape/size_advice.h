// What it is: which of a garment's sizes fits a body best: all of them draped on it one after the other on one mesh,
// each beginning where its neighbour lies, then ranked by how far each zone is from what the garment means to be there.
// Units: mm and ratios as the names say; metres inside FitReport. How it fails: SIZES_MISSING for a garment of one
// size, SIZE_UNKNOWN, and as run_drape(). Deterministic: the same request, the same bytes, but no clock is in them.
// Thread rules: as RunContext. Method and study: size_advice.md.
//
// size_advice.json:
//   schema "tryon.size_advice.v1"; engine {version, request_digest}; garment, fabric, body {height_m, measurements}
//   advised NAME; confidence 0 .. 1; runner_up NAME (absent with one size); says [sentences]
//   intended {source "chart"|"regular", ease_mm {zone: mm}}: the ease that the garment is drafted with, where known
//   tolerance {ZONE: {scan_mm, cloth_mm}}: standard deviations behind the confidence
//   chart {size, by, agrees, why}: of the published size chart, where the garment is drafted to one
//   sizes [best first: {size, rank, misfit, grade, carried (started from another size's drape), falls_off, says
//   [sentences],
//          zones [{zone, verdict, because, weight, cost, body_mm, rest_ease_mm, intended_ease_mm, difference_mm,
//                  strain_of_limit, pressure_mean_pa}]}]
//   comparison {columns [sizes in grading order], rows [{zone, quantity, unit, values [number or null]}]}:
//          quantity rest_ease, pressure_mean, strain_of_limit, verdict (values are words)
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "server/drape/measure_fit.h"
#include "server/drape/pipeline.h"
#include "server/drape/request.h"
#include "server/garment/draft.h"

namespace tryon {

struct AdviceRequest {
  DrapeRequest drape;              // the garment's own size does not matter
  std::vector<std::string> sizes;  // empty: all that the garment has
};
std::string to_json(const AdviceRequest& request);
absl::StatusOr<AdviceRequest> advice_request_from_json(std::string_view json);
std::string digest(const AdviceRequest& request);

// size_advice.json, and sizes.png: all sizes on the body, side by side
absl::StatusOr<PipelineResult> run_advice(const RunContext& run, const AdviceRequest& request,
                                          const PipelineInput& input);

// One size as it lies on the body.
struct TriedSize {
  std::string size;
  FitReport fit;
  std::string grade;
  bool carried = false;
  std::optional<DraftMeasurements> chart;  // the figure that the size is drafted for
};

struct ZoneTrial {
  std::string zone, because;
  Verdict verdict = Verdict::kRegular;
  double weight = 0.0, cost = 0.0;
  double body_mm = 0.0, rest_ease_mm = 0.0, intended_ease_mm = 0.0;
  double unit_mm = 0.0;  // a difference of this much costs 1
  double strain_of_limit = 0.0, pressure_mean_pa = 0.0;
  double difference_mm() const { return rest_ease_mm - intended_ease_mm; }
};

struct SizeTrial {
  std::string size, grade;
  bool carried = false;
  double misfit = 0.0;
  double fall_cost = 0.0;  // in the misfit: nothing of it lies where it is meant to, or its upper edge is below the hip
  std::vector<ZoneTrial> zones;
  std::vector<std::string> says;
  bool falls_off() const { return fall_cost > 0.0; }
};

struct ZoneTolerance {
  double scan_mm = 0.0, cloth_mm = 0.0;  // standard deviations
};

struct ChartSize {
  std::string size, by, why;
  bool agrees = false;
};

struct SizeAdvice {
  std::vector<SizeTrial> sizes;  // best first
  double confidence = 0.0;
  bool from_chart = false;  // where the intended ease comes from
  std::map<std::string, double> intended_mm;
  std::map<std::string, ZoneTolerance> tolerance;
  std::optional<ChartSize> chart;
  std::vector<std::string> says;
};

// The ranking alone: a pure function of what was measured.
SizeAdvice rank_sizes(const FittedPerson& person, const Fabric& fabric, const std::vector<TriedSize>& tried);
std::string advice_json(const AdviceRequest& request, const FittedPerson& person, const std::vector<TriedSize>& tried,
                        const SizeAdvice& advice);

}  // namespace tryon
