#include "server/drape/garment_source.h"

#include "server/base/status.h"
#include "server/base/text.h"
#include "server/drape/assemble.h"
#include "server/garment/template.h"

namespace tryon {
namespace {

std::string_view format_name(ImportedPattern::Format format) {
  switch (format) {
    case ImportedPattern::Format::kGarmentCode:
      return "garmentcode";
    case ImportedPattern::Format::kOwn:
      return "tryon";
    case ImportedPattern::Format::kDxf:
      return "dxf";
    case ImportedPattern::Format::kFreeSewing:
      return "freesewing";
    case ImportedPattern::Format::kMesh:
      return "obj";
  }
  return "";
}

absl::StatusOr<Pattern> drafted(const TemplateRequest& draft, const PipelineInput& input,
                                const DraftMeasurements& wearer) {
  if (draft.sample) return draft_sample(draft.name, wearer);
  if (!draft.size.empty()) {
    const Figure figure = draft.figure == FigureType::kMale ? Figure::kMen : Figure::kWomen;
    return draft_template_graded(draft.name, figure, draft.size, draft.parameters);
  }
  if (draft.body.empty()) return draft_template(draft.name, wearer, draft.parameters);
  ASSIGN_OR_RETURN(const StoredBody stored, read_body_file(input.tailored_body));
  return draft_template(draft.name, draft_measurements(stored.body), draft.parameters);
}

}  // namespace

absl::StatusOr<LoadedGarment> load_garment(const GarmentRequest& request, const PipelineInput& input,
                                           const DraftMeasurements& wearer) {
  if (request.draft) {
    LoadedGarment out{{}, "template", {}, true};
    ASSIGN_OR_RETURN(out.made.pattern, drafted(*request.draft, input, wearer));
    return out;
  }
  ImportOptions options;
  options.metres_per_unit = request.metres_per_unit;
  options.sidecar = input.seams_bytes;
  options.size = request.size;
  options.keep_faults = request.check_only;
  auto made = import_pattern(input.garment_bytes, request.file_name, options);
  if (!made.ok()) return prefix_field(made.status(), cat(request.file_name, ": "));
  const std::string_view format = format_name(made->format);
  LoadedGarment out{*std::move(made), format, {}, true};
  if (out.made.mesh) return out;
  out.findings = lint(out.made.pattern);
  out.sound = validate(out.made.pattern).ok();
  if (out.sound) out.made.pattern = mend(out.made.pattern, &out.findings);
  return out;
}

}  // namespace tryon
