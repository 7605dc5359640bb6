// What it is: what report.html shows, as one JSON text: packed meshes, heat maps, wind frames, cuts, the pattern's
// drawing, the metrics. Units and frame: metres, +Y up, body facing +Z; cuts in mm seen from above; fields in their
// shown unit. Packing: base64 of little-endian arrays; places are 16-bit steps of the mesh's box (0.03 mm on a person).
// How it fails: it does not. Thread rules: as RunContext. Time spent is left out: equal drapes give equal bytes.
#pragma once

#include <string>
#include <vector>

#include "server/drape/measure.h"
#include "server/drape/pipeline.h"
#include "server/garment/pattern.h"

namespace tryon {

struct ReportSource {
  const DrapeFacts& facts;
  const Pattern& pattern;
  const Fabric& fabric;
  const Artifacts& pictures;  // preview_front.png and preview_back.png stand in where there is no WebGL
  const std::string& metrics_json;
  std::string size_advice_json;  // tryon.size_advice.v1, or empty
};

std::string report_data_json(const RunContext& run, const ReportSource& source);

}  // namespace tryon
