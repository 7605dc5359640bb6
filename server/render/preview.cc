#include "server/render/preview.h"

#include <algorithm>
#include <cmath>

#include "server/base/status.h"
#include "server/base/text.h"
#include "server/render/camera.h"
#include "server/render/shade.h"

namespace tryon {
namespace {

constexpr int kTile = 32;  // pixels a side

absl::Status check_settings(const RenderSettings& s) {
  auto refuse = [](std::string_view field, int value, int low, int high) {
    return invalid_input("RENDER_SETTING_OUT_OF_RANGE", cat("render.", field),
                         cat("a picture cannot have ", field, " ", value), cat("use ", low, " to ", high));
  };
  if (s.width < 16 || s.width > 8192) return refuse("width", s.width, 16, 8192);
  if (s.height < 16 || s.height > 8192) return refuse("height", s.height, 16, 8192);
  if (s.samples < 1 || s.samples > 64) return refuse("samples", s.samples, 1, 64);
  return absl::OkStatus();
}

absl::Status check_piece(const RenderPiece& piece, const std::string& name) {
  RETURN_IF_ERROR(validate(piece.mesh, name));
  const size_t count = piece.mesh.positions.size();
  auto fits = [count](size_t size) { return size == 0 || size == count; };
  if (!fits(piece.normals.size()) || !fits(piece.colours.size()) || !fits(piece.uv.size())) {
    return invalid_input("RENDER_ARRAY_LENGTH", name,
                         cat("its normals (", piece.normals.size(), "), colours (", piece.colours.size(), ") and uv (",
                             piece.uv.size(), ") must be empty or one a vertex (", count, ")"),
                         "give one value a vertex");
  }
  if (!(piece.opacity >= 0.0 && piece.opacity <= 1.0)) {
    return invalid_input("RENDER_SETTING_OUT_OF_RANGE", cat(name, ".opacity"), cat("opacity is ", piece.opacity),
                         "use 0 to 1");
  }
  return absl::OkStatus();
}

absl::Status check_pieces(const std::vector<RenderPiece>& pieces) {
  int triangle_count = 0;
  for (size_t i = 0; i < pieces.size(); ++i) {
    RETURN_IF_ERROR(check_piece(pieces[i], cat("piece[", i, "]")));
    triangle_count += pieces[i].mesh.triangle_count();
  }
  if (triangle_count == 0) {
    return invalid_input("RENDER_EMPTY_SCENE", "pieces", "there is nothing to draw", "give at least one triangle");
  }
  return absl::OkStatus();
}

// What is drawn: every piece has triangles, and normals.
std::vector<RenderPiece> prepared(const std::vector<RenderPiece>& pieces) {
  std::vector<RenderPiece> out;
  for (const RenderPiece& piece : pieces) {
    if (piece.mesh.triangles.empty()) continue;
    out.push_back(piece);
    if (out.back().normals.empty()) out.back().normals = vertex_normals(piece.mesh);
  }
  return out;
}

uint8_t to_srgb(double linear) {
  const double x = std::min(1.0, std::max(0.0, linear));
  const double encoded = x <= 0.0031308 ? 12.92 * x : 1.055 * std::pow(x, 1.0 / 2.4) - 0.055;
  return static_cast<uint8_t>(std::lround(255.0 * encoded));
}

// Bright light is rolled off above 0.8 instead of clipped.
double shoulder(double x) { return x <= 0.8 ? x : 0.8 + 0.2 * (1.0 - std::exp(-(x - 0.8) / 0.2)); }

void draw_pixel(const Shader& shader, int x, int y, int samples, Image* image) {
  PixelSamples light(static_cast<uint32_t>(x), static_cast<uint32_t>(y));
  Vec3 sum = Vec3::Zero();
  for (int s = 0; s < samples; ++s) {  // Hammersley points: (s + 1/2) / n and the bits of s mirrored
    double mirrored = 0.0, digit = 0.5;
    for (int bits = s; bits > 0; bits >>= 1, digit *= 0.5) mirrored += digit * (bits & 1);
    sum += shader.radiance(x + (s + 0.5) / samples, y + mirrored + 0.5 / samples, &light);
  }
  uint8_t* out = &image->rgb[3 * (static_cast<size_t>(y) * image->width + x)];
  for (int k = 0; k < 3; ++k) out[k] = to_srgb(shoulder(sum[k] / samples));
}

void draw_tile(const Shader& shader, int x0, int y0, int samples, Image* image) {
  for (int y = y0; y < std::min(image->height, y0 + kTile); ++y) {
    for (int x = x0; x < std::min(image->width, x0 + kTile); ++x) draw_pixel(shader, x, y, samples, image);
  }
}

}  // namespace

std::string_view view_name(View view) {
  switch (view) {
    case View::kFront:
      return "front";
    case View::kBack:
      return "back";
    case View::kLeft:
      return "left";
    case View::kRight:
      return "right";
  }
  return "front";
}

absl::StatusOr<Image> render_view(const RunContext& run, const std::vector<RenderPiece>& pieces, View view,
                                  const RenderSettings& settings) {
  RETURN_IF_ERROR(check_settings(settings));
  RETURN_IF_ERROR(check_pieces(pieces));
  const std::vector<RenderPiece> drawn = prepared(pieces);
  const Camera camera = frame_view(drawn, view, settings.width, settings.height);
  const Shader shader(drawn, camera, settings.height);
  Image image{settings.width, settings.height, {}};
  image.rgb.resize(static_cast<size_t>(3) * settings.width * settings.height);
  const int across = (settings.width + kTile - 1) / kTile, down = (settings.height + kTile - 1) / kTile;
  run.parallel_for(static_cast<int64_t>(across) * down, 1, [&](int64_t begin, int64_t end) {
    for (int64_t tile = begin; tile < end && run.check().ok(); ++tile) {
      const int column = static_cast<int>(tile % across), row = static_cast<int>(tile / across);
      draw_tile(shader, column * kTile, row * kTile, settings.samples, &image);
    }
  });
  RETURN_IF_ERROR(run.check());
  return image;
}

}  // namespace tryon
