// Friction between the threads: the same moment whichever way cloth is bent and meshed, against a beam's equation, by
// every solver and by the certificate.
#include <algorithm>
#include <cmath>

#include "Eigen/Eigenvalues"
#include "gtest/gtest.h"
#include "server/base/executor.h"
#include "server/base/units.h"
#include "server/sim/constraints/bend_elements.h"
#include "server/sim/constraints/elastic.h"
#include "server/sim/solvers/friction_blocks.h"
#include "tests/unit/sim/cloth_fixtures.h"

namespace tryon::sim {
namespace {

using namespace tryon::sim::testing;

constexpr double kMoment = 6e-4;  // N

ClothInput rubbing(ClothInput cloth, double moment = kMoment) {
  cloth.bend = BendLaw::kIsometric;
  cloth.fabric.bend_friction = moment;
  return cloth;
}

// Rolled to a radius, its axis at an angle to the warp.
std::vector<RVec3> rolled(const ClothInput& cloth, double radius, double angle) {
  std::vector<RVec3> x;
  for (const Vec3& p : cloth.positions) {
    const double along = std::cos(angle) * p.x() + std::sin(angle) * p.z();
    const double across = std::cos(angle) * p.z() - std::sin(angle) * p.x();
    const double u = radius * std::sin(along / radius), h = radius * (1 - std::cos(along / radius));
    x.push_back(Vec3(std::cos(angle) * u - std::sin(angle) * across, h, std::sin(angle) * u + std::cos(angle) * across)
                    .cast<Real>());
  }
  return x;
}

// What friction stores in the triangles away from the border, over their area.
double stored(const DrapeModel& model, const std::vector<RVec3>& x) {
  double sum = 0, area = 0;
  const BendElements& f = model.bend_elements;
  for (int i = 0; i < f.count(); ++i) {
    const auto& p = f.particle[i];
    if (p[3] == p[0] || p[4] == p[0] || p[5] == p[0]) continue;
    sum += static_cast<double>(f.moment[i]) *
           (bend_elements::bent(f, i, x.data()).root - static_cast<double>(bend_elements::kSlack));
    area += static_cast<double>(model.rest_area[f.triangle[i]]);
  }
  return sum / area;
}

TEST(BendFriction, HoldsTheSameMomentWhicheverWayClothIsBent) {
  const ClothInput cloth = rubbing(make_sheet({.width = 0.2, .length = 0.2, .columns = 40, .rows = 46, .jitter = 0.2}));
  const DrapeModel model = build_model(cloth).value();
  for (const double radius : {0.03, 0.1}) {
    const double slack = 10, kappa = 1 / radius, expected = kMoment * (std::hypot(kappa, slack) - slack);
    for (const double angle : {0.0, 0.3, 0.8, 1.2, 1.57})
      EXPECT_NEAR(stored(model, rolled(cloth, radius, angle)) / expected, 1, 0.05) << radius << " " << angle;
  }
}

TEST(BendFriction, IsOfFabricsThatHaveItAndOfTheIsometricLawAlone) {
  ClothInput cloth = rubbing(make_sheet({.columns = 4, .rows = 4}), 0);
  for (const double moment : {0.0, kMoment}) {
    cloth.fabric.bend_friction = moment;
    const DrapeModel model = build_model(cloth).value();
    EXPECT_EQ(model.bend_elements.count(), 32);
    for (const Real held : model.bend_elements.moment) EXPECT_EQ(held > 0, moment > 0);
  }
  for (const BendLaw law : {BendLaw::kQuadratic, BendLaw::kHinge, BendLaw::kShape}) {
    cloth.bend = law;
    EXPECT_EQ(build_model(cloth)->bend_elements.count(), 0);
  }
  cloth.fabric.bend_friction = 2;
  EXPECT_FALSE(build_model(cloth).ok());
}

// A sheet with a border, warp stiffer than weft.
struct Rubbing {
  Rubbing() {
    cloth = rubbing(make_sheet({.width = 0.2, .length = 0.2, .columns = 9, .rows = 7, .jitter = 0.4}));
    cloth.fabric.bend_warp = 4e-5, cloth.fabric.bend_weft = 1e-5, cloth.fabric.bend_twist = 8e-6;
    model = build_model(cloth).value();
    x = rolled(cloth, 0.04, 0.7);
  }
  ClothInput cloth;
  DrapeModel model;
  std::vector<RVec3> x;
};

// Two cloths in one model, of which one rubs: each bends as it does alone.
TEST(BendFriction, AnElasticClothBesideOneThatRubsBendsAsAlone) {
  const Rubbing sheet;
  ClothInput plain = sheet.cloth;
  plain.fabric.bend_friction = 0;
  const DrapeModel elastic = build_model(plain).value(), both = merge_models({elastic, sheet.model, elastic});
  const auto gradient_of = [](const DrapeModel& model, const std::vector<RVec3>& x, double* energy) {
    std::vector<RVec3> out(x.size());
    *energy = ElasticEnergy(model, 0).evaluate(RunContext{}, x.data(), 1, out.data());
    return out;
  };
  double own[2] = {}, together = 0;
  const auto plain_pull = gradient_of(elastic, sheet.x, &own[0]),
             rubbed_pull = gradient_of(sheet.model, sheet.x, &own[1]);
  std::vector<RVec3> x, expected;
  for (const auto* pull : {&plain_pull, &rubbed_pull, &plain_pull}) {
    x.insert(x.end(), sheet.x.begin(), sheet.x.end());
    expected.insert(expected.end(), pull->begin(), pull->end());
  }
  const auto pull = gradient_of(both, x, &together);
  EXPECT_NEAR(together, 2 * own[0] + own[1], bound(1e-12, 1e-5) * together);
  EXPECT_GT(own[1], 1.01 * own[0]);
  for (size_t i = 0; i < x.size(); ++i) EXPECT_EQ(pull[i], expected[i]) << i;
}

Eigen::MatrixXd whole_of(FrictionBlocks* blocks, const std::vector<RVec3>& x) {
  std::vector<std::pair<int, int>> pairs;
  blocks->visit_pairs([&](const int* p, int count) {
    for (int a = 0; a < count; ++a)
      for (int b = 0; b <= a; ++b) pairs.emplace_back(p[a], p[b]);
  });
  const auto n = static_cast<Eigen::Index>(3 * x.size());
  Eigen::MatrixXd out = Eigen::MatrixXd::Zero(n, n);
  size_t next = 0;
  blocks->each_block(
      x, [](int) { return true; },
      [&](const Eigen::Matrix3d& block) {
        const auto [i, j] = pairs.at(next++);
        out.block<3, 3>(3 * i, 3 * j) += block;
        if (i != j) out.block<3, 3>(3 * j, 3 * i) += block.transpose();
      });
  EXPECT_EQ(next, pairs.size());
  return out;
}

// Into a matrix of blocks below the diagonal, a row of blocks for each particle.
TEST(BendFriction, HingesAddToBlocksOfAMatrixTheSameBytesAsOneByOne) {
  const ClothInput cloth = rubbing(make_sheet({.width = 0.1, .length = 0.1, .columns = 5, .rows = 5, .jitter = 0.2}));
  const DrapeModel model = build_model(cloth).value();
  const Hinges like = hinges_like_bend_matrix(model);
  FrictionBlocks blocks(model, like), one_by_one(model, like);
  const std::vector<RVec3> x = rolled(cloth, 0.02, 0.4);
  const int n = model.particle_count;
  blocks.sort_by_block(n * n, [n](int i, int j) { return n * std::max(i, j) + std::min(i, j); });
  Executor executor(2);
  RunContext run;
  run.executor = &executor;
  ASSERT_TRUE(blocks.find_blocks(run, x));
  Eigen::MatrixXd whole = Eigen::MatrixXd::Zero(3 * n, 3 * n);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j <= i; ++j) blocks.add_to(n * i + j, &whole(3 * i, 3 * j), 3 * n);
  const Eigen::MatrixXd turned = whole.transpose();
  whole.triangularView<Eigen::StrictlyUpper>() = turned;
  EXPECT_EQ(whole, whole_of(&one_by_one, x));
  run.cancel.cancel();
  EXPECT_FALSE(blocks.find_blocks(run, x));
}

// Exactly or on the hinges' blocks: the whole is positive semidefinite, and a roll goes on tightening at little cost.
TEST(BendFriction, NeverPullsAwayAndGivesWayToABendThatGoesOn) {
  const ClothInput cloth = rubbing(make_sheet({.width = 0.1, .length = 0.1, .columns = 5, .rows = 5, .jitter = 0.2}));
  const DrapeModel model = build_model(cloth).value();
  const Hinges like = hinges_like_bend_matrix(model);
  FrictionBlocks blocks(model, like), exact(model);
  const std::vector<RVec3> x = rolled(cloth, 0.02, 0.4), tighter = rolled(cloth, 0.0195, 0.4);
  Eigen::VectorXd way(3 * model.particle_count), ripple(way.size());
  for (int i = 0; i < model.particle_count; ++i) {
    way.segment<3>(3 * i) = (tighter[i] - x[i]).cast<double>();
    ripple.segment<3>(3 * i) = Vec3(0, i % 2 == 0 ? 1 : -1, 0) * way.segment<3>(3 * i).norm();
  }
  for (FrictionBlocks* of : {&blocks, &exact}) {
    const Eigen::MatrixXd matrix = whole_of(of, x);
    const Eigen::VectorXd values = Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(matrix).eigenvalues();
    EXPECT_GT(values[0], bound(-1e-9, -1e-4) * values[values.size() - 1]);
    EXPECT_LT(way.dot(matrix * way), 0.1 * ripple.dot(matrix * ripple));
  }
}

TEST(BendFriction, ItsBlocksEndWhereTheyAreToldTo) {
  const ClothInput cloth = rubbing(make_sheet({.columns = 5, .rows = 5}));
  const DrapeModel model = build_model(cloth).value();
  const Hinges like = hinges_like_bend_matrix(model);
  FrictionBlocks blocks(model, like), exact(model);
  const std::vector<RVec3> x = start_state(cloth).x;
  const auto until_third = [&](FrictionBlocks* of) {
    int count = 0;
    of->each_block(
        x, [](int element) { return element < 3; }, [&](const Eigen::Matrix3d&) { ++count; });
    return count;
  };
  EXPECT_EQ(until_third(&exact), 3 * 21);
  EXPECT_EQ(until_third(&blocks), 3 * 10);
}

// A strip clamped level hangs by its weight: m = B kappa + M kappa / sqrt(kappa^2 + slack^2), m' = -w (L - s) cos
// theta, shot from the clamp until the end is free. How far the end is down.
double beam_drop(double bend, double moment, double weight, double length) {
  const auto curvature = [&](double m) {
    double low = 0, high = std::max(0.0, m) / bend;
    for (int k = 0; k < 60; ++k) {
      const double kappa = 0.5 * (low + high);
      (bend * kappa + moment * kappa / std::hypot(kappa, 10.0) < m ? low : high) = kappa;
    }
    return low;
  };
  constexpr int kParts = 400;
  const double h = length / kParts;
  double low = 0, high = weight * length * length / 2, drop = 0;
  for (int shot = 0; shot < 50; ++shot) {
    const double start = 0.5 * (low + high);
    double m = start, theta = 0;
    drop = 0;
    for (int k = 0; k < kParts; ++k) {
      const double left = length - k * h, middle = theta + 0.5 * h * curvature(m);
      theta += h * curvature(m - 0.5 * h * weight * left * std::cos(theta));
      m -= h * weight * (left - 0.5 * h) * std::cos(middle);
      drop += h * std::sin(middle);
    }
    (m > 0 ? high : low) = start;
  }
  return drop;
}

TEST(BendFriction, AStripHangsAsTheBeamsEquationSays) {
  constexpr int kRows = 24;
  const double row = 0.06 / kRows, bend = 6e-5, weight = 0.15 * kGravity;
  ClothInput cloth = make_sheet({.width = 0.02, .length = 0.06, .columns = 7, .rows = kRows});
  cloth.fabric.areal_density = 0.15, cloth.fabric.bend_warp = cloth.fabric.bend_weft = bend;
  cloth.fabric.stretch_warp = cloth.fabric.stretch_weft = 1000;
  for (int i = 0; i < 2 * 8; ++i) cloth.pinned.push_back(i);
  const double length = 0.06 - 0.5 * row;  // the clamp acts half a row before the last one held
  for (const double moment : {0.0, 5e-4, 1e-3}) {
    const ClothInput with = rubbing(cloth, moment);
    const DrapeModel model = build_model(with).value();
    for (const char* name : {"newton", "drape"}) {
      DrapeState state = start_state(with);
      auto solver = make_solver(name, model, long_steps()).value();
      take_long_steps(solver.get(), still_scene(), 60, &state);
      EXPECT_LT(equilibrium_residual(model, still_scene(), state).max, bound(1e-2, 1)) << name;
      const auto drop = -static_cast<double>(state.x.back().y());
      EXPECT_NEAR(drop / beam_drop(bend, moment, weight, length), 1, 5e-3) << name << " " << moment;
    }
  }
  EXPECT_GT(beam_drop(bend, 0, weight, length), 1.3 * beam_drop(bend, 1e-3, weight, length));
}

}  // namespace
}  // namespace tryon::sim
