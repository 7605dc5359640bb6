// What it is: the inner loops of batched queries to solids: which solids can be nearest (eight solids at once, float),
// and the distance of (point, frustum) pairs (eight pairs at once, double). Compiled twice from batch_kernels_impl.h,
// for the baseline processor and for AVX2, and chosen at run time. No fused multiply-add, square roots and divisions
// correctly rounded, every lane by itself: both give the same bytes. Units: metres; floats are relative to a centre.
// How it fails: pairs it cannot vouch for come back with sound = 0, for the one-point function. Threads: pure
// functions.
#pragma once

#include <cstdint>

namespace tryon::batch {

constexpr int kLanes = 8;

struct BoxGroup {  // the boxes of eight groups
  float low[3][kLanes], high[3][kLanes];
};

// Eight solids. Each lies in the elliptic cylinder of centre (mx, my) and semi-axes A, B (given as 1/A^2, 1/B^2) over
// z in [low, high] of its own frame; a sphere has z in the ellipse too (round = 1), and no ends.
struct SolidGroup {
  float origin[3][kLanes], u[3][kLanes], v[3][kLanes], axis[3][kLanes];
  float mx[kLanes], my[kLanes], inverse_a2[kLanes], inverse_b2[kLanes], inverse_c2[kLanes];
  float low[kLanes], high[kLanes], inverse_height[kLanes];
  float ex[kLanes], ey[kLanes], a0[kLanes], b0[kLanes], da[kLanes], db[kLanes], round[kLanes];
  int32_t solid[kLanes];  // -1: none
};

struct BoundsView {
  const BoxGroup* boxes;
  const SolidGroup* groups;
  int group_count;
};

struct BoundsQuery {
  float point[3];
  float reach;         // farther solids do not matter
  float extra;         // solids this much farther than the nearest matter too
  float depth_weight;  // 1: for a point inside, also those within its depth; 0: not
};

// Workspace for bounds(): [8 * group_count] each, `group_count` rounded up to eight.
struct BoundsWork {
  float *group_distance, *lower;
  int32_t* solid;
};

struct FrustumRecord {
  double origin[3], u[3], v[3], axis[3];
  double ex, ey, height, a0, b0, da, db;
  double bend;        // smallest radius of curvature of the sections, about; nearer than that feet are unique
  double wall[2][2];  // [mode][bottom, top]: 0 no wall, 1 buried (see End in local_frustum.h), 2 a wall
};

// Pairs in structure-of-arrays form; capacity a multiple of kLanes, filled up with copies of the last pair.
struct Pairs {
  int count;
  const int32_t* solid;
  const double *x, *y, *z;
  double *distance, *nx, *ny, *nz;
  double* sound;  // 0: ask the one-point function
};

struct Kernels {
  int (*bounds)(const BoundsView&, const BoundsQuery&, const BoundsWork&, int32_t* candidates);
  void (*distances)(const FrustumRecord*, int mode, const Pairs&);
};

const Kernels& baseline_kernels();
const Kernels* avx2_kernels();  // null where the processor has none
const Kernels& best_kernels();

}  // namespace tryon::batch
