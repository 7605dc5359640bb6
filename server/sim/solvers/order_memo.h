// What it is: what nested_dissection() said of the last graphs that it was asked about: the constant matrix of a cloth
// and the blocks of its Hessian have the same graph, whose order so is found once. Units: none. Shapes: as
// nested_dissection(). How it fails: never; what is too large to keep is found anew each time. Thread rules: any
// thread; the same bytes as without it.
#pragma once

#include <cstdint>
#include <list>
#include <mutex>
#include <vector>

namespace tryon::sim {

class OrderMemo {
 public:
  explicit OrderMemo(int64_t most_bytes) : most_bytes_(most_bytes) {}
  static OrderMemo& of_process();

  std::vector<int> order_of(std::vector<int> begin, std::vector<int> neighbour);
  int64_t bytes() const;
  int64_t found() const;  // answers without a dissection

 private:
  struct Kept {
    std::vector<int> begin, neighbour, order;
    int64_t bytes() const {
      return static_cast<int64_t>(sizeof(int) * (begin.size() + neighbour.size() + order.size()));
    }
  };
  bool find(const std::vector<int>& begin, const std::vector<int>& neighbour, std::vector<int>* order);

  const int64_t most_bytes_;
  mutable std::mutex mutex_;
  std::list<Kept> kept_;  // the last asked for first
  int64_t bytes_ = 0, found_ = 0;
};

}  // namespace tryon::sim
