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

// A cloth and where it lies, and what the slow twins of its patches say.
struct Sheet {
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
      for (int j = 0; j < f.particle_count(i); ++j)
        (*gradient)[f.particle[i][j]] += moment / bent.root * bent.slope(f, i, j);
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

// A crumpled sheet of more triangles than two patches have, of which some are past their limit.
struct Crumpled : Sheet {
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
};

// Three pages of three triangles each at one back, as pleats that are sewn down; page 0 is wound one way or the other.
struct Book : Sheet {
  Book(double friction, bool turned) {
    cloth.bend = BendLaw::kIsometric;
    cloth.fabric.bend_warp = 4e-5, cloth.fabric.bend_weft = 1e-5, cloth.fabric.bend_twist = 8e-6;
    cloth.fabric.bend_friction = friction;
    const Vec2 flat[5] = {{0, 0}, {0, 0.02}, {0.018, 0.004}, {0.021, 0.024}, {0.013, -0.012}};
    cloth.positions = {Vec3(0, 0, 0), Vec3(0, 0.02, 0)};
    for (int page = 0; page < 3; ++page) {
      const double angle = 0.4 + 1.9 * page, c = std::cos(angle), s = std::sin(angle);
      cloth.positions.emplace_back(0.018 * c, 0.004, 0.018 * s);
      cloth.positions.emplace_back(0.02 * c - 0.004 * s, 0.024, 0.02 * s + 0.004 * c);
      cloth.positions.emplace_back(0.012 * c + 0.003 * s, -0.012, 0.012 * s - 0.003 * c);
      const int at[5] = {0, 1, 2 + 3 * page, 3 + 3 * page, 4 + 3 * page};
      for (std::array<int, 3> corner : {std::array<int, 3>{0, 2, 1}, {2, 3, 1}, {0, 4, 2}}) {
        if (turned && page == 0) std::swap(corner[1], corner[2]);
        cloth.triangles.emplace_back(at[corner[0]], at[corner[1]], at[corner[2]]);
        cloth.corner_flat.push_back({flat[corner[0]], flat[corner[1]], flat[corner[2]]});
      }
    }
    model = build_model(cloth).value();
    for (const Vec3& p : cloth.positions) x.push_back(p.cast<Real>());
  }
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

// More particles bend a triangle there than elsewhere.
TEST(ClothPatches, WhereThreeAreSewnToAnEdgeBendAsTheSlowTwinsWhicheverWayTheyAreWound) {
  for (const double friction : {0.0, 6e-4}) {
    double energies[2];
    for (const bool turned : {false, true}) {
      const Book book(friction, turned);
      int wide = 0;
      for (int i = 0; i < book.model.bend_elements.count(); ++i)
        wide += book.model.bend_elements.particle_count(i) > BendElements::kUsual;
      EXPECT_EQ(wide, 1) << "the one between two others";
      std::vector<Vec3> slow(book.x.size(), Vec3::Zero());
      const double energy = book.add_threads(&slow) + book.add_bending(&slow);
      std::vector<RVec3> pulled;
      energies[turned] = gradient_of(book.model, book.x, &pulled);
      EXPECT_NEAR(energies[turned], energy, bound(1e-10, 1e-3) * energy);
      for (size_t i = 0; i < pulled.size(); ++i)
        EXPECT_LT((pulled[i].cast<double>() - slow[i]).norm(), bound(1e-10, 1e-3) * largest(slow)) << i;
    }
    EXPECT_NEAR(energies[0], energies[1], bound(1e-10, 1e-3) * energies[0]);
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
