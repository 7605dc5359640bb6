// What it is: garments drafted by this project's own code for one body or graded XS to XXL: what there is, what can be
// chosen, and the drafts. What each construction takes from whom stands in templates/NAME.cc and the *_parts.h there.
// Units: parameters in the unit that they state (mm, deg, count), measurements in mm, patterns in metres. Pieces carry
// roles and no placement. How it fails: TEMPLATE_UNKNOWN, PARAMETER_UNKNOWN, PARAMETER_RANGE name what is wrong and
// what is allowed; MEASUREMENT_IMPOSSIBLE as draft.h. Thread rules: pure functions.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "server/garment/draft.h"
#include "server/garment/pattern.h"
#include "server/garment/size_table.h"

namespace tryon {

struct TemplateParameter {
  std::string name, unit, description;
  double low = 0.0, high = 0.0, preset = 0.0;
};
struct TemplateInfo {
  std::string name, description;
  std::vector<TemplateParameter> parameters;
};
using TemplateValues = std::map<std::string, double>;  // parameter name -> value; what is left out has its preset

const std::vector<TemplateInfo>& list_templates();
// All parameters, those not given with their presets.
absl::StatusOr<TemplateValues> complete_values(const TemplateInfo& info, const TemplateValues& given);
// The short names of three of them: "tshirt", "skirt" (A-line), "trousers". SAMPLE_UNKNOWN names them.
absl::StatusOr<std::string> template_of_sample(std::string_view sample);
// Made to measure.
absl::StatusOr<Pattern> draft_template(std::string_view name, const DraftMeasurements& measurements,
                                       const TemplateValues& values = {});
// In `size`, with the other sizes as variants of the same topology.
absl::StatusOr<Pattern> draft_template_graded(std::string_view name, Figure figure, std::string_view size,
                                              const TemplateValues& values = {});

}  // namespace tryon
