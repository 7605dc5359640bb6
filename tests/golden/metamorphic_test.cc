// The same garment told in another way gives the same cloth: seen in a mirror, with its panels turned on the table,
// with a seam split in two. Areas, seam lengths and the vertices themselves, up to what was done to them.
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "server/garment/garment.h"
#include "server/garment/pattern_curve.h"
#include "server/io/pattern_import.h"
#include "server/mesh/predicates.h"
#include "tests/support/shared_data.h"

namespace tryon {
namespace {

const char* const kFiles[] = {"patterns/garmentcode/shirt_mean_specification.json",
                              "patterns/garmentcode/dress_pencil_specification.json",
                              "patterns/garment_pattern_generator/jacket_hood.json"};
constexpr double kEdge = 0.02;

Pattern pattern_of(const std::string& file) {
  return import_pattern(testing::read_file(testing::shared_data_path(file)), file).value().pattern;
}

GarmentMesh meshed(const Pattern& pattern) {
  auto mesh = mesh_garment(RunContext{}, pattern, kEdge);
  EXPECT_TRUE(mesh.ok()) << mesh.status();
  return mesh.ok() ? *std::move(mesh) : GarmentMesh{};
}

double area_of(const GarmentMesh& g) {
  double sum = 0.0;
  for (const Triangle& t : g.triangles) sum += std::abs(signed_area({g.flat[t[0]], g.flat[t[1]], g.flat[t[2]]}));
  return sum;
}

// World mirrored at x = 0, and every panel in its own frame too: its outer side stays outer.
Pattern mirror_image(Pattern pattern) {
  const Eigen::Matrix3d flip = Vec3(-1.0, 1.0, 1.0).asDiagonal();
  for (Panel& panel : pattern.panels) {
    for (Vec2& v : panel.vertices) v.x() = -v.x();
    for (PanelEdge& e : panel.edges) e.curve = mirrored(e.curve);
    panel.translation.x() = -panel.translation.x();
    panel.rotation = Eigen::Matrix3d(flip * panel.rotation * flip);
  }
  return pattern;
}

// Panels turned in their own frames with their grain, by other angles each, and back in space.
Pattern turned(Pattern pattern) {
  double angle = 0.3;
  for (Panel& panel : pattern.panels) {
    const Eigen::Rotation2Dd turn(angle);
    for (Vec2& v : panel.vertices) v = Vec2(turn * v);
    panel.grain = Vec2(turn * panel.grain);
    const Eigen::AngleAxisd back(-angle, Vec3::UnitZ());
    panel.rotation = Eigen::Matrix3d(panel.rotation * back);
    angle += 0.7;
  }
  return pattern;
}

TEST(Metamorphic, AMirroredGarmentIsTheMirroredMeshToTheLastBit) {
  TRYON_NEEDS_SHARED_DATA(kFiles[0]);
  for (const char* file : kFiles) {
    SCOPED_TRACE(file);
    const Pattern pattern = pattern_of(file);
    const GarmentMesh a = meshed(pattern), b = meshed(mirror_image(pattern));
    ASSERT_EQ(a.triangles, b.triangles);
    for (int v = 0; v < a.vertex_count(); ++v) {
      ASSERT_EQ(b.flat[v], Vec2(-a.flat[v].x(), a.flat[v].y()));
      ASSERT_LT((b.placed[v] - Vec3(-a.placed[v].x(), a.placed[v].y(), a.placed[v].z())).norm(), 1e-12);
    }
    for (size_t s = 0; s < a.seams.size(); ++s) {
      EXPECT_EQ(a.seams[s].left, b.seams[s].left);
      EXPECT_EQ(a.seams[s].right, b.seams[s].right);
    }
  }
}

TEST(Metamorphic, PanelsTurnedOnTheTableAreTheSameGarmentInSpace) {
  TRYON_NEEDS_SHARED_DATA(kFiles[0]);
  for (const char* file : kFiles) {
    SCOPED_TRACE(file);
    const Pattern pattern = pattern_of(file);
    const GarmentMesh a = meshed(pattern), b = meshed(turned(pattern));
    EXPECT_NEAR(area_of(a), area_of(b), 1e-9 * area_of(a));
    EXPECT_NEAR(double(a.triangles.size()), double(b.triangles.size()), 0.02 * double(a.triangles.size()))
        << "points inside may go elsewhere: rounding decides between equals";
    ASSERT_EQ(a.seams.size(), b.seams.size());
    for (size_t s = 0; s < a.seams.size(); ++s) {
      EXPECT_NEAR(a.seams[s].left_length, b.seams[s].left_length, 1e-9);
      ASSERT_EQ(a.seams[s].left.size(), b.seams[s].left.size());
      for (size_t k = 0; k < a.seams[s].left.size(); ++k) {
        EXPECT_LT((a.placed[a.seams[s].left[k]] - b.placed[b.seams[s].left[k]]).norm(), 1e-9);
        EXPECT_LT((a.placed[a.seams[s].right[k]] - b.placed[b.seams[s].right[k]]).norm(), 1e-9);
        EXPECT_LT((a.on_cloth(a.seams[s].left[k]) - b.on_cloth(b.seams[s].left[k])).norm(), 1e-9) << "warp and weft";
      }
    }
  }
}

// The stitch's two edges cut in their middles, and sewn half by half.
Pattern split_in_two(Pattern pattern, size_t index) {
  const Stitch old = pattern.stitches[index];
  pattern.stitches.erase(pattern.stitches.begin() + static_cast<long>(index));
  StitchSide a = old.a, b = old.b;
  cut_edge(&pattern, a.panel, a.edge, {0.5});
  if (b.panel == a.panel && b.edge > a.edge) ++b.edge;
  cut_edge(&pattern, b.panel, b.edge, {0.5});
  if (a.panel == b.panel && a.edge > b.edge) ++a.edge;
  const int swap = old.right_wrong ? 0 : 1;  // start meets end: the first half of one is sewn to the last of the other
  pattern.stitches.push_back({a, {b.panel, b.edge + swap}, old.right_wrong, -1});
  pattern.stitches.push_back({{a.panel, a.edge + 1}, {b.panel, b.edge + 1 - swap}, old.right_wrong, -1});
  return pattern;
}

double pair_distance_sum(const GarmentMesh& g) {
  double sum = 0.0;
  for (const Seam& seam : g.seams) {
    for (size_t k = 0; k + 1 < seam.left.size(); ++k) {
      sum += (g.flat[seam.left[k + 1]] - g.flat[seam.left[k]]).norm();
      sum += (g.flat[seam.right[k + 1]] - g.flat[seam.right[k]]).norm();
    }
  }
  return sum;
}

TEST(Metamorphic, ASeamSplitInTwoIsTheSameCloth) {
  TRYON_NEEDS_SHARED_DATA(kFiles[0]);
  int compared = 0;
  for (const char* file : kFiles) {
    const Pattern pattern = pattern_of(file);
    const GarmentMesh a = meshed(pattern);
    for (size_t s = 0; s < a.seams.size(); s += 3) {
      const Seam& whole = a.seams[s];
      const long segments = std::lround(0.5 * (whole.left_length + whole.right_length) / kEdge);
      if (segments < 4 || segments % 2 != 0) continue;  // else there is no vertex in the middle
      SCOPED_TRACE(testing::shared_data_path(file) + " stitch " + std::to_string(s));
      const GarmentMesh b = meshed(split_in_two(pattern, s));
      ++compared;
      ASSERT_EQ(b.seams.size(), a.seams.size() + 1);
      const Seam &first = b.seams[b.seams.size() - 2], &second = b.seams.back();
      EXPECT_NEAR(first.left_length + second.left_length, whole.left_length, 1e-6);
      EXPECT_NEAR(first.right_length + second.right_length, whole.right_length, 1e-6);
      EXPECT_EQ(first.left.size() + second.left.size(), whole.left.size() + 1) << "the middle stands in both";
      EXPECT_NEAR(area_of(a), area_of(b), 1e-6 * area_of(a));
      EXPECT_NEAR(pair_distance_sum(a), pair_distance_sum(b), 1e-6 * pair_distance_sum(a));
      EXPECT_NEAR(double(a.triangles.size()), double(b.triangles.size()), 0.02 * double(a.triangles.size()));
      for (size_t k = 0; k < first.left.size(); ++k) {
        EXPECT_LT((a.placed[whole.left[k]] - b.placed[first.left[k]]).norm(), 1e-6);
        EXPECT_LT((a.placed[whole.right[k]] - b.placed[first.right[k]]).norm(), 1e-6);
      }
    }
  }
  EXPECT_GE(compared, 5);
}

}  // namespace
}  // namespace tryon
