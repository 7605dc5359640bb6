// What it is: a strand, a run of ellipses along one axis from which oblique elliptic frusta are made, and the points of
// the skin that strands are fitted to. Several strands side by side bound a section that one ellipse would overstate.
// Units and frame: metres, the body's frame; a strand's own coordinates are (along u, along v, height along axis).
// Shapes: levels [level_count], heights rising; skin arrays [point_count]. How it fails: it does not.
// Thread rules: plain values, pure functions.
#pragma once

#include <vector>

#include "server/body/body.h"

namespace tryon {

struct StrandLevel {
  double height = 0.0;
  Vec2 center = Vec2::Zero(), radii = Vec2::Zero();
};

struct Strand {
  Vec3 origin = Vec3::Zero(), axis = Vec3::UnitY(), u = Vec3::UnitX(), v = Vec3::UnitZ();
  std::vector<StrandLevel> levels;
  bool open_low = false, open_high = false;  // the end lies inside another solid
  bool compact = false;                      // a hand or a foot: too few levels for its shape to be refined
  unsigned claims = 0;                       // bit per BodyPart: whose points the strand grows to hold
  BodyPart part = BodyPart::kTorso;
  Vec3 local(const Vec3& p) const { return {(p - origin).dot(u), (p - origin).dot(v), (p - origin).dot(axis)}; }
  Vec3 world(const Vec2& q, double height) const { return origin + u * q.x() + v * q.y() + axis * height; }
};

inline unsigned part_bit(BodyPart part) { return 1u << static_cast<unsigned>(part); }

// Puts the axis along from -> to with u as near to `along_u` as can be; heights count from `from`.
void aim_strand(const Vec3& from, const Vec3& to, const Vec3& along_u, Strand* strand);

// The ellipse at a height between two levels; beyond the ends that of the end.
StrandLevel strand_level_at(const std::vector<StrandLevel>& levels, double height);

// Frusta from each level to the next.
std::vector<Frustum> strand_frusta(const Strand& strand);

// What is to be bounded.
struct Skin {
  std::vector<Vec3> points;
  std::vector<double> area;  // of the whole, sums to 1; 0 for points that are only to be held
  std::vector<BodyPart> part;
  std::vector<Vec3> normal;  // outward, unit
};
Skin vertex_skin(const Body& body);  // every vertex with its share of its triangles

// `even` points at equal areas of the surface, and at most `corners` vertices without area, at equal steps.
Skin sample_skin(const Body& body, int even, int corners);

// How much skin a level answers for on its four sides: -u, +u, -v, +v. Shares of the whole.
using LevelShares = Eigen::Vector4d;

// Picks `count` levels, the ends among them, so that straight lines between them follow all of them closely, each side
// as important as the skin it answers for; where the profile lies outside a line both its ends would have to grow, so
// that counts `bulge` times. The cost is in metres of mean gap. Gives the picks for every count up to `most`.
struct LevelChoice {
  double cost = 0.0;
  std::vector<StrandLevel> levels;
};
std::vector<LevelChoice> choose_levels(const std::vector<StrandLevel>& dense, const std::vector<LevelShares>& shares,
                                       double bulge, int most);

}  // namespace tryon
