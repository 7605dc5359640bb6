// What it is: the fit of a drape from its stored summary (metrics.json) to the API. Units: as the field names say.
// How it fails: what is absent, or of another type, stays unset. Thread rules: pure functions.
#pragma once

#include <string_view>

#include "nlohmann/json.hpp"
#include "server/jobs/task.h"
#include "tryon/v1/drape.pb.h"

namespace tryon {

v1::FitMetrics to_fit_metrics(const nlohmann::json& metrics);
v1::ZoneFit to_zone_fit(const nlohmann::json& zone);
v1::FitVerdict to_verdict(std::string_view word);
v1::SizeAdvice to_size_advice(const TaskRecord& task);  // of a task of kind "advice"

}  // namespace tryon
