// What it is: lines and labels over a finished picture: what lies on the near side is drawn through, what the body
// hides is dashed and faint. Units and frame: metres as the pieces; line widths in pixels; colours linear RGB. Shapes:
// points in walking order; the image as render_view made it of the same pieces and view. How it fails:
// RENDER_ARRAY_LENGTH for a picture without its pixels. Thread rules: pure functions.
#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "server/render/preview.h"

namespace tryon {

struct RenderCurve {
  std::vector<Vec3> points;
  bool closed = true;
  Vec3 colour = {0.8, 0.1, 0.1};
  std::string label;  // for draw_labels; empty: none
};

absl::Status draw_curves(const RunContext& run, const std::vector<RenderPiece>& pieces, View view,
                         const std::vector<RenderCurve>& curves, double width_px, Image* image);
// The curves' labels in two columns beside the pieces, each tied to its curve; none over another.
absl::Status draw_labels(const std::vector<RenderPiece>& pieces, View view, const std::vector<RenderCurve>& curves,
                         Image* image);

Eigen::Matrix<uint8_t, 3, 1> srgb_of(const Vec3& linear);  // as pictures hold it

}  // namespace tryon
