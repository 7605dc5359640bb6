// Lines on a picture: through where they are seen, faint and broken where the body hides them; labels apart.
#include "server/render/curves.h"

#include <cmath>

#include "gtest/gtest.h"
#include "server/base/status.h"
#include "server/base/units.h"
#include "tests/support/test_meshes.h"

namespace tryon {
namespace {

constexpr int kWidth = 160, kHeight = 160;

RenderPiece ball() {
  RenderPiece piece;
  constexpr int kRows = 24, kColumns = 48;
  for (int i = 0; i <= kRows; ++i) {
    for (int k = 0; k < kColumns; ++k) {
      const double polar = kPi * i / kRows, a = 2 * kPi * k / kColumns;
      piece.mesh.positions.emplace_back(std::sin(polar) * std::cos(a), 1.0 - std::cos(polar),
                                        std::sin(polar) * std::sin(a));
    }
  }
  for (int i = 0; i < kRows; ++i) {
    for (int k = 0; k < kColumns; ++k) {
      const int n = (k + 1) % kColumns, a = i * kColumns + k, b = i * kColumns + n;
      if (i > 0) piece.mesh.triangles.push_back({a, a + kColumns, b});
      if (i + 1 < kRows) piece.mesh.triangles.push_back({b, a + kColumns, b + kColumns});
    }
  }
  return piece;
}

Image blank() { return {kWidth, kHeight, std::vector<uint8_t>(3 * kWidth * kHeight, 255)}; }

RenderCurve equator() {
  RenderCurve curve;
  curve.colour = {1, 0, 0};
  for (int k = 0; k < 96; ++k) {
    const double a = 2 * kPi * k / 96;
    curve.points.emplace_back(1.001 * std::cos(a), 1.0, 1.001 * std::sin(a));
  }
  return curve;
}

// How much ink a picture got in rows [from, to): 0 for white.
double ink(const Image& image, int from, int to) {
  double sum = 0.0;
  for (int y = from; y < to; ++y) {
    for (int x = 0; x < image.width; ++x) sum += 255 - image.rgb[3 * (static_cast<size_t>(y) * image.width + x) + 1];
  }
  return sum / 255.0;
}

TEST(Curves, TheNearHalfIsDrawnThroughAndTheFarHalfIsFaint) {
  const std::vector<RenderPiece> pieces = {ball()};
  RenderCurve front = equator(), back = equator();
  front.closed = back.closed = false;
  const std::vector<Vec3> ring = equator().points;
  front.points.assign(ring.begin() + 2, ring.begin() + 47);  // +z: towards the viewer
  back.points.assign(ring.begin() + 50, ring.begin() + 95);
  Image near = blank(), far = blank();
  ASSERT_TRUE(draw_curves(RunContext{}, pieces, View::kFront, {front}, 3.0, &near).ok());
  ASSERT_TRUE(draw_curves(RunContext{}, pieces, View::kFront, {back}, 3.0, &far).ok());
  EXPECT_GT(ink(near, 0, kHeight), 300.0);
  EXPECT_GT(ink(far, 0, kHeight), 20.0) << "hidden, not lost";
  EXPECT_LT(ink(far, 0, kHeight), 0.35 * ink(near, 0, kHeight));
}

TEST(Curves, FromBehindTheSameHalvesChangePlaces) {
  const std::vector<RenderPiece> pieces = {ball()};
  RenderCurve half = equator();
  half.closed = false;
  const std::vector<Vec3> ring = equator().points;
  half.points.assign(ring.begin() + 2, ring.begin() + 47);
  Image front = blank(), back = blank();
  ASSERT_TRUE(draw_curves(RunContext{}, pieces, View::kFront, {half}, 3.0, &front).ok());
  ASSERT_TRUE(draw_curves(RunContext{}, pieces, View::kBack, {half}, 3.0, &back).ok());
  EXPECT_GT(ink(front, 0, kHeight), 2.5 * ink(back, 0, kHeight));
}

TEST(Curves, AClosedLineEndsWhereItBeganAndAnOpenOneDoesNot) {
  const std::vector<RenderPiece> pieces = {ball()};
  RenderCurve square;
  square.colour = {0, 0, 0};
  square.points = {{-0.4, 0.6, 2}, {0.4, 0.6, 2}, {0.4, 1.4, 2}, {-0.4, 1.4, 2}};  // before the ball
  Image closed = blank(), open = blank();
  ASSERT_TRUE(draw_curves(RunContext{}, pieces, View::kFront, {square}, 2.0, &closed).ok());
  square.closed = false;
  ASSERT_TRUE(draw_curves(RunContext{}, pieces, View::kFront, {square}, 2.0, &open).ok());
  EXPECT_NEAR(ink(open, 0, kHeight) / ink(closed, 0, kHeight), 0.75, 0.05);
}

TEST(Curves, APictureWithoutPixelsIsRefused) {
  Image broken{kWidth, kHeight, {}};
  const std::vector<RenderPiece> pieces = {ball()};
  EXPECT_EQ(error_detail(draw_curves(RunContext{}, pieces, View::kFront, {equator()}, 2.0, &broken))->reason,
            "RENDER_ARRAY_LENGTH");
  EXPECT_EQ(error_detail(draw_labels(pieces, View::kFront, {equator()}, &broken))->reason, "RENDER_ARRAY_LENGTH");
}

TEST(Labels, ManyAtOneLevelAreSpreadOverRowsOfTheirOwn) {
  const std::vector<RenderPiece> pieces = {ball()};
  std::vector<RenderCurve> curves;
  for (int i = 0; i < 6; ++i) {
    curves.push_back(equator());
    curves.back().label = "HH";
  }
  Image one = blank(), six = blank();
  ASSERT_TRUE(draw_labels(pieces, View::kFront, {curves[0]}, &one).ok());
  ASSERT_TRUE(draw_labels(pieces, View::kFront, curves, &six).ok());
  int rows_one = 0, rows_six = 0;  // rows with letters in the column at the left edge
  for (int y = 0; y < kHeight; ++y) {
    const auto dark = [y](const Image& image) {
      for (int x = 0; x < 24; ++x) {
        if (image.rgb[3 * (static_cast<size_t>(y) * kWidth + x)] < 100) return 1;
      }
      return 0;
    };
    rows_one += dark(one), rows_six += dark(six);
  }
  EXPECT_GT(rows_one, 8);
  EXPECT_GE(rows_six, 3 * rows_one - 2) << "three on either side, none over another";
}

}  // namespace
}  // namespace tryon
