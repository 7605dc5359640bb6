// The blocks of local_step.h, compiled as local_step_impl.h: in double whatever Real is, since a Hessian is.
#pragma once

#include "server/sim/constraints/local_step_impl.h"

namespace tryon::sim::local_step {
namespace {

typedef double D4 __attribute__((vector_size(32), may_alias));

inline D4 whole(const V4& v) { return __builtin_convertvector(v, D4); }

// The Hessian of 1/2 k (|e| - 1)^2 is a 1 + b e e^T.
struct Thread {
  D4 e[3], a, b;
};
inline void set_stiffness(const D4& k, double kept, Thread* t) {
  const D4 none = {}, one = none + 1, squared = t->e[0] * t->e[0] + t->e[1] * t->e[1] + t->e[2] * t->e[2];
  const double tiny = double(spring::kTinyLength);
  const D4 length = root(squared);
  const D4 across = 1 - 1 / length, clamped = across < none ? kept * across : across;
  t->a = length > none + tiny ? k * clamped : k;
  t->b = length > none + tiny ? k * (one - clamped) / squared : none;
}

// What a thread has past its limit, as thread::hessian: k gain over^2 / length across, 2 k gain over along.
inline void add_limit(const D4& k, const D4& limit, Thread* t) {
  const D4 none = {}, squared = t->e[0] * t->e[0] + t->e[1] * t->e[1] + t->e[2] * t->e[2];
  const D4 length = root(squared), apart = length - 1 - limit, over = apart > none ? apart : none;
  const D4 gain = double(thread::kLimitGain) * k * over, across = over > none ? gain * over / length : none;
  t->a += across;
  t->b += over > none ? (2 * gain - across) / squared : none;
}

// xx, yy, zz, xy, xz, yz.
inline void add_to(const Thread& t, double share, D4 sum[6]) {
  constexpr int kRow[6] = {0, 1, 2, 0, 0, 1}, kColumn[6] = {0, 1, 2, 1, 2, 2};
#pragma GCC unroll 6
  for (int n = 0; n < 6; ++n) {
    const D4 outer = t.b * t.e[kRow[n]] * t.e[kColumn[n]];
    sum[n] += share * (n < 3 ? t.a + outer : outer);
  }
}

// With c the weights of the corners in f_x and f_y: block = sum over both of c c' times the Hessian by f_x, f_y.
inline void spread(const D4 shape[4], const D4 xx[6], const D4 yy[6], const D4 xy[6], Blocks* out) {
  const D4 cx[3] = {-shape[0] - shape[1], shape[0], shape[1]}, cy[3] = {-shape[2] - shape[3], shape[2], shape[3]};
  int pair = 0;
  for (int a = 0; a < 3; ++a)
    for (int b = 0; b <= a; ++b, ++pair) {
      const D4 wxx = cx[a] * cx[b], wyy = cy[a] * cy[b], wxy = cx[a] * cy[b] + cy[a] * cx[b];
#pragma GCC unroll 6
      for (int n = 0; n < 6; ++n) *reinterpret_cast<D4*>(out->at[pair][n]) = wxx * xx[n] + wyy * yy[n] + wxy * xy[n];
    }
}

void thread_blocks(const ThreadView& t, const RVec3* x, int begin, int end, double kept, Blocks* out) {
  const int count = end - begin;
  Triangles four;
  take(t.corner + begin, t.shape + begin, x, t.last, count, &four);
  V4 e1[4], e2[4], lines[4];
  transpose(four.edge1, e1), transpose(four.edge2, e2), transpose(four.lines, lines);
  const D4 weft = whole(first_of(t.weft + begin, count)), warp = whole(first_of(t.warp + begin, count)),
           bias = whole(first_of(t.bias + begin, count));
  const double half_root = std::sqrt(0.5);
  D4 shape[4];
  for (int n = 0; n < 4; ++n) shape[n] = whole(lines[n]);
  Thread fx, fy, plus, minus;
  for (int n = 0; n < 3; ++n) {
    fx.e[n] = shape[0] * whole(e1[n]) + shape[1] * whole(e2[n]);
    fy.e[n] = shape[2] * whole(e1[n]) + shape[3] * whole(e2[n]);
    plus.e[n] = half_root * (fx.e[n] + fy.e[n]), minus.e[n] = half_root * (fx.e[n] - fy.e[n]);
  }
  set_stiffness(weft, kept, &fx), set_stiffness(warp, kept, &fy);
  set_stiffness(bias, kept, &plus), set_stiffness(bias, kept, &minus);
  if (t.limit_weft != nullptr) {
    add_limit(weft, whole(first_of(t.limit_weft + begin, count)), &fx);
    add_limit(warp, whole(first_of(t.limit_warp + begin, count)), &fy);
  }
  D4 xx[6] = {}, yy[6] = {}, xy[6] = {};
  add_to(fx, 1, xx), add_to(plus, 0.5, xx), add_to(minus, 0.5, xx);
  add_to(fy, 1, yy), add_to(plus, 0.5, yy), add_to(minus, 0.5, yy);
  add_to(plus, 0.5, xy), add_to(minus, -0.5, xy);
  spread(shape, xx, yy, xy, out);
}

}  // namespace
}  // namespace tryon::sim::local_step
