#include "server/drape/garment_source.h"

#include "server/base/status.h"
#include "server/base/text.h"
#include "server/drape/assemble.h"
#include "server/drape/grown_garment.h"
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

Figure figure_of(FigureType type) { return type == FigureType::kMale ? Figure::kMen : Figure::kWomen; }

absl::StatusOr<Pattern> drafted(const TemplateRequest& draft, const PipelineInput& input,
                                const DraftMeasurements& wearer) {
  if (!draft.size.empty()) {
    return draft_template_graded(draft.name, figure_of(draft.figure), draft.size, draft.parameters);
  }
  if (draft.body.empty()) return draft_template(draft.name, wearer, draft.parameters);
  ASSIGN_OR_RETURN(const StoredBody stored, read_body_file(input.tailored_body));
  return draft_template(draft.name, draft_measurements(stored.body), draft.parameters);
}

// Whom an offset garment grows on.
absl::StatusOr<Body> shape_for(const RunContext& run, const TemplateRequest& draft, const PipelineInput& input,
                               const Wearer& wearer) {
  if (!draft.size.empty()) return body_of_size(run, figure_of(draft.figure), draft.size);
  if (!draft.body.empty()) {
    ASSIGN_OR_RETURN(StoredBody stored, read_body_file(input.tailored_body));
    return std::move(stored.body);
  }
  if (wearer.body != nullptr) return *wearer.body;
  return sample_body(run);
}

absl::StatusOr<LoadedGarment> from_template(const RunContext& run, const TemplateRequest& draft,
                                            const PipelineInput& input, const Wearer& wearer) {
  LoadedGarment out{{}, "template", {}};
  if (draft.name != kOffsetGarment) {
    ASSIGN_OR_RETURN(out.made.pattern, drafted(draft, input, wearer.measurements));
    return out;
  }
  ASSIGN_OR_RETURN(const Body body, shape_for(run, draft, input, wearer));
  ASSIGN_OR_RETURN(out.made.mesh, grow_garment(body, draft.parameters, wearer.edge_m));
  ASSIGN_OR_RETURN(out.made.pattern, outlines_of(*out.made.mesh));
  out.made.pattern.name = kOffsetGarment;
  out.grown = draft.size.empty() && draft.body.empty();
  return out;
}

}  // namespace

Wearer::Wearer(const Body& whole) : measurements(draft_measurements(whole)), body(&whole) {}

absl::StatusOr<LoadedGarment> load_garment(const RunContext& run, const GarmentRequest& request,
                                           const PipelineInput& input, const Wearer& wearer) {
  if (request.draft) return from_template(run, *request.draft, input, wearer);
  ImportOptions options;
  options.metres_per_unit = request.metres_per_unit;
  options.sidecar = input.seams_bytes;
  options.grading = input.grading_bytes;
  options.size = request.size;
  options.keep_faults = request.check_only;
  auto made = import_pattern(input.garment_bytes, request.file_name, options);
  if (!made.ok()) return prefix_field(made.status(), cat(request.file_name, ": "));
  const std::string_view format = format_name(made->format);
  LoadedGarment out{*std::move(made), format, {}};
  if (out.made.mesh) return out;
  out.findings = lint(out.made.pattern);
  out.sound = validate(out.made.pattern).ok();
  if (out.sound) out.made.pattern = mend(out.made.pattern, &out.findings);
  return out;
}

}  // namespace tryon
