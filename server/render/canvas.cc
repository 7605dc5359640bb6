#include "server/render/canvas.h"

#include <algorithm>
#include <cmath>

#include "server/render/curves.h"
#include "server/render/typeface.h"

namespace tryon {
namespace {

constexpr int kPad = 12, kBarHeight = 22;
const Vec3 kInkColour(0.02, 0.02, 0.03), kRim(0.2, 0.2, 0.2);

double distance_to_segment(const Vec2& p, const Vec2& a, const Vec2& b) {
  const Vec2 ab = b - a;
  const double s = ab.squaredNorm() > 0.0 ? std::clamp((p - a).dot(ab) / ab.squaredNorm(), 0.0, 1.0) : 0.0;
  return (p - a - s * ab).norm();
}

int low_pixel(double a, double b, double reach) { return static_cast<int>(std::floor(std::min(a, b) - reach)); }
int high_pixel(double a, double b, double reach) { return static_cast<int>(std::ceil(std::max(a, b) + reach)); }

void put(const Image& from, int left, int top, Image* image) {
  for (int y = 0; y < from.height; ++y) {
    const auto row = from.rgb.begin() + 3 * static_cast<std::ptrdiff_t>(y) * from.width;
    std::copy(row, row + 3 * static_cast<std::ptrdiff_t>(from.width),
              image->rgb.begin() + 3 * (static_cast<std::ptrdiff_t>(top + y) * image->width + left));
  }
}

// Where the row at height y enters and leaves the outline.
std::vector<double> crossings(const std::vector<Vec2>& outline, double y) {
  std::vector<double> out;
  for (size_t i = 0; i < outline.size(); ++i) {
    const Vec2 &a = outline[i], &b = outline[(i + 1) % outline.size()];
    if ((a.y() <= y) == (b.y() <= y)) continue;
    out.push_back(a.x() + (b.x() - a.x()) * (y - a.y()) / (b.y() - a.y()));
  }
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace

Image blank_image(int width, int height) {
  return {width, height, std::vector<uint8_t>(static_cast<size_t>(3) * width * height, 255)};
}

void blend_pixel(const Vec3& colour, double opacity, int x, int y, Image* image) {
  if (x < 0 || y < 0 || x >= image->width || y >= image->height) return;
  const auto paint = srgb_of(colour);
  uint8_t* pixel = &image->rgb[3 * (static_cast<size_t>(y) * image->width + x)];
  for (int k = 0; k < 3; ++k) {
    pixel[k] = static_cast<uint8_t>(std::lround((1.0 - opacity) * pixel[k] + opacity * paint[k]));
  }
}

void fill_box(int left, int top, int right, int bottom, const Vec3& colour, Image* image) {
  for (int y = top; y < bottom; ++y) {
    for (int x = left; x < right; ++x) blend_pixel(colour, 1.0, x, y, image);
  }
}

void fill_outline(const std::vector<Vec2>& outline, const Vec3& colour, Image* image) {
  constexpr int kRows = 4;  // looked at in each row of pixels
  std::vector<double> cover(static_cast<size_t>(image->width));
  for (int y = 0; y < image->height; ++y) {
    std::fill(cover.begin(), cover.end(), 0.0);
    for (int row = 0; row < kRows; ++row) {
      const std::vector<double> at = crossings(outline, y + (row + 0.5) / kRows);
      for (size_t k = 0; k + 1 < at.size(); k += 2) {
        const int last = std::min(image->width - 1, static_cast<int>(std::floor(at[k + 1])));
        for (int x = std::max(0, static_cast<int>(std::floor(at[k]))); x <= last; ++x) {
          const double part = std::min(x + 1.0, at[k + 1]) - std::max<double>(x, at[k]);
          cover[static_cast<size_t>(x)] += std::max(0.0, part) / kRows;
        }
      }
    }
    for (int x = 0; x < image->width; ++x) {
      if (cover[static_cast<size_t>(x)] > 0.0) blend_pixel(colour, cover[static_cast<size_t>(x)], x, y, image);
    }
  }
}

void Ink::stroke(const Vec2& a, const Vec2& b, double width) {
  const double reach = 0.5 * width + 1.0;
  for (int y = low_pixel(a.y(), b.y(), reach); y <= high_pixel(a.y(), b.y(), reach); ++y) {
    for (int x = low_pixel(a.x(), b.x(), reach); x <= high_pixel(a.x(), b.x(), reach); ++x) {
      const double d = distance_to_segment(Vec2(x + 0.5, y + 0.5), a, b);
      const double covered = std::clamp(0.5 * width + 0.5 - d, 0.0, 1.0);
      if (covered > 0.0) cover_[{y, x}] = std::max(cover_[{y, x}], covered);
    }
  }
}

void Ink::stroke(const std::vector<Vec2>& points, bool closed, double width) {
  for (size_t i = 1; i < points.size(); ++i) stroke(points[i - 1], points[i], width);
  if (closed && points.size() > 1) stroke(points.back(), points.front(), width);
}

void Ink::lay_on(const Vec3& colour, double opacity, Image* image) const {
  for (const auto& [at, covered] : cover_) blend_pixel(colour, opacity * covered, at.second, at.first, image);
}

void draw_text(std::string_view text, int x, int y, Image* image) {
  ink_text(text, [&](int right, int down, double ink) { blend_pixel(kInkColour, ink, x + right, y + down, image); });
}

Image with_legend(const Image& image, const Legend& legend) {
  Image out = blank_image(image.width, image.height + 2 * kTextHeight + kBarHeight + 4 * kPad);
  put(image, 0, 0, &out);
  int y = image.height + kPad;
  draw_text(legend.title, (out.width - text_width(legend.title)) / 2, y, &out);
  y += kTextHeight + kPad;
  const int left = out.width / 6, right = out.width - left, span = right - left;
  fill_box(left - 1, y - 1, right + 1, y + kBarHeight + 1, kRim, &out);
  for (int x = left; x < right; ++x) {
    fill_box(x, y, x + 1, y + kBarHeight, map_linear(legend.map, (x - left + 0.5) / span), &out);
  }
  y += kBarHeight + kPad;
  const auto centred = [&](const std::string& text, int x) { draw_text(text, x - text_width(text) / 2, y, &out); };
  centred(legend.low, left);
  centred(legend.middle, (left + right) / 2);
  centred(legend.high, right);
  return out;
}

Image side_by_side(const std::vector<Image>& images) {
  int width = 0, height = 0;
  for (const Image& image : images) width += image.width, height = std::max(height, image.height);
  Image out = blank_image(width, height);
  int left = 0;
  for (const Image& image : images) {
    put(image, left, 0, &out);
    left += image.width;
  }
  return out;
}

Image with_caption(const Image& image, const std::vector<std::string>& lines) {
  const int line = kTextHeight + kPad / 2;
  Image out = blank_image(image.width, image.height + line * static_cast<int>(lines.size()) + 2 * kPad);
  put(image, 0, 0, &out);
  int y = image.height + kPad;
  for (const std::string& text : lines) {
    draw_text(text, std::max(0, (out.width - text_width(text)) / 2), y, &out);
    y += line;
  }
  return out;
}

}  // namespace tryon
