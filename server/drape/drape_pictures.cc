#include "server/drape/drape_pictures.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "server/base/status.h"
#include "server/base/text.h"
#include "server/base/units.h"
#include "server/drape/body_pictures.h"
#include "server/render/canvas.h"
#include "server/render/typeface.h"

namespace tryon {
namespace {

constexpr int kTurns = 24;
constexpr double kTurnSeconds = 0.125;  // a picture
constexpr int kTurnWidth = 384, kTurnHeight = 512, kHeatWidth = 576, kHeatHeight = 768;
constexpr int kStripWidth = 320, kStripHeight = 480;
constexpr int kCutWidth = 480;
const Vec3 kSkinFill(0.76, 0.62, 0.51), kSkinLine(0.19, 0.10, 0.05), kClothLine(0.006, 0.076, 0.255), kBlack(0, 0, 0);

absl::Status put(const char* name, const absl::StatusOr<std::string>& png, Artifacts* out) {
  RETURN_IF_ERROR(png.status());
  (*out)[name] = {*png, "image/png"};
  return absl::OkStatus();
}

absl::StatusOr<std::string> turntable(const RunContext& run, const std::vector<RenderPiece>& pieces) {
  RenderSettings settings;
  settings.width = kTurnWidth, settings.height = kTurnHeight;
  ASSIGN_OR_RETURN(const Studio studio, Studio::of(pieces));
  std::vector<Image> turns;
  for (int i = 0; i < kTurns; ++i) {
    ASSIGN_OR_RETURN(Image image, studio.turned(run, 360.0 * i / kTurns, settings));
    turns.push_back(std::move(image));
    run.report("export", 0.5 + 0.3 * (i + 1.0) / kTurns);
  }
  return encode_animated_png(turns, kTurnSeconds);
}

// "-5 %", "0.5 kPa": at most three figures.
std::string shown_text(const ClothField& field, double value) {
  const double shown = value * field.scale;
  const double rounded = std::abs(shown) >= 100.0 ? std::round(shown) : std::round(shown * 100.0) / 100.0;
  return cat(rounded == 0.0 ? 0.0 : rounded, " ", field.unit);
}

absl::StatusOr<Image> heat_map(const RunContext& run, const std::vector<RenderPiece>& pieces, const ShownGarment& shown,
                               const ClothField& field) {
  std::vector<RenderPiece> coloured = pieces;
  RenderPiece& cloth = coloured.back();
  cloth.cloth = false;
  cloth.uv.clear();
  for (const double value : spread_to(shown, field.values)) {
    cloth.colours.push_back(map_linear(field.map(), field.share(value)));
  }
  RenderSettings settings;
  settings.width = kHeatWidth, settings.height = kHeatHeight;
  ASSIGN_OR_RETURN(const Studio studio, Studio::of(std::move(coloured)));
  std::vector<Image> sides;
  for (const View view : {View::kFront, View::kBack}) {
    ASSIGN_OR_RETURN(Image image, studio.view(run, view, settings));
    sides.push_back(std::move(image));
  }
  return with_legend(side_by_side(sides),
                     {field.map(), field.title, shown_text(field, field.low),
                      shown_text(field, 0.5 * (field.low + field.high)), shown_text(field, field.high)});
}

Eigen::AlignedBox2d box_of(const std::vector<CrossSection>& sections) {
  Eigen::AlignedBox2d box;
  for (const CrossSection& cut : sections) {
    for (const auto* lines : {&cut.body, &cut.cloth}) {
      for (const SectionLine& line : *lines) {
        for (const Vec2& p : line.points) box.extend(p);
      }
    }
  }
  return box;
}

std::vector<std::string> caption_of(const CrossSection& cut) {
  const auto mm = [](double metres) { return cat(std::round(to_mm(metres) * 10.0) / 10.0, " mm"); };
  std::vector<std::string> out = {cat(cut.level, " at ", mm(cut.height_m))};
  if (cut.body_girth) out.push_back(cat("body ", mm(*cut.body_girth)));
  if (cut.cloth_girth) out.push_back(cat("garment ", mm(*cut.cloth_girth)));
  if (cut.body_girth && cut.cloth_girth) out.push_back(cat("ease ", mm(*cut.cloth_girth - *cut.body_girth)));
  while (out.size() < 4) out.emplace_back();
  return out;
}

// Seen from above, the person facing down the picture.
Image cut_picture(const CrossSection& cut, const Eigen::AlignedBox2d& box) {
  constexpr double kPad = 24.0, kScaleBar = 0.1;
  const double pixels = (kCutWidth - 2 * kPad) / box.sizes().x();
  Image image = blank_image(kCutWidth, static_cast<int>(std::ceil(pixels * box.sizes().y() + 2 * kPad + 40.0)));
  const auto on_paper = [&](const Vec2& p) -> Vec2 {
    return Vec2(kPad, kPad) + pixels * Vec2(p.x() - box.min().x(), p.y() - box.min().y());
  };
  const auto draw = [&](const SectionLine& line, bool fill, double width, const Vec3& colour) {
    std::vector<Vec2> points;
    for (const Vec2& p : line.points) points.push_back(on_paper(p));
    if (fill) fill_outline(points, kSkinFill, &image);
    Ink ink;
    ink.stroke(points, line.closed, width);
    ink.lay_on(colour, 1.0, &image);
  };
  for (const SectionLine& line : cut.body) draw(line, line.closed, 1.2, kSkinLine);
  for (const SectionLine& line : cut.cloth) draw(line, false, 2.6, kClothLine);
  const double y = image.height - 20.0;
  Ink bar;
  bar.stroke(Vec2(kPad, y), Vec2(kPad + pixels * kScaleBar, y), 2.0);
  bar.lay_on(kBlack, 1.0, &image);
  draw_text("100 mm", static_cast<int>(kPad + pixels * kScaleBar) + 10, static_cast<int>(y) - kTextHeight / 2, &image);
  return with_caption(image, caption_of(cut));
}

RenderPiece cloth_piece(const ShownGarment& shown, const Vec3& colour) {
  RenderPiece cloth;
  cloth.mesh = shown.mesh;
  cloth.normals = shown.normals;
  cloth.uv = shown.uv;
  cloth.colour = colour;
  cloth.cloth = true;
  return cloth;
}

}  // namespace

std::vector<RenderPiece> picture_pieces(const DrapeGoods& goods, const ShownGarment& shown) {
  RenderPiece body;
  body.mesh = goods.person.skin.mesh;
  body.normals = vertex_normals(body.mesh);
  body.colour = skin_colour();
  std::vector<RenderPiece> out = {std::move(body)};
  for (const Worn& worn : goods.settled.beneath) {
    const ShownGarment below = shown_garment(worn);
    out.push_back(cloth_piece(below, worn.fabric.colour));
  }
  out.push_back(cloth_piece(shown, goods.fabric.colour));
  return out;
}

Image section_picture(const std::vector<CrossSection>& sections) {
  const Eigen::AlignedBox2d box = box_of(sections);
  std::vector<Image> cuts;
  for (const CrossSection& cut : sections) cuts.push_back(cut_picture(cut, box));
  return side_by_side(cuts);
}

absl::Status add_drape_pictures(const RunContext& run, const DrapeGoods& goods, const ShownGarment& shown,
                                const std::vector<RenderPiece>& pieces, const std::vector<ClothField>& fields,
                                const std::vector<Image>& views, Artifacts* out) {
  if (goods.wants(Export::kViews)) {
    std::vector<Image> named;
    for (size_t i = 0; i < views.size(); ++i) {
      named.push_back(with_caption(views[i], {std::string(view_name(kFourViews[i]))}));
    }
    RETURN_IF_ERROR(put("views.png", encode_png(side_by_side(named)), out));
  }
  if (goods.wants(Export::kTurntable)) RETURN_IF_ERROR(put("turntable.png", turntable(run, pieces), out));
  if (goods.wants(Export::kSections)) {
    const auto sections = cross_sections(goods.person.body, goods.settled.cloth.mesh);
    if (!sections.empty()) RETURN_IF_ERROR(put("sections.png", encode_png(section_picture(sections)), out));
  }
  if (!goods.wants(Export::kHeatMaps)) return absl::OkStatus();
  for (const ClothField& field : fields) {
    ASSIGN_OR_RETURN(const Image image, heat_map(run, pieces, shown, field));
    RETURN_IF_ERROR(put(cat("heat_", field.key, ".png").c_str(), encode_png(image), out));
  }
  return absl::OkStatus();
}

absl::StatusOr<Image> size_strip(const RunContext& run, const std::vector<SizeOnBody>& sizes) {
  std::vector<RenderPiece> all;
  for (const SizeOnBody& size : sizes) all.insert(all.end(), size.pieces.begin(), size.pieces.end());
  RenderSettings settings;
  settings.width = kStripWidth, settings.height = kStripHeight;
  std::vector<Image> columns;
  for (const SizeOnBody& size : sizes) {
    ASSIGN_OR_RETURN(const Studio studio, Studio::of(size.pieces));
    ASSIGN_OR_RETURN(const Image front, studio.framed(run, all, View::kFront, settings));
    ASSIGN_OR_RETURN(const Image back, studio.framed(run, all, View::kBack, settings));
    columns.push_back(with_caption(side_by_side({front, back}), size.caption));
  }
  if (columns.empty()) return internal_fault("no sizes to show");
  return side_by_side(columns);
}

}  // namespace tryon
