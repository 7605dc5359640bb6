#include "server/drape/pattern_picture.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "server/base/status.h"
#include "server/garment/flat_layout.h"
#include "server/garment/seam_graph.h"
#include "server/io/pattern_svg.h"
#include "server/mesh/ear_cut.h"
#include "server/mesh/predicates.h"
#include "server/render/colour_map.h"
#include "server/render/curves.h"

namespace tryon {
namespace {

constexpr int kLongSide = 1024, kShortSide = 384;  // pixels
constexpr int kSpans = 24;                         // of a curve, and of a seam's range
constexpr double kLift = 1e-3;                     // m that lines lie above the cloth
constexpr double kOutline = 1.5, kSeam = 4.0;      // pixels
const Vec3 kPaper(0.62, 0.60, 0.55), kInk(0.02, 0.02, 0.02), kTable(0.78, 0.78, 0.78);

Vec3 on_table(const Vec2& point, const Vec2& offset, double lift) {
  return {point.x() + offset.x(), point.y() + offset.y(), lift};
}

RenderPiece cut_out(const Panel& panel, const Vec2& offset) {
  RenderPiece piece;
  piece.colour = kPaper;
  std::vector<Vec2> outline = outline_points(panel, kSpans);
  if (signed_area(outline) < 0.0) std::reverse(outline.begin(), outline.end());
  for (const Vec2& p : outline) piece.mesh.positions.push_back(on_table(p, offset, 0.0));
  std::vector<std::array<int, 3>> ears;
  if (!cut_ears(outline, &ears)) return piece;  // an outline that crosses itself: only its line is drawn
  for (const auto& ear : ears) piece.mesh.triangles.push_back({ear[0], ear[1], ear[2]});
  return piece;
}

RenderPiece table_top(const FlatLayout& layout) {
  RenderPiece piece;
  piece.colour = kTable;
  const double w = layout.width, h = layout.height;
  piece.mesh.positions = {{0, 0, -kLift}, {w, 0, -kLift}, {w, h, -kLift}, {0, h, -kLift}};
  piece.mesh.triangles = {{0, 1, 2}, {0, 2, 3}};
  return piece;
}

RenderCurve outline_curve(const Panel& panel, const Vec2& offset) {
  RenderCurve curve;
  curve.colour = kInk;
  for (const Vec2& p : outline_points(panel, kSpans)) curve.points.push_back(on_table(p, offset, kLift));
  return curve;
}

RenderCurve range_curve(const Panel& panel, const SeamRange& range, const Vec2& offset, int seam) {
  RenderCurve curve;
  curve.closed = false;
  const auto colour = seam_colour(seam);
  curve.colour =
      Vec3(linear_of_srgb(colour[0] / 255.0), linear_of_srgb(colour[1] / 255.0), linear_of_srgb(colour[2] / 255.0));
  for (int k = 0; k <= kSpans; ++k) {
    const double share = range.from + (range.to - range.from) * k / kSpans;
    curve.points.push_back(on_table(edge_at(panel, range.edge, share), offset, 2 * kLift));
  }
  return curve;
}

std::vector<RenderCurve> seam_curves(const Pattern& pattern, const FlatLayout& layout) {
  std::vector<RenderCurve> curves;
  const std::vector<SeamSpec> seams = all_seams(pattern);
  for (int s = 0; s < static_cast<int>(seams.size()); ++s) {
    if (seams[s].b.empty()) continue;
    for (const auto* chain : {&seams[s].a, &seams[s].b}) {
      for (const SeamRange& range : *chain) {
        curves.push_back(range_curve(pattern.panels[range.panel], range, layout.offset[range.panel], s));
      }
    }
  }
  return curves;
}

// The longer side has a fixed number of pixels, the other one follows the table.
RenderSettings sheet_of(const FlatLayout& layout) {
  RenderSettings settings;
  const double ratio = layout.width / std::max(1e-6, layout.height);
  auto other = [](double share) { return std::max(kShortSide, static_cast<int>(std::lround(kLongSide * share))); };
  settings.width = ratio >= 1.0 ? kLongSide : other(ratio);
  settings.height = ratio >= 1.0 ? other(1.0 / ratio) : kLongSide;
  return settings;
}

}  // namespace

absl::StatusOr<Image> pattern_picture(const RunContext& run, const Pattern& pattern) {
  const FlatLayout layout = lay_flat(pattern);
  std::vector<RenderPiece> pieces = {table_top(layout)};
  std::vector<RenderCurve> outlines;
  for (size_t p = 0; p < pattern.panels.size(); ++p) {
    pieces.push_back(cut_out(pattern.panels[p], layout.offset[p]));
    outlines.push_back(outline_curve(pattern.panels[p], layout.offset[p]));
  }
  ASSIGN_OR_RETURN(Image image, render_view(run, pieces, View::kFront, sheet_of(layout)));
  RETURN_IF_ERROR(draw_curves(run, pieces, View::kFront, outlines, kOutline, &image));
  RETURN_IF_ERROR(draw_curves(run, pieces, View::kFront, seam_curves(pattern, layout), kSeam, &image));
  return image;
}

}  // namespace tryon
