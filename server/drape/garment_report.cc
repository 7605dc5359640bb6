#include "server/drape/garment_report.h"

#include <utility>

#include "nlohmann/json.hpp"
#include "server/base/status.h"
#include "server/base/text.h"
#include "server/base/units.h"
#include "server/drape/pattern_picture.h"
#include "server/garment/garment.h"
#include "server/garment/role.h"
#include "server/garment/seam_graph.h"
#include "server/garment/suggest_seams.h"
#include "server/io/pattern_json.h"
#include "server/io/pattern_svg.h"

namespace tryon {
namespace {

using Json = nlohmann::json;

constexpr double kTrialEdge = 0.02;  // m: every panel must be cloth that can be cut at this

Json names_json(const Pattern& pattern) {
  Json out = Json::array();
  for (const Panel& panel : pattern.panels) out.push_back({{"name", panel.name}, {"edges", panel.edges.size()}});
  return out;
}

Json panels_json(const Pattern& pattern) {
  const std::vector<PieceRole> roles = piece_roles(pattern);
  Json out = Json::array();
  for (size_t p = 0; p < pattern.panels.size(); ++p) {
    const Panel& panel = pattern.panels[p];
    double perimeter = 0.0;
    for (size_t e = 0; e < panel.edges.size(); ++e) perimeter += edge_length(panel, static_cast<int>(e));
    out.push_back({{"name", panel.name},
                   {"role", roles[p].kind == PieceKind::kUnknown ? "" : piece_kind_name(roles[p].kind)},
                   {"edges", panel.edges.size()},
                   {"perimeter_mm", to_mm(perimeter)},
                   {"area_m2", panel_area(panel)}});
  }
  return out;
}

Json range_json(const Pattern& pattern, const SeamRange& range) {
  return Json{{"panel", pattern.panels[range.panel].name},
              {"edge", range.edge},
              {"from", range.from},
              {"to", range.to},
              {"length_mm", to_mm(range_length(pattern, range))}};
}

Json chain_json(const Pattern& pattern, const std::vector<SeamRange>& chain) {
  Json out = Json::array();
  for (const SeamRange& range : chain) out.push_back(range_json(pattern, range));
  return out;
}

Json seams_json(const Pattern& pattern) {
  Json out = Json::array();
  for (const SeamSpec& seam : all_seams(pattern)) {
    out.push_back({{"name", seam.name},
                   {"a", chain_json(pattern, seam.a)},
                   {"b", chain_json(pattern, seam.b)},
                   {"open", seam.open}});
  }
  return out;
}

Json note_json(const std::string& note) {
  return Json{{"severity", "note"}, {"code", "IMPORT_NOTE"}, {"panel", ""},    {"edge", -1},
              {"message", note},    {"remedy", ""},          {"mended", false}};
}

std::string_view severity_name(Finding::Severity severity) {
  switch (severity) {
    case Finding::Severity::kError:
      return "error";
    case Finding::Severity::kWarning:
      return "warning";
    case Finding::Severity::kNote:
      return "note";
  }
  return "note";
}

Json finding_json(const Finding& f) {
  return Json{{"severity", severity_name(f.severity)},
              {"code", f.code},
              {"panel", f.panel},
              {"edge", f.edge},
              {"message", f.message},
              {"remedy", f.remedy},
              {"mended", f.mended}};
}

// A fault that only cutting and sewing would have met.
Finding finding_of(const absl::Status& status) {
  const ErrorDetail detail = error_detail(status).value_or(ErrorDetail{"PATTERN", "", ""});
  return {Finding::Severity::kError, detail.reason, "", -1, -1, std::string(status.message()), detail.remedy, false};
}

Json suggestions_json(const Pattern& pattern) {
  Json out = Json::array();
  for (const SeamProposal& proposal : suggest_seams(pattern)) {
    out.push_back({{"a", chain_json(pattern, proposal.seam.a)},
                   {"b", chain_json(pattern, proposal.seam.b)},
                   {"confidence", proposal.confidence},
                   {"reason", proposal.why}});
  }
  return out;
}

Json findings_json(const LoadedGarment& garment, const absl::Status& first_error) {
  Json out = Json::array();
  bool told = first_error.ok();
  for (const Finding& finding : garment.findings) {
    out.push_back(finding_json(finding));
    told = told || (finding.severity == Finding::Severity::kError && !finding.mended);
  }
  if (!told) out.push_back(finding_json(finding_of(first_error)));
  for (const std::string& note : garment.made.notes) out.push_back(note_json(note));
  return out;
}

// Whether it can be cut into triangles and sewn.
absl::Status can_be_made(const RunContext& run, const LoadedGarment& garment) {
  if (garment.made.mesh) return absl::OkStatus();
  RETURN_IF_ERROR(validate(garment.made.pattern));
  return mesh_garment(run, garment.made.pattern, kTrialEdge).status();
}

}  // namespace

absl::StatusOr<GarmentReport> inspect_garment(const RunContext& run, const LoadedGarment& garment, bool suggest) {
  const Pattern& pattern = garment.made.pattern;
  GarmentReport report;
  report.first_error = can_be_made(run, garment);
  Json out{{"schema", "tryon.garment.v1"},
           {"name", pattern.name},
           {"format", garment.format},
           {"metres_per_unit", garment.made.metres_per_unit},
           {"size", pattern.size},
           {"sizes", Json::array()},
           {"panels", garment.sound ? panels_json(pattern) : names_json(pattern)},
           {"seams", garment.sound ? seams_json(pattern) : Json::array()},
           {"findings", findings_json(garment, report.first_error)}};
  for (const SizeVariant& size : pattern.sizes) out["sizes"].push_back(size.name);
  double area = 0.0;
  for (const Panel& panel : pattern.panels) area += garment.sound ? panel_area(panel) : 0.0;
  if (garment.sound) out["area_m2"] = area;
  if (suggest && garment.sound && all_seams(pattern).empty()) out["suggested_seams"] = suggestions_json(pattern);
  report.json = out.dump(2, ' ', false, Json::error_handler_t::replace);
  return report;
}

absl::StatusOr<Artifacts> garment_artifacts(const RunContext& run, const LoadedGarment& garment,
                                            const GarmentReport& report) {
  Artifacts out;
  out["garment.json"] = {report.json, "application/json"};
  if (!garment.sound) return out;
  out["pattern.json"] = {write_pattern(garment.made.pattern), "application/json"};
  out["pattern.svg"] = {pattern_svg(garment.made.pattern), "image/svg+xml"};
  ASSIGN_OR_RETURN(const Image picture, pattern_picture(run, garment.made.pattern));
  ASSIGN_OR_RETURN(std::string png, encode_png(picture));
  out["pattern.png"] = {std::move(png), "image/png"};
  return out;
}

}  // namespace tryon
