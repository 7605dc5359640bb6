// What it is: the template "offset_garment": Ji 2004's garment grown round a body (offset_garment.h), with heights from
// that body's waist. It needs a body's shape, so it is drafted for the wearer, for a body, or for a figure of a size,
// never from a list of measurements alone. Units: parameters in mm. How it fails: PARAMETER_*, OFFSET_GARMENT_*,
// SIZE_UNKNOWN. Thread rules: pure functions.
#pragma once

#include "absl/status/statusor.h"
#include "server/base/run_context.h"
#include "server/body/body.h"
#include "server/garment/mesh_pattern.h"
#include "server/garment/template.h"

namespace tryon {

inline constexpr char kOffsetGarment[] = "offset_garment";
const TemplateInfo& offset_garment_info();
// edge_m: distance of the particles.
absl::StatusOr<MeshPattern> grow_garment(const Body& body, const TemplateValues& values, double edge_m);
// The figure of a size of the size table, its other measurements predicted.
absl::StatusOr<Body> body_of_size(const RunContext& run, Figure figure, std::string_view size);

}  // namespace tryon
