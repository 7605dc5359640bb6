#include "server/io/cloud_reconstruct.h"

#include <cmath>

#include "gtest/gtest.h"
#include "server/io/cloud_sheets.h"
#include "server/io/cloud_surfel.h"
#include "server/io/cloud_wire.h"
#include "server/io/mesh_wire.h"
#include "server/mesh/closest_point.h"
#include "tests/unit/io/mesh_test_support.h"

namespace tryon {
namespace {
using testing::described;

constexpr double kTrunk = 0.15, kArm = 0.04, kGap = 0.21;  // an arm 2 cm beside a trunk, both capsules

double capsule(const Vec3& p, double radius) { return (p - Vec3(0, std::clamp(p.y(), -0.3, 0.3), 0)).norm() - radius; }
double truth_distance(const Vec3& p) { return std::min(capsule(p, kTrunk), capsule(p - Vec3(kGap, 0, 0), kArm)); }

double noise(int i, int salt) {  // -1 .. 1, the same in every run
  const double x = std::sin(i * 12.9898 + salt * 78.233) * 43758.5453;
  return 2.0 * (x - std::floor(x)) - 1.0;
}

void add_capsule(const Vec3& middle, double radius, int count, double spread, PointCloud* out) {
  for (int i = 0; i < count; ++i) {
    const double y = (2.0 * i + 1.0) / count - 1.0, a = i * 2.399963229728653, reach = 0.3 + radius;
    const double height = y * reach, over = std::max(0.0, std::abs(height) - 0.3);
    const double ring = std::sqrt(std::max(0.0, radius * radius - over * over));
    const Vec3 foot(0, std::clamp(height, -0.3, 0.3), 0);
    const Vec3 normal = (Vec3(ring * std::cos(a), height, ring * std::sin(a)) - foot).normalized();
    out->positions.push_back(middle + foot + normal * (radius + spread * noise(i, 1)));
    out->normals.push_back(normal);
  }
}

PointCloud trunk_and_arm(double spread) {
  PointCloud out;
  add_capsule({0, 0, 0}, kTrunk, 24000, spread, &out);
  add_capsule({kGap, 0, 0}, kArm, 7000, spread, &out);
  return out;
}

absl::StatusOr<Reconstruction> reconstruct(PointCloud cloud, bool with_normals = false) {
  if (!with_normals) cloud.normals.clear();
  return reconstruct_sandboxed({}, testing::meshparse(), cloud, {}, {});
}

bool is_closed(const TriangleMesh& mesh) {
  const auto edges = mesh_edges(mesh);
  for (size_t i = 0; i < edges.size(); ++i) {
    if (edges[i].right < 0 || (i > 0 && edges[i].a == edges[i - 1].a && edges[i].b == edges[i - 1].b)) return false;
  }
  return !edges.empty();
}

TEST(CloudOrientation, AnArmBesideATrunkLooksOutOnBothSidesOfTheGap) {
  const PointCloud cloud = trunk_and_arm(0.001);
  Surfels surfels = thin_cloud({cloud.positions, {}}, 0.004);
  estimate_normals(0.02, &surfels);
  std::vector<std::string> healed;
  orient_surfels(0.008, true, &surfels, &healed);
  int wrong = 0;
  for (int i = 0; i < surfels.size(); ++i) {
    const Vec3& p = surfels.positions[static_cast<size_t>(i)];
    wrong += truth_distance(p + 0.003 * surfels.normals[static_cast<size_t>(i)]) <
             truth_distance(p - 0.003 * surfels.normals[static_cast<size_t>(i)]);
  }
  EXPECT_EQ(wrong, 0) << "of " << surfels.size();
}

TEST(CloudReconstruct, NoisyPointsGiveAClosedOutwardSurfaceThatIsNotFattened) {
  const auto surface = reconstruct(trunk_and_arm(0.003));
  ASSERT_TRUE(surface.ok()) << surface.status();
  EXPECT_TRUE(is_closed(surface->mesh));
  EXPECT_GT(signed_volume(surface->mesh), 0.0);
  EXPECT_EQ(connected_components(surface->mesh).second, 2);
  ASSERT_EQ(surface->support.size(), surface->mesh.positions.size());
  double sum = 0.0, absolute = 0.0;
  for (const Vec3& p : surface->mesh.positions) sum += truth_distance(p), absolute += std::abs(truth_distance(p));
  EXPECT_LT(std::abs(sum / surface->mesh.vertex_count()), 0.0005);
  EXPECT_LT(absolute / surface->mesh.vertex_count(), 0.001);
}

TEST(CloudReconstruct, TheSamePointsGiveTheSameBytes) {
  const auto a = reconstruct(trunk_and_arm(0.002)), b = reconstruct(trunk_and_arm(0.002));
  ASSERT_TRUE(a.ok() && b.ok());
  EXPECT_EQ(encode_reconstruction(a), encode_reconstruction(b));
}

TEST(CloudReconstruct, AHoleIsClosedAndItsVerticesSayHowFarFromAnyPoint) {
  PointCloud cloud = trunk_and_arm(0.001);
  std::erase_if(cloud.positions, [](const Vec3& p) { return p.z() > 0.05 && std::abs(p.y()) < 0.06; });
  const auto surface = reconstruct(cloud);
  ASSERT_TRUE(surface.ok()) << surface.status();
  EXPECT_TRUE(is_closed(surface->mesh));
  double most = 0.0;
  for (double s : surface->support) most = std::max(most, s);
  EXPECT_GT(most, 0.03);
  EXPECT_LT(most, 0.2);
}

TEST(CloudReconstruct, StrayPointsAreDroppedAndTold) {
  PointCloud cloud = trunk_and_arm(0.001);
  for (int i = 0; i < 300; ++i) cloud.positions.push_back({0.8 * noise(i, 2), 0.8 * noise(i, 3), 0.8 * noise(i, 4)});
  const auto surface = reconstruct(cloud);
  ASSERT_TRUE(surface.ok()) << surface.status();
  bool told = false;
  for (const std::string& note : surface->healed) told |= note.starts_with("dropped as strays");
  EXPECT_TRUE(told);
  EXPECT_LT(bounds(surface->mesh).sizes().y(), 1.0);
}

TEST(CloudReconstruct, InwardNormalsOfTheFileAreTurned) {
  PointCloud cloud = trunk_and_arm(0.001);
  for (Vec3& n : cloud.normals) n = -n;
  const auto surface = reconstruct(cloud, true);
  ASSERT_TRUE(surface.ok()) << surface.status();
  EXPECT_GT(signed_volume(surface->mesh), 0.0);
}

TEST(CloudReconstruct, TooFewPointsAreRefused) {
  EXPECT_EQ(described(reconstruct(PointCloud{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {}}).status()),
            "RECONSTRUCTION_FAILED at cloud");
  EXPECT_EQ(described(reconstruct(PointCloud{}).status()), "RECONSTRUCTION_FAILED at cloud");
}

TEST(CloudSheets, TwoTetrahedraThatShareAnEdgeComeApart) {
  TriangleMesh mesh = testing::unit_tetrahedron();
  const int n = mesh.vertex_count();
  mesh.positions.push_back({-1, -1, 0.1});
  mesh.positions.push_back({-1, -1, 1});
  // The same edge 0-3 in a second tetrahedron (0, 4, 5, 3).
  for (const Triangle& t : {Triangle(0, n + 1, n), Triangle(0, n, 3), Triangle(0, 3, n + 1), Triangle(n, n + 1, 3)}) {
    mesh.triangles.push_back(t);
  }
  ASSERT_FALSE(is_closed(mesh));
  ASSERT_TRUE(separate_sheets(&mesh));
  EXPECT_TRUE(is_closed(mesh));
  EXPECT_EQ(mesh.triangle_count(), 8);
  mesh.triangles.pop_back();
  EXPECT_FALSE(separate_sheets(&mesh));
}

TEST(CloudWire, BringsBackRequestsAndSurfacesBitForBit) {
  const PointCloud cloud = {{{0, 1, 2}, {3, 4, 5}}, {{0, 0, 1}, {0, 1, 0}}};
  const auto request = decode_cloud_request(encode_cloud_request(cloud, {0.01, false, true}), {});
  ASSERT_TRUE(request.ok()) << request.status();
  EXPECT_EQ(request->cloud.positions, cloud.positions);
  EXPECT_EQ(request->cloud.normals, cloud.normals);
  EXPECT_FALSE(request->settings.clean);
  EXPECT_EQ(request->settings.detail, 0.01);
  const Reconstruction surface = {testing::unit_tetrahedron(), {0, 1, 2, 3}, {"a", "b"}};
  const auto back = decode_reconstruction(encode_reconstruction(surface), {});
  ASSERT_TRUE(back.ok()) << back.status();
  EXPECT_EQ(back->support, surface.support);
  EXPECT_EQ(back->healed, surface.healed);
  const auto mesh = decode_mesh(encode_mesh(ParsedMesh{{}, cloud, {"x"}}), {});
  ASSERT_TRUE(mesh.ok()) << mesh.status();
  EXPECT_EQ(mesh->cloud.normals, cloud.normals);
}

TEST(CloudWire, RefusesEveryCutAndEveryAddedByte) {
  const std::string request = encode_cloud_request({{{0, 1, 2}}, {{0, 0, 1}}}, {});
  const std::string answer = encode_reconstruction(Reconstruction{testing::unit_tetrahedron(), {0, 1, 2, 3}, {"a"}});
  for (size_t n = 0; n < request.size(); ++n) EXPECT_FALSE(decode_cloud_request(request.substr(0, n), {}).ok()) << n;
  for (size_t n = 0; n < answer.size(); ++n) EXPECT_FALSE(decode_reconstruction(answer.substr(0, n), {}).ok()) << n;
  EXPECT_FALSE(decode_cloud_request(request + "x", {}).ok());
  EXPECT_FALSE(decode_reconstruction(answer + "x", {}).ok());
}

TEST(CloudWire, RefusesWhatIsNoDistanceNoDetailOrNoNumber) {
  Reconstruction surface = {testing::unit_tetrahedron(), {0, 1, 2, -3}, {}};
  EXPECT_FALSE(decode_reconstruction(encode_reconstruction(surface), {}).ok());
  surface.support[3] = std::nan("");
  EXPECT_FALSE(decode_reconstruction(encode_reconstruction(surface), {}).ok());
  for (double detail : {0.0, -1.0, std::nan(""), HUGE_VAL}) {
    EXPECT_FALSE(decode_cloud_request(encode_cloud_request({{{0, 1, 2}}, {}}, {detail, true, true}), {}).ok());
  }
  EXPECT_FALSE(decode_cloud_request(encode_cloud_request({{{0, std::nan(""), 2}}, {}}, {}), {}).ok());
  EXPECT_FALSE(decode_cloud_request(encode_cloud_request({{{0, 1, 2}}, {{0, 0, 1}, {0, 0, 1}}}, {}), {}).ok());
}

}  // namespace
}  // namespace tryon
