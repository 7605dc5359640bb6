// One graph, one order, found once: the order is dissection's own.
#include "server/sim/solvers/order_memo.h"

#include <atomic>
#include <thread>

#include "gtest/gtest.h"
#include "server/sim/solvers/dissection.h"

namespace tryon::sim {
namespace {

struct Graph {
  std::vector<int> begin, neighbour;
};

// A grid of cells, `wide` vertices to a row.
Graph grid(int wide, int high) {
  Graph out;
  out.begin.push_back(0);
  for (int y = 0; y < high; ++y)
    for (int x = 0; x < wide; ++x) {
      if (y > 0) out.neighbour.push_back((y - 1) * wide + x);
      if (x > 0) out.neighbour.push_back(y * wide + x - 1);
      if (x + 1 < wide) out.neighbour.push_back(y * wide + x + 1);
      if (y + 1 < high) out.neighbour.push_back((y + 1) * wide + x);
      out.begin.push_back(static_cast<int>(out.neighbour.size()));
    }
  return out;
}

TEST(OrderMemo, SaysWhatDissectionSaysAndAsksItOnce) {
  OrderMemo memo(1 << 20);
  const Graph one = grid(30, 20), other = grid(20, 30);  // as many vertices and edges
  const std::vector<int> order = nested_dissection(one.begin, one.neighbour);
  EXPECT_EQ(memo.order_of(one.begin, one.neighbour), order);
  EXPECT_EQ(memo.order_of(other.begin, other.neighbour), nested_dissection(other.begin, other.neighbour));
  EXPECT_EQ(memo.found(), 0);
  EXPECT_EQ(memo.order_of(one.begin, one.neighbour), order);
  EXPECT_EQ(memo.found(), 1);
}

TEST(OrderMemo, HoldsNoMoreThanItsShareAndKeepsWhatWasAskedForLast) {
  OrderMemo memo(100'000);
  for (int wide = 10; wide < 40; ++wide) {
    const Graph graph = grid(wide, 20);
    memo.order_of(graph.begin, graph.neighbour);
  }
  EXPECT_LE(memo.bytes(), 100'000);
  EXPECT_GT(memo.bytes(), 50'000) << "it was filled";
  const Graph last = grid(39, 20), first = grid(10, 20);
  memo.order_of(last.begin, last.neighbour);
  EXPECT_EQ(memo.found(), 1);
  memo.order_of(first.begin, first.neighbour);
  EXPECT_EQ(memo.found(), 1) << "the first has gone";
}

TEST(OrderMemo, AnswersManyThreadsAtOnce) {
  OrderMemo memo(60'000);  // too little for all, so that some are always made anew
  std::vector<Graph> graphs;
  std::vector<std::vector<int>> orders;
  for (int wide = 10; wide < 16; ++wide) {
    graphs.push_back(grid(wide, 12));
    orders.push_back(nested_dissection(graphs.back().begin, graphs.back().neighbour));
  }
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 60; ++i) {
        const size_t k = static_cast<size_t>(i * (t + 1)) % graphs.size();
        wrong += memo.order_of(graphs[k].begin, graphs[k].neighbour) != orders[k];
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_LE(memo.bytes(), 60'000);
}

}  // namespace
}  // namespace tryon::sim
