#include "server/render/canvas.h"

#include <set>

#include "gtest/gtest.h"
#include "server/render/curves.h"
#include "server/render/typeface.h"

namespace tryon {
namespace {

Rgb8 pixel(const Image& image, int x, int y) {
  const uint8_t* p = &image.rgb[3 * (static_cast<size_t>(y) * image.width + x)];
  return {p[0], p[1], p[2]};
}

int dark_pixels(const Image& image, int left, int top, int right, int bottom) {
  int count = 0;
  for (int y = top; y < bottom; ++y) {
    for (int x = left; x < right; ++x) count += pixel(image, x, y)[0] < 100;
  }
  return count;
}

TEST(Canvas, AnOutlineIsFilledInsideAndNowhereElse) {
  Image image = blank_image(40, 40);
  fill_outline({{10, 10}, {30, 10}, {30, 30}, {10, 30}}, Vec3::Zero(), &image);
  EXPECT_EQ(dark_pixels(image, 0, 0, 40, 40), 400);
  EXPECT_EQ(pixel(image, 20, 20), (Rgb8{0, 0, 0}));
  EXPECT_EQ(pixel(image, 9, 20), (Rgb8{255, 255, 255}));
}

TEST(Canvas, AnOutlineMayLeaveThePicture) {
  Image image = blank_image(20, 20);
  fill_outline({{-50, -50}, {50, -50}, {50, 10}, {-50, 10}}, Vec3::Zero(), &image);
  Ink ink;
  ink.stroke({{-30, 15}, {50, 15}}, false, 3.0);
  ink.lay_on(Vec3::Zero(), 1.0, &image);
  EXPECT_EQ(dark_pixels(image, 0, 0, 20, 10), 200);
  EXPECT_EQ(pixel(image, 10, 15)[0], 0);
  EXPECT_EQ(pixel(image, 10, 19)[0], 255);
}

TEST(Canvas, ALegendShowsItsScaleFromLowToHighWithThreeLabels) {
  const Image picture = blank_image(300, 50);
  const Image image = with_legend(picture, {ColourMap::kViridis, "distance", "0 mm", "25 mm", "50 mm"});
  EXPECT_EQ(image.width, 300);
  const int bar = 50 + 12 + kTextHeight + 12 + 11;
  for (const double share : {0.1, 0.5, 0.9}) {
    const auto wanted = srgb_of(map_linear(ColourMap::kViridis, share));
    const Rgb8 seen = pixel(image, 50 + static_cast<int>(share * 200), bar);
    for (int k = 0; k < 3; ++k) EXPECT_NEAR(seen[k], wanted[k], 3) << share;
  }
  EXPECT_GT(dark_pixels(image, 50 - 30, bar + 20, 50 + 30, image.height), 20);
  EXPECT_GT(dark_pixels(image, 250 - 30, bar + 20, 250 + 30, image.height), 20);
}

TEST(Canvas, PicturesStandSideBySideWithoutOverlap) {
  Image left = blank_image(10, 20), right = blank_image(30, 10);
  fill_box(0, 0, 10, 20, Vec3::Zero(), &left);
  const Image both = side_by_side({left, right});
  EXPECT_EQ(both.width, 40);
  EXPECT_EQ(both.height, 20);
  EXPECT_EQ(dark_pixels(both, 0, 0, 40, 20), 200);
}

TEST(Canvas, EveryCharacterOfALegendHasAGlyphOfItsOwn) {
  std::set<std::vector<uint8_t>> seen;
  const std::string text = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-%/+,:()_";
  for (const char c : text) {
    Image image = blank_image(24, 24);
    draw_text(std::string(1, c), 0, 0, &image);
    seen.insert(image.rgb);
  }
  EXPECT_EQ(seen.size(), text.size());
}

// Lightness after CIE 1976, from which a colour-blind eye and a grey print read the scale.
double lightness(const Vec3& linear) {
  const double y = 0.2126 * linear.x() + 0.7152 * linear.y() + 0.0722 * linear.z();
  return y > 0.008856 ? 116.0 * std::cbrt(y) - 16.0 : 903.3 * y;
}

TEST(ColourMap, ViridisGrowsLighterAllTheWay) {
  double last = -1.0;
  for (int i = 0; i <= 64; ++i) {
    const double now = lightness(map_linear(ColourMap::kViridis, i / 64.0));
    EXPECT_GT(now, last) << i;
    last = now;
  }
}

TEST(ColourMap, ValuesAboutZeroAreLightestAtZeroAndDarkenToBothSides) {
  EXPECT_EQ(map_srgb(ColourMap::kAboutZero, 0.5), (Rgb8{247, 247, 247}));
  for (int i = 0; i < 32; ++i) {
    const double low = lightness(map_linear(ColourMap::kAboutZero, i / 64.0));
    const double high = lightness(map_linear(ColourMap::kAboutZero, 1.0 - i / 64.0));
    EXPECT_LT(low, lightness(map_linear(ColourMap::kAboutZero, (i + 1) / 64.0)) + 1e-9) << i;
    EXPECT_NEAR(low, high, 25.0) << i;
  }
}

TEST(ColourMap, WhatLiesBeyondHasTheColourOfTheEndAndNaNIsGrey) {
  EXPECT_EQ(map_srgb(ColourMap::kViridis, -3.0), map_srgb(ColourMap::kViridis, 0.0));
  EXPECT_EQ(map_srgb(ColourMap::kViridis, 9.0), map_srgb(ColourMap::kViridis, 1.0));
  EXPECT_EQ(map_srgb(ColourMap::kAboutZero, std::nan("")), (Rgb8{128, 128, 128}));
}

}  // namespace
}  // namespace tryon
