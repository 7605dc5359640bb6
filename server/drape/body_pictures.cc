#include "server/drape/body_pictures.h"

#include <array>
#include <cmath>
#include <cstdio>
#include <utility>
#include <vector>

#include "server/base/status.h"
#include "server/base/text.h"
#include "server/base/units.h"
#include "server/body/items.h"
#include "server/render/curves.h"
#include "server/render/preview.h"

namespace tryon {
namespace {

constexpr int kAround = 32, kAlong = 12;
constexpr double kLine = 2.6;  // pixels
constexpr int kSheetWidth = 1536, kSheetHeight = 1024;
constexpr double kVeil = 0.35;

// Hues far apart for neighbours in the list; none too near the skin's.
constexpr std::array<std::array<double, 3>, 10> kLines = {{{0.62, 0.02, 0.03},
                                                           {0.02, 0.16, 0.55},
                                                           {0.01, 0.32, 0.08},
                                                           {0.42, 0.03, 0.42},
                                                           {0.00, 0.34, 0.38},
                                                           {0.70, 0.22, 0.00},
                                                           {0.10, 0.06, 0.30},
                                                           {0.30, 0.33, 0.00},
                                                           {0.60, 0.02, 0.22},
                                                           {0.05, 0.05, 0.05}}};

RenderPiece shown_skin(const Body& body, double opacity) {
  RenderPiece piece;
  piece.mesh = body.mesh;
  piece.normals = vertex_normals(body.mesh);
  piece.colour = skin_colour();
  piece.opacity = opacity;
  return piece;
}

std::vector<RenderPiece> shown_solids(const FittedPerson& person) {
  std::vector<RenderPiece> out = {shown_skin(person.body, kVeil)};
  for (const Proxy& proxy : person.proxies.proxies) {
    RenderPiece piece;
    piece.mesh = tessellate(proxy.solid);
    piece.colour = part_colour(proxy.part);
    out.push_back(std::move(piece));
  }
  return out;
}

std::string label_of(const Body& body, const std::string& name) {
  const auto value = body.measurements_mm.find(name);
  std::string text = name;
  for (char& c : text) c = c == '_' ? ' ' : c;
  return value == body.measurements_mm.end() ? text : cat(text, " ", static_cast<int>(std::lround(value->second)));
}

// What a picture can show: not the upright rulers of heights, and of pairs the sides, not their mean.
bool is_drawn(const Body& body, const std::string& name) {
  const MeasurementItem* item = find_measurement_item(name);
  if (item != nullptr && item->kind == ItemKind::kHeight) return false;
  return body.curves.count("left_" + name) == 0;
}

std::vector<RenderCurve> lines_of(const Body& body) {
  std::vector<RenderCurve> out;
  for (const auto& [name, curve] : body.curves) {
    if (!is_drawn(body, name)) continue;
    const bool is_named = name.rfind("right_", 0) != 0;  // one side tells both
    out.push_back({curve.points, curve.closed, curve_colour(name), is_named ? label_of(body, name) : std::string()});
  }
  return out;
}

absl::Status add_png(const Image& image, const std::string& name, Artifacts* out) {
  ASSIGN_OR_RETURN(std::string png, encode_png(image));
  (*out)[name] = {std::move(png), "image/png"};
  return absl::OkStatus();
}

// Points of a solid's surface on a grid of rows (along) and columns (around).
Vec3 surface_point(const Sphere& s, double along, double angle) {
  const double polar = kPi * along;
  return s.center +
         s.radius * Vec3(std::sin(polar) * std::cos(angle), -std::cos(polar), std::sin(polar) * std::sin(angle));
}

Vec3 surface_point(const Frustum& f, double along, double angle) {
  const double t = std::min(1.0, std::max(0.0, (along * kAlong - 1.0) / (kAlong - 2.0)));  // end rows close the caps
  const bool cap = along <= 0.0 || along >= 1.0;
  const Vec3 center = f.bottom + t * (f.top - f.bottom);
  const Vec2 radii = cap ? Vec2(0, 0) : Vec2(f.bottom_radii + t * (f.top_radii - f.bottom_radii));
  return center + radii.x() * std::cos(angle) * f.u + radii.y() * std::sin(angle) * f.v;
}

}  // namespace

Vec3 skin_colour() { return {0.60, 0.52, 0.46}; }

Vec3 part_colour(BodyPart part) {
  static const Vec3 colours[kBodyPartCount] = {{0.80, 0.60, 0.20}, {0.85, 0.35, 0.20}, {0.15, 0.40, 0.60},
                                               {0.20, 0.55, 0.30}, {0.45, 0.65, 0.20}, {0.50, 0.25, 0.55},
                                               {0.65, 0.30, 0.40}};
  return colours[static_cast<int>(part)];
}

Vec3 curve_colour(const std::string& curve) {
  const MeasurementItem* item = find_measurement_item(curve);  // both sides alike
  const auto index = item == nullptr ? 0 : static_cast<size_t>(item - measurement_items().data());
  const auto& c = kLines[index % kLines.size()];
  return {c[0], c[1], c[2]};
}

std::string hex_colour(const Vec3& linear) {
  const auto c = srgb_of(linear);
  char text[8];
  std::snprintf(text, sizeof(text), "#%02x%02x%02x", c[0], c[1], c[2]);
  return text;
}

TriangleMesh tessellate(const Solid& solid) {
  TriangleMesh mesh;
  for (int row = 0; row <= kAlong; ++row) {
    for (int column = 0; column < kAround; ++column) {
      const double along = static_cast<double>(row) / kAlong, angle = 2 * kPi * column / kAround;
      mesh.positions.push_back(std::visit([&](const auto& s) { return surface_point(s, along, angle); }, solid));
    }
  }
  for (int row = 0; row < kAlong; ++row) {
    for (int column = 0; column < kAround; ++column) {
      const int next = (column + 1) % kAround;
      const int a = row * kAround + column, b = row * kAround + next, c = a + kAround, d = b + kAround;
      if (row > 0) mesh.triangles.push_back({a, c, b});
      if (row + 1 < kAlong) mesh.triangles.push_back({b, c, d});
    }
  }
  if (signed_volume(mesh) < 0) {  // u, v, axis may be left-handed
    for (Triangle& t : mesh.triangles) std::swap(t[1], t[2]);
  }
  return mesh;
}

absl::Status add_body_pictures(const RunContext& run, const FittedPerson& person, Artifacts* out) {
  const std::vector<RenderPiece> skin = {shown_skin(person.body, 1.0)};
  const std::vector<RenderCurve> lines = lines_of(person.body);
  ASSIGN_OR_RETURN(const Studio studio, Studio::of(skin));
  double done = 0.0;
  for (View view : {View::kFront, View::kLeft, View::kBack}) {
    ASSIGN_OR_RETURN(Image image, studio.view(run, view, RenderSettings{}));
    RETURN_IF_ERROR(draw_curves(run, skin, view, lines, kLine, &image));
    RETURN_IF_ERROR(add_png(image, cat("preview_", view_name(view), ".png"), out));
    run.report("export", ++done / 6.0);
  }
  RenderSettings sheet;
  sheet.width = kSheetWidth, sheet.height = kSheetHeight;
  ASSIGN_OR_RETURN(Image image, studio.view(run, View::kFront, sheet));
  RETURN_IF_ERROR(draw_curves(run, skin, View::kFront, lines, kLine, &image));
  RETURN_IF_ERROR(draw_labels(skin, View::kFront, lines, &image));
  RETURN_IF_ERROR(add_png(image, "preview_measurements.png", out));
  run.report("export", ++done / 6.0);
  ASSIGN_OR_RETURN(image, render_view(run, shown_solids(person), View::kFront, RenderSettings{}));
  return add_png(image, "preview_proxies.png", out);
}

}  // namespace tryon
