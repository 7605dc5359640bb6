// What it is: what a template is made of: its description with parameters, and its draft. One .cc beside this header
// per garment; list_templates() keeps their order. A draft gets all its values, present and in range.
// Units: measurements in mm, values in their stated units, patterns in metres. How it fails: never.
// Thread rules: pure functions.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "server/base/units.h"
#include "server/garment/draft.h"
#include "server/garment/draft_panel.h"
#include "server/garment/template.h"

namespace tryon {

struct TemplateInput {
  const DraftMeasurements& body;
  const std::map<std::string, double>& values;
  double m(const std::string& name) const { return from_mm(values.at(name)); }  // a length, in metres
  double value(const std::string& name) const { return values.at(name); }
};

struct TemplateEntry {
  TemplateInfo info;
  std::function<Pattern(const TemplateInput&)> draw;
};

using TemplateParameters = std::vector<TemplateParameter>;
TemplateParameters operator+(TemplateParameters list, const TemplateParameters& more);
// The draft's pattern: no placement (roles say where pieces go), grain upright.
Pattern finished(PatternDraft* draft);

TemplateEntry t_shirt_template();
TemplateEntry tank_top_template();
TemplateEntry shirt_template();
TemplateEntry hoodie_template();
TemplateEntry straight_skirt_template();
TemplateEntry a_line_skirt_template();
TemplateEntry circle_skirt_template();
TemplateEntry pleated_skirt_template();
TemplateEntry fitted_dress_template();
TemplateEntry trousers_template();
TemplateEntry leggings_template();

}  // namespace tryon
