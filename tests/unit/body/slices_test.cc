#include "server/body/slices.h"

#include <cmath>

#include "gtest/gtest.h"
#include "server/base/units.h"
#include "tests/support/shared_data.h"
#include "tests/support/test_meshes.h"

namespace tryon {
namespace {

using testing::joined;
using testing::make_box;
using testing::make_cloth_sheet;
using testing::make_cylinder;
using testing::moved;
using testing::read_obj;
using testing::shared_data_path;

TEST(Slices, CutOfABoxHasItsSizes) {
  const TriangleMesh box = make_box({2, 3, 1}, 4);
  const auto loops = slice_mesh(box, nullptr, {0, 0.2, 0}, Vec3::UnitY());
  ASSERT_EQ(loops.size(), 1u);
  EXPECT_TRUE(loops[0].closed);
  EXPECT_NEAR(loops[0].perimeter, 6.0, 1e-9);
  EXPECT_NEAR(loops[0].hull_perimeter, 6.0, 1e-9);
  EXPECT_NEAR(loops[0].area, 2.0, 1e-9);
  EXPECT_NEAR((loops[0].centroid - Vec3(0, 0.2, 0)).norm(), 0.0, 1e-9);
}

TEST(Slices, PlaneThroughVerticesStillGivesOneClosedLoop) {
  const TriangleMesh box = make_box({1, 1, 1}, 4);
  const auto loops = slice_mesh(box, nullptr, Vec3::Zero(), Vec3::UnitY());
  ASSERT_EQ(loops.size(), 1u);
  EXPECT_TRUE(loops[0].closed);
  EXPECT_NEAR(loops[0].perimeter, 4.0, 1e-6);
}

TEST(Slices, ObliqueCutOfACylinderIsAnEllipse) {
  const TriangleMesh pipe = make_cylinder(0.1, 1.0, 256, 4);
  const double tilt = radians(30);
  const auto loops = slice_mesh(pipe, nullptr, Vec3::Zero(), {0, std::cos(tilt), std::sin(tilt)});
  ASSERT_EQ(loops.size(), 1u);
  EXPECT_NEAR(loops[0].area, kPi * 0.01 / std::cos(tilt), 1e-5);
}

TEST(Slices, LoopsComeLargestFirst) {
  const TriangleMesh two = joined(make_cylinder(0.1, 1, 64, 4),
                                  moved(make_cylinder(0.2, 1, 64, 4), Eigen::Affine3d(Eigen::Translation3d(1, 0, 0))));
  const auto loops = slice_mesh(two, nullptr, {0, 0.1, 0}, Vec3::UnitY());
  ASSERT_EQ(loops.size(), 2u);
  EXPECT_NEAR(loops[0].centroid.x(), 1.0, 1e-6);
  EXPECT_GT(loops[0].area, loops[1].area);
}

TEST(Slices, HullLiesTightOverAHollow) {
  const TriangleMesh cross = joined(make_box({2, 1, 0.2}, 2), make_box({0.2, 1, 2}, 2));
  std::vector<Vec3> points;
  for (const SliceLoop& loop : slice_mesh(cross, nullptr, {0, 0.1, 0}, Vec3::UnitY())) {
    points.insert(points.end(), loop.points.begin(), loop.points.end());
  }
  EXPECT_NEAR(hull_perimeter(points, Vec3::UnitY()), 4 * (0.2 + 0.9 * std::sqrt(2.0)), 1e-9);
}

TEST(Slices, OpenSheetGivesAnOpenLine) {
  const auto loops = slice_mesh(make_cloth_sheet(1, 1, 4), nullptr, {0.1, 0, 0}, Vec3::UnitX());
  ASSERT_EQ(loops.size(), 1u);
  EXPECT_FALSE(loops[0].closed);
  EXPECT_NEAR(loops[0].perimeter, 1.0, 1e-9);
}

TEST(Slices, SubsetCutsOnlyItsTriangles) {
  const TriangleMesh box = make_box({1, 1, 1}, 2);
  const std::vector<int> none;
  EXPECT_TRUE(slice_mesh(box, &none, {0, 0.1, 0}, Vec3::UnitY()).empty());
}

TEST(Slices, BandsChangeNoLoop) {
  const TriangleMesh pipe = make_cylinder(0.3, 1.7, 40, 33);
  const LevelSlicer slicer(pipe, nullptr, Vec3::UnitY());
  for (double y = -0.84; y < 0.85; y += 0.0371) {
    const auto direct = slice_mesh(pipe, nullptr, {0, y, 0}, Vec3::UnitY()), banded = slicer.at(y);
    ASSERT_EQ(direct.size(), banded.size()) << y;
    for (size_t i = 0; i < direct.size(); ++i) {
      EXPECT_EQ(direct[i].points, banded[i].points) << y;
    }
  }
  EXPECT_TRUE(slicer.at(0.9).empty());
}

// Figures from the data set's sections.json, made with another program.
TEST(Slices, BodySectionsAgreeWithThePublishedOnes) {
  TRYON_NEEDS_SHARED_DATA("bodies/garmentcode/mean_all.obj");
  const TriangleMesh body = read_obj(shared_data_path("bodies/garmentcode/mean_all.obj"));
  const double floor = bounds(body).min().y();
  const auto loops = slice_mesh(body, nullptr, {0, floor + 0.086, 0}, Vec3::UnitY());
  ASSERT_EQ(loops.size(), 2u);
  EXPECT_NEAR(loops[0].perimeter, 0.2527, 2e-4);
  EXPECT_NEAR(loops[0].hull_perimeter, 0.2525, 2e-4);
  EXPECT_NEAR(loops[0].area, 0.00444, 1e-5);
  EXPECT_NEAR(loops[1].hull_perimeter, 0.2482, 2e-4);
}

}  // namespace
}  // namespace tryon
