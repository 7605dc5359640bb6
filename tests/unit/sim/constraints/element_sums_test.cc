// Sums over elements against a list of triplets: the same matrix to the last bit, however often an entry comes.
#include "server/sim/constraints/element_sums.h"

#include <random>

#include "gtest/gtest.h"

namespace tryon::sim {
namespace {

TEST(ElementSums, AreTheMatrixThatTripletsGiveToTheLastBit) {
  constexpr int kSize = 40, kElements = 500;
  std::mt19937 random(3);
  std::uniform_int_distribution<int> corner(0, kSize - 1);
  std::uniform_real_distribution<double> number(-1, 1);
  ElementSums sums(kSize);
  std::vector<Eigen::Triplet<double>> triplets;
  for (int e = 0; e < kElements; ++e) {
    const int row = corner(random), column = corner(random) / 2;  // half the columns stay empty
    const double k = number(random) * (e % 7 == 0 ? 1e9 : 1);
    sums.add(row, column, k);
    triplets.emplace_back(row, column, k);
  }
  Eigen::SparseMatrix<double> judge(kSize, kSize);
  judge.setFromTriplets(triplets.begin(), triplets.end());
  const Eigen::SparseMatrix<double> got = std::move(sums).matrix();
  ASSERT_EQ(got.nonZeros(), judge.nonZeros());
  for (int j = 0; j < kSize; ++j)
    for (Eigen::SparseMatrix<double>::InnerIterator a(got, j), b(judge, j); a && b; ++a, ++b) {
      EXPECT_EQ(a.row(), b.row());
      EXPECT_EQ(a.value(), b.value());
    }
  EXPECT_TRUE(got.isCompressed());
}

TEST(ElementSums, OfNothingAreEmpty) {
  const Eigen::SparseMatrix<double> none = ElementSums(3).matrix();
  EXPECT_EQ(none.rows(), 3);
  EXPECT_EQ(none.nonZeros(), 0);
}

}  // namespace
}  // namespace tryon::sim
