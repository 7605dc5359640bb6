#include "client/cli/garment_commands.h"

#include <cstdio>
#include <filesystem>

#include "client/cli/commands.h"
#include "client/cli/files.h"
#include "nlohmann/json.hpp"
#include "server/base/status.h"
#include "server/base/text.h"

namespace tryon::cli {
namespace {

using Json = nlohmann::json;

bool starts_with(const std::string& text, std::string_view prefix) { return text.rfind(prefix, 0) == 0; }

absl::StatusOr<v1::TemplateSource> template_order(const Options& o, const std::string& name) {
  v1::TemplateSource out;
  out.set_template_(name);
  if (!o.size.empty()) out.set_size(o.size);
  if (!o.figure.empty()) out.set_figure(o.figure == "male" ? v1::FIGURE_MALE : v1::FIGURE_FEMALE);
  for (const std::string& text : o.parameters) {
    ASSIGN_OR_RETURN(const NamedNumber parameter, named_number(text, "--set", "`tryon templates`"));
    (*out.mutable_parameters())[parameter.name] = parameter.value;
  }
  return out;
}

absl::Status add_file(const Options& o, const std::string& path, client::Client* client, v1::GarmentSource* source) {
  ASSIGN_OR_RETURN(const std::string bytes, read_file(path));
  ASSIGN_OR_RETURN(*source->mutable_pattern_sha256(), client->upload(bytes));
  source->set_file_name(std::filesystem::path(path).filename().string());
  source->set_size(o.size);
  if (!o.pattern_unit.empty()) source->set_metres_per_unit(metres_of(o.pattern_unit));
  if (!o.seams.empty()) {
    ASSIGN_OR_RETURN(const std::string seams, read_file(o.seams));
    ASSIGN_OR_RETURN(*source->mutable_seams_sha256(), client->upload(seams));
  }
  if (o.grading.empty()) return absl::OkStatus();
  ASSIGN_OR_RETURN(const std::string grading, read_file(o.grading));
  ASSIGN_OR_RETURN(*source->mutable_grading_sha256(), client->upload(grading));
  return absl::OkStatus();
}

const char* severity_word(v1::PatternFinding::Severity severity) {
  return severity == v1::PatternFinding::SEVERITY_ERROR     ? "error"
         : severity == v1::PatternFinding::SEVERITY_WARNING ? "warning"
                                                            : "note";
}

std::string chain_text(const google::protobuf::RepeatedPtrField<v1::SeamSuggestion::Range>& chain) {
  std::string out;
  for (const auto& range : chain) {
    out += cat(out.empty() ? "" : " + ", range.panel(), "[", range.edge(), "]");
    const bool whole = std::min(range.from(), range.to()) == 0.0 && std::max(range.from(), range.to()) == 1.0;
    if (!whole) out += cat(" ", range.from(), "..", range.to());
  }
  return out;
}

void print_garment(const v1::Garment& garment) {
  std::printf("%s: %s, %d panels, %d seams, %.3f m2\n", garment.title().c_str(), garment.format().c_str(),
              garment.panel_count(), garment.seam_count(), garment.area_m2());
  for (const v1::PatternFinding& finding : garment.findings()) {
    std::printf("  %s: %s%s\n", severity_word(finding.severity()), finding.message().c_str(),
                finding.mended() ? " (mended)" : "");
    if (!finding.remedy().empty()) std::printf("    remedy: %s\n", finding.remedy().c_str());
  }
  for (const v1::SeamSuggestion& seam : garment.suggested_seams()) {
    std::printf("  %3.0f %%  %s  to  %s   (%s)\n", 100.0 * seam.confidence(), chain_text(seam.a()).c_str(),
                chain_text(seam.b()).c_str(), seam.reason().c_str());
  }
}

bool any_error(const v1::Garment& garment) {
  for (const v1::PatternFinding& finding : garment.findings()) {
    if (finding.severity() == v1::PatternFinding::SEVERITY_ERROR) return true;
  }
  return false;
}

int show_garment(const Options& o, const v1::Garment& garment, client::Client* client) {
  if (!o.out.empty()) {
    const absl::Status saved = save_all(client, garment.artifacts(), o.out);
    if (!saved.ok()) return report_error(saved, o.json);
  }
  o.json ? print_json(garment) : print_garment(garment);
  return any_error(garment) ? kBadInput : kOk;
}

}  // namespace

absl::StatusOr<v1::CreateGarmentRequest> garment_order(const Options& o, const std::string& garment,
                                                       client::Client* client) {
  v1::CreateGarmentRequest request;
  if (starts_with(garment, "template:")) {
    ASSIGN_OR_RETURN(*request.mutable_source()->mutable_template_(), template_order(o, garment.substr(9)));
    return request;
  }
  if (garment == "sample" || starts_with(garment, "sample:")) {
    request.mutable_source()->set_sample(garment == "sample" ? "tshirt" : garment.substr(7));
    return request;
  }
  RETURN_IF_ERROR(add_file(o, garment, client, request.mutable_source()));
  return request;
}

int garment_check(const Options& o, client::Client* client) {
  auto request = garment_order(o, o.file, client);
  if (!request.ok()) return report_error(request.status(), o.json);
  request->set_validate_only(true);
  auto garment = client->create_garment(*request, {});
  if (!garment.ok()) return report_error(garment.status(), o.json);
  if (!o.suggest_seams) garment->clear_suggested_seams();
  const int code = show_garment(o, *garment, client);
  if (garment->findings().empty() && !o.json) std::printf("%s: nothing to mend\n", o.file.c_str());
  return code;
}

int garment_create(const Options& o, client::Client* client) {
  const auto request = garment_order(o, o.file, client);
  if (!request.ok()) return report_error(request.status(), o.json);
  const auto garment = client->create_garment(*request, {});
  if (!garment.ok()) return report_error(garment.status(), o.json);
  if (!o.json) std::printf("%s\n", garment->name().c_str());
  return show_garment(o, *garment, client);
}

int garments_list(const Options& o, client::Client* client) {
  const auto garments = client->garments();
  if (!garments.ok()) return report_error(garments.status(), o.json);
  Json out = Json::array();
  for (const v1::Garment& garment : *garments) {
    const std::string state = v1::TaskState_Name(garment.state());
    out.push_back({{"name", garment.name()},
                   {"state", state},
                   {"title", garment.title()},
                   {"format", garment.format()},
                   {"panels", garment.panel_count()}});
    if (!o.json) {
      std::printf("%s  %-22s %-12s %s\n", garment.name().c_str(), state.c_str(), garment.format().c_str(),
                  garment.title().c_str());
    }
  }
  if (o.json) std::printf("%s\n", out.dump(2).c_str());
  return kOk;
}

int garments_get(const Options& o, client::Client* client) {
  const auto garment = client->get_garment(o.name);
  if (!garment.ok()) return report_error(garment.status(), o.json);
  if (garment->state() == v1::TASK_STATE_FAILED || garment->state() == v1::TASK_STATE_CANCELLED) {
    return report_error(client->watch(o.name, {}), o.json);  // the operation knows why
  }
  return show_garment(o, *garment, client);
}

int garments_delete(const Options& o, client::Client* client) {
  const absl::Status status = client->delete_garment(o.name);
  return status.ok() ? kOk : report_error(status, o.json);
}

int templates(const Options& o, client::Client* client) {
  const auto list = client->templates();
  if (!list.ok()) return report_error(list.status(), o.json);
  if (o.json) {
    v1::ListTemplatesResponse all;
    for (const v1::GarmentTemplate& t : *list) *all.add_templates() = t;
    print_json(all);
    return kOk;
  }
  for (const v1::GarmentTemplate& t : *list) {
    std::string sizes;
    for (const std::string& size : t.sizes()) sizes += cat(sizes.empty() ? "" : " ", size);
    std::printf("%s  (%s)\n  %s\n", t.name().c_str(), sizes.c_str(), t.description().c_str());
    for (const v1::TemplateParameter& p : t.parameters()) {
      std::printf("  --set %s=%g  %g .. %g %s: %s\n", p.name().c_str(), p.default_value(), p.min(), p.max(),
                  p.unit().c_str(), p.description().c_str());
    }
  }
  return kOk;
}

}  // namespace tryon::cli
