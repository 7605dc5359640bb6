#include "server/base/chunks.h"

#include <cmath>
#include <vector>

#include "gtest/gtest.h"
#include "server/base/executor.h"

namespace tryon {
namespace {

double sum_by(int threads, const std::vector<double>& of) {
  Executor executor(threads);
  RunContext run;
  run.executor = &executor;
  return sum_of(run, of.size(), [&](int64_t begin, int64_t end) {
    double sum = 0;
    for (int64_t i = begin; i < end; ++i) sum += of[i];
    return sum;
  });
}

TEST(Chunks, SumEveryNumberOnceAndToTheSameBytesForAnyNumberOfThreads) {
  for (const int n : {0, 1, 1023, 1024, 1025, 65'536, 65'537, 200'001}) {
    std::vector<double> of(n);
    double sum = 0;
    for (int i = 0; i < n; ++i) sum += of[i] = std::sin(i) * std::pow(10.0, i % 9);
    const double one = sum_by(1, of);
    EXPECT_NEAR(one, sum, 1e-6 * (1 + std::abs(sum))) << n;
    EXPECT_EQ(one, sum_by(2, of)) << n;
    EXPECT_EQ(one, sum_by(5, of)) << n;
  }
}

TEST(Chunks, KnowTheLargestWhereverItStands) {
  for (const size_t at : {size_t{0}, size_t{1023}, size_t{1024}, size_t{69'999}}) {
    const double largest = largest_of({}, 70'000, [at](int64_t begin, int64_t end) {
      const auto place = static_cast<int64_t>(at);
      return begin <= place && place < end ? 7.0 : 2.0;
    });
    EXPECT_EQ(largest, 7.0) << at;
  }
  EXPECT_EQ(largest_of({}, 0, [](int64_t, int64_t) { return 1.0; }), 0.0);
}

}  // namespace
}  // namespace tryon
