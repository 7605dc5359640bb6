// A body keeps its measurements when it is turned, moved, given in other units, meshed otherwise or mirrored.
#include <cstdio>
#include <functional>

#include "server/base/text.h"
#include "server/body/items.h"
#include "tests/unit/body/body_fixtures.h"
#include "tests/unit/body/clean_bodies.h"
#include "tests/unit/body/remesh.h"

namespace tryon {
namespace {

using testing::body_of;
using testing::clean_body_files;
using testing::decimated;
using testing::mannequin_mesh;
using testing::motion;
using testing::moved;
using testing::read_clean_body;
using testing::subdivided;

constexpr double kCoarse = 0.005;  // after decimation to 5,000 triangles
constexpr double kFiner = 0.0005;  // four times the triangles: the same surface

// Those that a mesh of 5,000 triangles does not hold to half a percent: 1 mm of a wrist, 2 mm of a neck's base, and a
// crease under the chest that is 2.5 mm lower.
struct Exception {
  const char *file, *girth;
  double bound;
};
constexpr Exception kExceptions[] = {
    {"makehuman/mh_f_young_plus_armsdown_mm_zup.stl", "wrist_girth", 0.008},
    {"makehuman/mh_f_young_avg_A_dm.obj", "neck_base_girth", 0.0055},
    {"makehuman/mh_m_young_tall_A_mm_zup.ply", "under_bust_girth", 0.006},
};

double bound_of(const std::string& file, const std::string& girth) {
  for (const Exception& e : kExceptions) {
    if (file == e.file && girth == e.girth) return e.bound;
  }
  return kCoarse;
}

// Returns how many change by more than half a percent.
int expect_same_girths(const std::string& what, const Body& a, const Body& b,
                       const std::function<double(const std::string&)>& bound) {
  double worst = 0;
  std::string worst_name;
  int beyond = 0;
  for (const MeasurementItem& item : measurement_items()) {
    if (item.kind != ItemKind::kGirth) continue;
    const std::string name(item.name);
    if (a.measurements_mm.count(name) != 1 || b.measurements_mm.count(name) != 1) {
      ADD_FAILURE() << what << ": no " << name;
      continue;
    }
    const double change = std::abs(b.measurements_mm.at(name) / a.measurements_mm.at(name) - 1);
    EXPECT_LE(change, bound(name)) << what << ": " << name << " " << a.measurements_mm.at(name) << " "
                                   << b.measurements_mm.at(name);
    beyond += change > 0.005;
    if (change > worst) worst = change, worst_name = name;
  }
  std::printf("  %-28s worst girth change %.3f %% (%s)\n", what.c_str(), 100 * worst, worst_name.c_str());
  return beyond;
}

int expect_same_girths(const std::string& what, const Body& a, const Body& b, double bound) {
  return expect_same_girths(what, a, b, [&](const std::string&) { return bound; });
}

TEST(MeasureInvariance, PlaceTurnAndUnitChangeNoGirth) {
  TRYON_NEEDS_SHARED_DATA("bodies");
  for (const char* file : {"smpl/f_smpl_average_A40.obj", "makehuman/mh_m_old_thin_T_cm_zup.obj"}) {
    std::printf("%s\n", file);
    const TriangleMesh mesh = read_clean_body(file);
    const Body plain = body_of(mesh);
    const Vec3 up = plain.source.up_axis == "+z" ? Vec3::UnitZ() : Vec3::UnitY();
    expect_same_girths("turned 30 degrees", plain, body_of(moved(mesh, motion(1, 30, up, {1, 2, 3}))), 0.001);
    expect_same_girths("in other units", plain, body_of(moved(mesh, motion(10, 0, up, {5, -9, 3}))), 0.001);
  }
}

// Meshes of more than 25,000 triangles are brought there first.
TEST(MeasureInvariance, FewerOrMoreTrianglesChangeNoGirth) {
  TRYON_NEEDS_SHARED_DATA("bodies");
  size_t beyond = 0;
  for (const std::string& file : clean_body_files()) {
    std::printf("%s\n", file.c_str());
    const TriangleMesh full = read_clean_body(file);
    const TriangleMesh mesh = full.triangle_count() > 30000 ? decimated(full, 25000) : full;
    const Body plain = body_of(mesh);
    beyond += expect_same_girths("to 5k triangles", plain, body_of(decimated(mesh, 5000)),
                                 [&](const std::string& girth) { return bound_of(file, girth); });
    expect_same_girths("to four times the triangles", plain, body_of(subdivided(mesh, false)), kFiner);
  }
  EXPECT_LE(beyond, std::size(kExceptions));
}

std::string mirrored_name(const std::string& name) {
  if (name.rfind("left_", 0) == 0) return "right_" + name.substr(5);
  return name.rfind("right_", 0) == 0 ? "left_" + name.substr(6) : name;
}

void expect_mirrored(const std::string& what, const TriangleMesh& mesh) {
  const Body plain = body_of(mesh);
  const Body mirrored = body_of(moved(mesh, Eigen::Affine3d(Eigen::Scaling(-1.0, 1.0, 1.0))));
  ASSERT_EQ(plain.measurements_mm.size(), mirrored.measurements_mm.size());
  for (const auto& [name, value] : plain.measurements_mm) {
    ASSERT_TRUE(mirrored.measurements_mm.count(mirrored_name(name))) << name;
    EXPECT_NEAR(mirrored.measurements_mm.at(mirrored_name(name)) / value, 1.0, 2e-6) << what << " " << name;
  }
  for (const auto& [name, p] : plain.landmarks) {
    const Vec3 q = mirrored.landmarks.at(mirrored_name(name));
    EXPECT_LT((Vec3(-p.x(), p.y(), p.z()) - q).norm(), 1e-6) << what << " " << name;
  }
}

TEST(MeasureInvariance, MirroredBodySwapsItsSidesAndKeepsItsNumbers) {
  TRYON_NEEDS_SHARED_DATA("bodies");
  for (const char* file :
       {"garmentcode/mean_all.obj", "garmentcode/mean_all_tpose.obj", "smpl/f_smpl_average_A40.obj"}) {
    expect_mirrored(file, read_clean_body(file));
  }
}

TEST(MeasureInvariance, GeneratedBodiesKeepTheirGirthsInOtherMeshes) {
  const TriangleMesh mesh = mannequin_mesh();
  const Body plain = body_of(mesh);
  expect_same_girths("mannequin, four times finer", plain, body_of(subdivided(mesh, false)), kFiner);
  expect_same_girths("mannequin to 8k triangles", plain, body_of(decimated(mesh, 8000)), kCoarse);
}

}  // namespace
}  // namespace tryon
