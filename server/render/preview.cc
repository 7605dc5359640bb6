#include "server/render/preview.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <utility>

#include "server/base/status.h"
#include "server/base/text.h"
#include "server/render/camera.h"
#include "server/render/shade.h"

namespace tryon {
namespace {

constexpr int kRows = 16;             // of pixels, a piece of work
constexpr double kSameNormal = 0.97;  // cosine up to which neighbours are one smooth surface
constexpr double kStepPixels = 4.0;   // depth within it, in widths of a pixel

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
std::vector<RenderPiece> prepared(std::vector<RenderPiece> pieces) {
  std::erase_if(pieces, [](const RenderPiece& piece) { return piece.mesh.triangles.empty(); });
  for (RenderPiece& piece : pieces) {
    if (piece.normals.empty()) piece.normals = vertex_normals(piece.mesh);
  }
  return pieces;
}

// What film does: bright light is rolled off above 0.8 instead of clipped, then sRGB's curve. Tabulated finely enough
// that no byte differs by more than rounding.
class FilmTable {
 public:
  FilmTable() {
    for (int i = 0; i <= kSteps; ++i) {
      const double x = shoulder(kBrightest * i / kSteps);
      const double encoded = x <= 0.0031308 ? 12.92 * x : 1.055 * std::pow(x, 1.0 / 2.4) - 0.055;
      byte_[i] = static_cast<uint8_t>(std::lround(255.0 * std::min(1.0, encoded)));
    }
  }
  uint8_t operator()(double light) const {
    return byte_[static_cast<int>(kSteps / kBrightest * std::min(kBrightest, std::max(0.0, light)) + 0.5)];
  }

 private:
  static constexpr int kSteps = 1 << 16;
  static constexpr double kBrightest = 4.0;  // beyond it all is white
  static double shoulder(double x) { return x <= 0.8 ? x : 0.8 + 0.2 * (1.0 - std::exp(-(x - 0.8) / 0.2)); }

  std::array<uint8_t, kSteps + 1> byte_{};
};

// A picture in the making: what every pixel's middle shows, then light, then colour.
struct Drawing {
  const RunContext& run;
  Shader shader;
  int width, height, samples;
  double step;  // metres a neighbour may lie nearer or farther and still be the same surface
  PixelBox box;
  std::vector<PixelSeen> seen;  // of the box; beyond it there is nothing

  const PixelSeen& at(int x, int y) const {
    static const PixelSeen nothing;
    return box.contains(x, y) ? seen[index(x, y)] : nothing;
  }
  size_t index(int x, int y) const { return static_cast<size_t>(y - box.top) * box.width() + (x - box.left); }
};

void each_row(const Drawing& drawing, int rows, const std::function<void(int)>& work) {
  drawing.run.parallel_for(rows, kRows, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end && drawing.run.check().ok(); ++row) work(static_cast<int>(row));
  });
}

void look(Drawing* drawing) {
  const PixelBox& box = drawing->box;
  drawing->seen.resize(static_cast<size_t>(box.width()) * box.height());
  each_row(*drawing, box.height(), [&](int row) {
    const int y = box.top + row;
    for (int x = box.left; x <= box.right; x += kPacket) {
      drawing->shader.look(x, y, std::min(kPacket, box.right + 1 - x), &drawing->seen[drawing->index(x, y)]);
    }
  });
}

void light(Drawing* drawing) {
  const int across = (drawing->width + 1) / 2, down = (drawing->height + 1) / 2;
  std::vector<LitPoint> probes(static_cast<size_t>(across) * down);
  each_row(*drawing, down, [&](int row) {
    for (int column = 0; column < across; ++column) {
      const int x = 2 * column, y = 2 * row;
      probes[static_cast<size_t>(row) * across + column] = drawing->shader.lit_point(drawing->at(x, y), x, y);
    }
  });
  drawing->shader.light().trace(drawing->run, across, down, std::move(probes));
}

// Whether one colour would not do: another surface, a fold or a veil within the pixel.
bool uneven(const Drawing& drawing, int x, int y) {
  const PixelSeen& here = drawing.at(x, y);
  if (here.veiled) return true;
  constexpr std::array<std::array<int, 2>, 4> kNeighbours = {{{-1, 0}, {1, 0}, {0, -1}, {0, 1}}};
  for (const auto& [dx, dy] : kNeighbours) {
    if (x + dx < 0 || y + dy < 0 || x + dx >= drawing.width || y + dy >= drawing.height) continue;
    const PixelSeen& there = drawing.at(x + dx, y + dy);
    if (there.hit.piece != here.hit.piece) return true;
    if (here.hit.piece < 0) continue;
    if (std::abs(there.hit.distance - here.hit.distance) > drawing.step) return true;
    if (here.normal.dot(there.normal) < kSameNormal) return true;
  }
  return false;
}

