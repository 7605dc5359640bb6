#include "server/drape/grade.h"

#include "gtest/gtest.h"

namespace tryon {
namespace {

TEST(Grade, BothForcesMustBeWithinTheTableOfTheSpecification) {
  EXPECT_EQ(grade_of(1e-5, 1e-4, 0), "reference");
  EXPECT_EQ(grade_of(1.1e-5, 1e-4, 0), "final");
  EXPECT_EQ(grade_of(1e-5, 1.1e-4, 0), "final");
  EXPECT_EQ(grade_of(1e-3, 1e-2, 0), "final");
  EXPECT_EQ(grade_of(1e-3, 1.1e-2, 0), "preview");
  EXPECT_EQ(grade_of(5e-2, 5e-1, 0.01), "preview");
  EXPECT_EQ(grade_of(5e-2, 5e-1, 0.011), "none");
  EXPECT_EQ(grade_of(6e-2, 5e-1, 0), "none");
}

TEST(Grade, EachIsBetterThanTheOneBeforeAndWhatIsUnknownIsNone) {
  const std::string_view rising[] = {"none", "preview", "final", "reference"};
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) EXPECT_EQ(is_at_least(rising[i], rising[j]), i >= j) << i << j;
  EXPECT_FALSE(is_at_least("", "preview"));
  EXPECT_FALSE(is_at_least("best", "preview"));
}

}  // namespace
}  // namespace tryon
