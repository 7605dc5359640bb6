// What it is: flat drawing on a finished picture: lines, filled outlines, letters, the legend of a colour scale, and
// pictures put side by side. Units: pixels from the top left corner, y down; colours linear RGB or as colour_map.h.
// How it fails: what lies outside the picture is not drawn; sizes that differ are padded with white.
// Thread rules: pure functions.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "server/render/colour_map.h"
#include "server/render/preview.h"

namespace tryon {

Image blank_image(int width, int height);  // white
void blend_pixel(const Vec3& colour, double opacity, int x, int y, Image* image);
void fill_box(int left, int top, int right, int bottom, const Vec3& colour, Image* image);  // right, bottom excluded
void fill_outline(const std::vector<Vec2>& outline, const Vec3& colour, Image* image);      // even-odd

// How much of each pixel a line covers; a line that crosses itself covers no pixel twice.
class Ink {
 public:
  void stroke(const Vec2& a, const Vec2& b, double width);
  void stroke(const std::vector<Vec2>& points, bool closed, double width);
  void lay_on(const Vec3& colour, double opacity, Image* image) const;

 private:
  std::map<std::pair<int, int>, double> cover_;
};

void draw_text(std::string_view text, int x, int y, Image* image);  // typeface.h has its width and height

struct Legend {
  ColourMap map = ColourMap::kViridis;
  std::string title, low, middle, high;  // with their units
};
Image with_legend(const Image& image, const Legend& legend);  // below the picture

Image side_by_side(const std::vector<Image>& images);
Image with_caption(const Image& image, const std::vector<std::string>& lines);  // below the picture

}  // namespace tryon
