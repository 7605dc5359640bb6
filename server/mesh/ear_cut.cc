#include "server/mesh/ear_cut.h"

#include "server/mesh/predicates.h"

namespace tryon {
namespace {

// Cuts one ear after another off a simple loop, always strictly convex ones, so that no triangle is flat.
class EarCutter {
 public:
  explicit EarCutter(const std::vector<Vec2>& loop) : loop_(loop), next_(loop.size()), previous_(loop.size()) {
    const int n = static_cast<int>(loop.size());
    for (int i = 0; i < n; ++i) next_[i] = (i + 1) % n, previous_[(i + 1) % n] = i;
    for (int i = 0; i < n; ++i) {
      if (turn(i) <= 0) dents_.push_back(i);
    }
  }

  // Returns false where no ear is left although more than a triangle is.
  template <typename Emit>
  bool run(const Emit& emit) {
    int left = static_cast<int>(loop_.size()), at = 0, misses = 0;
    while (left > 3) {
      if (misses > left) return false;
      if (!is_ear(at)) {
        at = next_[at], ++misses;
        continue;
      }
      emit(previous_[at], at, next_[at]);
      at = cut(at), --left, misses = 0;
    }
    emit(previous_[at], at, next_[at]);
    return turn(at) > 0;
  }

 private:
  int turn(int i) const { return orientation(loop_[previous_[i]], loop_[i], loop_[next_[i]]); }

  bool is_ear(int i) const {
    if (turn(i) <= 0) return false;
    const Vec2 &a = loop_[previous_[i]], &b = loop_[i], &c = loop_[next_[i]];
    const Vec2 low = a.cwiseMin(b).cwiseMin(c), high = a.cwiseMax(b).cwiseMax(c);
    for (const int d : dents_) {
      const Vec2& p = loop_[d];
      if (d == previous_[i] || d == i || d == next_[i]) continue;
      if (p.x() < low.x() || p.y() < low.y() || p.x() > high.x() || p.y() > high.y()) continue;
      if (orientation(a, b, p) >= 0 && orientation(b, c, p) >= 0 && orientation(c, a, p) >= 0) return false;
    }
    return true;
  }

  // Takes i out; the next ear is sought two steps on, which keeps the fans small.
  int cut(int i) {
    const int before = previous_[i], after = next_[i];
    next_[before] = after, previous_[after] = before;
    std::erase_if(dents_, [&](int d) { return (d == before || d == after) && turn(d) > 0; });
    return next_[after];
  }

  const std::vector<Vec2>& loop_;
  std::vector<int> next_, previous_;
  std::vector<int> dents_;  // corners that are not strictly convex: only these can lie in an ear
};

}  // namespace

bool cut_ears(const std::vector<Vec2>& counter_clockwise_loop, std::vector<std::array<int, 3>>* triangles) {
  if (counter_clockwise_loop.size() < 3) return false;
  EarCutter cutter(counter_clockwise_loop);
  return cutter.run([&](int a, int b, int c) { triangles->push_back({a, b, c}); });
}

}  // namespace tryon
