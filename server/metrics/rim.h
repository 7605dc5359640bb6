// What it is: the free edges of cloth as rims, and what a hem does: its level, how uneven it is, its folds.
// Folds: the rim is compared with its own shape without folds (its Fourier modes -3 .. 3 by arc length, which carry a
// body's ellipse and its corners); a fold is a crest of the outward offset that stands above both valleys beside it
// by at least kFoldShare of the rim's length; its depth is from crest to the mean of those valleys. Units and frame:
// metres, world, +Y up. Shapes: a rim's vertices in walking order, a closed one repeats none. How it fails: rims that
// branch are cut there and open. Thread rules: pure functions.
#pragma once

#include <array>
#include <vector>

#include "server/mesh/triangle_mesh.h"

namespace tryon {

struct Rim {
  std::vector<int> vertices;
  double length = 0.0, rest_length = 0.0;
  bool closed = false;
  Vec3 middle = Vec3::Zero();  // of its vertices, by length
  Vec3 normal = Vec3::Zero();  // unit: of the plane that fits it best; +Y where it lies flat
  double lowest = 0.0, highest = 0.0;
};
// Longest first.
std::vector<Rim> find_rims(const TriangleMesh& mesh, const std::vector<std::array<Vec2, 3>>& corner_flat);

inline constexpr double kFoldShare = 0.004;  // of the rim's length: 4 mm in a metre
struct Folds {
  int count = 0;
  double mean_depth = 0.0, max_depth = 0.0;  // m
};
Folds find_folds(const std::vector<Vec3>& closed_rim);  // seen from above

}  // namespace tryon
