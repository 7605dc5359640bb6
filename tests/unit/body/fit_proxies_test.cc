#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>

#include "gtest/gtest.h"
#include "server/base/status.h"
#include "server/body/body.h"
#include "tests/support/shared_data.h"

namespace tryon {
namespace {

struct Ring {
  Vec3 center, along_u, along_v;  // semi-axes as vectors
};

// A closed tube through rings of 48 points, with a point at each end; its part for every vertex.
void append_tube(const std::vector<Ring>& rings, BodyPart part, Body* body) {
  constexpr int n = 48;
  const int base = body->mesh.vertex_count();
  for (const Ring& ring : rings) {
    for (int i = 0; i < n; ++i) {
      const double angle = 2 * M_PI * i / n;
      body->mesh.positions.push_back(ring.center + std::cos(angle) * ring.along_u + std::sin(angle) * ring.along_v);
    }
  }
  for (int k = 0; k + 1 < static_cast<int>(rings.size()); ++k) {
    for (int i = 0; i < n; ++i) {
      const int a = base + k * n + i, b = base + k * n + (i + 1) % n;
      body->mesh.triangles.emplace_back(a, a + n, b);
      body->mesh.triangles.emplace_back(b, a + n, b + n);
    }
  }
  const int last = base + (static_cast<int>(rings.size()) - 1) * n, tip = body->mesh.vertex_count();
  body->mesh.positions.push_back(rings.front().center);
  body->mesh.positions.push_back(rings.back().center);
  for (int i = 0; i < n; ++i) {
    body->mesh.triangles.emplace_back(tip, base + i, base + (i + 1) % n);
    body->mesh.triangles.emplace_back(tip + 1, last + (i + 1) % n, last + i);
  }
  body->part.resize(body->mesh.positions.size(), part);
}

std::vector<Ring> straight(const Vec3& from, const Vec3& to, const Vec3& u, const Vec3& v, int count) {
  std::vector<Ring> rings;
  for (int i = 0; i < count; ++i) rings.push_back({from + (to - from) * i / (count - 1.0), u, v});
  return rings;
}

// A figure of elliptic and circular tubes: trunk 340 x 220 mm, two legs of 80 mm radius, a neck and a head.
Body tube_figure() {
  Body body;
  body.height_m = 1.7;
  const Vec3 x = Vec3::UnitX(), z = Vec3::UnitZ();
  append_tube(straight(Vec3(0, 0.8, 0), Vec3(0, 1.4, 0), 0.17 * x, 0.11 * z, 61), BodyPart::kTorso, &body);
  append_tube(straight(Vec3(0, 1.38, 0), Vec3(0, 1.5, 0), 0.06 * x, 0.06 * z, 13), BodyPart::kNeck, &body);
  append_tube(straight(Vec3(0, 1.48, 0), Vec3(0, 1.7, 0), 0.08 * x, 0.1 * z, 23), BodyPart::kHead, &body);
  for (const double side : {1.0, -1.0}) {
    append_tube(straight(Vec3(0.1 * side, 0, 0), Vec3(0.085 * side, 0.82, 0), 0.08 * x, 0.08 * z, 83),
                side > 0 ? BodyPart::kLeftLeg : BodyPart::kRightLeg, &body);
  }
  return body;
}

ProxySet fit(const Body& body, ProxyShape shape) {
  absl::StatusOr<ProxySet> set = fit_proxies(RunContext(), body, shape);
  EXPECT_TRUE(set.ok()) << set.status();
  return set.ok() ? *set : ProxySet();
}

TEST(FitProxies, AnEllipticTrunkIsMatchedByEllipsesAndOverstatedByCircles) {
  const Body body = tube_figure();
  const ProxySet elliptic = fit(body, ProxyShape::kElliptic), circular = fit(body, ProxyShape::kCircular);
  const auto worst = [](const ProxySet& set) {
    double largest = 0;
    for (const Proxy& p : set.proxies) {
      if (p.part == BodyPart::kTorso && p.mean_gap_mm >= 0) largest = std::max(largest, p.girth_error_ratio);
    }
    return largest;
  };
  EXPECT_LT(worst(elliptic), 0.03);
  EXPECT_GT(worst(circular), 0.15);  // 2 pi 0.17 against the ellipse's 0.89 m
  EXPECT_EQ(elliptic.uncovered_vertices, 0);
  EXPECT_EQ(circular.uncovered_vertices, 0);
}

TEST(FitProxies, CircularModeIsThePapersCylindersAndFrusta) {
  const ProxySet set = fit(tube_figure(), ProxyShape::kCircular);
  int cylinders = 0, frusta = 0;
  for (const Proxy& proxy : set.proxies) {
    if (const auto* f = std::get_if<Frustum>(&proxy.solid)) {
      EXPECT_NEAR(f->bottom_radii.x(), f->bottom_radii.y(), 1e-9);
      EXPECT_NEAR(f->top_radii.x(), f->top_radii.y(), 1e-9);
      EXPECT_GT((f->top - f->bottom).dot(f->axis), 0);
    }
    if (proxy.part != BodyPart::kTorso) continue;
    cylinders += proxy.kind == Proxy::Kind::kCylinder, frusta += proxy.kind == Proxy::Kind::kFrustum;
  }
  EXPECT_EQ(frusta, cylinders - 1);  // l cylinders and l - 1 frusta a part
  EXPECT_GE(cylinders, 8);
}

TEST(FitProxies, NeighboursInAChainShareTheirEndEllipses) {
  for (const ProxyShape shape : {ProxyShape::kCircular, ProxyShape::kElliptic}) {
    const ProxySet set = fit(tube_figure(), shape);
    int joins = 0;
    for (size_t i = 0; i + 1 < set.proxies.size(); ++i) {
      const auto* a = std::get_if<Frustum>(&set.proxies[i].solid);
      const auto* b = std::get_if<Frustum>(&set.proxies[i + 1].solid);
      if (!a || !b || (a->top - b->bottom).norm() > 1e-6) continue;
      ++joins;
      EXPECT_TRUE(a->open_top && b->open_bottom);
      EXPECT_LT((a->top_radii - b->bottom_radii).norm(), 1e-9);
    }
    EXPECT_GT(joins, 40);
  }
}

TEST(FitProxies, SamePartsGiveSameSolids) {
  const ProxySet a = fit(tube_figure(), ProxyShape::kElliptic), b = fit(tube_figure(), ProxyShape::kElliptic);
  ASSERT_EQ(a.proxies.size(), b.proxies.size());
  for (size_t i = 0; i < a.proxies.size(); ++i) {
    const Vec3 probe(0.3, 1.1, 0.2);
    EXPECT_EQ(distance(a.proxies[i].solid, probe).distance, distance(b.proxies[i].solid, probe).distance);
  }
}

TEST(FitProxies, RefusesABodyWithoutParts) {
  Body body = tube_figure();
  body.part.clear();
  const auto set = fit_proxies(RunContext(), body, ProxyShape::kElliptic);
  ASSERT_FALSE(set.ok());
  EXPECT_EQ(error_detail(set.status())->reason, "BODY_WITHOUT_PARTS");
}

TEST(FitProxies, StopsWhenCancelled) {
  RunContext run;
  run.cancel.cancel();
  EXPECT_EQ(fit_proxies(run, tube_figure(), ProxyShape::kElliptic).status().code(), absl::StatusCode::kCancelled);
}

TriangleMesh read_obj(const std::string& path) {
  TriangleMesh mesh;
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    std::string word;
    words >> word;
    if (word == "v") {
      Vec3 p;
      words >> p.x() >> p.y() >> p.z();
      mesh.positions.push_back(p);
    } else if (word == "f") {
      std::vector<int> corner;
      while (words >> word) corner.push_back(std::stoi(word) - 1);
      for (size_t i = 2; i < corner.size(); ++i) mesh.triangles.emplace_back(corner[0], corner[i - 1], corner[i]);
    }
  }
  return mesh;
}

class RealBody : public ::testing::TestWithParam<const char*> {};

TEST_P(RealBody, IsHeldByFewSolidsCloseToItsSkin) {
  TRYON_NEEDS_SHARED_DATA(std::string("bodies/") + GetParam());
  const std::string path = testing::shared_data_path(std::string("bodies/") + GetParam());
  const auto body = make_body(RunContext(), read_obj(path), ScanOptions());
  ASSERT_TRUE(body.ok()) << body.status();
  const ProxySet elliptic = fit(*body, ProxyShape::kElliptic), circular = fit(*body, ProxyShape::kCircular);
  for (const ProxySet* set : {&elliptic, &circular}) {
    EXPECT_LE(set->uncovered_vertices, body->mesh.vertex_count() / 200);
    EXPECT_LE(set->proxies.size(), 145u);
    EXPECT_GE(set->proxies.size(), 60u);
  }
  EXPECT_LT(elliptic.mean_gap_mm, 12.0);
  EXPECT_LT(elliptic.mean_gap_mm, 0.65 * circular.mean_gap_mm);
  EXPECT_LT(elliptic.girth_error_p95, 0.6 * circular.girth_error_p95);
  for (const Proxy& proxy : elliptic.proxies) {
    if (proxy.part != BodyPart::kTorso || proxy.mean_gap_mm < 0) continue;
    EXPECT_LT(proxy.girth_error_ratio, 0.17);
  }
}

INSTANTIATE_TEST_SUITE_P(SharedBodies, RealBody,
                         ::testing::Values("garmentcode/mean_all.obj", "smpl/f_smpl_average_A40.obj",
                                           "makehuman/mh_f_young_avg_A_dm.obj", "garmentcode/mean_all_tpose.obj"));

}  // namespace
}  // namespace tryon
