// The blocks of membranes (local_step.h), compiled as local_blocks_impl.h. What makes a triangle indefinite is taken
// off in its own frame: t1, t2 in its plane, n across. F has no part along n, so that the Hessian by (f_x, f_y) falls
// into the stress alone along n (2 x 2, clamped in closed form) and 4 x 4 in the plane (four at once by Jacobi's
// rotations). What is added is zero where nothing is negative: the stress tells it at once, else the pivots of LDL^T.
#pragma once

#include "server/sim/constraints/local_blocks_impl.h"

namespace tryon::sim::local_step {
namespace {

// Second derivatives by Green's strain, and the stress.
struct MembraneLaw {
  D4 weft, warp, cross, shear, sxx, syy, sxy;
};
// By (f_x, f_y): two symmetric blocks as xx, yy, zz, xy, xz, yz; that of row f_x, column f_y column by column.
struct MembraneSix {
  D4 xx[6], yy[6], xy[9];
};
constexpr int kRowOf[6] = {0, 1, 2, 0, 0, 1}, kColumnOf[6] = {0, 1, 2, 1, 2, 2};

inline D4 larger(const D4& a, const D4& b) { return a > b ? a : b; }
inline D4 size_of(const D4& a) { return a < D4{} ? -a : a; }
inline D4 number(double v) { return D4{} + v; }

inline D4 dot(const D4 a[3], const D4 b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

inline MembraneLaw law_of(const MembraneView& m, int begin, int count, const D4 fx[3], const D4 fy[3]) {
  const auto of = [&](Real membrane::Stiffness::*part) -> D4 {
    const auto at = [&](int j) { return j < count ? double(m.stiffness[begin + j].*part) : 0; };
    return D4{at(0), at(1), at(2), at(3)};
  };
  const D4 weft = of(&membrane::Stiffness::weft), warp = of(&membrane::Stiffness::warp);
  const D4 cross = of(&membrane::Stiffness::cross), shear = of(&membrane::Stiffness::shear);
  const D4 limit = of(&membrane::Stiffness::limit), none = {};
  const D4 ex = (dot(fx, fx) - 1) / 2, ey = (dot(fy, fy) - 1) / 2;
  const D4 x = limit > none ? larger(ex - limit, none) : none, y = limit > none ? larger(ey - limit, none) : none;
  const double gain = double(membrane::kLimitGain);
  return {weft * (1 + 2 * gain * x),
          warp * (1 + 2 * gain * y),
          cross,
          shear,
          weft * ex + cross * ey + gain * weft * x * x,
          warp * ey + cross * ex + gain * warp * y * y,
          shear * dot(fx, fy)};
}

// Entries of the Hessian between coordinates r of one image and c of the other, in any orthonormal frame.
inline D4 entry_xx(const MembraneLaw& k, const D4* x, const D4* y, int r, int c) {
  const D4 v = k.weft * x[r] * x[c] + k.shear * y[r] * y[c];
  return r == c ? v + k.sxx : v;
}
inline D4 entry_yy(const MembraneLaw& k, const D4* x, const D4* y, int r, int c) {
  const D4 v = k.warp * y[r] * y[c] + k.shear * x[r] * x[c];
  return r == c ? v + k.syy : v;
}
inline D4 entry_xy(const MembraneLaw& k, const D4* x, const D4* y, int r, int c) {
  const D4 v = k.cross * x[r] * y[c] + k.shear * y[r] * x[c];
  return r == c ? v + k.sxy : v;
}

inline void whole_hessian(const MembraneLaw& k, const D4 fx[3], const D4 fy[3], MembraneSix* out) {
#pragma GCC unroll 6
  for (int n = 0; n < 6; ++n) {
    out->xx[n] = entry_xx(k, fx, fy, kRowOf[n], kColumnOf[n]);
    out->yy[n] = entry_yy(k, fx, fy, kRowOf[n], kColumnOf[n]);
  }
#pragma GCC unroll 9
  for (int n = 0; n < 9; ++n) out->xy[n] = entry_xy(k, fx, fy, n % 3, n / 3);
}

// --- the frame ---

inline void scale(const D4& by, D4 a[3]) { a[0] *= by, a[1] *= by, a[2] *= by; }

// The axis that is least along t, without its part along t.
inline void axis_across(const D4 t[3], D4 out[3]) {
  const D4 x = size_of(t[0]), y = size_of(t[1]), z = size_of(t[2]), one = number(1), none = {};
  const auto first = x <= y, least = x <= z;
  out[0] = first ? (least ? one : none) : none;
  out[1] = first ? none : (y <= z ? one : none);
  out[2] = one - out[0] - out[1];
}
inline void take_off(const D4 t[3], D4 a[3]) {
  const D4 along = dot(t, a);
  for (int i = 0; i < 3; ++i) a[i] -= along * t[i];
}

// t1 along the longer of f_x, f_y, t2 beside it in their plane; any where there is none. Twice taken off is enough for
// slivers too.
inline void frame_of(const D4 fx[3], const D4 fy[3], D4 t1[3], D4 t2[3]) {
  const D4 xx = dot(fx, fx), yy = dot(fy, fy), most = larger(xx, yy), none = {};
  const D4 length = root(most);
  for (int i = 0; i < 3; ++i) {
    t1[i] = length > none ? (xx >= yy ? fx[i] : fy[i]) / length : number(i == 0 ? 1 : 0);
    t2[i] = xx >= yy ? fy[i] : fx[i];
  }
  D4 other[3];
  axis_across(t1, other);
  take_off(t1, t2);
  const D4 left = dot(t2, t2), parallel = 1e-24 * most;
  for (int i = 0; i < 3; ++i) t2[i] = left > parallel ? t2[i] / root(left) : other[i];
  take_off(t1, t2);
  scale(1 / root(dot(t2, t2)), t2);
}

// --- what is negative ---

using FourSquare = D4[4][4];  // the upper triangle is used

// Whether all pivots of LDL^T are above zero: -1 or 0.
inline auto has_pivots(const FourSquare& a) {
  const D4 none = {}, p0 = a[0][0], l1 = a[0][1] / p0, l2 = a[0][2] / p0, l3 = a[0][3] / p0;
  const D4 p1 = a[1][1] - l1 * a[0][1], b12 = a[1][2] - l1 * a[0][2], b13 = a[1][3] - l1 * a[0][3];
  const D4 m2 = b12 / p1, m3 = b13 / p1;
  const D4 p2 = a[2][2] - l2 * a[0][2] - m2 * b12, b23 = a[2][3] - l2 * a[0][3] - m2 * b13;
  const D4 p3 = a[3][3] - l3 * a[0][3] - m3 * b13 - b23 / p2 * b23;
  return (p0 > none) & (p1 > none) & (p2 > none) & (p3 > none);
}

template <typename Mask>
inline bool any(const Mask& m) {
  return (m[0] | m[1] | m[2] | m[3]) != 0;
}

// Takes a[p][q] to zero where `active`; columns of v turn along.
template <int p, int q, typename Mask>
[[gnu::always_inline]] inline void turn(const Mask& active, FourSquare& a, FourSquare& v) {
  const D4 none = {}, one = number(1), twice = 2 * a[p][q], apart = a[q][q] - a[p][p];
  const auto turned = active & (twice != none);
  const D4 sum = size_of(apart) + root(apart * apart + twice * twice);
  const D4 tangent = turned ? (apart < none ? -twice : twice) / sum : none;
  const D4 c = one / root(one + tangent * tangent), s = tangent * c, shift = tangent * a[p][q];
  a[p][p] -= shift, a[q][q] += shift;
  a[p][q] = turned ? none : a[p][q];
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) {
    const D4 vp = v[i][p], vq = v[i][q];
    v[i][p] = c * vp - s * vq, v[i][q] = s * vp + c * vq;
    if (i == p || i == q) continue;
    D4 &ip = i < p ? a[i][p] : a[p][i], &iq = i < q ? a[i][q] : a[q][i];
    const D4 x = ip, y = iq;
    ip = c * x - s * y, iq = s * x + c * y;
  }
}

// Cyclic Jacobi, pairs that do not share a row one after the other. A lane that has converged stays as it is, whatever
// the others need.
inline void diagonalise(FourSquare& a, FourSquare& v) {
  constexpr int kMostSweeps = 12;
  constexpr double kSmall = 1e-30;  // squared, over the diagonal's
  for (int sweep = 0; sweep < kMostSweeps; ++sweep) {
    D4 off = {}, on = {};
    for (int i = 0; i < 4; ++i) {
      on += a[i][i] * a[i][i];
      for (int j = i + 1; j < 4; ++j) off += a[i][j] * a[i][j];
    }
    const auto active = off > kSmall * on;
    if (!any(active)) return;
    turn<0, 1>(active, a, v), turn<2, 3>(active, a, v);
    turn<0, 2>(active, a, v), turn<1, 3>(active, a, v);
    turn<0, 3>(active, a, v), turn<1, 2>(active, a, v);
  }
}

// A becomes minus its negative part.
[[gnu::noinline]] void keep_negative(FourSquare& a) {
  FourSquare v = {};
  for (int i = 0; i < 4; ++i) v[i][i] = number(1);
  diagonalise(a, v);
  D4 size[4];
  for (int k = 0; k < 4; ++k) size[k] = larger(-a[k][k], D4{});
  for (int i = 0; i < 4; ++i)
    for (int j = i; j < 4; ++j) {
      D4 sum = {};
#pragma GCC unroll 4
      for (int k = 0; k < 4; ++k) sum += size[k] * v[i][k] * v[j][k];
      a[i][j] = sum;
    }
}

// Minus the negative part of the stress: xx, yy, xy.
inline void negative_stress(const MembraneLaw& k, D4 out[3]) {
  const D4 none = {}, mean = (k.sxx + k.syy) / 2, half = (k.sxx - k.syy) / 2;
  const D4 radius = root(half * half + k.sxy * k.sxy);
  const D4 low = larger(radius - mean, none), high = larger(-mean - radius, none);
  const D4 both = (high + low) / 2, apart = radius > none ? (high - low) / 2 / radius : none;
  out[0] = both + apart * half, out[1] = both - apart * half, out[2] = apart * k.sxy;
}

// Adds `share` of minus the negative part in the plane of t1, t2 and along n, back in x, y, z.
inline void add_turned(const FourSquare& plane, const D4 across[3], double share, const D4 t1[3], const D4 t2[3],
                       MembraneSix* h) {
  const D4 n[3] = {t1[1] * t2[2] - t1[2] * t2[1], t1[2] * t2[0] - t1[0] * t2[2], t1[0] * t2[1] - t1[1] * t2[0]};
  const auto at = [&](int image_r, int image_c, const D4& along_n, int r, int c) -> D4 {
    const auto a = [&](int i, int j) { return i <= j ? plane[i][j] : plane[j][i]; };
    const int i = 2 * image_r, j = 2 * image_c;
    return t1[r] * (a(i, j) * t1[c] + a(i, j + 1) * t2[c]) + t2[r] * (a(i + 1, j) * t1[c] + a(i + 1, j + 1) * t2[c]) +
           along_n * n[r] * n[c];
  };
#pragma GCC unroll 6
  for (int m = 0; m < 6; ++m) {
    h->xx[m] += share * at(0, 0, across[0], kRowOf[m], kColumnOf[m]);
    h->yy[m] += share * at(1, 1, across[1], kRowOf[m], kColumnOf[m]);
  }
#pragma GCC unroll 9
  for (int m = 0; m < 9; ++m) h->xy[m] += share * at(0, 1, across[2], m % 3, m / 3);
}

// Of what is negative the share `kept` stays.
inline void clamp(const MembraneLaw& k, const D4 fx[3], const D4 fy[3], double kept, MembraneSix* h) {
  const D4 none = {};
  D4 across[3];
  negative_stress(k, across);
  const auto lawful = (k.weft >= none) & (k.warp >= none) & (k.shear >= none) & (k.weft * k.warp >= k.cross * k.cross);
  const auto taut = (across[0] <= none) & (across[1] <= none) & lawful;
  if (!any(~taut)) return;
  D4 t1[3], t2[3];
  frame_of(fx, fy, t1, t2);
  const D4 x[2] = {dot(t1, fx), dot(t2, fx)}, y[2] = {dot(t1, fy), dot(t2, fy)};
  FourSquare a;
  for (int r = 0; r < 2; ++r)
    for (int c = 0; c < 2; ++c) {
      a[r][2 + c] = entry_xy(k, x, y, r, c);
      a[r][c] = entry_xx(k, x, y, r, c), a[2 + r][2 + c] = entry_yy(k, x, y, r, c);
    }
  const auto sound = taut | has_pivots(a);
  for (int i = 0; i < 4; ++i)
    for (int j = i; j < 4; ++j) a[i][j] = sound ? none : a[i][j];
  if (any(~sound)) keep_negative(a);
  add_turned(a, across, 1 - kept, t1, t2, h);
}

// The rows of a triangle sum to zero: three blocks are made, and three are what is left.
inline void spread(const D4 shape[4], const MembraneSix& h, WholeBlocks<kPairs>* out) {
  const auto put = [&](int pair, int n, const D4& v) { *reinterpret_cast<D4*>(out->at[pair][n]) = v; };
  constexpr int kSymmetric[9] = {0, 3, 4, 3, 1, 5, 4, 5, 2};
#pragma GCC unroll 9
  for (int n = 0; n < 9; ++n) {
    const int s = kSymmetric[n], turned = n % 3 * 3 + n / 3;
    const auto block = [&](int a, int b) -> D4 {
      return shape[a] * shape[b] * h.xx[s] + shape[2 + a] * shape[2 + b] * h.yy[s] +
             (shape[a] * shape[2 + b] * h.xy[n] + shape[2 + a] * shape[b] * h.xy[turned]);
    };
    const D4 b11 = block(0, 0), b21 = block(1, 0), b12 = block(0, 1), b22 = block(1, 1);
    const D4 b10 = -(b11 + b12), b20 = -(b21 + b22);
    put(0, n, (b11 + b22) + (b12 + b21)), put(1, n, b10), put(2, n, b11), put(3, n, b20), put(4, n, b21),
        put(5, n, b22);
  }
}

void membrane_blocks(const MembraneView& m, const RVec3* x, int begin, int end, double kept, WholeBlocks<kPairs>* out) {
  const int count = end - begin;
  Triangles four;
  take(m.corner + begin, m.shape + begin, x, m.last, count, &four);
  V4 e1[4], e2[4], lines[4];
  transpose(four.edge1, e1), transpose(four.edge2, e2), transpose(four.lines, lines);
  D4 shape[4], fx[3], fy[3];
  for (int n = 0; n < 4; ++n) shape[n] = whole(lines[n]);
  for (int n = 0; n < 3; ++n) {
    fx[n] = shape[0] * whole(e1[n]) + shape[1] * whole(e2[n]);
    fy[n] = shape[2] * whole(e1[n]) + shape[3] * whole(e2[n]);
  }
  const MembraneLaw law = law_of(m, begin, count, fx, fy);
  MembraneSix h;
  whole_hessian(law, fx, fy, &h);
  if (kept < 1) clamp(law, fx, fy, kept, &h);
  spread(shape, h, out);
}

}  // namespace
}  // namespace tryon::sim::local_step
