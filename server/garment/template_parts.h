// What it is: the drafts behind template.h, one function a garment; all values are present and in range.
// Units: measurements in mm, values in their stated units, patterns in metres. How it fails: never.
// Thread rules: pure functions.
#pragma once

#include <map>
#include <string>

#include "server/base/units.h"
#include "server/garment/draft.h"
#include "server/garment/draft_panel.h"

namespace tryon {

struct TemplateInput {
  const DraftMeasurements& body;
  const std::map<std::string, double>& values;
  double m(const std::string& name) const { return from_mm(values.at(name)); }  // a length, in metres
  double value(const std::string& name) const { return values.at(name); }
};

Pattern draft_tank_top(const TemplateInput& in);
Pattern draft_tee(const TemplateInput& in);
Pattern draft_shirt(const TemplateInput& in);
Pattern draft_hoodie(const TemplateInput& in);
Pattern draft_skirt_of_two(const TemplateInput& in);  // straight and A-line, by their flare
Pattern draft_circle_skirt(const TemplateInput& in);
Pattern draft_pleated_skirt(const TemplateInput& in);
Pattern draft_fitted_dress(const TemplateInput& in);
Pattern draft_trousers_of_four(const TemplateInput& in);
Pattern draft_leggings(const TemplateInput& in);

}  // namespace tryon
