// What it is: the long lens through which all four views are seen, and the lights that travel with it.
// Units and frame: metres, +Y up; image x runs right, y down, both in pixels from the top left corner.
// Every view has the same distance, scale and lens shift, so that the four pictures lie beside each other.
// How it fails: it does not (the points are finite and at least one). Thread rules: plain value, pure functions.
#pragma once

#include <algorithm>
#include <vector>

#include "server/render/preview.h"

namespace tryon {

struct Camera {
  Vec3 eye = Vec3::Zero(), right = Vec3::UnitX(), up = Vec3::UnitY(), forward = -Vec3::UnitZ();
  double slope_per_pixel = 1.0;           // tangent of the angle that one pixel covers at the centre
  double center_x = 0.0, center_y = 0.0;  // pixel where `forward` meets the image
  double distance = 1.0;                  // from the eye to the middle of the subject

  Vec3 direction(double x, double y) const;  // unit
  Vec2 project(const Vec3& point) const;     // pixels
  // From the camera's axes (right, up, towards the viewer) to the world's.
  Vec3 to_world(const Vec3& in_camera) const;
};

// Frames all the points with a margin.
Camera frame_view(const std::vector<RenderPiece>& pieces, View view, int width, int height);
// From any side: degrees against the clock seen from above, 0 in front; the frame is the same for all.
Camera frame_turn(const std::vector<RenderPiece>& pieces, double degrees, int width, int height);

// The pixels that can show a piece; left is a whole number of packets from the edge. Empty: right < left.
struct PixelBox {
  int left = 0, top = 0, right = -1, bottom = -1;
  int width() const { return std::max(0, right - left + 1); }
  int height() const { return std::max(0, bottom - top + 1); }
  bool contains(int x, int y) const { return x >= left && x <= right && y >= top && y <= bottom; }
};
PixelBox pixels_of(const std::vector<RenderPiece>& pieces, const Camera& camera, int width, int height);

}  // namespace tryon
