// Patches of cloth: every triangle is in one, and they pull as the slow twins of threads and bending do, element by
// element; their two builds against each other.
#include "server/sim/constraints/cloth_patches.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <random>
#include <set>

#include "gtest/gtest.h"
#include "server/sim/constraints/bend_elements.h"
#include "server/sim/constraints/elastic.h"
#include "server/sim/constraints/threads.h"
#include "tests/unit/sim/cloth_fixtures.h"

namespace tryon::sim {
namespace {

using namespace tryon::sim::testing;
using local_step::Kernels;
using local_step::Lane;
using local_step::PatchView;

// A crumpled sheet of more triangles than two patches have, of which some are past their limit.
struct Crumpled {
  explicit Crumpled(double friction, double limit = 0.02) {
    cloth = make_sheet({.width = 0.3, .length = 0.3, .columns = 27, .rows = 23, .jitter = 0.4});
    cloth.bend = BendLaw::kIsometric;
    cloth.fabric.bend_warp = 4e-5, cloth.fabric.bend_weft = 1e-5, cloth.fabric.bend_twist = 8e-6;
    cloth.fabric.bend_friction = friction;
    cloth.fabric.limit_warp = cloth.fabric.limit_weft = limit;
    model = build_model(cloth).value();
    std::mt19937 random(5);
    const auto unit = [&] { return static_cast<double>(random()) / 2147483648.0 - 1; };
    for (const Vec3& p : cloth.positions)
      x.push_back((p + Vec3(4e-4 * unit(), 0.03 * std::sin(40 * p.x() + 25 * p.z()), 4e-4 * unit())).cast<Real>());
  }
  double add_threads(std::vector<Vec3>* gradient) const {
    const Threads& t = model.threads;
    double energy = 0;
    for (int i = 0; i < t.count(); ++i) {
      const Triangle& corner = model.triangles[i];
      const auto& s = t.shape[i];
      const RVec3 e1 = x[corner[1]] - x[corner[0]], e2 = x[corner[2]] - x[corner[0]];
      const RVec3 fx = s[0] * e1 + s[1] * e2, fy = s[2] * e1 + s[3] * e2;
      thread::Stiffness k{t.weft[i], t.warp[i], t.bias[i]};
      if (!t.limit_weft.empty()) k.limit_weft = t.limit_weft[i], k.limit_warp = t.limit_warp[i];
      energy += static_cast<double>(thread::value(k, fx, fy));
      const auto g = thread::gradient(k, fx, fy).cast<double>().eval();
      const Vec3 gx = g.head<3>(), gy = g.tail<3>();
      const double c[4] = {double(s[0]), double(s[1]), double(s[2]), double(s[3])};
      (*gradient)[corner[0]] -= (c[0] + c[1]) * gx + (c[2] + c[3]) * gy;
      (*gradient)[corner[1]] += c[0] * gx + c[2] * gy;
      (*gradient)[corner[2]] += c[1] * gx + c[3] * gy;
    }
    return energy;
  }
  // Friction, triangle by triangle, and the bending matrix's rows, which the patches do not read.
  double add_bending(std::vector<Vec3>* gradient) const {
    const BendElements& f = model.bend_elements;
    double energy = 0;
    for (int i = 0; i < f.count(); ++i) {
      const bend_elements::Bent bent = bend_elements::bent(f, i, x.data());
      const auto moment = static_cast<double>(f.moment[i]);
      energy += moment * (bent.root - static_cast<double>(bend_elements::kSlack));
      for (int j = 0; j < 6; ++j) (*gradient)[f.particle[i][j]] += moment / bent.root * bent.slope(f, i, j);
    }
    for (int i = 0; i < model.particle_count; ++i) {
      const BendMatrix& q = model.bend_matrix;
      for (int k = q.row_begin[i]; k < q.row_begin[i + 1]; ++k) {
        const Vec3 apart = (x[q.column[k]] - x[i]).cast<double>();
        (*gradient)[i] += static_cast<double>(q.stiffness[k]) * apart;
        energy -= 0.25 * static_cast<double>(q.stiffness[k]) * apart.squaredNorm();
      }
    }
    return energy;
  }
  ClothInput cloth;
  DrapeModel model;
  std::vector<RVec3> x;
};

double largest(const std::vector<Vec3>& v) {
  double most = 0;
  for (const Vec3& a : v) most = std::max(most, a.norm());
  return most;
}

double gradient_of(const DrapeModel& model, const std::vector<RVec3>& x, std::vector<RVec3>* gradient) {
  gradient->assign(x.size(), RVec3::Zero());
  return ElasticEnergy(model, 0).evaluate(RunContext{}, x.data(), 1, gradient->data());
}

// All patches' pulls, one behind the other.
std::vector<Lane> pulls_of(const Kernels& kernels, const ClothPatches& patches, const std::vector<RVec3>& x,
                           std::vector<double>* energy) {
  std::vector<Lane> out(patches.copy_count());
  for (int k = 0; k < patches.count(); ++k)
    energy->push_back(kernels.patch(patches.view(k), x.data(), out.data() + patches.first_copy(k)));
  return out;
}

TEST(ClothPatches, HoldEveryTriangleOnceAndEveryCopyOfAParticle) {
  const Crumpled sheet(6e-4);
  const ClothPatches patches(sheet.model);
  EXPECT_GT(patches.count(), 2);
  std::map<std::array<int, 3>, int> found;
  for (int k = 0; k < patches.count(); ++k) {
    const PatchView view = patches.view(k);
    for (int i = 0; i < view.four_count; ++i)
      for (int lane = 4 * (i % 2); lane < 4 * (i % 2) + 4; ++lane) {
        const auto& eight = view.threads[i / 2];
        const auto at = [&](int j) { return view.particle[eight.corner[j][lane]]; };
        if (eight.weft[lane] > 0) ++found[{at(0), at(1), at(2)}];
      }
  }
  EXPECT_EQ(found.size(), sheet.model.triangles.size());
  for (const Triangle& corner : sheet.model.triangles) EXPECT_EQ((found[{corner[0], corner[1], corner[2]}]), 1);
  const std::vector<int>& all = patches.copies().member;
  const std::set<int> copies(all.begin(), all.end());
  EXPECT_EQ(static_cast<int>(copies.size()), patches.copy_count());
  EXPECT_EQ(patches.copies().begin.back(), patches.copy_count());
}

TEST(ClothPatches, PullAsTheSlowTwinsOfThreadsAndBending) {
  for (const double friction : {0.0, 6e-4})
    for (const double limit : {0.0, 0.02}) {
      const Crumpled sheet(friction, limit);
      std::vector<Vec3> threads(sheet.x.size(), Vec3::Zero()), bending = threads;
      const double energy = sheet.add_threads(&threads) + sheet.add_bending(&bending);
      std::vector<RVec3> pulled;
      EXPECT_NEAR(gradient_of(sheet.model, sheet.x, &pulled), energy, bound(1e-10, 1e-3) * energy);
      const double close = bound(1e-12, 1e-3) * largest(threads) + bound(1e-10, 1e-3) * largest(bending);
      for (size_t i = 0; i < pulled.size(); ++i)
        EXPECT_LT((pulled[i].cast<double>() - threads[i] - bending[i]).norm(), close) << i;
      EXPECT_GT(largest(bending), 0);
    }
}

TEST(ClothPatches, ThreadsPastTheirLimitPullHarder) {
  std::vector<RVec3> free, held;
  const Crumpled with(0, 0.02), without(0, 0);
  const double energy = gradient_of(without.model, without.x, &free);
  EXPECT_GT(gradient_of(with.model, with.x, &held), 1.01 * energy);
}

TEST(ClothPatches, ALimitThatNothingReachesChangesNoByte) {
  Crumpled sheet(6e-4, 0);
  std::vector<RVec3> free, held;
  const double energy = gradient_of(sheet.model, sheet.x, &free);
  sheet.model.threads.limit_weft.assign(sheet.model.triangles.size(), thread::kNoLimit);
  sheet.model.threads.limit_warp = sheet.model.threads.limit_weft;
  EXPECT_EQ(gradient_of(sheet.model, sheet.x, &held), energy);
  EXPECT_EQ(std::memcmp(free.data(), held.data(), free.size() * sizeof(RVec3)), 0);
}

TEST(ClothPatches, AllBuildsGiveTheSameBytes) {
  if (!local_step::avx2_kernels()) GTEST_SKIP() << "this processor has no AVX2";
  for (const Kernels* const other : {local_step::avx2_kernels(), local_step::avx512_kernels()})
    for (const double friction : {0.0, 6e-4})
      for (const double limit : {0.0, 0.02}) {
        if (other == nullptr) continue;
        const Crumpled sheet(friction, limit);
        const ClothPatches patches(sheet.model);
        std::vector<double> these_energies, those_energies;
        const auto these = pulls_of(local_step::baseline_kernels(), patches, sheet.x, &these_energies);
        const auto those = pulls_of(*other, patches, sheet.x, &those_energies);
        EXPECT_EQ(these_energies, those_energies);
        EXPECT_EQ(std::memcmp(these.data(), those.data(), these.size() * sizeof(Lane)), 0);
      }
}

// A cloth's patches are its own, so that what it does is the same bytes beside others.
TEST(ClothPatches, OfOneClothAreTheSameBytesBesideOthers) {
  const Crumpled woven(6e-4), elastic(0);
  const DrapeModel both = merge_models({elastic.model, woven.model});
  std::vector<RVec3> x = elastic.x, one, two, together;
  x.insert(x.end(), woven.x.begin(), woven.x.end());
  gradient_of(elastic.model, elastic.x, &one), gradient_of(woven.model, woven.x, &two);
  gradient_of(both, x, &together);
  one.insert(one.end(), two.begin(), two.end());
  EXPECT_EQ(std::memcmp(one.data(), together.data(), one.size() * sizeof(RVec3)), 0);
}

TEST(ClothPatches, WhatIsNoNumberSpreadsToTheTrianglesBesideItAndNoFurther) {
  const Crumpled sheet(6e-4);
  std::vector<RVec3> x = sheet.x, pulled;
  const int lost = 300;
  x[lost][1] = std::numeric_limits<Real>::quiet_NaN();
  EXPECT_TRUE(std::isnan(gradient_of(sheet.model, x, &pulled)));
  std::set<int> near;
  for (const auto& particles : sheet.model.bend_elements.particle)
    if (std::find(particles.begin(), particles.end(), lost) != particles.end())
      near.insert(particles.begin(), particles.end());
  for (int i = 0; i < sheet.model.particle_count; ++i) EXPECT_EQ(!pulled[i].allFinite(), near.count(i) > 0) << i;
}

TEST(ClothPatches, ATriangleOfNoAreaPullsNothingOutOfShape) {
  const Crumpled sheet(6e-4);
  std::vector<RVec3> pulled;
  std::vector<RVec3> point(sheet.x.size(), RVec3(1, 2, 3));
  EXPECT_TRUE(std::isfinite(gradient_of(sheet.model, point, &pulled)));
  for (const RVec3& g : pulled) EXPECT_TRUE(g.allFinite());
}

TEST(ClothPatches, OfAModelWithoutThreadsAreNone) {
  ClothInput cloth = make_sheet({.columns = 4, .rows = 4});
  cloth.layout = SpringLayout::kEdges;
  const DrapeModel model = build_model(cloth).value();
  const ClothPatches patches(model);
  EXPECT_EQ(patches.count() + patches.copy_count(), 0);
}

}  // namespace
}  // namespace tryon::sim
