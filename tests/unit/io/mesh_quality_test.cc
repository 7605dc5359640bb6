// The promise of the mesher on real patterns: angles, edge lengths, seams, and no dependence on order or threads.
#include <algorithm>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "server/garment/hierarchy.h"
#include "server/io/pattern_json.h"
#include "server/mesh/quality.h"
#include "tests/support/shared_data.h"

namespace tryon {
namespace {
namespace fs = std::filesystem;

std::vector<std::string> all_files() {
  std::vector<std::string> out;
  for (const char* folder : {"garmentcode", "garmentcodedata", "garment_pattern_generator"}) {
    const std::string where = std::string("patterns/") + folder + "/";
    for (const auto& entry : fs::directory_iterator(testing::shared_data_path(where))) {
      if (entry.path().extension() == ".json") out.push_back(where + entry.path().filename().string());
    }
  }
  std::sort(out.begin(), out.end());
  return out;
}

Pattern read_shared(const std::string& file) {
  auto pattern = read_pattern(testing::read_file(testing::shared_data_path(file)), file);
  EXPECT_TRUE(pattern.ok()) << pattern.status();
  return pattern.ok() ? *std::move(pattern) : Pattern{};
}

std::vector<PlanarMesh> panels_of(const GarmentMesh& garment) {
  std::vector<PlanarMesh> meshes(garment.panel_names.size());
  std::vector<int> base(meshes.size(), -1);
  for (int v = 0; v < garment.vertex_count(); ++v) {
    if (base[garment.panel[v]] < 0) base[garment.panel[v]] = v;
    meshes[garment.panel[v]].positions.push_back(garment.flat[v]);
  }
  for (size_t t = 0; t < garment.triangles.size(); ++t) {
    const int p = garment.triangle_panel[t];
    meshes[p].triangles.push_back(garment.triangles[t] - Triangle::Constant(base[p]));
  }
  return meshes;
}

// A panel's outline comes first in its vertices: as many as it has edges with one triangle.
int outline_count(const PlanarMesh& mesh) {
  std::map<std::pair<int, int>, int> uses;
  int sides = 0;
  for (const Triangle& t : mesh.triangles) {
    for (int k = 0; k < 3; ++k) {
      sides += ++uses[{std::min(t[k], t[(k + 1) % 3]), std::max(t[k], t[(k + 1) % 3])}] == 1 ? 1 : -1;
    }
  }
  return sides;
}

MeshQuality expect_quality(const std::string& file, double edge_m) {
  SCOPED_TRACE(file);
  const auto garment = mesh_garment(RunContext{}, read_shared(file), edge_m);
  EXPECT_TRUE(garment.ok()) << garment.status();
  MeshQuality sum;
  if (!garment.ok()) return sum;
  for (const Seam& seam : garment->seams) EXPECT_EQ(seam.left.size(), seam.right.size()) << seam.stitch;
  for (const PlanarMesh& mesh : panels_of(*garment)) sum.add(measure_quality(mesh, outline_count(mesh), edge_m));
  EXPECT_GE(sum.min_angle, 25.0);
  EXPECT_LE(sum.outside, 0.01 * sum.inner_edges) << "inner edges outside 0.6 to 1.6 of the length wanted there";
  EXPECT_LE(sum.far_outside, 0.001 * sum.far_edges + 4) << "far from details";
  return sum;
}

TEST(MeshQualityOfRealPatterns, AllSeventyFiveKeepTheirAnglesAndLengthsAt20Mm) {
  TRYON_NEEDS_SHARED_DATA("patterns/garmentcodedata/index.csv");
  const auto files = all_files();
  EXPECT_EQ(files.size(), 75u);
  MeshQuality sum;
  for (const std::string& file : files) sum.add(expect_quality(file, 0.02));
  EXPECT_LE(sum.exempt, 0.0015 * sum.triangles);
  int near = 0;
  for (int bin = 3; bin < 8; ++bin) near += sum.histogram[bin];
  EXPECT_GE(near, 0.995 * sum.inner_edges);
}

TEST(MeshQualityOfRealPatterns, EveryTenthKeepsThemAt10Mm) {
  TRYON_NEEDS_SHARED_DATA("patterns/garmentcodedata/index.csv");
  const auto files = all_files();
  for (size_t i = 0; i < files.size(); i += 10) expect_quality(files[i], 0.01);
}

TEST(MeshQualityOfRealPatterns, ADressWithDartsAndATeeKeepThemAt5Mm) {
  TRYON_NEEDS_SHARED_DATA("patterns/garmentcode/dress_pencil_specification.json");
  expect_quality("patterns/garmentcode/dress_pencil_specification.json", 0.005);
  expect_quality("patterns/garment_pattern_generator/tee.json", 0.005);
}

// Panels backwards, and the sides of every seam swapped.
Pattern permuted(const Pattern& pattern) {
  Pattern out = pattern;
  std::reverse(out.panels.begin(), out.panels.end());
  std::reverse(out.stitches.begin(), out.stitches.end());
  const int last = static_cast<int>(out.panels.size()) - 1;
  for (Stitch& s : out.stitches) {
    std::swap(s.a, s.b);
    s.a.panel = last - s.a.panel, s.b.panel = last - s.b.panel;
  }
  return out;
}

TEST(MeshQualityOfRealPatterns, PanelsHaveTheSameBytesInAnyOrderAndForAnyNumberOfThreads) {
  TRYON_NEEDS_SHARED_DATA("patterns/garmentcodedata/index.csv");
  Executor executor(3);
  RunContext threads;
  threads.executor = &executor;
  const auto files = all_files();
  for (size_t i = 0; i < files.size(); i += 5) {
    SCOPED_TRACE(files[i]);
    const Pattern pattern = read_shared(files[i]);
    const auto a = mesh_garment(RunContext{}, pattern, 0.02), b = mesh_garment(threads, permuted(pattern), 0.02);
    ASSERT_TRUE(a.ok() && b.ok());
    const std::vector<PlanarMesh> first = panels_of(*a), second = panels_of(*b);
    for (size_t p = 0; p < first.size(); ++p) {
      EXPECT_EQ(first[p].positions, second[first.size() - 1 - p].positions);
      EXPECT_EQ(first[p].triangles, second[first.size() - 1 - p].triangles);
    }
  }
}

TEST(HierarchyOfRealPatterns, EachLevelHalvesTheVerticesWithoutAFlatOrTurnedTriangle) {
  TRYON_NEEDS_SHARED_DATA("patterns/garmentcodedata/index.csv");
  const auto files = all_files();
  for (size_t i = 0; i < files.size(); i += 5) {
    SCOPED_TRACE(files[i]);
    const auto garment = mesh_garment(RunContext{}, read_shared(files[i]), 0.015);
    ASSERT_TRUE(garment.ok());
    const WeldedMesh welded = weld(*garment, garment->placed);
    const auto hierarchy = build_hierarchy(*garment, welded);
    ASSERT_TRUE(hierarchy.ok()) << hierarchy.status();
    int finer = welded.mesh.vertex_count();
    for (const CoarseLevel& level : hierarchy->coarser) {
      EXPECT_EQ(level.vertex_count(), (finer + 1) / 2);
      finer = level.vertex_count();
      std::vector<bool> used(level.vertex_count(), false);
      for (size_t t = 0; t < level.triangles.size(); ++t) {
        for (int k = 0; k < 3; ++k) used[level.triangles[t][k]] = true;
        const auto& c = level.corner_flat[t];
        const Vec2 u = c[1] - c[0], v = c[2] - c[0];
        const double twice = std::abs(u.x() * v.y() - u.y() * v.x());
        EXPECT_GT(twice, 1e-3 * std::max(u.squaredNorm(), v.squaredNorm()));
      }
      EXPECT_EQ(std::count(used.begin(), used.end(), false), 0) << "a loose vertex";
    }
  }
}

}  // namespace
}  // namespace tryon
