// What it is: axis-parallel boxes of which four numbers are compared at once: one box with another (lanes x, y, z and
// an idle one), and four small boxes, a lane each, with one. Boxes that touch meet. Units: m. Shapes: [4]; answers
// about four boxes are bits. How it fails: what is not a number meets nothing. Thread rules: values. Cites: Ericson,
// Real-Time Collision Detection, 4.2 (axis-aligned boxes).
#pragma once

#if defined(__SSE__)
#include <immintrin.h>
#endif

#include <array>

namespace tryon::sim {

typedef float F4 __attribute__((vector_size(16)));
typedef int I4 __attribute__((vector_size(16)));
using Corners = std::array<F4, 3>;  // by axis, a corner a lane

// Bit k: lane k of a comparison.
inline int bits(I4 mask) {
#if defined(__SSE__)
  return _mm_movemask_ps(reinterpret_cast<__m128>(mask));
#else
  return (mask[0] & 1) | (mask[1] & 2) | (mask[2] & 4) | (mask[3] & 8);
#endif
}

inline F4 least(F4 a, F4 b) { return a < b ? a : b; }
inline F4 most(F4 a, F4 b) { return a > b ? a : b; }

inline F4 lanes(float value) { return F4{value, value, value, value}; }

struct Box {
  F4 low, high;
  bool meets(const Box& other) const { return bits((low <= other.high) & (other.low <= high)) == 15; }
  void cover(const Box& other) { low = least(low, other.low), high = most(high, other.high); }
};

struct FourBoxes {
  F4 low[3], high[3];  // by axis
  // Which of them meet the box.
  int meet(const Box& box) const {
    I4 all = I4{} - 1;
#pragma GCC unroll 3
    for (int k = 0; k < 3; ++k) all &= (low[k] <= lanes(box.high[k])) & (lanes(box.low[k]) <= high[k]);
    return bits(all);
  }
  // Which of them meet it by as much as `by`.
  int overlap(const Box& box, float by) const {
    I4 all = I4{} - 1;
#pragma GCC unroll 3
    for (int k = 0; k < 3; ++k) all &= (low[k] + by <= lanes(box.high[k])) & (lanes(box.low[k] + by) <= high[k]);
    return bits(all);
  }
  Box one(int lane) const {
    return {F4{low[0][lane], low[1][lane], low[2][lane]}, F4{high[0][lane], high[1][lane], high[2][lane]}};
  }
};

}  // namespace tryon::sim
