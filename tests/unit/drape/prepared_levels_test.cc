// What levels need before they rest, made ahead: the same on another thread as where it is asked for.
#include "server/drape/prepared_levels.h"

#include "absl/time/clock.h"
#include "gtest/gtest.h"
#include "server/fabric/library.h"
#include "tests/support/test_panels.h"

namespace tryon {
namespace {

GarmentMesh square() {
  Pattern pattern;
  Panel panel = testing::rectangle("sheet", 0.4, 0.4);
  panel.placed = true;
  pattern.panels.push_back(panel);
  auto garment = mesh_garment(RunContext(), pattern, 0.015);
  EXPECT_TRUE(garment.ok()) << garment.status();
  return *std::move(garment);
}

// Sums that any difference of the constant numbers would change.
double sum_of(const sim::DrapeModel& model) {
  double sum = 0.0;
  for (const auto& shape : model.threads.shape)
    for (const sim::Real s : shape) sum += static_cast<double>(s);
  for (const sim::Real k : model.bend_matrix.stiffness) sum += 1e6 * std::abs(static_cast<double>(k));
  return sum;
}

class PreparedLevelsTest : public ::testing::TestWithParam<int> {
 protected:
  PreparedLevelsTest() : executor_(GetParam()), garment_(square()), levels_(*ClothLevels::build(garment_, 60)) {
    run_.executor = &executor_;
  }

  Executor executor_;
  RunContext run_;
  const GarmentMesh garment_;
  const Fabric fabric_ = *fabric_by_name(kDefaultFabric);
  const ClothLevels levels_;
};

TEST_P(PreparedLevelsTest, EachLevelIsWhatItWouldBeMadeOfWhereItLies) {
  ASSERT_GE(levels_.count(), 3);
  PreparedLevels all(run_, levels_, fabric_, SettleOptions());
  for (int level = levels_.count() - 1; level >= 0; --level) {
    const auto made = all.at(level);
    ASSERT_TRUE(made.ok()) << made.status();
    WeldedMesh lying = levels_.placed(level);
    for (Vec3& p : lying.mesh.positions) p = Vec3(p.z() - 3.0, 0.5 * p.x(), p.y() * p.x());
    const auto there = worn_model({{lying, fabric_}}, SettleOptions(), false);
    ASSERT_TRUE(there.ok()) << there.status();
    EXPECT_EQ((*made)->model.particle_count, there->particle_count);
    EXPECT_EQ(sum_of((*made)->model), sum_of(*there)) << "level " << level;
    EXPECT_NE((*made)->calming, nullptr);
    EXPECT_EQ(*all.at(level), *made) << "asked again, it is the same one";
  }
}

TEST_P(PreparedLevelsTest, WhatIsNeverAskedForHoldsNobodyUp) {
  for (int k = 0; k < 20; ++k) {
    PreparedLevels all(run_, levels_, fabric_, SettleOptions());
    if (k % 2 == 0) {
      EXPECT_TRUE(all.at(k % levels_.count()).ok());
    }
  }
}

TEST_P(PreparedLevelsTest, WhereItIsCancelledOrTimeIsUpNoSolverIsMade) {
  CancelFlag cancelled;
  cancelled.cancel();
  RunContext over = run_, ending = run_;
  over.cancel = cancelled;
  ending.deadline = absl::Now() + absl::Seconds(1);
  ending.reserve = absl::Seconds(3);
  for (const RunContext& run : {over, ending}) {
    PreparedLevels all(run, levels_, fabric_, SettleOptions());
    const auto made = all.at(levels_.count() - 1);
    ASSERT_TRUE(made.ok()) << made.status();
    EXPECT_GT((*made)->model.particle_count, 0) << "what there is, is judged by it";
    EXPECT_EQ((*made)->calming, nullptr);
  }
}

TEST_P(PreparedLevelsTest, AFabricThatCannotBeIsAnErrorOfTheLevel) {
  Fabric broken = fabric_;
  broken.areal_density = -1.0;
  PreparedLevels all(run_, levels_, broken, SettleOptions());
  EXPECT_EQ(all.at(levels_.count() - 1).status().code(), absl::StatusCode::kInvalidArgument);
}

INSTANTIATE_TEST_SUITE_P(Threads, PreparedLevelsTest, ::testing::Values(1, 2, 4));

}  // namespace
}  // namespace tryon
