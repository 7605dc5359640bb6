// What it is: pictures of a measured body: the skin with the tape's lines on it, a sheet of the lines with their names,
// and the bounding solids through a translucent skin.
// Units and frame: metres, +Y up, facing +Z. Shapes: file name -> PNG. How it fails: as render_view.
// Thread rules: as RunContext.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "server/base/run_context.h"
#include "server/drape/assemble.h"
#include "server/drape/pipeline.h"

namespace tryon {

// preview_{front,left,back}.png, preview_measurements.png, preview_proxies.png
absl::Status add_body_pictures(const RunContext& run, const FittedPerson& person, Artifacts* out);

Vec3 curve_colour(const std::string& curve);  // linear RGB, the same in every picture and for both sides
std::string hex_colour(const Vec3& linear);   // "#c03a2b", sRGB
Vec3 part_colour(BodyPart part);
Vec3 skin_colour();
TriangleMesh tessellate(const Solid& solid);  // a solid as a closed mesh, for looking at it

}  // namespace tryon
