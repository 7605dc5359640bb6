// One structure, one pattern, whatever the values; another structure, another.
#include "server/sim/solvers/pattern_cache.h"

#include <atomic>
#include <thread>
#include <vector>

#include "gtest/gtest.h"

namespace tryon::sim {
namespace {
using Matrix = Eigen::SparseMatrix<double>;

// A chain of n, with an edge from its first to `across`.
Matrix chain(int n, int across, double value) {
  std::vector<Eigen::Triplet<double>> entries;
  const auto add = [&](int i, int j) {
    entries.emplace_back(i, j, value);
    if (i != j) entries.emplace_back(j, i, value);
  };
  for (int i = 0; i < n; ++i) add(i, i);
  for (int i = 0; i + 1 < n; ++i) add(i, i + 1);
  add(0, across);
  Matrix out(n, n);
  out.setFromTriplets(entries.begin(), entries.end());
  out.makeCompressed();
  return out;
}

TEST(PatternCache, OneStructureHasOnePatternWhateverItsValues) {
  PatternCache cache(1 << 20);
  const auto first = cache.pattern_of(chain(240, 17, 1.0)), again = cache.pattern_of(chain(240, 17, -3.0));
  EXPECT_EQ(first, again);
  EXPECT_EQ(cache.use().made, 1);
  EXPECT_EQ(cache.use().found, 1);
  const CholeskyPattern alone = find_pattern(chain(240, 17, 1.0));
  EXPECT_EQ(first->place, alone.place);
  EXPECT_EQ(first->row, alone.row);
  EXPECT_EQ(first->entry_place, alone.entry_place);
}

TEST(PatternCache, AnotherStructureAnotherSizeOfBlocksAndAnotherSizeAreOthers) {
  PatternCache cache(1 << 20);
  const auto first = cache.pattern_of(chain(240, 18, 1.0));
  EXPECT_NE(first, cache.pattern_of(chain(240, 19, 1.0)));
  EXPECT_NE(first, cache.pattern_of(chain(243, 18, 1.0)));
  const Matrix blocks = Matrix(Eigen::MatrixXd::Ones(6, 6).sparseView());
  EXPECT_NE(cache.pattern_of(blocks, 1), cache.pattern_of(blocks, 3));
}

TEST(PatternCache, HoldsNoMoreThanItsShareAndKeepsWhatWasAskedForLast) {
  PatternCache cache(100'000);
  for (int across = 2; across < 60; ++across) cache.pattern_of(chain(240, across, 1.0));
  EXPECT_LE(cache.use().bytes, 100'000);
  EXPECT_GT(cache.use().bytes, 50'000) << "it was filled";
  cache.pattern_of(chain(240, 59, 1.0));
  EXPECT_EQ(cache.use().found, 1) << "the last is kept";
  const int64_t made = cache.use().made;
  cache.pattern_of(chain(240, 2, 1.0));
  EXPECT_EQ(cache.use().made, made + 1) << "the first has gone";
  PatternCache none(0);
  EXPECT_NE(none.pattern_of(chain(240, 2, 1.0)), nullptr);
  EXPECT_EQ(none.use().bytes, 0);
}

TEST(PatternCache, ManyThreadsMayAskAtOnce) {
  PatternCache cache(100'000);
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&cache, &wrong] {
      for (int k = 0; k < 60; ++k) {
        const Matrix matrix = chain(60 + k % 7, 5, 1.0);
        wrong += static_cast<int64_t>(cache.pattern_of(matrix)->place.size()) != matrix.rows();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(cache.use().found + cache.use().made, 240);
}

}  // namespace
}  // namespace tryon::sim
