#include "server/body/anthropometry.h"

#include <gtest/gtest.h>

namespace tryon {
namespace {

TEST(Anthropometry, WithoutAnyMeasurementGivesTheSurveysMean) {
  EXPECT_NEAR(Anthropometry(FigureType::kFemale).typical(Item::kHip).value_mm, 954.1, 0.1);
  EXPECT_NEAR(Anthropometry(FigureType::kMale).typical(Item::kHeight).value_mm, 1776.0, 0.1);
}

TEST(Anthropometry, KnowingMoreNeverWidensAPrediction) {
  for (FigureType type : {FigureType::kNeutral, FigureType::kFemale, FigureType::kMale}) {
    const Anthropometry statistics(type);
    for (int of = 0; of < kItemCount; ++of) {
      ItemValues known;
      double before = statistics.typical(static_cast<Item>(of)).spread;
      for (int i = 0; i < kItemCount; ++i) {
        known[i] = statistics.typical(static_cast<Item>(i)).value_mm;
        const double spread = statistics.predict(static_cast<Item>(of), known).spread;
        EXPECT_LE(spread, before + 1e-9) << item_name(static_cast<Item>(of));
        before = spread;
      }
    }
  }
}

TEST(Anthropometry, TypicalPersonSurprisesNobodyAndALargerHipMeansALargerThigh) {
  const Anthropometry statistics(FigureType::kFemale);
  ItemValues known;
  for (int i = 0; i < kItemCount; ++i) known[i] = statistics.typical(static_cast<Item>(i)).value_mm;
  EXPECT_NEAR(statistics.distance(known), 0.0, 1e-6);
  ItemValues large;
  large[index_of(Item::kHip)] = 1150;
  EXPECT_GT(statistics.predict(Item::kThigh, large).value_mm, statistics.typical(Item::kThigh).value_mm + 50);
}

}  // namespace
}  // namespace tryon
