#include "server/sim/model_part.h"

#include <algorithm>

#include "server/sim/constraints/elastic.h"
#include "server/sim/constraints/hinges.h"
#include "tests/unit/sim/cloth_fixtures.h"

namespace tryon::sim {
namespace {

using testing::bound;

ClothInput cloth_of(double bend_friction) {
  testing::SheetOptions options;
  options.columns = options.rows = 14;
  options.jitter = 0.3;
  ClothInput cloth = testing::make_sheet(options);
  cloth.bend = BendLaw::kIsometric;
  cloth.fabric.bend_friction = bend_friction;
  cloth.fabric.limit_warp = 0.05;
  cloth.tethers = {{20, 22, 0.01}, {100, 103, 0.1}};
  return cloth;
}

std::vector<RVec3> crumpled(const ClothInput& cloth, double by, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<RVec3> x;
  for (const Vec3& p : cloth.positions) {
    RVec3 at = p.cast<Real>();
    for (int k = 0; k < 3; ++k) at[k] += static_cast<Real>(by * (random() / 4294967296.0 - 0.5));
    x.push_back(at);
  }
  return x;
}

std::vector<uint8_t> disc(const ClothInput& cloth, double radius) {
  std::vector<uint8_t> moves;
  for (const Vec3& p : cloth.positions) moves.push_back((p - Vec3(0.1, p.y(), 0.05)).norm() < radius);
  return moves;
}

class ModelPart : public ::testing::TestWithParam<double> {};

// Of one particle, of a patch, of all but a rim: with friction between the threads and without.
TEST_P(ModelPart, HasTheForcesAndTheEnergyOfTheWhole) {
  const ClothInput cloth = cloth_of(GetParam());
  const DrapeModel model = build_model(cloth).value();
  ElasticEnergy whole(model, 0);
  const std::vector<RVec3> x = crumpled(cloth, 0.02, 1), moved = crumpled(cloth, 0.03, 2);
  for (const double radius : {0.05, 0.2, 0.4}) {
    const std::vector<uint8_t> moves = disc(cloth, radius);
    const auto part = part_of(model, moves, std::vector<uint8_t>(moves.size(), 0));
    ElasticEnergy energy(part.model, 0);
    std::vector<RVec3> there = x, gradient(x.size()), part_there, part_gradient(part.whole.size());
    for (const int i : part.whole) part_there.push_back(x[i]);
    const double before = whole.evaluate({}, there.data(), 1, gradient.data());
    const double part_before = energy.evaluate({}, part_there.data(), 1, part_gradient.data());
    for (size_t i = 0; i < x.size(); ++i)
      if (moves[i]) there[i] = moved[i];
    for (size_t i = 0; i < part.whole.size(); ++i) part_there[i] = there[part.whole[i]];
    const double after = whole.evaluate({}, there.data(), 1, gradient.data());
    const double part_after = energy.evaluate({}, part_there.data(), 1, part_gradient.data());
    EXPECT_NEAR(part_after - part_before, after - before, bound(1e-9, 1e-4) * after) << radius;
    Real largest = 0;
    for (const RVec3& g : gradient) largest = std::max(largest, g.norm());
    for (size_t i = 0; i < part.whole.size(); ++i) {
      EXPECT_EQ(part.model.inverse_mass[i] > 0, moves[part.whole[i]] != 0);
      if (!moves[part.whole[i]]) continue;
      EXPECT_LT((part_gradient[i] - gradient[part.whole[i]]).norm(), bound(1e-10, 1e-5) * largest) << radius;
    }
    // What stands for the bending matrix in a Hessian is there too.
    const auto acts = [&](const Hinges& hinges, const std::vector<uint8_t>& who) {
      return std::count_if(hinges.particle.begin(), hinges.particle.end(), [&](const auto& p) {
        return std::any_of(p.begin(), p.end(), [&](int i) { return who[i] != 0; });
      });
    };
    std::vector<uint8_t> part_moves;
    for (const int i : part.whole) part_moves.push_back(moves[i]);
    EXPECT_EQ(acts(hinges_like_bend_matrix(part.model), part_moves), acts(hinges_like_bend_matrix(model), moves));
  }
}

INSTANTIATE_TEST_SUITE_P(Fabrics, ModelPart, ::testing::Values(0.0, 1e-4));

TEST(ModelPart, WidensByRingsOfNeighbours) {
  const ClothInput cloth = cloth_of(0);
  const DrapeModel model = build_model(cloth).value();
  std::vector<uint8_t> one(cloth.positions.size(), 0);
  one[7 * 15 + 7] = 1;
  const auto count = [](const std::vector<uint8_t>& flags) { return std::count(flags.begin(), flags.end(), 1); };
  EXPECT_EQ(count(widened(model, one, 0)), 1);
  EXPECT_EQ(count(widened(model, one, 1)), 7);
  EXPECT_EQ(count(widened(model, one, 2)), 19);
}

}  // namespace
}  // namespace tryon::sim
