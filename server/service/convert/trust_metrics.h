// What it is: whether to trust a drape, from its stored summary (metrics.json) to the API. Units: as the field names
// say. How it fails: what is absent, or of another type, stays unset. Thread rules: pure function.
#pragma once

#include "nlohmann/json.hpp"
#include "tryon/v1/drape.pb.h"

namespace tryon {

void add_trust_metrics(const nlohmann::json& metrics, v1::DrapeMetrics* out);

}  // namespace tryon
