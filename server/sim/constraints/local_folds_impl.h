// Folds (local_step.h), compiled as local_blocks_impl.h: in double whatever Real is, since a fold's angle is a
// difference of nearly equal directions.
//
// Of each triangle beside the edge: g = normal over height, the angle's gradient at the opposite vertex; q = the
// height's direction over height; w = 1, -foot, foot - 1 at the opposite vertex, the edge's second end and its first,
// by which they share g; u = e / |e|^2. Moving a vertex by d tips the normal and changes height and foot, so that
//   H_22 = -(q g^T + g q^T),   H_21 = w H_22 - u g^T,
//   H_11 = (w^2 + h^2 / (2 |e|^2)) H_22 - w (u g^T + g u^T),  w that of the second end, 2 the opposite vertex;
// the two triangles' antisymmetric parts of H_11 cancel and are left out, and what is moved as a whole stays folded,
// which gives the rest. After Tamstorf and Grinspun 2013, sections 3 and 4, whose terms these are, gathered.
#pragma once

#include "server/sim/constraints/local_membranes_impl.h"

namespace tryon::sim::local_step {
namespace {

inline void cross(const D4 a[3], const D4 b[3], D4 out[3]) {
  out[0] = a[1] * b[2] - a[2] * b[1], out[1] = a[2] * b[0] - a[0] * b[2], out[2] = a[0] * b[1] - a[1] * b[0];
}

// atan z = z + z w p(w), w = z^2, for |z| <= tan(pi / 8): Chebyshev's expansion of p, whose error is below 6e-18.
inline D4 arc_of_small(const D4& z) {
  const D4 w = z * z, w2 = w * w, w4 = w2 * w2;
  const D4 low =
      (-0x1.5555555555555p-2 + 0x1.9999999999341p-3 * w) + w2 * (-0x1.24924924358fep-3 + 0x1.c71c7184e2ef2p-4 * w);
  const D4 middle =
      (-0x1.745d0b1a496d3p-4 + 0x1.3b1261b89f530p-4 * w) + w2 * (-0x1.10fa65570f9fep-4 + 0x1.dfe50abb518e4p-5 * w);
  const D4 high = (-0x1.a09318ec93cebp-5 + 0x1.414ff0b841a9cp-5 * w) + w2 * -0x1.3a03a36923274p-6;
  return z + z * w * (low + w4 * (middle + w4 * high));
}

// atan2 to about an ulp; not both may be zero.
inline D4 angle_of(const D4& sine, const D4& cosine) {
  constexpr double kPi = 0x1.921fb54442d18p+1, kRest = 0x1.1a62633145c07p-53;  // together pi
  const D4 y = size_of(sine), x = size_of(cosine), none = {};
  const D4 least = y < x ? y : x, most = larger(y, x);
  const auto steep = least > 0x1.a827999fcef32p-2 * most;
  D4 r = arc_of_small((steep ? least - most : least) / (steep ? least + most : most));
  r = steep ? kPi / 4 + (r + kRest / 4) : r;
  r = y > x ? kPi / 2 - (r - kRest / 2) : r;
  r = cosine < none ? kPi - (r - kRest) : r;
  return sine < none ? -r : r;
}

struct FourFolds {
  D4 e[3], g2[3], g3[3];  // edge; the gradient at the opposite vertices
  D4 w2, w3;              // shares of g2 and g3 at the edge's second end
  D4 length, length_squared;
  D4 twist2, twist3;  // h^2 / (2 |e|^2) of each triangle
  D4 sine, cosine;    // of the angle, times something above zero
};

// One of whose triangles has no area: no angle and no gradient. Idle ones are the first once more.
[[gnu::always_inline]] inline void take(const FoldView& f, const RVec3* x, int begin, int count, FourFolds* out) {
  V4 across[3][4], turned[4];
#pragma GCC unroll 4
  for (int j = 0; j < 4; ++j) {
    const std::array<int, 4>& p = f.particle[begin + (j < count ? j : 0)];
    const V4 origin = load(x, p[0], f.last);
    for (int k = 0; k < 3; ++k) across[k][j] = load(x, p[k + 1], f.last) - origin;
  }
  D4 a[3], b[3], n2[3], n3[3];
  transpose(across[0], turned);
  for (int i = 0; i < 3; ++i) out->e[i] = whole(turned[i]);
  transpose(across[1], turned);
  for (int i = 0; i < 3; ++i) a[i] = whole(turned[i]);
  transpose(across[2], turned);
  for (int i = 0; i < 3; ++i) b[i] = whole(turned[i]);
  cross(out->e, a, n2), cross(b, out->e, n3);
  const D4 none = {}, one = number(1), area2 = dot(n2, n2), area3 = dot(n3, n3);
  const auto flat = (area2 <= none + kNoFoldArea) | (area3 <= none + kNoFoldArea);
  out->length_squared = flat ? one : dot(out->e, out->e);
  out->length = root(out->length_squared);
  out->w2 = -dot(out->e, a) / out->length_squared, out->w3 = -dot(out->e, b) / out->length_squared;
  const D4 over2 = flat ? none : out->length / area2, over3 = flat ? none : out->length / area3;
  for (int i = 0; i < 3; ++i) out->g2[i] = over2 * n2[i], out->g3[i] = over3 * n3[i];
  const D4 fourth = 2 * (out->length_squared * out->length_squared);
  out->twist2 = area2 / fourth, out->twist3 = area3 / fourth;
  out->sine = flat ? none : out->length * dot(b, n2), out->cosine = flat ? one : dot(n2, n3);
}

inline V4 narrow(const D4& v) { return __builtin_convertvector(v, V4); }

void fold_angles(const FoldView& f, const RVec3* x, int begin, int end, Real* angle, RVec3* slot) {
  for (int i = begin; i < end; i += 4) {
    const int count = std::min(4, end - i);
    FourFolds four;
    take(f, x, i, count, &four);
    const V4 theta = narrow(angle_of(four.sine, four.cosine));
    V4 by_axis[4], gradient[4][4];
    const auto put = [&](int corner, const D4 g[3]) {
      for (int n = 0; n < 3; ++n) by_axis[n] = narrow(g[n]);
      by_axis[3] = V4{};
      transpose(by_axis, gradient[corner]);
    };
    D4 g0[3], g1[3];
    for (int n = 0; n < 3; ++n) {
      g1[n] = four.w2 * four.g2[n] + four.w3 * four.g3[n];
      g0[n] = -(g1[n] + four.g2[n] + four.g3[n]);
    }
    put(0, g0), put(1, g1), put(2, four.g2), put(3, four.g3);
#pragma GCC unroll 4
    for (int j = 0; j < 4; ++j) {
      if (j >= count) break;
      angle[i + j] = theta[j] - f.rest_angle[i + j];
      RVec3* out = slot + 4 * (i + j);
      for (int k = 0; k < 3; ++k) store_over(gradient[k][j], out + k);
      store(gradient[3][j], out + 3, j + 1 == count);
    }
  }
}

inline Real moment_of(const FoldView& f, const Real* angle, int i) {
  Real moment = 0;
  for (int k = f.row_begin[i]; k < f.row_begin[i + 1]; ++k) moment += f.stiffness[k] * angle[f.column[k]];
  return moment;
}

double fold_moments(const FoldView& f, const Real* angle, int begin, int end, RVec3* slot) {
  double sum = 0;
  for (int i = begin; i < end; ++i) {
    const Real moment = moment_of(f, angle, i);
    Loose4* at = reinterpret_cast<Loose4*>(slot[4 * i].data());  // twelve numbers
    for (int k = 0; k < 3; ++k) at[k] *= moment;
    sum += double(Real(0.5) * moment * angle[i]);
  }
  return sum;
}

// --- the Hessian ---

// Of one triangle, column by column: its opposite vertex is 2, the edge's second end 1.
struct FoldSide {
  D4 h22[9], h21[9], h11[9];
};
inline void side_of(const D4 u[3], const D4 g[3], const D4 q[3], const D4& w, const D4& twist, const D4& moment,
                    FoldSide* out) {
  const D4 both = w * w + twist;
#pragma GCC unroll 9
  for (int n = 0; n < 9; ++n) {
    const int r = n % 3, c = n / 3;
    const D4 gr = moment * g[r], gc = moment * g[c], tipped = -(q[r] * gc + gr * q[c]), ug = u[r] * gc;
    out->h22[n] = tipped;
    out->h21[n] = w * tipped - ug;
    out->h11[n] = both * tipped - w * (ug + gr * u[c]);
  }
}

void fold_blocks(const FoldView& f, const RVec3* x, const Real* angle, int begin, int end, double kept,
                 WholeBlocks<kFoldPairs>* out) {
  const int count = end - begin;
  FourFolds four;
  take(f, x, begin, count, &four);
  D4 moment = {};
  for (int j = 0; j < count; ++j) moment[j] = kept * double(moment_of(f, angle, begin + j));
  D4 u[3], q2[3], q3[3];
  cross(four.g2, four.e, q2), cross(four.e, four.g3, q3);
  for (int n = 0; n < 3; ++n) {
    q2[n] = q2[n] / four.length, q3[n] = q3[n] / four.length, u[n] = four.e[n] / four.length_squared;
  }
  FoldSide left, right;
  side_of(u, four.g2, q2, four.w2, four.twist2, moment, &left);
  side_of(u, four.g3, q3, four.w3, four.twist3, moment, &right);
  const auto put = [&](int pair, int n, const D4& v) { *reinterpret_cast<D4*>(out->at[pair][n]) = v; };
#pragma GCC unroll 9
  for (int n = 0; n < 9; ++n) {
    const int t = n % 3 * 3 + n / 3;
    const D4 h11 = left.h11[n] + right.h11[n], mixed2 = left.h21[n] + left.h21[t], mixed3 = right.h21[n] + right.h21[t];
    put(0, n, h11 + left.h22[n] + right.h22[n] + (mixed2 + mixed3));
    put(1, n, -(h11 + left.h21[t] + right.h21[t]));
    put(2, n, h11);
    put(3, n, -(left.h21[n] + left.h22[n])), put(4, n, left.h21[n]), put(5, n, left.h22[n]);
    put(6, n, -(right.h21[n] + right.h22[n])), put(7, n, right.h21[n]), put(8, n, right.h22[n]);
  }
}

typedef double LooseD4 __attribute__((vector_size(32), aligned(8), may_alias));

// Each column of a block is written with one number more, which stays as it is.
void fold_products(const FoldProductView& f, int begin, int end, double* sum, double* value) {
  LooseD4* together = reinterpret_cast<LooseD4*>(sum);
  for (int i = begin; i < end; ++i) {
    for (int s = 0; s < f.particle_begin[i + 1] - f.particle_begin[i]; ++s) together[s] = D4{};
    for (int k = f.row_begin[i]; k < f.row_begin[i + 1]; ++k) {
      const double stiffness = double(f.stiffness[k]);
      const RVec3* g = f.gradient + 4 * f.column[k];
      for (int b = 0; b < 4; ++b) together[f.place[4 * k + b]] += stiffness * whole(four(g[b].data()));
    }
    D4 own[4];
    for (int a = 0; a < 4; ++a)
      own[a] = __builtin_shufflevector(whole(four(f.gradient[4 * i + a].data())), D4{}, 0, 1, 2, 4);
    for (int p = f.product_begin[i]; p < f.product_begin[i + 1]; ++p) {
      const FoldProduct& product = f.product[p];
      const D4 g = own[product.pair & 3];
      const double* m = sum + (product.pair & ~3);
      const BlockPlace& block = f.block[product.block];
      double* at = value + block.at;
#pragma GCC unroll 3
      for (int c = 0; c < 3; ++c, at += block.height) *reinterpret_cast<LooseD4*>(at) += g * m[c];
    }
  }
}

}  // namespace
}  // namespace tryon::sim::local_step
