#include "server/garment/template.h"

#include "server/base/status.h"
#include "server/base/text.h"
#include "server/garment/templates/entry.h"

namespace tryon {
namespace {

using Entry = TemplateEntry;

const std::vector<Entry>& entries() {
  static const std::vector<Entry> all = {t_shirt_template(),      tank_top_template(),       shirt_template(),
                                         hoodie_template(),       straight_skirt_template(), a_line_skirt_template(),
                                         circle_skirt_template(), pleated_skirt_template(),  fitted_dress_template(),
                                         trousers_template(),     leggings_template()};
  return all;
}

absl::StatusOr<const Entry*> find(std::string_view name) {
  std::string known;
  for (const Entry& entry : entries()) {
    if (entry.info.name == name) return &entry;
    known += cat(known.empty() ? "" : ", ", entry.info.name);
  }
  return invalid_input("TEMPLATE_UNKNOWN", "garment.template", cat("there is no template \"", name.substr(0, 64), "\""),
                       cat("The templates are: ", known, "."));
}

}  // namespace

absl::StatusOr<TemplateValues> complete_values(const TemplateInfo& info, const TemplateValues& given) {
  TemplateValues values;
  std::string known;
  for (const TemplateParameter& p : info.parameters) {
    values[p.name] = p.preset;
    known += cat(known.empty() ? "" : ", ", p.name);
  }
  for (const auto& [name, value] : given) {
    const auto it = values.find(name);
    if (it == values.end()) {
      return invalid_input("PARAMETER_UNKNOWN", cat("garment.parameters.", name.substr(0, 64)),
                           cat(info.name, " has no parameter \"", name.substr(0, 64), "\""),
                           cat("Its parameters are: ", known, "."));
    }
    it->second = value;
  }
  for (const TemplateParameter& p : info.parameters) {
    if (values[p.name] >= p.low && values[p.name] <= p.high) continue;  // also refuses what is no number
    return invalid_input("PARAMETER_RANGE", cat("garment.parameters.", p.name),
                         cat(p.name, " is ", values[p.name], " ", p.unit, ", outside ", p.low, " .. ", p.high),
                         cat("Give ", p.name, " from ", p.low, " to ", p.high, " ", p.unit, "."));
  }
  return values;
}

absl::StatusOr<std::string> template_of_sample(std::string_view sample) {
  if (sample == "tshirt") return "t_shirt";
  if (sample == "skirt") return "a_line_skirt";
  if (sample == "trousers") return "trousers";
  return invalid_input("SAMPLE_UNKNOWN", "garment.sample",
                       cat("there is no sample garment \"", sample.substr(0, 64), "\""),
                       "The samples are: skirt, trousers, tshirt.");
}

const std::vector<TemplateInfo>& list_templates() {
  static const std::vector<TemplateInfo> infos = [] {
    std::vector<TemplateInfo> list;
    for (const Entry& entry : entries()) list.push_back(entry.info);
    return list;
  }();
  return infos;
}

absl::StatusOr<Pattern> draft_template(std::string_view name, const DraftMeasurements& measurements,
                                       const TemplateValues& values) {
  ASSIGN_OR_RETURN(const Entry* entry, find(name));
  RETURN_IF_ERROR(validate(measurements));
  ASSIGN_OR_RETURN(const TemplateValues all, complete_values(entry->info, values));
  Pattern pattern = entry->draw({measurements, all});
  pattern.name = entry->info.name;
  RETURN_IF_ERROR(validate(pattern));
  return pattern;
}

absl::StatusOr<Pattern> draft_template_graded(std::string_view name, Figure figure, std::string_view size,
                                              const TemplateValues& values) {
  ASSIGN_OR_RETURN(const DraftMeasurements base, size_measurements(figure, size));
  ASSIGN_OR_RETURN(Pattern pattern, draft_template(name, base, values));
  pattern.size = std::string(size);
  for (const std::string& other : size_names()) {
    if (other == size) continue;
    ASSIGN_OR_RETURN(const DraftMeasurements measured, size_measurements(figure, other));
    ASSIGN_OR_RETURN(const Pattern drafted, draft_template(name, measured, values));
    SizeVariant variant;
    variant.name = other;
    for (const Panel& panel : drafted.panels) {
      PanelShape shape;
      shape.vertices = panel.vertices;
      for (const PanelEdge& edge : panel.edges) shape.curves.push_back(edge.curve);
      variant.panels.push_back(std::move(shape));
    }
    pattern.sizes.push_back(std::move(variant));
  }
  return pattern;
}

}  // namespace tryon