Vec3 pixel_colour(const Drawing& drawing, int x, int y) {
  if (drawing.samples == 1 || !uneven(drawing, x, y)) {
    return drawing.at(x, y).veiled ? drawing.shader.radiance(x + 0.5, y + 0.5, x, y)
                                   : drawing.shader.colour_of(drawing.at(x, y), x, y);
  }
  Vec3 sum = Vec3::Zero();
  for (int s = 0; s < drawing.samples; ++s) {  // Hammersley points: (s + 1/2) / n and the bits of s mirrored
    double mirrored = 0.0, digit = 0.5;
    for (int bits = s; bits > 0; bits >>= 1, digit *= 0.5) mirrored += digit * (bits & 1);
    sum += drawing.shader.radiance(x + (s + 0.5) / drawing.samples, y + mirrored + 0.5 / drawing.samples, x, y);
  }
  return sum / drawing.samples;
}

void paint(const Drawing& drawing, Image* image) {
  static const FilmTable film;
  each_row(drawing, drawing.height, [&](int y) {
    uint8_t* out = &image->rgb[3 * (static_cast<size_t>(y) * drawing.width)];
    for (int x = 0; x < drawing.width; ++x) {
      const Vec3 colour = pixel_colour(drawing, x, y);
      for (int k = 0; k < 3; ++k) *out++ = film(colour[k]);
    }
  });
}

absl::StatusOr<Image> render_through(const RunContext& run, const std::vector<RenderPiece>& drawn,
                                     const RayScene& scene, const Camera& camera, const RenderSettings& settings) {
  const double step = kStepPixels * camera.slope_per_pixel * camera.distance;
  Drawing drawing{run,
                  Shader(drawn, scene, camera, settings.height),
                  settings.width,
                  settings.height,
                  settings.samples,
                  step,
                  pixels_of(drawn, camera, settings.width, settings.height),
                  {}};
  look(&drawing);
  light(&drawing);
  Image image{settings.width, settings.height, {}};
  image.rgb.resize(static_cast<size_t>(3) * settings.width * settings.height);
  paint(drawing, &image);
  RETURN_IF_ERROR(run.check());
  return image;
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

struct Studio::Impl {
  const std::vector<RenderPiece> pieces;
  const RayScene scene;

  explicit Impl(std::vector<RenderPiece> given) : pieces(prepared(std::move(given))), scene(pieces) {}
};

Studio::Studio(std::unique_ptr<const Impl> impl) : impl_(std::move(impl)) {}
Studio::Studio(Studio&&) noexcept = default;
Studio& Studio::operator=(Studio&&) noexcept = default;
Studio::~Studio() = default;

absl::StatusOr<Studio> Studio::of(std::vector<RenderPiece> pieces) {
  RETURN_IF_ERROR(check_pieces(pieces));
  return Studio(std::make_unique<const Impl>(std::move(pieces)));
}

absl::StatusOr<Image> Studio::view(const RunContext& run, View view, const RenderSettings& settings) const {
  return framed(run, impl_->pieces, view, settings);
}

absl::StatusOr<Image> Studio::turned(const RunContext& run, double degrees, const RenderSettings& settings) const {
  RETURN_IF_ERROR(check_settings(settings));
  const Camera camera = frame_turn(impl_->pieces, degrees, settings.width, settings.height);
  return render_through(run, impl_->pieces, impl_->scene, camera, settings);
}

absl::StatusOr<Image> Studio::framed(const RunContext& run, const std::vector<RenderPiece>& frame, View view,
                                     const RenderSettings& settings) const {
  RETURN_IF_ERROR(check_settings(settings));
  RETURN_IF_ERROR(check_pieces(frame));
  const Camera camera = frame_view(frame, view, settings.width, settings.height);
  return render_through(run, impl_->pieces, impl_->scene, camera, settings);
}

absl::StatusOr<Image> render_view(const RunContext& run, const std::vector<RenderPiece>& pieces, View view,
                                  const RenderSettings& settings) {
  RETURN_IF_ERROR(check_settings(settings));
  ASSIGN_OR_RETURN(const Studio studio, Studio::of(pieces));
  return studio.view(run, view, settings);
}

}  // namespace tryon
