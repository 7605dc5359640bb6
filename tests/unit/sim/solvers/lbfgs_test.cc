// The loops by products against the textbook's two loops.
#include "server/sim/solvers/lbfgs.h"

#include <cmath>
#include <cstring>
#include <deque>

#include "gtest/gtest.h"
#include "server/base/executor.h"
#include "server/sim/solvers/pairs.h"

namespace tryon::sim {
namespace {

using Vectors = std::vector<RVec3>;

Vectors wave(int n, double phase) {
  Vectors v;
  for (int i = 0; i < n; ++i) v.emplace_back(std::sin(i + phase), std::cos(phase * i), std::sin(0.1 * i * phase));
  return v;
}

// The gradient of a quadratic energy, uneven in every particle.
Vectors gradient_at(const Vectors& x) {
  Vectors g(x.size());
  for (size_t i = 0; i < x.size(); ++i) {
    g[i] = Real(1 + static_cast<double>(i % 7)) * x[i];
    if (i > 0) g[i] += x[i] - x[i - 1], g[i - 1] += x[i - 1] - x[i];
  }
  return g;
}

void halve(Vectors* r) {
  for (RVec3& v : *r) v *= Real(0.5);
}

struct Textbook {
  struct Pair {
    Vectors s, y;
  };
  void push(const Vectors& x, const Vectors& next) {
    const Vectors g = gradient_at(x), h = gradient_at(next);
    Pair pair{next, h};
    for (size_t i = 0; i < x.size(); ++i) pair.s[i] -= x[i], pair.y[i] -= g[i];
    pairs.push_back(pair);
    if (static_cast<int>(pairs.size()) > history) pairs.pop_front();
  }
  static void add(double factor, const Vectors& from, Vectors* to) {
    for (size_t i = 0; i < from.size(); ++i) (*to)[i] += static_cast<Real>(factor) * from[i];
  }
  void apply(Vectors* r) const {
    std::vector<double> alpha(pairs.size());
    for (size_t k = pairs.size(); k-- > 0;) {
      alpha[k] = dot({}, pairs[k].s, *r) / dot({}, pairs[k].s, pairs[k].y);
      add(-alpha[k], pairs[k].y, r);
    }
    halve(r);
    for (size_t k = 0; k < pairs.size(); ++k)
      add(alpha[k] - dot({}, pairs[k].y, *r) / dot({}, pairs[k].s, pairs[k].y), pairs[k].s, r);
  }
  int history;
  std::deque<Pair> pairs;
};

Vectors by_products(int n, int history, int steps, int threads, Textbook* judge, Lbfgs::Kept kept) {
  Executor executor(threads);
  RunContext run;
  run.executor = &executor;
  Lbfgs lbfgs(history, n, kept);
  for (int k = 0; k < steps; ++k) {
    const Vectors x = wave(n, k), next = wave(n, k + 1.3);
    lbfgs.push(run, x, gradient_at(x), next, gradient_at(next));
    if (judge) judge->push(x, next);
  }
  EXPECT_EQ(lbfgs.pairs(), std::min(steps, history));
  Vectors way(n);
  lbfgs.find_way(run, wave(n, 0.7), &way, halve);
  return way;
}

TEST(Lbfgs, GivesTheDirectionOfTheTwoLoopsFullOrNot) {
  for (const Lbfgs::Kept kept : {Lbfgs::Kept::kWhole, Lbfgs::Kept::kRough})
    for (const int history : {0, 1, 3, 6})
      for (const int steps : {0, 1, 3, 11}) {
        Textbook judge{history, {}};
        const Vectors direction = by_products(2'500, history, steps, 1, &judge, kept);
        Vectors expected = wave(2'500, 0.7);
        judge.apply(&expected);
        double wrong = 0;
        for (size_t i = 0; i < expected.size(); ++i)
          wrong = std::max(wrong, static_cast<double>((direction[i] + expected[i]).norm()));
        EXPECT_LT(wrong, sizeof(Real) < 8              ? 1e-3
                         : kept == Lbfgs::Kept::kWhole ? 1e-11
                                                       : 1e-4)
            << history << " " << steps;
      }
}

TEST(Lbfgs, GivesTheSameBytesForAnyNumberOfThreads) {
  for (const Lbfgs::Kept kept : {Lbfgs::Kept::kWhole, Lbfgs::Kept::kRough}) {
    const Vectors one = by_products(5'000, 6, 9, 1, nullptr, kept);
    for (const int threads : {2, 5}) {
      const Vectors more = by_products(5'000, 6, 9, threads, nullptr, kept);
      EXPECT_EQ(std::memcmp(one.data(), more.data(), one.size() * sizeof(RVec3)), 0) << threads;
    }
  }
}

TEST(Lbfgs, APairWithoutCurvatureIsDroppedAndCostsNoOther) {
  const int n = 100;
  Lbfgs lbfgs(2, n);
  const auto push = [&](double phase, double sign) {
    const Vectors x = wave(n, phase), next = wave(n, phase + 1);
    Vectors g = gradient_at(x), h = gradient_at(next);
    for (auto* list : {&g, &h})
      for (RVec3& v : *list) v *= static_cast<Real>(sign);
    lbfgs.push({}, x, g, next, h);
  };
  push(1, 1), push(2, 1);
  const Vectors gradient = wave(n, 0.2);
  Vectors before(n), after(n);
  lbfgs.find_way({}, gradient, &before, halve);
  push(3, -1);
  EXPECT_EQ(lbfgs.pairs(), 2);
  lbfgs.find_way({}, gradient, &after, halve);
  EXPECT_EQ(std::memcmp(before.data(), after.data(), n * sizeof(RVec3)), 0);
}

// Every length, so that each has its own number of vectors and of what is left behind them.
template <typename Kept>
void expect_loops_as_plain_ones() {
  const pairs::Kernels* const build = pairs::avx2_kernels();
  struct Outcome {
    std::vector<Kept> s, y;
    std::vector<Real> way;
    double difference[3], product[2], across[2], whole;
  };
  for (int n = 0; n < 70; ++n) {
    std::vector<Real> x(n), next(n), gradient(n), next_gradient(n);
    for (int i = 0; i < n; ++i) {
      x[i] = static_cast<Real>(std::sin(i)), next[i] = static_cast<Real>(std::cos(3 * i));
      gradient[i] = static_cast<Real>(std::sin(i * i)), next_gradient[i] = static_cast<Real>(std::cos(0.1 * i));
    }
    const Real factor[] = {Real(0.3), Real(-1.7)};
    const auto run = [&](const pairs::Kernels& kernels) {
      const pairs::Loops<Kept>& loops = kernels.loops<Kept>();
      Outcome out{std::vector<Kept>(n), std::vector<Kept>(n), std::vector<Real>(n), {}, {}, {}, 0};
      loops.differences(x.data(), next.data(), gradient.data(), next_gradient.data(), n, out.s.data(), out.y.data(),
                        out.difference);
      const Kept* const of[] = {out.s.data(), out.y.data()};
      loops.own_products(of, 2, out.y.data(), n, out.product);
      loops.products(of, 2, x.data(), n, out.across);
      loops.combine(of, factor, 2, x.data(), Real(-1), n, out.way.data());
      out.whole = kernels.product(x.data(), next.data(), n);
      return out;
    };
    const Outcome one = run(pairs::baseline_kernels());
    double sy = 0, sx = 0, whole = 0;
    for (int i = 0; i < n; ++i) {
      EXPECT_EQ(one.s[i], static_cast<Kept>(next[i] - x[i]));
      EXPECT_EQ(one.y[i], static_cast<Kept>(next_gradient[i] - gradient[i]));
      const auto s = static_cast<Real>(one.s[i]), y = static_cast<Real>(one.y[i]);
      EXPECT_EQ(one.way[i], -(x[i] + factor[0] * s + factor[1] * y));
      sy += static_cast<double>(s) * static_cast<double>(y);
      sx += static_cast<double>(s) * static_cast<double>(x[i]);
      whole += static_cast<double>(x[i]) * static_cast<double>(next[i]);
    }
    const double near = (sizeof(Real) == 8 ? 1e-14 : 1e-5) * n;
    EXPECT_NEAR(one.difference[0], sy, near);
    EXPECT_NEAR(one.across[0], sx, near);
    EXPECT_NEAR(one.whole, whole, near);
    EXPECT_EQ(one.difference[0], one.product[0]);
    EXPECT_EQ(one.difference[2], one.product[1]);
    if (build == nullptr) continue;
    const Outcome two = run(*build);
    EXPECT_TRUE(one.s == two.s && one.y == two.y && one.way == two.way) << n;
    EXPECT_EQ(std::memcmp(one.difference, two.difference, sizeof one.difference), 0) << n;
    EXPECT_EQ(std::memcmp(one.across, two.across, sizeof one.across), 0) << n;
    EXPECT_EQ(std::memcmp(one.product, two.product, sizeof one.product), 0) << n;
    EXPECT_EQ(one.whole, two.whole) << n;
  }
}

TEST(Lbfgs, KernelsOfPairsGiveTheBytesOfTheBaselineAndTheSumsOfAPlainLoop) {
  expect_loops_as_plain_ones<double>();
  expect_loops_as_plain_ones<float>();
}

}  // namespace
}  // namespace tryon::sim
