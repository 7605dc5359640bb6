#include "server/render/curves.h"

#include <algorithm>
#include <cmath>

#include "server/base/status.h"
#include "server/base/text.h"
#include "server/render/camera.h"
#include "server/render/canvas.h"
#include "server/render/ray_scene.h"
#include "server/render/typeface.h"

namespace tryon {
namespace {

constexpr double kOnSkin = 0.006;             // metres: a tape spans hollows and skin is made of triangles
constexpr double kStepPixels = 1.5;           // how finely a line is looked at
constexpr double kDash = 5.0;                 // pixels drawn and pixels left out where the line is hidden
constexpr double kFaint = 0.45;               // opacity of those
constexpr int kLineHeight = kTextHeight + 4;  // pixels
constexpr int kMargin = 12;                   // pixels from the picture's edge
constexpr double kLeaderWidth = 1.0, kLeaderOpacity = 0.6;

absl::Status check_image(const Image& image) {
  if (image.width > 0 && image.height > 0 && image.rgb.size() == static_cast<size_t>(3) * image.width * image.height) {
    return absl::OkStatus();
  }
  return invalid_input("RENDER_ARRAY_LENGTH", "image", cat("a picture with ", image.rgb.size(), " bytes"),
                       "draw on a picture that render_view made");
}

struct Sample {
  Vec2 pixel;
  bool visible;
};

std::vector<Sample> sample_curve(const RenderCurve& curve, const Camera& camera, const RayScene& scene) {
  std::vector<Sample> out;
  const auto add = [&](const Vec3& p) {
    const Vec3 way = p - camera.eye;
    const Hit hit = scene.nearest(camera.eye, way.normalized(), 0.0);
    out.push_back({camera.project(p), hit.piece < 0 || hit.distance > way.norm() - kOnSkin});
  };
  const size_t count = curve.points.size(), legs = curve.closed ? count : count - 1;
  for (size_t i = 0; i < legs; ++i) {
    const Vec3 &a = curve.points[i], &b = curve.points[(i + 1) % count];
    const double length = (camera.project(b) - camera.project(a)).norm();
    const int steps = std::clamp(static_cast<int>(std::ceil(length / kStepPixels)), 1, 10000);
    for (int k = 0; k < steps; ++k) add(a + (b - a) * k / steps);
    if (i + 1 == legs) add(b);
  }
  return out;
}

// Sorted by height and pushed apart until none lies over another, as near to where they belong as that allows.
struct Label {
  const RenderCurve* curve;
  Vec2 anchor;
  double y = 0.0;
};

void spread(double height, std::vector<Label>* labels) {
  std::stable_sort(labels->begin(), labels->end(), [](const Label& a, const Label& b) { return a.y < b.y; });
  double free = kMargin;
  for (Label& label : *labels) {
    label.y = std::max(label.y, free);
    free = label.y + kLineHeight;
  }
  free = height - kMargin;
  for (auto label = labels->rbegin(); label != labels->rend(); ++label) {
    label->y = std::min(label->y, free - kLineHeight);
    free = label->y;
  }
}

void draw_column(bool left, const std::vector<Label>& labels, Image* image) {
  for (const Label& label : labels) {
    const int width = text_width(label.curve->label);
    const int x = left ? kMargin : image->width - kMargin - width;
    draw_text(label.curve->label, x, static_cast<int>(std::lround(label.y)), image);
    const double middle = label.y + 0.5 * kTextHeight;
    const Vec2 from(left ? x + width + 4 : x - 6, middle);
    Ink leader;
    leader.stroke(from, label.anchor, kLeaderWidth);
    leader.lay_on(label.curve->colour, kLeaderOpacity, image);
  }
}

}  // namespace

Eigen::Matrix<uint8_t, 3, 1> srgb_of(const Vec3& linear) {
  Eigen::Matrix<uint8_t, 3, 1> out;
  for (int k = 0; k < 3; ++k) {
    const double x = std::clamp(linear[k], 0.0, 1.0);
    out[k] = static_cast<uint8_t>(
        std::lround(255.0 * (x <= 0.0031308 ? 12.92 * x : 1.055 * std::pow(x, 1.0 / 2.4) - 0.055)));
  }
  return out;
}

absl::Status draw_curves(const RunContext& run, const std::vector<RenderPiece>& pieces, View view,
                         const std::vector<RenderCurve>& curves, double width_px, Image* image) {
  RETURN_IF_ERROR(check_image(*image));
  const Camera camera = frame_view(pieces, view, image->width, image->height);
  const RayScene scene(pieces);
  for (const RenderCurve& curve : curves) {
    RETURN_IF_ERROR(run.check());
    if (curve.points.size() < 2) continue;
    const std::vector<Sample> samples = sample_curve(curve, camera, scene);
    Ink near, far;
    double walked = 0.0;
    for (size_t i = 1; i < samples.size(); ++i) {
      const Vec2 &a = samples[i - 1].pixel, &b = samples[i].pixel;
      if (samples[i - 1].visible && samples[i].visible) {
        near.stroke(a, b, width_px);
      } else if (std::fmod(walked, 2 * kDash) < kDash) {
        far.stroke(a, b, 0.75 * width_px);
      }
      walked += (b - a).norm();
    }
    far.lay_on(curve.colour, kFaint, image);
    near.lay_on(curve.colour, 0.95, image);
  }
  return absl::OkStatus();
}

absl::Status draw_labels(const std::vector<RenderPiece>& pieces, View view, const std::vector<RenderCurve>& curves,
                         Image* image) {
  RETURN_IF_ERROR(check_image(*image));
  const Camera camera = frame_view(pieces, view, image->width, image->height);
  std::vector<Label> left, right;
  for (const RenderCurve& curve : curves) {
    if (curve.label.empty() || curve.points.empty()) continue;
    Vec2 least = camera.project(curve.points.front()), most = least;
    for (const Vec3& p : curve.points) {
      const Vec2 q = camera.project(p);
      if (q.x() < least.x()) least = q;
      if (q.x() > most.x()) most = q;
    }
    const double middle = 0.5 * (least.x() + most.x()) - 0.5 * image->width, near_middle = 0.03 * image->width;
    const bool to_left = std::abs(middle) < near_middle ? left.size() <= right.size() : middle < 0.0;
    const Vec2 anchor = to_left ? least : most;
    (to_left ? left : right).push_back({&curve, anchor, anchor.y() - 0.5 * kTextHeight});
  }
  for (std::vector<Label>* column : {&left, &right}) {
    spread(image->height, column);
    draw_column(column == &left, *column, image);
  }
  return absl::OkStatus();
}

}  // namespace tryon
