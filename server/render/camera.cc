#include "server/render/camera.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "server/base/units.h"
#include "server/render/ray_scene.h"

namespace tryon {
namespace {

constexpr double kDistanceInSizes = 6.0;  // a long lens: near and far parts of a person differ by a few per cent
constexpr double kPitchDegrees = 3.5;     // looking down a little shows the floor under the feet
constexpr double kMargin = 0.06;          // of the image on each side
constexpr double kMinSize = 1e-3;

// Where the viewer stands, seen from the subject.
Vec3 towards_viewer(View view) {
  switch (view) {
    case View::kFront:
      return Vec3::UnitZ();
    case View::kBack:
      return -Vec3::UnitZ();
    case View::kLeft:
      return Vec3::UnitX();
    case View::kRight:
      return -Vec3::UnitX();
  }
  return Vec3::UnitZ();
}

Camera aim(const Vec3& side, const Vec3& target, double distance) {
  Camera camera;
  const double pitch = radians(kPitchDegrees);
  const Vec3 back = (std::cos(pitch) * side + std::sin(pitch) * Vec3::UnitY()).normalized();
  camera.eye = target + distance * back;
  camera.forward = -back;
  camera.right = Vec3::UnitY().cross(back).normalized();
  camera.up = back.cross(camera.right);
  camera.distance = distance;
  return camera;
}

// Slopes (x right, y up) of a point seen from the camera.
Vec2 slopes(const Camera& camera, const Vec3& point) {
  const Vec3 d = point - camera.eye;
  return Vec2(d.dot(camera.right), d.dot(camera.up)) / d.dot(camera.forward);
}

// The whole subject with a margin: slopes of its widest, lowest and highest points.
Camera framed(Camera camera, double half_width, double low, double high, int width, int height) {
  const double inner = 1.0 - 2.0 * kMargin;
  const double least = kMinSize / camera.distance;
  camera.slope_per_pixel = std::max({2.0 * half_width / width, (high - low) / height, least / width}) / inner;
  camera.center_x = 0.5 * width;
  camera.center_y = 0.5 * height + 0.5 * (high + low) / camera.slope_per_pixel;
  return camera;
}

Box3 scene_box(const std::vector<RenderPiece>& pieces) {
  Box3 box;
  for (const RenderPiece& piece : pieces) box.extend(bounds(piece.mesh));
  return box;
}

}  // namespace

Vec3 Camera::direction(double x, double y) const {
  const double sx = (x - center_x) * slope_per_pixel, sy = (center_y - y) * slope_per_pixel;
  return (forward + sx * right + sy * up).normalized();
}

Vec2 Camera::project(const Vec3& point) const {
  const Vec2 s = slopes(*this, point) / slope_per_pixel;
  return {center_x + s.x(), center_y - s.y()};
}

Vec3 Camera::to_world(const Vec3& in_camera) const {
  return in_camera.x() * right + in_camera.y() * up - in_camera.z() * forward;
}

Camera frame_view(const std::vector<RenderPiece>& pieces, View view, int width, int height) {
  const Box3 box = scene_box(pieces);
  const double distance = kDistanceInSizes * std::max(kMinSize, box.sizes().maxCoeff());
  double half_width = 0.0, low = 1e30, high = -1e30;
  for (View other : kFourViews) {
    const Camera camera = aim(towards_viewer(other), box.center(), distance);
    for (const RenderPiece& piece : pieces) {
      for (const Vec3& p : piece.mesh.positions) {
        const Vec2 s = slopes(camera, p);
        half_width = std::max(half_width, std::abs(s.x()));
        low = std::min(low, s.y()), high = std::max(high, s.y());
      }
    }
  }
  return framed(aim(towards_viewer(view), box.center(), distance), half_width, low, high, width, height);
}

Camera frame_turn(const std::vector<RenderPiece>& pieces, double degrees, int width, int height) {
  const Box3 box = scene_box(pieces);
  const double distance = kDistanceInSizes * std::max(kMinSize, box.sizes().maxCoeff());
  const double angle = radians(degrees);
  double half_width = 0.0, low = 1e30, high = -1e30;
  for (const RenderPiece& piece : pieces) {
    for (const Vec3& p : piece.mesh.positions) {
      const Vec3 arm = p - box.center();  // on its way round it is seen largest from the side and from the front
      const double radius = std::hypot(arm.x(), arm.z());
      half_width = std::max(half_width, radius / std::sqrt(distance * distance - radius * radius));
      for (const double depth : {-radius, radius}) {
        const Vec2 s = slopes(aim(Vec3::UnitZ(), Vec3::Zero(), distance), Vec3(0.0, arm.y(), depth));
        low = std::min(low, s.y()), high = std::max(high, s.y());
      }
    }
  }
  const Vec3 side(std::sin(angle), 0.0, std::cos(angle));
  return framed(aim(side, box.center(), distance), half_width, low, high, width, height);
}

PixelBox pixels_of(const std::vector<RenderPiece>& pieces, const Camera& camera, int width, int height) {
  const Box3 box = scene_box(pieces);
  Vec2 low(width, height), high(-1.0, -1.0);
  for (int corner = 0; corner < 8; ++corner) {  // in front of the camera, which stands far off
    const Vec2 at = camera.project(box.corner(static_cast<Box3::CornerType>(corner)));
    low = low.cwiseMin(at), high = high.cwiseMax(at);
  }
  const auto pixel = [](double at, int last) { return static_cast<int>(std::clamp(at, -1.0, last + 1.0)); };
  PixelBox out;
  out.left = std::max(0, pixel(std::floor(low.x()) - 1.0, width)) / kPacket * kPacket;
  out.top = std::max(0, pixel(std::floor(low.y()) - 1.0, height));
  out.right = std::min(width - 1, pixel(std::ceil(high.x()) + 1.0, width));
  out.bottom = std::min(height - 1, pixel(std::ceil(high.y()) + 1.0, height));
  return out;
}

}  // namespace tryon
