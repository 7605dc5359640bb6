#include "server/service/convert/garments.h"

#include "server/drape/grown_garment.h"
#include "server/service/convert/summary.h"

namespace tryon {
namespace {

using Json = nlohmann::json;

const Json& list_of(const Json& json, const char* key) {
  static const Json kNone = Json::array();
  const auto found = json.find(key);
  return found != json.end() && found->is_array() ? *found : kNone;
}

v1::PatternFinding::Severity severity_of(const std::string& word) {
  if (word == "error") return v1::PatternFinding::SEVERITY_ERROR;
  return word == "warning" ? v1::PatternFinding::SEVERITY_WARNING : v1::PatternFinding::SEVERITY_NOTE;
}

void set_finding(const Json& json, v1::PatternFinding* out) {
  out->set_severity(severity_of(word(json, "/severity")));
  out->set_code(word(json, "/code"));
  out->set_panel(word(json, "/panel"));
  out->set_edge(static_cast<int>(number(json, "/edge")));
  out->set_message(word(json, "/message"));
  out->set_remedy(word(json, "/remedy"));
  out->set_mended(truth(json, "/mended"));
}

void set_range(const Json& json, v1::SeamSuggestion::Range* out) {
  out->set_panel(word(json, "/panel"));
  out->set_edge(static_cast<int>(number(json, "/edge")));
  out->set_from(number(json, "/from"));
  out->set_to(number(json, "/to"));
}

void set_suggestion(const Json& json, v1::SeamSuggestion* out) {
  for (const Json& range : list_of(json, "a")) set_range(range, out->add_a());
  for (const Json& range : list_of(json, "b")) set_range(range, out->add_b());
  out->set_confidence(number(json, "/confidence"));
  out->set_reason(word(json, "/reason"));
}

void set_panel(const Json& json, v1::GarmentPanel* out) {
  out->set_name(word(json, "/name"));
  out->set_role(word(json, "/role"));
  out->set_area_m2(number(json, "/area_m2"));
  out->set_perimeter_mm(number(json, "/perimeter_mm"));
  out->set_edge_count(static_cast<int>(number(json, "/edges")));
}

}  // namespace

v1::Garment to_listed_garment(const TaskRecord& task) {
  v1::Garment out;
  out.set_name(target_name(task));
  out.set_state(to_state(task.state));
  set_create_time(task, out.mutable_create_time());
  const Json json = summary_of(task);
  out.set_panel_count(static_cast<int>(list_of(json, "panels").size()));
  out.set_seam_count(static_cast<int>(list_of(json, "seams").size()));
  out.set_title(word(json, "/name"));
  out.set_format(word(json, "/format"));
  out.set_size(word(json, "/size"));
  out.set_area_m2(number(json, "/area_m2"));
  return out;
}

v1::Garment to_garment(const TaskRecord& task) {
  v1::Garment out = to_listed_garment(task);
  add_artifacts(task, &out);
  const Json json = summary_of(task);
  for (const Json& panel : list_of(json, "panels")) set_panel(panel, out.add_panels());
  for (const Json& finding : list_of(json, "findings")) set_finding(finding, out.add_findings());
  for (const Json& seams : list_of(json, "suggested_seams")) set_suggestion(seams, out.add_suggested_seams());
  add_words(json, "/sizes", [&](const std::string& size) { out.add_sizes(size); });
  return out;
}

v1::ListTemplatesResponse listed_templates() {
  v1::ListTemplatesResponse out;
  std::vector<TemplateInfo> infos = list_templates();
  infos.push_back(offset_garment_info());
  for (const TemplateInfo& info : infos) {
    v1::GarmentTemplate* to = out.add_templates();
    to->set_name(info.name);
    to->set_description(info.description);
    for (const std::string& size : size_names()) to->add_sizes(size);
    for (const TemplateParameter& parameter : info.parameters) {
      v1::TemplateParameter* p = to->add_parameters();
      p->set_name(parameter.name);
      p->set_description(parameter.description);
      p->set_unit(parameter.unit);
      p->set_min(parameter.low), p->set_max(parameter.high), p->set_default_value(parameter.preset);
    }
  }
  return out;
}

}  // namespace tryon
