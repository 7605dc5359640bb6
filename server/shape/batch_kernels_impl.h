// What it is: the code of batch_kernels.h, to be included once by each file that compiles it for one processor.
// Units: metres. Shapes: eight lanes. How it fails: see batch_kernels.h. Thread rules: pure functions.
// It includes nothing of the standard library: an inline __attribute__((always_inline)) function compiled here for AVX2
// could be linked elsewhere.
#pragma once

#include "server/shape/batch_kernels.h"
#include "server/shape/packs.h"

namespace tryon::batch {
namespace {

using F = Pack<float>;
using D = Pack<double>;

// ---- Which solids can be nearest --------------------------------------------------------------------------------

// Bounds of the distance of a point to eight solids. For a point outside the convex set {level <= 1} the distance is
// at least (level - 1) / |gradient of level|; `upper` is the way to the axis at the point's height, up to the flank.
struct SolidBounds {
  F lower, upper, depth;  // the bounds squared; depth: of a point inside, to the flank, at most; else negative
};

inline __attribute__((always_inline)) SolidBounds solid_bounds(const SolidGroup& g, const F& px, const F& py,
                                                               const F& pz) {
  const F zero = F::all(0), one = F::all(1), tiny = F::all(1e-20f);
  const F dx = px - F::load(g.origin[0]), dy = py - F::load(g.origin[1]), dz = pz - F::load(g.origin[2]);
  const F x = dx * F::load(g.u[0]) + dy * F::load(g.u[1]) + dz * F::load(g.u[2]);
  const F y = dx * F::load(g.v[0]) + dy * F::load(g.v[1]) + dz * F::load(g.v[2]);
  const F z = dx * F::load(g.axis[0]) + dy * F::load(g.axis[1]) + dz * F::load(g.axis[2]);
  const F gap = max(max(F::load(g.low) - z, z - F::load(g.high)), zero);

  const F ia = F::load(g.inverse_a2), ib = F::load(g.inverse_b2), ic = F::load(g.inverse_c2);
  const F mx = x - F::load(g.mx), my = y - F::load(g.my);
  const F gx = mx * ia, gy = my * ib, gz = z * ic;
  const F level_squared = mx * gx + my * gy + z * gz;
  const F slope = sqrt(gx * gx + gy * gy + gz * gz);  // level * |gradient|
  const F level = sqrt(level_squared);
  const F beside = max((level_squared - level) / max(slope, tiny), zero);

  const F t = min(max(z * F::load(g.inverse_height), zero), one);
  const F a = max(F::load(g.a0) + F::load(g.da) * t, F::all(1e-9f));
  const F b = max(F::load(g.b0) + F::load(g.db) * t, F::all(1e-9f));
  const F qx = x - F::load(g.ex) * t, qy = y - F::load(g.ey) * t, qz = z * F::load(g.round);
  const F far = sqrt(qx * qx + qy * qy + qz * qz);
  const F over_a = one / a, over_b = one / b;
  const F sx = qx * over_a, sy = qy * over_b, sz = qz * over_a;
  const F share = sqrt(sx * sx + sy * sy + sz * sz);
  const F least = min(a, b);
  const F to_flank = far / max(share, tiny) - far;  // negative outside
  const F across = max(zero - to_flank, zero);
  const auto inside = (share <= one) & (gap <= zero);
  const F depth = select(share < F::all(1e-3f), least, min(to_flank, least));
  return {gap * gap + beside * beside, gap * gap + across * across, select(inside, depth, F::all(-1))};
}

inline __attribute__((always_inline)) void box_distances(const BoundsView& view, const F& px, const F& py, const F& pz,
                                                         float* out) {
  const F zero = F::all(0);
  for (int g = 0; g < view.group_count; g += kLanes) {
    const BoxGroup& box = view.boxes[g / kLanes];
    const F x = max(max(F::load(box.low[0]) - px, px - F::load(box.high[0])), zero);
    const F y = max(max(F::load(box.low[1]) - py, py - F::load(box.high[1])), zero);
    const F z = max(max(F::load(box.low[2]) - pz, pz - F::load(box.high[2])), zero);
    sqrt(x * x + y * y + z * z).store(out + g);
  }
}

// A float's own error, and a little more, so that no solid is ever left out wrongly.
inline __attribute__((always_inline)) float at_least(float distance) { return distance * (1.0f - 1e-5f) - 2e-5f; }

struct Gathered {
  F upper, depth;
  int count;  // in lower, solid
};

inline __attribute__((always_inline)) void gather_group(const BoundsView& view, int g, const F& px, const F& py,
                                                        const F& pz, const BoundsWork& work, Gathered* all) {
  const SolidGroup& group = view.groups[g];
  const SolidBounds found = solid_bounds(group, px, py, pz);
  found.lower.store(work.lower + all->count);
  __builtin_memcpy(work.solid + all->count, group.solid, sizeof(group.solid));
  all->count += kLanes;
  all->upper = min(all->upper, found.upper);
  all->depth = max(all->depth, found.depth);
}

inline __attribute__((always_inline)) float least(const F& pack) {
  float lanes[kLanes];
  pack.store(lanes);
  float out = lanes[0];
  for (int i = 1; i < kLanes; ++i) out = lanes[i] < out ? lanes[i] : out;
  return out;
}

// How far solids can be and still matter.
inline __attribute__((always_inline)) float reach_of(const Gathered& all, const BoundsQuery& query) {
  const float upper = __builtin_sqrtf(least(all.upper)), depth = -least(F::all(0) - all.depth) * query.depth_weight;
  const float reach = upper < query.reach ? upper : query.reach;
  return (depth > reach ? depth : reach) + query.extra;
}

int bounds(const BoundsView& view, const BoundsQuery& query, const BoundsWork& work, int32_t* candidates) {
  const F px = F::all(query.point[0]), py = F::all(query.point[1]), pz = F::all(query.point[2]);
  box_distances(view, px, py, pz, work.group_distance);
  int first = 0;
  for (int g = 1; g < view.group_count; ++g)
    if (work.group_distance[g] < work.group_distance[first]) first = g;
  Gathered all{F::all(3e38f), F::all(-1), 0};
  for (int g = 0; g < view.group_count; ++g)  // a point inside is inside their boxes
    if (g == first || at_least(work.group_distance[g]) <= 0) gather_group(view, g, px, py, pz, work, &all);
  float reach = reach_of(all, query);
  for (int g = 0; g < view.group_count; ++g) {
    const float distance = at_least(work.group_distance[g]);
    if (g == first || distance <= 0 || distance > reach) continue;
    gather_group(view, g, px, py, pz, work, &all);
    reach = reach_of(all, query);
  }
  const float limit = (reach + 2e-5f) * (1.0f + 3e-5f), limit_squared = limit * limit;  // at_least, the other way round
  int count = 0;
  for (int i = 0; i < all.count; ++i) {
    candidates[count] = work.solid[i];
    count += work.solid[i] >= 0 && work.lower[i] <= limit_squared;
  }
  return count;
}

// ---- The distance to frusta -------------------------------------------------------------------------------------

struct FrustumPack {
  D ex, ey, height, a0, b0, da, db;
};

template <typename Member>
inline __attribute__((always_inline)) D gathered(const FrustumRecord* records, const int32_t* solid, Member member) {
  double lanes[kLanes];
  for (int i = 0; i < kLanes; ++i) lanes[i] = member(records[solid[i]]);
  return D::load(lanes);
}

struct Vector {
  D x, y, z;
};

inline __attribute__((always_inline)) D dot(const Vector& a, const Vector& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}

#define TRYON_GATHER(member) gathered(records, solid, [](const FrustumRecord& r) { return r.member; })

inline __attribute__((always_inline)) FrustumPack gather_frusta(const FrustumRecord* records, const int32_t* solid) {
  return {TRYON_GATHER(ex), TRYON_GATHER(ey), TRYON_GATHER(height), TRYON_GATHER(a0),
          TRYON_GATHER(b0), TRYON_GATHER(da), TRYON_GATHER(db)};
}

// The point of the generator at angle (c, s) that is nearest to p, and what Newton's method needs there.
struct Foot {
  D c, s, t, squared, slope, curvature;
};

inline __attribute__((always_inline)) Foot foot_at(const FrustumPack& f, const Vector& p, const D& c, const D& s) {
  const D zero = D::all(0), one = D::all(1);
  const D gx = f.ex + f.da * c, gy = f.ey + f.db * s, gz = f.height;
  const D inverse_squared = one / (gx * gx + gy * gy + gz * gz);
  const D dx = f.a0 * c - p.x, dy = f.b0 * s - p.y, dz = zero - p.z;
  const D free_t = zero - (dx * gx + dy * gy + dz * gz) * inverse_squared;
  const D t = min(max(free_t, zero), one);
  const D rx = dx + gx * t, ry = dy + gy * t, rz = dz + gz * t;
  const D a = f.a0 + f.da * t, b = f.b0 + f.db * t;
  const D as = a * s, bc = b * c;
  Foot out{c, s, t, rx * rx + ry * ry + rz * rz, ry * bc - rx * as, zero};
  const D cross = gy * bc - gx * as + ry * f.db * c - rx * f.da * s;
  const D held = as * as + bc * bc - rx * a * c - ry * b * s;
  const auto clamped = (free_t < zero) | (one < free_t);  // else the height follows the angle
  out.curvature = held - select(clamped, zero, cross * cross * inverse_squared);
  return out;
}

inline __attribute__((always_inline)) D newton_step(const Foot& at) {
  const D zero = D::all(0), half = D::all(0.5), quarter = D::all(0.25);
  const auto convex = zero < at.curvature;
  const D downhill = select(zero < at.slope, zero - quarter, quarter);
  const D step = (zero - at.slope) / select(convex, at.curvature, D::all(1));
  return select(convex, max(min(step, half), zero - half), downhill);
}

// The angle to start from: on the ellipse at the point's own height, by way of its centre of curvature, in the
// point's own quadrant, where the nearest point of an ellipse is.
inline __attribute__((always_inline)) void start_angle(const D& a, const D& b, const D& qx, const D& qy, D* c, D* s) {
  const D zero = D::all(0), one = D::all(1), tiny = D::all(1e-100);
  const D x = abs(qx), y = abs(qy);
  D cx = x * b, cy = y * a;  // the angle of the radius
  const D level = sqrt(cx * cx + cy * cy) / (a * b);
  const auto outside = one < level;
  cx = select(outside, x * a * level, cx), cy = select(outside, y * b * level, cy);
  D scale = one / max(sqrt(cx * cx + cy * cy), tiny);
  cx = cx * scale, cy = cy * scale;
  for (int i = 0; i < 2; ++i) {
    const D focal = a * a - b * b;
    const D ox = focal * cx * cx * cx / a, oy = zero - focal * cy * cy * cy / b;  // the centre of curvature
    const D rx = a * cx - ox, ry = b * cy - oy, px = x - ox, py = y - oy;
    const D stretch = sqrt((rx * rx + ry * ry) / max(px * px + py * py, tiny));
    cx = max((px * stretch + ox) / a, zero), cy = max((py * stretch + oy) / b, zero);
    scale = one / max(sqrt(cx * cx + cy * cy), tiny);
    cx = cx * scale, cy = cy * scale;
  }
  const auto lost = !(D::all(0.5) < cx * cx + cy * cy);
  cx = select(lost, one, cx);
  *c = select(qx < zero, zero - cx, cx);
  *s = select(qy < zero, zero - cy, cy);
}

// Newton's method; a step that does not descend is halved. Lanes that have arrived stand still.
inline __attribute__((always_inline)) Foot descend(const FrustumPack& f, const Vector& p, const D& c, const D& s,
                                                   D* sound) {
  const D zero = D::all(0), one = D::all(1);
  Foot at = foot_at(f, p, c, s);
  D step = newton_step(at);
  auto active = D::all(1e-8) < abs(step);
  for (int round = 0; round < 14 && any(active); ++round) {
    const D nc = at.c - step * at.s, ns = at.s + step * at.c;
    const D scale = one / sqrt(nc * nc + ns * ns);
    const Foot next = foot_at(f, p, nc * scale, ns * scale);
    const auto better = active & (next.squared <= at.squared);
    at.c = select(better, next.c, at.c), at.s = select(better, next.s, at.s), at.t = select(better, next.t, at.t);
    at.squared = select(better, next.squared, at.squared);
    const auto arrived = better & (abs(step) < D::all(3e-5));  // Newton's error is of the order of the square
    step = select(better, newton_step(next), step * D::all(0.5));
    active = active & !arrived & (D::all(1e-8) < abs(step));
  }
  *sound = select(active, zero, *sound);
  return at;
}

struct Answer {
  D distance;
  Vector normal;  // in the frustum's frame
  D sound;
};

inline __attribute__((always_inline)) D level_squared(const FrustumPack& f, const D& t, const Vector& p) {
  const D x = (p.x - f.ex * t) / (f.a0 + f.da * t), y = (p.y - f.ey * t) / (f.b0 + f.db * t);
  return x * x + y * y;
}

inline __attribute__((always_inline)) Vector flank_normal(const FrustumPack& f, const Foot& at) {
  const D x = D::all(0) - (f.a0 + f.da * at.t) * at.s, y = (f.b0 + f.db * at.t) * at.c;
  const D gx = f.ex + f.da * at.c, gy = f.ey + f.db * at.s;
  const Vector n{y * f.height, D::all(0) - x * f.height, x * gy - y * gx};
  const D scale = D::all(1) / max(sqrt(dot(n, n)), D::all(1e-100));
  return {n.x * scale, n.y * scale, n.z * scale};
}

inline __attribute__((always_inline)) Answer flank_answer(const FrustumPack& f, const Vector& p, const D& bend,
                                                          D* sign) {
  const D zero = D::all(0), one = D::all(1);
  const D level_height = p.z / f.height;
  const D t0 = min(max(level_height, zero), one);
  const D a = f.a0 + f.da * t0, b = f.b0 + f.db * t0, qx = p.x - f.ex * t0, qy = p.y - f.ey * t0;
  Answer out;
  // Deep inside there may be several near feet: not this function's business.
  const D here = level_squared(f, t0, p), root_here = sqrt(here), far = sqrt(qx * qx + qy * qy);
  const auto unique = far - far * root_here <= root_here * bend;
  out.sound = select(unique, one, zero);
  D c, s;
  start_angle(a, b, qx, qy, &c, &s);
  const Foot foot = descend(f, p, c, s, &out.sound);
  const D ca = f.a0 + f.da * foot.t, cb = f.b0 + f.db * foot.t;
  const Vector away{p.x - (f.ex * foot.t + ca * foot.c), p.y - (f.ey * foot.t + cb * foot.s), p.z - f.height * foot.t};
  const auto inside = (zero <= level_height) & (level_height <= one) & (level_squared(f, level_height, p) <= one);
  *sign = select(inside, zero - one, one);
  out.distance = sqrt(foot.squared);
  const auto off = D::all(1e-10) < out.distance;
  const D scale = *sign / max(out.distance, D::all(1e-100));
  const Vector own = flank_normal(f, foot);
  const auto beside = (zero <= level_height) & (level_height <= one);  // there the foot must face the point
  out.sound = select(beside & (dot(away, own) * *sign < zero), zero, out.sound);
  out.normal = {select(off, away.x * scale, own.x), select(off, away.y * scale, own.y),
                select(off, away.z * scale, own.z)};
  return out;
}

// An end disc that counts (see End in local_frustum.h).
inline __attribute__((always_inline)) void meet_wall(const FrustumPack& f, const Vector& p, const D& wall,
                                                     const D& sign, const D& t_end, const D& away, const D& outward,
                                                     Answer* out) {
  const D zero = D::all(0), half = D::all(0.5);
  const D gap = abs(away);
  const auto meets = (half < wall) & (gap < out->distance) & (level_squared(f, t_end, p) <= D::all(1));
  const auto turns = meets & ((zero < sign) | (D::all(1.5) < wall));
  const D facing = select((zero < sign) & (zero < away), zero - outward, outward);  // beyond an open end: from within
  out->distance = select(meets, gap, out->distance);
  out->normal = {select(turns, zero, out->normal.x), select(turns, zero, out->normal.y),
                 select(turns, facing, out->normal.z)};
}

void distances_of_eight(const FrustumRecord* records, int mode, const Pairs& pairs, int first) {
  const int32_t* solid = pairs.solid + first;
  const D x = D::load(pairs.x + first) - TRYON_GATHER(origin[0]),
          y = D::load(pairs.y + first) - TRYON_GATHER(origin[1]),
          z = D::load(pairs.z + first) - TRYON_GATHER(origin[2]);
  const Vector from{x, y, z};
  const Vector u{TRYON_GATHER(u[0]), TRYON_GATHER(u[1]), TRYON_GATHER(u[2])},
      v{TRYON_GATHER(v[0]), TRYON_GATHER(v[1]), TRYON_GATHER(v[2])},
      w{TRYON_GATHER(axis[0]), TRYON_GATHER(axis[1]), TRYON_GATHER(axis[2])};
  const Vector p{dot(from, u), dot(from, v), dot(from, w)};
  const FrustumPack f = gather_frusta(records, solid);
  D sign;
  Answer out = flank_answer(f, p, TRYON_GATHER(bend), &sign);
  const D zero = D::all(0), one = D::all(1);
  const D bottom = mode == 0 ? TRYON_GATHER(wall[0][0]) : TRYON_GATHER(wall[1][0]);
  const D top = mode == 0 ? TRYON_GATHER(wall[0][1]) : TRYON_GATHER(wall[1][1]);
  meet_wall(f, p, bottom, sign, zero, p.z, zero - one, &out);
  meet_wall(f, p, top, sign, one, f.height - p.z, one, &out);
  (out.distance * sign).store(pairs.distance + first);
  const Vector& n = out.normal;
  (u.x * n.x + v.x * n.y + w.x * n.z).store(pairs.nx + first);
  (u.y * n.x + v.y * n.y + w.y * n.z).store(pairs.ny + first);
  (u.z * n.x + v.z * n.y + w.z * n.z).store(pairs.nz + first);
  out.sound.store(pairs.sound + first);
}

#undef TRYON_GATHER

void distances(const FrustumRecord* records, int mode, const Pairs& pairs) {
  for (int first = 0; first < pairs.count; first += kLanes) distances_of_eight(records, mode, pairs, first);
}

}  // namespace
}  // namespace tryon::batch
