// What it is: pictures of meshes without a display: ray-traced (Embree) with soft shadow, ambient occlusion and a plain
// background. Units and frame: metres, +Y up, body facing +Z. Image: 8-bit RGB rows from the top.
// How it fails: an empty scene, arrays of the wrong length and settings out of range are INVALID_ARGUMENT. Same input,
// same bytes, for any thread count. Thread rules: const, from any thread; the context's executor inside.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "server/base/run_context.h"
#include "server/mesh/triangle_mesh.h"

namespace tryon {

enum class View { kFront, kBack, kLeft, kRight };  // kLeft shows the person's left side
inline constexpr std::array<View, 4> kFourViews = {View::kFront, View::kBack, View::kLeft, View::kRight};
std::string_view view_name(View view);  // "front", ...

struct RenderPiece {
  TriangleMesh mesh;
  std::vector<Vec3> normals;      // [vertex_count] smooth shading, or empty: computed
  std::vector<Vec3> colours;      // [vertex_count] linear RGB, or empty for `colour`
  std::vector<Vec2> uv;           // [vertex_count] pattern metres, or empty: gives cloth a faint weave
  Vec3 colour = {0.6, 0.6, 0.6};  // linear RGB
  bool cloth = false;             // cloth shading (sheen), two-sided
  double opacity = 1.0;           // below 1: a veil that casts no shadow
};

struct RenderSettings {
  int width = 768, height = 1024;  // 16 .. 8192
  int samples = 4;                 // rays a pixel where its middle does not tell all, 1 .. 64
};

struct Image {
  int width = 0, height = 0;
  std::vector<uint8_t> rgb;  // [3 * width * height]
};

// What several pictures of the same pieces share: normals, and the tree that rays go through.
class Studio {
 public:
  static absl::StatusOr<Studio> of(std::vector<RenderPiece> pieces);
  Studio(Studio&&) noexcept;
  Studio& operator=(Studio&&) noexcept;
  ~Studio();

  // Frames all pieces with the same scale for every view.
  absl::StatusOr<Image> view(const RunContext& run, View view, const RenderSettings& settings) const;
  // The same with the camera gone round by so many degrees against the clock seen from above (90: the person's left
  // side); all turns are framed alike.
  absl::StatusOr<Image> turned(const RunContext& run, double degrees, const RenderSettings& settings) const;
  // The same with the frame of other pieces, so that several pictures have one scale.
  absl::StatusOr<Image> framed(const RunContext& run, const std::vector<RenderPiece>& frame, View view,
                               const RenderSettings& settings) const;

 private:
  struct Impl;
  explicit Studio(std::unique_ptr<const Impl> impl);
  std::unique_ptr<const Impl> impl_;
};

absl::StatusOr<Image> render_view(const RunContext& run, const std::vector<RenderPiece>& pieces, View view,
                                  const RenderSettings& settings);
absl::StatusOr<std::string> encode_png(const Image& image);
// An endless animation (APNG), which what knows no animation shows as its first picture; pictures of one size.
absl::StatusOr<std::string> encode_animated_png(const std::vector<Image>& images, double seconds_each);

}  // namespace tryon
