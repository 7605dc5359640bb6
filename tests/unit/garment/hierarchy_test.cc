#include "server/garment/hierarchy.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>

#include "gtest/gtest.h"

namespace tryon {
namespace {

// Quarters of a skirt, each sewn to the next, with a dart at the top of each.
Pattern ring(int count) {
  Pattern pattern;
  for (int i = 0; i < count; ++i) {
    Panel panel;
    panel.name = "gore" + std::to_string(i);
    panel.vertices = {{0, 0}, {0.2, 0}, {0.2, 0.3}, {0.115, 0.3}, {0.1, 0.2}, {0.085, 0.3}, {0, 0.3}};
    for (int k = 0; k < 7; ++k) panel.edges.push_back({k, (k + 1) % 7, {}, ""});
    pattern.panels.push_back(panel);
    pattern.stitches.push_back({{i, 1}, {(i + 1) % count, 6}});
    pattern.stitches.push_back({{i, 3}, {i, 4}});
  }
  return pattern;
}

struct Sewn {
  GarmentMesh garment;
  WeldedMesh welded;
  Hierarchy hierarchy;
};

Sewn sewn(const std::vector<int>& kept = {}, double keep = 0.5) {
  Sewn out;
  auto garment = mesh_garment(RunContext{}, ring(4), 0.015);
  EXPECT_TRUE(garment.ok()) << garment.status();
  out.garment = *std::move(garment);
  out.welded = weld(out.garment, out.garment.placed);
  HierarchySettings settings;
  settings.keep = keep;
  auto hierarchy = build_hierarchy(out.garment, out.welded, kept, settings);
  EXPECT_TRUE(hierarchy.ok()) << hierarchy.status();
  out.hierarchy = *std::move(hierarchy);
  return out;
}

TEST(GarmentHierarchy, EachLevelIsAsWholeAsTheWeldedGarment) {
  const Sewn s = sewn();
  int vertices = s.welded.mesh.vertex_count();
  const auto euler = [](const std::vector<Triangle>& triangles, int count) {
    std::set<std::pair<int, int>> edges;
    for (const Triangle& t : triangles) {
      for (int k = 0; k < 3; ++k) edges.insert({std::min(t[k], t[(k + 1) % 3]), std::max(t[k], t[(k + 1) % 3])});
    }
    return count - static_cast<int>(edges.size()) + static_cast<int>(triangles.size());
  };
  const int whole = euler(s.welded.mesh.triangles, vertices);
  for (const CoarseLevel& level : s.hierarchy.coarser) {
    EXPECT_GE(level.vertex_count(), vertices / 2);
    EXPECT_LE(level.vertex_count(), vertices / 2 + 1);
    vertices = level.vertex_count();
    EXPECT_EQ(euler(level.triangles, vertices), whole);
    std::set<std::pair<int, int>> directed;
    for (const Triangle& t : level.triangles) {
      for (int k = 0; k < 3; ++k) EXPECT_TRUE(directed.insert({t[k], t[(k + 1) % 3]}).second);
    }
  }
}

TEST(GarmentHierarchy, BothSidesOfASeamKeepTheSameVertices) {
  const Sewn s = sewn();
  for (const CoarseLevel& level : s.hierarchy.coarser) {
    // The flat length of a seam's edges, as each of the panels beside it sees them, is the whole seam's.
    std::map<std::pair<int, int>, std::vector<double>> lengths;
    for (size_t t = 0; t < level.triangles.size(); ++t) {
      for (int k = 0; k < 3; ++k) {
        const int a = level.finest[level.triangles[t][k]], b = level.finest[level.triangles[t][(k + 1) % 3]];
        const double length = (level.corner_flat[t][k] - level.corner_flat[t][(k + 1) % 3]).norm();
        lengths[{std::min(a, b), std::max(a, b)}].push_back(length);
      }
    }
    const std::set<int> kept(level.finest.begin(), level.finest.end());
    for (const Seam& seam : s.garment.seams) {
      double left = 0.0, right = 0.0;
      int before = -1, vertices = 0;
      for (const int v : seam.left) {
        const int w = s.welded.source[v];
        if (kept.count(w) == 0) continue;
        ++vertices;
        if (before >= 0) {
          const auto& both = lengths[{std::min(before, w), std::max(before, w)}];
          ASSERT_EQ(both.size(), 2u) << "a seam edge lies between two triangles";
          left += both[0], right += both[1];
        }
        before = w;
      }
      EXPECT_GE(vertices, 2);
      EXPECT_LT(vertices, static_cast<int>(seam.left.size()));
      EXPECT_NEAR(left, right, 1e-12);
    }
  }
}

TEST(GarmentHierarchy, EndsOfSeamsAndNotchesStay) {
  const int notch = 5;  // on the hem of the first gore
  const Sewn s = sewn({notch}, 0.3);
  for (const CoarseLevel& level : s.hierarchy.coarser) {
    const std::set<int> kept(level.finest.begin(), level.finest.end());
    EXPECT_TRUE(kept.count(s.welded.source[notch]));
    for (const Seam& seam : s.garment.seams) {
      EXPECT_TRUE(kept.count(s.welded.source[seam.left.front()]));
      EXPECT_TRUE(kept.count(s.welded.source[seam.left.back()]));
    }
  }
}

TEST(GarmentHierarchy, RestShapesKeepTheirAreaAndRowsTheirSum) {
  const Sewn s = sewn();
  double whole = 0.0;
  const auto area = [](const std::array<Vec2, 3>& c) {
    const Vec2 u = c[1] - c[0], v = c[2] - c[0];
    return 0.5 * (u.x() * v.y() - u.y() * v.x());
  };
  for (const auto& c : s.welded.corner_flat) whole += area(c);
  for (const CoarseLevel& level : s.hierarchy.coarser) {
    double sum = 0.0;
    for (const auto& c : level.corner_flat) {
      EXPECT_GT(area(c), 0.0);
      sum += area(c);
    }
    EXPECT_NEAR(sum, whole, 1e-9) << "every outline of the gores is straight";
    for (const SparseRows* rows : {&level.inverse_distance, &level.barycentric}) {
      for (size_t i = 0; i + 1 < rows->first.size(); ++i) {
        double one = 0.0;
        for (int k = rows->first[i]; k < rows->first[i + 1]; ++k) one += rows->weight[k];
        EXPECT_NEAR(one, 1.0, 1e-12);
      }
    }
  }
}

}  // namespace
}  // namespace tryon
