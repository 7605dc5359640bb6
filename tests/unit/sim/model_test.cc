// The springs against the fabric they are made from: patches pulled and bent without any solver of ours.
#include "Eigen/SparseCholesky"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "server/base/status.h"
#include "server/sim/constraints/elastic.h"
#include "server/sim/constraints/threads.h"
#include "server/sim/solvers/incremental_potential.h"
#include "tests/unit/sim/cloth_fixtures.h"

namespace tryon::sim {
namespace {

using testing::bound;
using ::testing::HasSubstr;
using testing::make_sheet;
using testing::SheetOptions;
using testing::still_scene;

// Energy of a flat patch as a function of homogeneous strain; the free strain is relaxed by a search on one number.
double energy_at(ElasticEnergy* energy, const DrapeState& rest, double strain_x, double strain_z, double shear) {
  std::vector<RVec3> x = rest.x, unused(rest.x.size());
  for (RVec3& p : x) p = RVec3(Real(p.x() * (1 + strain_x) + shear * p.z()), p.y(), Real(p.z() * (1 + strain_z)));
  return energy->evaluate({}, x.data(), 1, unused.data());
}

// 2 E / (area strain^2) with the other side free to contract.
double uniaxial_stiffness(const ClothInput& cloth, bool warp) {
  const DrapeModel model = build_model(cloth).value();
  ElasticEnergy energy(model, 0.0);
  const DrapeState rest = start_state(cloth);
  const double strain = 1e-4;
  double area = 0;
  for (Real a : model.rest_area) area += static_cast<double>(a);
  const auto at = [&](double other) {
    return warp ? energy_at(&energy, rest, other, strain, 0) : energy_at(&energy, rest, strain, other, 0);
  };
  // Quadratic in the other strain: three points give the minimum.
  const double d = strain, low = at(-d), mid = at(0), high = at(d);
  const double other = 0.5 * d * (low - high) / (low - 2 * mid + high);
  return 2 * at(other) / (area * strain * strain);
}

ClothInput orthotropic_patch(SpringLayout layout, double jitter, bool slanted = true) {
  SheetOptions o;
  o.width = o.length = 0.2;
  o.columns = 14;
  o.rows = 16;  // nearly equilateral where slanted
  o.jitter = jitter;
  o.slanted = slanted;
  ClothInput cloth = make_sheet(o);
  cloth.fabric.stretch_warp = 800;
  cloth.fabric.stretch_weft = 300;
  cloth.fabric.shear = 40;
  cloth.fabric.bend_warp = cloth.fabric.bend_weft = 0;
  cloth.layout = layout;
  return cloth;
}

TEST(ThreadSprings, APatchPulledAlongWarpOrWeftHasTheFabricsStiffnessOnAnyMesh) {
  for (double jitter : {0.0, 0.6})
    for (bool slanted : {false, true}) {
      const ClothInput cloth = orthotropic_patch(SpringLayout::kThreads, jitter, slanted);
      EXPECT_NEAR(uniaxial_stiffness(cloth, true), 800, 1.0);
      EXPECT_NEAR(uniaxial_stiffness(cloth, false), 300, 1.0);
    }
}

TEST(ThreadSprings, ShearStiffnessIsTheFabrics) {
  const ClothInput cloth = orthotropic_patch(SpringLayout::kThreads, 0.5);
  const DrapeModel model = build_model(cloth).value();
  ElasticEnergy energy(model, 0.0);
  EXPECT_NEAR(2 * energy_at(&energy, start_state(cloth), 0, 0, 1e-4) / (0.04 * 1e-8), 40, 0.1);
}

TEST(ThreadSprings, AFabricThatShearsHarderThanItStretchesIsClampedNotNegative) {
  const thread::Stiffness k = thread::from_fabric(10, 200, 500);
  EXPECT_GE(k.warp, 0);
  EXPECT_GE(k.weft, 0);
}

TEST(EdgeSprings, APatchPulledAlongWarpOrWeftIsWithinAFifthOfAnIsotropicFabric) {
  ClothInput cloth = orthotropic_patch(SpringLayout::kEdges, 0.0);
  cloth.fabric.stretch_warp = cloth.fabric.stretch_weft = 500;
  EXPECT_NEAR(uniaxial_stiffness(cloth, true), 500, 100);
  EXPECT_NEAR(uniaxial_stiffness(cloth, false), 500, 100);
}

TEST(EdgeSprings, HaveStructuralShearAndBendSpringsSortedByKind) {
  SheetOptions o;
  o.slanted = false;
  o.columns = o.rows = 4;
  ClothInput cloth = make_sheet(o);
  cloth.layout = SpringLayout::kEdges;
  cloth.ties = {{0, 24}};
  const DrapeModel model = build_model(cloth).value();
  int counts[4] = {0, 0, 0, 0};
  for (int i = 0; i < model.springs.count(); ++i) {
    ++counts[static_cast<int>(model.springs.kind[i])];
    if (i > 0) {
      EXPECT_LE(model.springs.kind[i - 1], model.springs.kind[i]);
    }
  }
  EXPECT_EQ(counts[0], 40);            // along rows and columns
  EXPECT_EQ(counts[1], 16);            // diagonals
  EXPECT_EQ(counts[2], 40 + 16 - 16);  // inner edges
  EXPECT_EQ(counts[3], 1);
}

// Bending patch: a shallow cylinder along x or y, energy over the inner hinges against 1/2 B kappa^2 area.
double bend_ratio(double angle, double jitter) {
  SheetOptions o;
  o.width = 1.0;
  o.length = std::sqrt(3.0) / 2;
  o.columns = o.rows = 40;
  o.jitter = jitter;
  ClothInput cloth = make_sheet(o);
  cloth.fabric.bend_warp = cloth.fabric.bend_weft = 2e-5;
  const DrapeModel model = build_model(cloth).value();
  const double kappa = 1e-3;
  DrapeState state = start_state(cloth);
  for (RVec3& x : state.x) {
    const double s = std::cos(angle) * x.x() + std::sin(angle) * x.z();
    x.y() = Real(0.5 * kappa * s * s);
  }
  double energy = 0, area = 0;
  for (int i = 0; i < model.hinges.count(); ++i) {
    RVec3 e = RVec3::Zero();
    for (int k = 0; k < 4; ++k) e += model.hinges.weight[i][k] * state.x[model.hinges.particle[i][k]];
    energy += 0.5 * static_cast<double>(model.hinges.stiffness[i] * e.y() * e.y());
  }
  for (Real a : model.rest_area) area += static_cast<double>(a);
  return energy / (0.5 * 2e-5 * kappa * kappa * area);
}

TEST(Bending, ACylinderStoresHalfBKappaSquaredAnAreaWhateverItsDirection) {
  for (double degrees : {0.0, 30.0, 45.0, 90.0}) {
    // Border edges carry no hinge: a few per cent of the area are missing on a patch of 40 cells.
    EXPECT_NEAR(bend_ratio(degrees * 3.14159265358979 / 180, 0.0), 1.0, 0.06) << degrees;
    EXPECT_NEAR(bend_ratio(degrees * 3.14159265358979 / 180, 0.4), 1.0, 0.10) << degrees;
  }
}

TEST(Model, MassIsAreaTimesDensityAndPinnedParticlesDoNotMove) {
  SheetOptions o;
  o.width = 0.5;
  ClothInput cloth = make_sheet(o);
  cloth.pinned = {3};
  const DrapeModel model = build_model(cloth).value();
  double mass = 0;
  for (Real m : model.mass) mass += static_cast<double>(m);
  EXPECT_NEAR(mass, 0.5 * 0.15, 1e-9);
  EXPECT_EQ(model.inverse_mass[3], 0);
  EXPECT_NEAR(static_cast<double>(model.mean_weight), 9.80665 * mass / model.particle_count, 1e-9);
}

std::vector<RVec3> gradient_of(const DrapeModel& model, const Scene& scene, const DrapeState& state,
                               const std::vector<RVec3>& x) {
  IncrementalPotential potential(model, {});
  StepReport report;
  EXPECT_TRUE(potential.begin({}, scene, state, &report).ok());
  std::vector<RVec3> out(x.size(), RVec3::Zero());
  potential.evaluate({}, x, &out);
  return out;
}

TEST(Model, ClothsMergedFeelWhatEachAloneDoes) {
  const auto floor = make_plane_collider(Vec3(0, 0.999, 0), Vec3::UnitY());
  Scene scene = testing::still_scene(floor.get());
  scene.wind.velocity = Vec3(3, 0, 1);
  for (const auto& [layout, law] :
       std::vector<std::pair<SpringLayout, BendLaw>>{{SpringLayout::kThreads, BendLaw::kQuadratic},
                                                     {SpringLayout::kThreads, BendLaw::kShape},
                                                     {SpringLayout::kMembrane, BendLaw::kIsometric},
                                                     {SpringLayout::kEdges, BendLaw::kQuadratic}}) {
    std::vector<DrapeModel> models;
    std::vector<RVec3> alone, moved;
    DrapeState both;
    for (int k = 0; k < 2; ++k) {
      ClothInput cloth = make_sheet({.columns = 6, .rows = 6, .jitter = 0.3, .height = 1.0});
      cloth.layout = layout, cloth.bend = law, cloth.pinned = {0, 6};
      cloth.tethers = {{0, 48, 0.3}};
      if (k == 1) {
        cloth.fabric.areal_density = 0.4, cloth.fabric.bend_warp = 3e-4, cloth.fabric.stretch_weft = 150;
        cloth.fabric.bend_friction = 0.01;
        for (Vec3& p : cloth.positions) p += Vec3(5, 0, 0);
      }
      models.push_back(build_model(cloth).value());
      const DrapeState state = start_state(cloth);
      std::vector<RVec3> x = state.x;
      for (size_t i = 0; i < x.size(); ++i) x[i] += Real(1e-3) * RVec3(std::sin(3.0 * i), std::cos(5.0 * i), 1);
      const std::vector<RVec3> own = gradient_of(models.back(), scene, state, x);
      alone.insert(alone.end(), own.begin(), own.end());
      moved.insert(moved.end(), x.begin(), x.end());
      both.x.insert(both.x.end(), state.x.begin(), state.x.end());
      both.v.insert(both.v.end(), state.v.begin(), state.v.end());
    }
    const DrapeModel merged = merge_models(models);
    EXPECT_EQ(merged.particle_count, 98);
    EXPECT_EQ(merged.fabric_of(97).areal_density, 0.4);
    EXPECT_NEAR(static_cast<double>(merged.mean_weight),
                static_cast<double>(models[0].mean_weight + models[1].mean_weight) / 2, bound(1e-12, 1e-8));
    const std::vector<RVec3> together = gradient_of(merged, scene, both, moved);
    for (size_t i = 0; i < together.size(); ++i)
      EXPECT_LT((together[i] - alone[i]).norm(), bound(1e-9, 1e-3) * (1 + alone[i].norm()))
          << i << ", law " << static_cast<int>(law);
  }
}

void expect_refused(const ClothInput& cloth, const std::string& field) {
  const auto model = build_model(cloth);
  ASSERT_FALSE(model.ok());
  EXPECT_EQ(model.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(error_detail(model.status())->field, field);
}

TEST(Model, ImpossibleInputIsRefusedByName) {
  const ClothInput good = make_sheet({});
  ClothInput bad = good;
  bad.fabric.areal_density = 0;
  expect_refused(bad, "fabric.areal_density");
  bad = good;
  bad.fabric.stretch_weft = std::nan("");
  expect_refused(bad, "fabric.stretch_weft");
  bad = good;
  bad.corner_flat[5][2] = bad.corner_flat[5][1];
  expect_refused(bad, "corner_flat[5]");
  bad = good;
  bad.ties = {{0, 1}, {2, 100000}};
  expect_refused(bad, "ties[1]");
  bad = good;
  bad.pinned = {-1};
  expect_refused(bad, "pinned[0]");
  bad = good;
  bad.positions.push_back(Vec3::Zero());
  expect_refused(bad, "cloth.vertex[" + std::to_string(good.positions.size()) + "]");
  bad = good;
  bad.corner_flat.pop_back();
  expect_refused(bad, "corner_flat");
  expect_refused(ClothInput{}, "cloth");
}

TEST(Model, EveryNumberOfAFabricIsRefusedBeyondItsRangeByName) {
  const struct {
    const char* name;
    double SpringFabric::*field;
    double below, above;
    const char* range;
  } fields[] = {{"areal_density", &SpringFabric::areal_density, 1e-4, 11, "0.001 .. 10"},
                {"stretch_warp", &SpringFabric::stretch_warp, 0.01, 2e6, "0.1 .. "},
                {"stretch_weft", &SpringFabric::stretch_weft, 0.01, 2e6, "0.1 .. "},
                {"shear", &SpringFabric::shear, -1, 2e6, "0 .. "},
                {"bend_warp", &SpringFabric::bend_warp, -1e-9, 2, "0 .. 1"},
                {"bend_weft", &SpringFabric::bend_weft, -1e-9, 2, "0 .. 1"},
                {"bend_twist", &SpringFabric::bend_twist, -1e-9, 2, "0 .. 1"},
                {"poisson", &SpringFabric::poisson, -0.95, 0.95, "-0.9 .. 0.9"},
                {"limit_warp", &SpringFabric::limit_warp, -0.1, 3, "0 .. 2"},
                {"limit_weft", &SpringFabric::limit_weft, -0.1, 3, "0 .. 2"},
                {"thickness", &SpringFabric::thickness, -1e-3, 0.2, "0 .. 0.1"},
                {"bend_damping", &SpringFabric::bend_damping, -1, 11, "0 .. 10"},
                {"shear_damping", &SpringFabric::shear_damping, -1, 11, "0 .. 10"},
                {"friction_static", &SpringFabric::friction_static, -1, 11, "0 .. 10"},
                {"friction_kinetic", &SpringFabric::friction_kinetic, -1, 11, "0 .. 10"}};
  for (const auto& f : fields)
    for (double value : {f.below, f.above, std::nan("")}) {
      ClothInput bad = make_sheet({});
      bad.fabric.*f.field = value;
      expect_refused(bad, std::string("fabric.") + f.name);
      EXPECT_THAT(std::string(build_model(bad).status().message()), HasSubstr(f.range)) << f.name;
    }
}

TEST(Model, AnOutOfRangeFabricSaysItsRange) {
  ClothInput cloth = make_sheet({});
  cloth.fabric.shear = -1;
  EXPECT_THAT(std::string(build_model(cloth).status().message()), HasSubstr("0 .. "));
}

}  // namespace
}  // namespace tryon::sim
