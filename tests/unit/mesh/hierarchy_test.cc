#include "server/mesh/hierarchy.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>

#include "gtest/gtest.h"
#include "server/base/status.h"
#include "server/mesh/predicates.h"
#include "server/mesh/triangulate.h"

namespace tryon {
namespace {

// A disc-like sheet with a wavy outline: curved both ways.
PlanarMesh wavy_sheet(double edge = 0.02) {
  std::vector<Vec2> loop;
  const int n = static_cast<int>(2.6 / edge);
  for (int i = 0; i < n; ++i) {
    const double a = 2.0 * M_PI * i / n;
    loop.push_back(0.35 * (1.0 + 0.12 * std::sin(4.0 * a)) * Vec2(std::cos(a), std::sin(a)));
  }
  auto mesh = triangulate(loop, edge);
  EXPECT_TRUE(mesh.ok()) << mesh.status();
  return *std::move(mesh);
}

PlanarMesh rectangle_sheet(const std::vector<std::vector<Vec2>>& lines = {}) {
  PlanarDomain domain;
  for (int i = 0; i < 20; ++i) domain.outline.emplace_back(0.02 * i, 0.0);
  for (int i = 0; i < 15; ++i) domain.outline.emplace_back(0.4, 0.02 * i);
  for (int i = 0; i < 20; ++i) domain.outline.emplace_back(0.4 - 0.02 * i, 0.3);
  for (int i = 0; i < 15; ++i) domain.outline.emplace_back(0.0, 0.3 - 0.02 * i);
  domain.lines = lines;
  auto mesh = triangulate(domain, 0.02);
  EXPECT_TRUE(mesh.ok()) << mesh.status();
  return *std::move(mesh);
}

Hierarchy built(const FlatCloth& cloth, const HierarchySettings& settings = {}) {
  auto hierarchy = build_hierarchy(cloth, settings);
  EXPECT_TRUE(hierarchy.ok()) << hierarchy.status();
  return hierarchy.ok() ? *std::move(hierarchy) : Hierarchy{};
}

double area(const std::array<Vec2, 3>& c) { return signed_area({c[0], c[1], c[2]}); }

std::vector<double> prolonged(const SparseRows& rows, const std::vector<double>& coarse) {
  std::vector<double> fine(rows.first.size() - 1, 0.0);
  for (size_t i = 0; i < fine.size(); ++i) {
    for (int k = rows.first[i]; k < rows.first[i + 1]; ++k) fine[i] += rows.weight[k] * coarse[rows.column[k]];
  }
  return fine;
}

TEST(Hierarchy, ThreeLevelsEachKeepHalfOfTheFinerOnesVertices) {
  const PlanarMesh mesh = wavy_sheet();
  const Hierarchy h = built(flat_sheet(mesh.positions, mesh.triangles));
  ASSERT_EQ(h.coarser.size(), 2u);
  size_t finer = mesh.positions.size();
  for (const CoarseLevel& level : h.coarser) {
    EXPECT_EQ(level.kept.size(), (finer + 1) / 2);
    finer = level.kept.size();
  }
}

TEST(Hierarchy, CoarseVerticesAreASubsetInOrderAndNoneIsLoose) {
  const PlanarMesh mesh = wavy_sheet();
  const Hierarchy h = built(flat_sheet(mesh.positions, mesh.triangles));
  std::vector<int> finest_of(mesh.positions.size());
  for (size_t i = 0; i < finest_of.size(); ++i) finest_of[i] = static_cast<int>(i);
  for (const CoarseLevel& level : h.coarser) {
    EXPECT_TRUE(std::is_sorted(level.kept.begin(), level.kept.end()));
    std::vector<int> used(level.vertex_count(), 0);
    for (const Triangle& t : level.triangles) ++used[t[0]], ++used[t[1]], ++used[t[2]];
    for (int v = 0; v < level.vertex_count(); ++v) {
      EXPECT_GT(used[v], 0) << v;
      EXPECT_EQ(level.finest[v], finest_of[level.kept[v]]);
    }
    finest_of = level.finest;
  }
}

TEST(Hierarchy, TrianglesKeepTheirDirectionAndTheSheetStaysOnePiece) {
  for (const double mirror : {1.0, -1.0}) {
    PlanarMesh mesh = wavy_sheet();
    for (Vec2& p : mesh.positions) p.x() *= mirror;
    const Hierarchy h = built(flat_sheet(mesh.positions, mesh.triangles));
    for (const CoarseLevel& level : h.coarser) {
      std::map<std::pair<int, int>, int> uses;
      for (size_t t = 0; t < level.triangles.size(); ++t) {
        const auto& c = level.corner_flat[t];
        EXPECT_EQ(orientation(c[0], c[1], c[2]), mirror > 0 ? 1 : -1);
        for (int k = 0; k < 3; ++k) {
          const int a = level.triangles[t][k], b = level.triangles[t][(k + 1) % 3];
          EXPECT_EQ(c[k], mesh.positions[level.finest[a]]);
          EXPECT_EQ((++uses[{a, b}]), 1) << "an edge walked twice in the same direction";
        }
      }
      std::set<std::pair<int, int>> edges;
      for (const auto& [e, n] : uses) edges.insert({std::min(e.first, e.second), std::max(e.first, e.second)});
      EXPECT_EQ(level.vertex_count() - static_cast<int>(edges.size()) + static_cast<int>(level.triangles.size()), 1);
    }
  }
}

TEST(Hierarchy, AStraightOutlineKeepsItsAreaAndACurvedOneNearlySo) {
  const PlanarMesh straight = rectangle_sheet(), curved = wavy_sheet();
  for (const PlanarMesh* mesh : {&straight, &curved}) {
    double whole = 0.0;
    for (const Triangle& t : mesh->triangles) {
      whole += area({mesh->positions[t[0]], mesh->positions[t[1]], mesh->positions[t[2]]});
    }
    for (const CoarseLevel& level : built(flat_sheet(mesh->positions, mesh->triangles)).coarser) {
      double sum = 0.0;
      for (const auto& c : level.corner_flat) sum += area(c);
      EXPECT_NEAR(sum, whole, (mesh == &straight ? 1e-12 : 0.01) * whole);
    }
  }
}

TEST(Hierarchy, OutlineVerticesMoveAlongTheOutlineOnlyAndCornersStay) {
  const PlanarMesh mesh = rectangle_sheet();
  for (const CoarseLevel& level : built(flat_sheet(mesh.positions, mesh.triangles)).coarser) {
    std::map<std::pair<int, int>, int> uses;
    for (const Triangle& t : level.triangles) {
      for (int k = 0; k < 3; ++k) ++uses[{std::min(t[k], t[(k + 1) % 3]), std::max(t[k], t[(k + 1) % 3])}];
    }
    std::set<int> rim;
    for (const auto& [e, n] : uses) {
      if (n == 1) rim.insert(e.first), rim.insert(e.second);
    }
    for (const int v : rim) EXPECT_LT(level.finest[v], 70) << "an inner vertex came onto the outline";
    for (const int corner : {0, 20, 35, 55}) {
      EXPECT_TRUE(std::count(level.finest.begin(), level.finest.end(), corner)) << corner;
    }
  }
}

TEST(Hierarchy, LockedVerticesAndLinesStay) {
  const PlanarMesh mesh = rectangle_sheet({{{0.05, 0.07}, {0.2, 0.22}, {0.35, 0.1}}});
  FlatCloth cloth = flat_sheet(mesh.positions, mesh.triangles);
  cloth.lines = mesh.lines;
  cloth.locked = {7, static_cast<int>(mesh.positions.size()) - 1};
  const std::set<int> on_line(mesh.lines[0].begin(), mesh.lines[0].end());
  ASSERT_GT(on_line.size(), 12u);
  for (const CoarseLevel& level : built(cloth).coarser) {
    std::set<std::pair<int, int>> edges;
    for (const Triangle& t : level.triangles) {
      for (int k = 0; k < 3; ++k) {
        const int a = level.finest[t[k]], b = level.finest[t[(k + 1) % 3]];
        edges.insert({std::min(a, b), std::max(a, b)});
      }
    }
    std::vector<int> left;
    for (const int v : mesh.lines[0]) {
      if (std::count(level.finest.begin(), level.finest.end(), v)) left.push_back(v);
    }
    EXPECT_LT(left.size(), on_line.size()) << "it is coarser too";
    EXPECT_EQ(left.front(), mesh.lines[0].front());
    EXPECT_EQ(left.back(), mesh.lines[0].back());
    for (size_t i = 0; i + 1 < left.size(); ++i) {
      EXPECT_TRUE(edges.count({std::min(left[i], left[i + 1]), std::max(left[i], left[i + 1])}));
    }
    for (const int v : cloth.locked) EXPECT_TRUE(std::count(level.finest.begin(), level.finest.end(), v)) << v;
  }
}

TEST(Prolongation, RowsSumToOneAndKeptVerticesKeepTheirValue) {
  const PlanarMesh mesh = wavy_sheet();
  const Hierarchy h = built(flat_sheet(mesh.positions, mesh.triangles));
  for (const CoarseLevel& level : h.coarser) {
    for (const SparseRows* rows : {&level.inverse_distance, &level.barycentric}) {
      for (const double one : prolonged(*rows, std::vector<double>(level.vertex_count(), 1.0))) {
        EXPECT_NEAR(one, 1.0, 1e-12);
      }
      for (int v = 0; v < level.vertex_count(); ++v) {
        const int row = level.kept[v];
        ASSERT_EQ(rows->first[row + 1] - rows->first[row], 1);
        EXPECT_EQ(rows->column[rows->first[row]], v);
        EXPECT_EQ(rows->weight[rows->first[row]], 1.0);
      }
    }
    for (const double w : level.inverse_distance.weight) EXPECT_GT(w, 0.0);
  }
}

TEST(Prolongation, BarycentricRowsCarryLinearFunctionsExactly) {
  const PlanarMesh mesh = wavy_sheet();
  const Hierarchy h = built(flat_sheet(mesh.positions, mesh.triangles));
  const auto linear = [&](int finest) {
    return 3.0 - 2.0 * mesh.positions[finest].x() + 7.0 * mesh.positions[finest].y();
  };
  std::vector<int> finer(mesh.positions.size());
  for (size_t i = 0; i < finer.size(); ++i) finer[i] = static_cast<int>(i);
  for (const CoarseLevel& level : h.coarser) {
    std::vector<double> coarse;
    for (const int v : level.finest) coarse.push_back(linear(v));
    const std::vector<double> fine = prolonged(level.barycentric, coarse);
    ASSERT_EQ(fine.size(), finer.size());
    for (size_t i = 0; i < fine.size(); ++i) EXPECT_NEAR(fine[i], linear(finer[i]), 1e-11);
    finer = level.finest;
  }
}

TEST(Prolongation, ARemovedVertexInsideLiesInTheTriangleOfItsRow) {
  const PlanarMesh mesh = rectangle_sheet();  // a convex sheet: every vertex lies in a coarse triangle
  for (const CoarseLevel& level : built(flat_sheet(mesh.positions, mesh.triangles)).coarser) {
    for (const double w : level.barycentric.weight) EXPECT_GE(w, -1e-9);
    for (size_t i = 0; i + 1 < level.barycentric.first.size(); ++i) {
      EXPECT_LE(level.barycentric.first[i + 1] - level.barycentric.first[i], 3);
    }
  }
}

// The first row of a removed vertex, by the formula: its neighbours that stayed, w = d^-p / sum.
TEST(Prolongation, InverseDistanceWeightsAreThoseOfTheFormula) {
  const PlanarMesh mesh = wavy_sheet();
  HierarchySettings settings;
  settings.distance_power = 1.5;
  const CoarseLevel level = built(flat_sheet(mesh.positions, mesh.triangles), settings).coarser[0];
  std::map<int, int> coarse_of;
  for (int v = 0; v < level.vertex_count(); ++v) coarse_of[level.kept[v]] = v;
  std::vector<std::set<int>> near(mesh.positions.size());
  for (const Triangle& t : mesh.triangles) {
    for (int k = 0; k < 3; ++k) near[t[k]].insert(t[(k + 1) % 3]), near[t[(k + 1) % 3]].insert(t[k]);
  }
  int checked = 0;
  for (size_t i = 0; i < near.size(); ++i) {
    if (coarse_of.count(static_cast<int>(i))) continue;
    std::map<int, double> expected;
    double sum = 0.0;
    for (const int n : near[i]) {
      if (!coarse_of.count(n)) continue;
      sum += expected[coarse_of[n]] = std::pow((mesh.positions[i] - mesh.positions[n]).norm(), -1.5);
    }
    if (expected.empty()) continue;
    const int first = level.inverse_distance.first[i];
    ASSERT_EQ(level.inverse_distance.first[i + 1] - first, static_cast<int>(expected.size()));
    int k = first;
    for (const auto& [column, weight] : expected) {
      EXPECT_EQ(level.inverse_distance.column[k], column);
      EXPECT_NEAR(level.inverse_distance.weight[k++], weight / sum, 1e-12);
    }
    ++checked;
  }
  EXPECT_GT(checked, 100);
}

TEST(Hierarchy, AQuarterMayBeKeptForMultigrid) {
  const PlanarMesh mesh = wavy_sheet();
  HierarchySettings settings;
  settings.keep = 0.25;
  const Hierarchy h = built(flat_sheet(mesh.positions, mesh.triangles), settings);
  EXPECT_EQ(h.coarser[0].kept.size(), (mesh.positions.size() + 3) / 4);
}

TEST(Hierarchy, TheSameClothGivesTheSameBytes) {
  const PlanarMesh mesh = wavy_sheet();
  const FlatCloth cloth = flat_sheet(mesh.positions, mesh.triangles);
  const Hierarchy a = built(cloth), b = built(cloth);
  for (size_t l = 0; l < a.coarser.size(); ++l) {
    EXPECT_EQ(a.coarser[l].kept, b.coarser[l].kept);
    EXPECT_EQ(a.coarser[l].triangles, b.coarser[l].triangles);
    EXPECT_EQ(a.coarser[l].barycentric.weight, b.coarser[l].barycentric.weight);
    EXPECT_EQ(a.coarser[l].inverse_distance.weight, b.coarser[l].inverse_distance.weight);
  }
}

TEST(Hierarchy, WhereNothingMayCollapseTheLevelStays) {
  const Hierarchy h = built(flat_sheet({{0, 0}, {1, 0}, {0, 1}}, {{0, 1, 2}}));
  for (const CoarseLevel& level : h.coarser) EXPECT_EQ(level.triangles, (std::vector<Triangle>{{0, 1, 2}}));
}

TEST(Hierarchy, BadInputIsRefusedByName) {
  FlatCloth cloth = flat_sheet({{0, 0}, {1, 0}, {0, 1}}, {{0, 1, 3}});
  EXPECT_EQ(error_detail(build_hierarchy(cloth).status())->field, "triangles[0]");
  cloth = flat_sheet({{0, 0}, {1, 0}, {0, 1}}, {{0, 1, 2}});
  cloth.vertex[1] = 5;
  EXPECT_EQ(error_detail(build_hierarchy(cloth).status())->field, "vertex[1]");
  cloth.vertex[1] = 1;
  cloth.locked = {-1};
  EXPECT_EQ(error_detail(build_hierarchy(cloth).status())->field, "locked");
  cloth.locked.clear();
  for (const double keep : {0.0, 1.0, std::nan("")}) {
    HierarchySettings settings;
    settings.keep = keep;
    EXPECT_EQ(error_detail(build_hierarchy(cloth, settings).status())->field, "keep");
  }
}

}  // namespace
}  // namespace tryon
