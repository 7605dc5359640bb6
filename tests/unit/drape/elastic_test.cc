// An elastic in a casing draws its edge in, as the sidecar or our own JSON says; without it the cloth stays wide.
#include <cmath>

#include "gtest/gtest.h"
#include "server/drape/settle.h"
#include "tests/support/test_panels.h"

namespace tryon {
namespace {

// A sheet of 300 mm on the floor, an elastic along its first edge.
GarmentMesh sheet(const Elastic& elastic) {
  Pattern pattern;
  pattern.panels = {testing::rectangle("sheet", 0.3, 0.2)};
  Panel& panel = pattern.panels[0];
  panel.rotation = Eigen::AngleAxisd(-0.5 * M_PI, Vec3::UnitX()).toRotationMatrix();
  panel.translation = Vec3(0.0, 0.003, 0.0);
  SeamSpec casing;
  casing.kind = SeamSpec::Kind::kCasing;
  casing.a = {{0, 0, 0.0, 1.0}};
  casing.elastic = elastic;
  pattern.seams = {casing};
  auto garment = mesh_garment(RunContext(), pattern, 0.02);
  EXPECT_TRUE(garment.ok()) << garment.status();
  return *std::move(garment);
}

double edge_at_rest(const Elastic& elastic) {
  const GarmentMesh garment = sheet(elastic);
  const auto floor = sim::make_plane_collider(Vec3::Zero(), Vec3::UnitY());
  const auto settled =
      sew_and_settle(RunContext(), garment, fabric_by_name(kDefaultFabric).value(), *floor, SettleOptions());
  EXPECT_TRUE(settled.ok()) << settled.status();
  double length = 0.0;
  int last = -1;
  for (int v = 0; v < garment.vertex_count(); ++v) {  // the outline comes first, its first edge along x
    if (garment.flat[v].y() > 1e-9) continue;
    if (last >= 0) {
      const Vec3 step = settled->cloth.mesh.positions[settled->cloth.source[v]] -
                        settled->cloth.mesh.positions[settled->cloth.source[last]];
      length += step.norm();
    }
    last = v;
  }
  return length;
}

TEST(ElasticInTheDrape, DrawsItsEdgeInByItsForce) {
  const double without = edge_at_rest({1.0, 0.0}), soft = edge_at_rest({0.5, 1.0}), stiff = edge_at_rest({0.5, 20.0});
  EXPECT_NEAR(without, 0.3, 0.006);
  EXPECT_LT(soft, 0.295);
  EXPECT_LT(stiff, soft - 0.01) << "a stiffer one draws in more";
  EXPECT_GT(stiff, 0.14) << "and no further than it is relaxed";
}

}  // namespace
}  // namespace tryon
