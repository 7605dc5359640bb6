#include "server/render/preview.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "server/base/status.h"
#include "server/base/units.h"

namespace tryon {
namespace {

TriangleMesh ball(const Vec3& center, const Vec3& radii) {
  constexpr int kRows = 16, kColumns = 24;
  TriangleMesh mesh;
  for (int row = 0; row <= kRows; ++row) {
    for (int column = 0; column < kColumns; ++column) {
      const double polar = kPi * row / kRows, around = 2 * kPi * column / kColumns;
      const Vec3 unit(std::sin(polar) * std::cos(around), -std::cos(polar), std::sin(polar) * std::sin(around));
      mesh.positions.push_back(center + radii.cwiseProduct(unit));
    }
  }
  for (int row = 0; row < kRows; ++row) {
    for (int column = 0; column < kColumns; ++column) {
      const int next = (column + 1) % kColumns, a = row * kColumns + column, b = row * kColumns + next;
      mesh.triangles.push_back({a, a + kColumns, b});
      mesh.triangles.push_back({b, a + kColumns, b + kColumns});
    }
  }
  return mesh;
}

RenderPiece piece(TriangleMesh mesh, const Vec3& colour) {
  RenderPiece out;
  out.normals = vertex_normals(mesh);
  out.mesh = std::move(mesh);
  out.colour = colour;
  return out;
}

const Vec3 kBlue(0.05, 0.10, 0.60), kRed(0.60, 0.03, 0.03), kGreen(0.03, 0.50, 0.05);

// An upright body with one arm to its left (+X) and a nose to the front (+Z).
std::vector<RenderPiece> figure() {
  std::vector<RenderPiece> out = {piece(ball({0, 0.8, 0}, {0.20, 0.80, 0.14}), kBlue),
                                  piece(ball({0.30, 1.1, 0}, {0.25, 0.08, 0.08}), kRed)};
  RenderPiece cloth = piece(ball({0, 1.3, 0.15}, {0.06, 0.06, 0.10}), kGreen);
  cloth.cloth = true;
  for (const Vec3& p : cloth.mesh.positions) cloth.uv.emplace_back(p.x(), p.y());
  out.push_back(std::move(cloth));
  return out;
}

RenderSettings small() {
  RenderSettings settings;
  settings.width = 96, settings.height = 128;
  return settings;
}

Image drawn(const std::vector<RenderPiece>& pieces, View view, int threads = 1) {
  Executor executor(threads);
  RunContext run;
  run.executor = &executor;
  absl::StatusOr<Image> image = render_view(run, pieces, view, small());
  EXPECT_TRUE(image.ok()) << image.status();
  return image.ok() ? *std::move(image) : Image();
}

enum class Kind { kBackdrop, kBlue, kRed, kGreen };

// The subject's colours are strong and the backdrop with its shadow is grey.
Kind kind_at(const Image& image, int x, int y) {
  const uint8_t* p = &image.rgb[3 * (static_cast<size_t>(y) * image.width + x)];
  const int high = std::max({p[0], p[1], p[2]}), low = std::min({p[0], p[1], p[2]});
  if (high - low < 40) return Kind::kBackdrop;
  return high == p[0] ? Kind::kRed : high == p[1] ? Kind::kGreen : Kind::kBlue;
}

struct Extent {
  int count = 0, left = 1 << 20, right = -1, top = 1 << 20, bottom = -1;
  double middle = 0.0;  // mean x
};

template <typename Test>
Extent extent(const Image& image, Test&& test) {
  Extent out;
  for (int y = 0; y < image.height; ++y) {
    for (int x = 0; x < image.width; ++x) {
      if (!test(kind_at(image, x, y))) continue;
      ++out.count, out.middle += x;
      out.left = std::min(out.left, x), out.right = std::max(out.right, x);
      out.top = std::min(out.top, y), out.bottom = std::max(out.bottom, y);
    }
  }
  out.middle /= std::max(1, out.count);
  return out;
}

Extent subject(const Image& image) {
  return extent(image, [](Kind k) { return k != Kind::kBackdrop; });
}
Extent of(const Image& image, Kind kind) {
  return extent(image, [kind](Kind k) { return k == kind; });
}

std::string png(const Image& image) {
  absl::StatusOr<std::string> bytes = encode_png(image);
  EXPECT_TRUE(bytes.ok()) << bytes.status();
  return bytes.ok() ? *std::move(bytes) : "";
}

TEST(Preview, GivesTheSameBytesForAnyThreadCount) {
  const std::string one = png(drawn(figure(), View::kFront, 1));
  EXPECT_EQ(one.substr(1, 3), "PNG");
  EXPECT_EQ(one, png(drawn(figure(), View::kFront, 2)));
  EXPECT_EQ(one, png(drawn(figure(), View::kFront, 7)));
}

TEST(Preview, ShowsTheWholeSubjectInEveryView) {
  for (View view : {View::kFront, View::kBack, View::kLeft, View::kRight}) {
    const Extent seen = subject(drawn(figure(), view));
    EXPECT_GT(seen.count, 1000) << view_name(view);
    EXPECT_GE(seen.left, 3) << view_name(view);
    EXPECT_LE(seen.right, 92) << view_name(view);
    EXPECT_GE(seen.top, 5) << view_name(view);
    EXPECT_LE(seen.bottom, 122) << view_name(view);
    EXPECT_GT(seen.bottom - seen.top, 95) << "fills the height: " << view_name(view);
  }
}

TEST(Preview, UsesOneScaleForAllViews) {
  const Extent front = subject(drawn(figure(), View::kFront)), left = subject(drawn(figure(), View::kLeft));
  EXPECT_NEAR(front.top, left.top, 2);
  EXPECT_NEAR(front.bottom, left.bottom, 2);
}

TEST(Preview, FrontAndBackAreMirrored) {
  const Image front = drawn(figure(), View::kFront), back = drawn(figure(), View::kBack);
  int both = 0, either = 0;
  for (int y = 0; y < front.height; ++y) {
    for (int x = 0; x < front.width; ++x) {
      const bool a = kind_at(front, x, y) != Kind::kBackdrop;
      const bool b = kind_at(back, back.width - 1 - x, y) != Kind::kBackdrop;
      both += a && b ? 1 : 0, either += a || b ? 1 : 0;
    }
  }
  EXPECT_GT(static_cast<double>(both) / either, 0.94);
}

TEST(Preview, SidesAreThePersonsOwn) {
  const Image front = drawn(figure(), View::kFront), back = drawn(figure(), View::kBack);
  EXPECT_GT(of(front, Kind::kRed).middle, of(front, Kind::kBlue).middle) << "a left arm is on the picture's right";
  EXPECT_LT(of(back, Kind::kRed).middle, of(back, Kind::kBlue).middle);
  EXPECT_GT(of(front, Kind::kGreen).count, 20);
  EXPECT_EQ(of(back, Kind::kGreen).count, 0) << "the nose is hidden from behind";
  const Image left = drawn(figure(), View::kLeft), right = drawn(figure(), View::kRight);
  EXPECT_GT(of(left, Kind::kRed).count, 2 * of(right, Kind::kRed).count) << "the left arm is before the body";
  EXPECT_LT(of(left, Kind::kGreen).middle, of(left, Kind::kBlue).middle) << "seen from its left a person faces left";
  EXPECT_GT(of(right, Kind::kGreen).middle, of(right, Kind::kBlue).middle);
}

TEST(Preview, VeilLetsThroughWhatLiesBehind) {
  std::vector<RenderPiece> pieces = {piece(ball({0, 0.8, 0}, {0.3, 0.8, 0.3}), kBlue),
                                     piece(ball({0, 0.8, 0}, {0.1, 0.3, 0.1}), kRed)};
  EXPECT_EQ(of(drawn(pieces, View::kFront), Kind::kRed).count, 0);
  pieces[0].opacity = 0.2;
  EXPECT_GT(of(drawn(pieces, View::kFront), Kind::kRed).count, 50);
}

TEST(Preview, ShadowDarkensTheFloorUnderTheSubjectOnly) {
  const Image image = drawn(figure(), View::kFront);
  auto grey = [&](int x, int y) { return image.rgb[3 * (static_cast<size_t>(y) * image.width + x) + 1]; };
  const Extent body = of(image, Kind::kBlue);
  const int under = grey(static_cast<int>(body.middle), body.bottom + 2), corner = grey(1, image.height - 1);
  EXPECT_LT(under, corner - 8);
  EXPECT_GT(corner, 220);
  EXPECT_GT(grey(1, 1), 235);
}

TEST(Preview, VertexColoursReplaceThePieceColour) {
  std::vector<RenderPiece> pieces = {piece(ball({0, 0.8, 0}, {0.3, 0.8, 0.3}), kBlue)};
  pieces[0].colours.assign(pieces[0].mesh.positions.size(), kRed);
  const Image image = drawn(pieces, View::kFront);
  EXPECT_EQ(of(image, Kind::kBlue).count, 0);
  EXPECT_GT(of(image, Kind::kRed).count, 500);
}

TEST(Preview, MissingNormalsAreComputed) {
  std::vector<RenderPiece> with = figure(), without = figure();
  for (RenderPiece& p : without) p.normals.clear();
  EXPECT_EQ(drawn(with, View::kLeft).rgb, drawn(without, View::kLeft).rgb);
}

void expect_refused(const std::vector<RenderPiece>& pieces, const RenderSettings& settings, std::string_view reason) {
  const absl::StatusOr<Image> image = render_view(RunContext(), pieces, View::kFront, settings);
  ASSERT_FALSE(image.ok()) << reason;
  EXPECT_EQ(image.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(error_detail(image.status())->reason, reason);
}

TEST(Preview, RefusesAnEmptyScene) {
  expect_refused({}, small(), "RENDER_EMPTY_SCENE");
  RenderPiece points;
  points.mesh.positions = {Vec3::Zero(), Vec3::UnitX()};
  expect_refused({points}, small(), "RENDER_EMPTY_SCENE");
}

TEST(Preview, RefusesArraysOfTheWrongLengthAndOddSettings) {
  std::vector<RenderPiece> pieces = figure();
  pieces[1].normals.pop_back();
  expect_refused(pieces, small(), "RENDER_ARRAY_LENGTH");
  RenderSettings wide = small(), blind = small();
  wide.width = 100000;
  expect_refused(figure(), wide, "RENDER_SETTING_OUT_OF_RANGE");
  blind.samples = 0;
  expect_refused(figure(), blind, "RENDER_SETTING_OUT_OF_RANGE");
}

TEST(Preview, StopsWhenCancelled) {
  RunContext run;
  run.cancel.cancel();
  EXPECT_EQ(render_view(run, figure(), View::kFront, small()).status().code(), absl::StatusCode::kCancelled);
}

TEST(Preview, PngRefusesAPictureWithoutItsPixels) {
  EXPECT_EQ(encode_png(Image{4, 4, std::vector<uint8_t>(7)}).status().code(), absl::StatusCode::kInternal);
}

}  // namespace
}  // namespace tryon
