// Pictures from all round, animations, and several pictures of one scale.
#include <zlib.h>

#include <cmath>

#include "gtest/gtest.h"
#include "server/render/preview.h"

namespace tryon {
namespace {

RenderPiece box(double width, double height, double depth) {
  RenderPiece piece;
  for (int k = 0; k < 8; ++k) {
    piece.mesh.positions.emplace_back((k & 1 ? 0.5 : -0.5) * width, (k & 2 ? 1.0 : 0.0) * height,
                                      (k & 4 ? 0.5 : -0.5) * depth);
  }
  for (const auto& q : std::vector<std::array<int, 4>>{
           {0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}}) {
    piece.mesh.triangles.push_back({q[0], q[1], q[2]});
    piece.mesh.triangles.push_back({q[0], q[2], q[3]});
  }
  piece.colour = {0.8, 0.1, 0.1};
  return piece;
}

RenderSettings small() {
  RenderSettings settings;
  settings.width = 96, settings.height = 128;
  return settings;
}

// Columns in which the red box is seen.
std::pair<int, int> red_columns(const Image& image) {
  int low = image.width, high = -1;
  for (int y = 0; y < image.height; ++y) {
    for (int x = 0; x < image.width; ++x) {
      const uint8_t* p = &image.rgb[3 * (static_cast<size_t>(y) * image.width + x)];
      if (p[0] > p[1] + 40) low = std::min(low, x), high = std::max(high, x);
    }
  }
  return {low, high};
}

TEST(RenderTurned, TheBroadSideIsBroadAndTheNarrowNarrowInOneFrame) {
  const std::vector<RenderPiece> pieces = {box(0.6, 1.7, 0.2)};
  const auto width = [&](double degrees) {
    const auto [low, high] = red_columns(*Studio::of(pieces)->turned(RunContext{}, degrees, small()));
    EXPECT_GT(low, 0);
    EXPECT_LT(high, 95);
    return high - low;
  };
  const int front = width(0), side = width(90), slanted = width(45);
  EXPECT_NEAR(static_cast<double>(side) / front, 1.0 / 3.0, 0.12);
  EXPECT_GT(slanted, side);
  EXPECT_NEAR(width(180), front, 1);
}

TEST(RenderTurned, NinetyDegreesShowThePersonsLeftSide) {
  std::vector<RenderPiece> pieces = {box(0.4, 1.7, 0.4), box(0.1, 0.2, 0.1)};
  for (Vec3& p : pieces[1].mesh.positions) p += Vec3(0.3, 0.7, 0.0);  // at the left hand
  pieces[0].colour = {0.3, 0.3, 0.3};
  const auto [low, high] = red_columns(*Studio::of(pieces)->turned(RunContext{}, 90.0, small()));
  EXPECT_NEAR(0.5 * (low + high), 47.5, 3.0);                                                    // before the body
  EXPECT_EQ(red_columns(*Studio::of(pieces)->turned(RunContext{}, 270.0, small())).second, -1);  // hidden behind it
}

TEST(RenderFramed, ASmallThingInALargeFrameStaysSmall) {
  const std::vector<RenderPiece> little = {box(0.2, 0.5, 0.2)}, large = {box(0.8, 2.0, 0.8)};
  const auto own = red_columns(*render_view(RunContext{}, little, View::kFront, small()));
  const auto framed = red_columns(*Studio::of(little)->framed(RunContext{}, large, View::kFront, small()));
  EXPECT_NEAR(static_cast<double>(framed.second - framed.first) / (own.second - own.first), 0.25, 0.08);
}

uint32_t big_endian(const std::string& bytes, size_t at) {
  uint32_t out = 0;
  for (size_t k = 0; k < 4; ++k) out = out << 8 | static_cast<uint8_t>(bytes[at + k]);
  return out;
}

TEST(AnimatedPng, HoldsAFrameAPictureInSoundChunksAndInOrder) {
  std::vector<Image> images;
  for (int i = 0; i < 3; ++i) {
    images.push_back({16, 20, std::vector<uint8_t>(16 * 20 * 3, static_cast<uint8_t>(80 * i))});
  }
  const std::string png = *encode_animated_png(images, 0.125);
  std::vector<std::string> types;
  uint32_t sequence = 0;
  std::vector<std::string> pictures(3);
  size_t at = 8;
  while (at + 12 <= png.size()) {
    const uint32_t length = big_endian(png, at);
    const std::string type = png.substr(at + 4, 4), data = png.substr(at + 8, length);
    EXPECT_EQ(big_endian(png, at + 8 + length),
              crc32(0, reinterpret_cast<const Bytef*>(png.data() + at + 4), length + 4));
    if (type == "fcTL" || type == "fdAT") {
      EXPECT_EQ(big_endian(data, 0), sequence++);
    }
    if (type == "fcTL") {
      EXPECT_EQ(big_endian(data, 20), 125u << 16 | 1000u);
    }
    if (type == "acTL") {
      EXPECT_EQ(big_endian(data, 0), 3u);
    }
    if (type == "IDAT") pictures[0] = data;
    if (type == "fdAT") pictures[sequence / 2 - 1 + sequence % 2] = data.substr(4);
    types.push_back(type);
    at += length + 12;
  }
  EXPECT_EQ(at, png.size());
  EXPECT_EQ(types, (std::vector<std::string>{"IHDR", "acTL", "fcTL", "IDAT", "fcTL", "fdAT", "fcTL", "fdAT", "IEND"}));
  for (int i = 0; i < 3; ++i) {
    std::string rows(20 * (16 * 3 + 1), '\1');
    uLongf size = rows.size();
    ASSERT_EQ(uncompress(reinterpret_cast<Bytef*>(rows.data()), &size,
                         reinterpret_cast<const Bytef*>(pictures[i].data()), pictures[i].size()),
              Z_OK)
        << i;
    EXPECT_EQ(size, rows.size());
  }
}

TEST(AnimatedPng, RefusesPicturesOfSeveralSizes) {
  const Image a{16, 16, std::vector<uint8_t>(768)}, b{16, 17, std::vector<uint8_t>(816)};
  EXPECT_FALSE(encode_animated_png({a, b}, 0.1).ok());
  EXPECT_FALSE(encode_animated_png({}, 0.1).ok());
}

}  // namespace
}  // namespace tryon
