#include "server/garment/template.h"

#include <cmath>
#include <functional>

#include "server/base/status.h"
#include "server/base/text.h"
#include "server/garment/template_parts.h"

namespace tryon {
namespace {

using Draw = std::function<Pattern(const TemplateInput&)>;
struct Entry {
  TemplateInfo info;
  Draw draw;
};
using Parameters = std::vector<TemplateParameter>;

Parameters top_parameters(double ease, double length, double neck_depth, double drop) {
  return {{"length", "mm", "from the neck to the hem", 350, 1200, length},
          {"ease", "mm", "added to the bust girth", 0, 400, ease},
          {"neck_depth", "mm", "how far the front neckline lies below the neck", 0, 180, neck_depth},
          {"neck_width", "mm", "how far the neckline lies beside the neck", 0, 80, 8},
          {"shoulder_drop", "mm", "how far the shoulder runs past its tip", -60, 60, drop}};
}

Parameters with(Parameters list, const Parameters& more) {
  list.insert(list.end(), more.begin(), more.end());
  return list;
}

Parameters sleeve_parameters(double length, double ease) {
  return {{"sleeve_length", "mm", "from the shoulder tip to the hem", 120, 720, length},
          {"sleeve_ease", "mm", "added to the upper arm's girth", 30, 240, ease}};
}

Parameters skirt_parameters(double length, double ease, double flare) {
  return {{"length", "mm", "from the waistband to the hem", 250, 1000, length},
          {"ease", "mm", "added to the hip girth", 0, 200, ease},
          {"flare", "mm", "added to the whole hem", 0, 1600, flare}};
}

Parameters leg_parameters(double length, double ease, double drop, double least_ease) {
  return {{"length", "mm", "from the crotch to the hem", 60, 820, length},
          {"ease", "mm", "added to the hip girth", least_ease, 240, ease},
          {"crotch_drop", "mm", "how far the crotch lies below the body's", 0, 80, drop}};
}

std::vector<Entry> upper_entries() {
  return {{{"t_shirt", "T-shirt with set-in short sleeves",
            with(top_parameters(90, 680, 30, 0), sleeve_parameters(230, 80))},
           draft_tee},
          {{"tank_top", "sleeveless top", top_parameters(50, 640, 60, -30)}, draft_tank_top},
          {{"shirt", "buttoned shirt with set-in long sleeves and a stand collar",
            with(with(top_parameters(120, 760, 12, 4), sleeve_parameters(580, 95)),
                 {{"collar_height", "mm", "of the stand", 20, 70, 35}})},
           draft_shirt},
          {{"hoodie", "pullover with long sleeves and a hood of two pieces",
            with(with(top_parameters(180, 680, 25, 15), sleeve_parameters(600, 130)),
                 {{"hood_height", "mm", "from the neckline to the crown", 280, 480, 360},
                  {"hood_depth", "mm", "from the face to behind the head", 200, 380, 270}})},
           draft_hoodie}};
}

std::vector<Entry> lower_entries() {
  return {{{"straight_skirt", "skirt of two pieces that falls straight from the hip", skirt_parameters(560, 40, 0)},
           draft_skirt_of_two},
          {{"a_line_skirt", "skirt of two pieces that widens to the hem", skirt_parameters(560, 30, 360)},
           draft_skirt_of_two},
          {{"circle_skirt",
            "skirt cut as a circle or a part of one",
            {{"length", "mm", "from the waistband to the hem", 250, 900, 520},
             {"circle", "share", "1: a whole circle; 0.5: half of one", 0.4, 1.0, 1.0}}},
           draft_circle_skirt},
          {{"pleated_skirt",
            "skirt of two pieces with pleats caught in the waistband",
            {{"length", "mm", "from the waistband to the hem", 250, 900, 520},
             {"pleats", "count", "of the front, and of the back", 2, 16, 8},
             {"pleat_depth", "mm", "of one fold", 15, 60, 30}}},
           draft_pleated_skirt},
          {{"fitted_dress",
            "sleeveless dress with waist darts above and below a waist seam",
            {{"ease", "mm", "added to bust, waist and hip", 20, 160, 50},
             {"skirt_length", "mm", "from the waist to the hem", 350, 1000, 560},
             {"flare", "mm", "added to the whole hem", 0, 1200, 120},
             {"neck_depth", "mm", "how far the front neckline lies below the neck", 0, 160, 40},
             {"neck_width", "mm", "how far the neckline lies beside the neck", 0, 80, 20}}},
           draft_fitted_dress},
          {{"trousers", "trousers with a waistband",
            with(leg_parameters(740, 40, 20, 10), {{"knee_width", "mm", "round the leg at the knee", 360, 700, 480},
                                                   {"hem_width", "mm", "round the leg at the hem", 300, 800, 440}})},
           draft_trousers_of_four},
          {{"leggings", "close leggings for stretch cloth", leg_parameters(700, -30, 5, -120)}, draft_leggings}};
}

const std::vector<Entry>& entries() {
  static const std::vector<Entry> all = [] {
    std::vector<Entry> list = upper_entries();
    for (Entry& entry : lower_entries()) list.push_back(std::move(entry));
    return list;
  }();
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

absl::StatusOr<TemplateValues> complete(const TemplateInfo& info, const TemplateValues& given) {
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

}  // namespace

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
  ASSIGN_OR_RETURN(const TemplateValues all, complete(entry->info, values));
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
