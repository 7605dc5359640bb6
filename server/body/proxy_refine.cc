#include "server/body/proxy_refine.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "Eigen/Cholesky"

namespace tryon {
namespace {

constexpr double kFar = std::numeric_limits<double>::infinity();
constexpr double kReach = 0.06;      // metres round a strand within which points are looked at
constexpr double kSlimmest = 0.003;  // metres: no radius falls below
constexpr double kLongestStep = 0.006;

using Mat4 = Eigen::Matrix4d;
using Vec4 = Eigen::Vector4d;  // centre and radii of a level

struct Candidate {
  int point = 0;
  bool claimed = false;
  double x = 0.0, y = 0.0, h = 0.0;
  double nx = 0.0, ny = 0.0;  // the skin's outward normal across the axis
};

// A candidate against its strand: first-order distance and its slope by the centre and radii at that height.
struct Reach {
  double distance = kFar, share = 0.0;
  int below = 0;
  Vec4 slope = Vec4::Zero();
  double turn = 0.0;  // slope by the strand's angle, each ellipse turning about its centre
};

// Outside: first order in the distance. Inside: how far it is to leave along the skin's own normal, for the nearest
// flank may be that of the far side: a thin hand would let its ellipse grow into the air.
Reach reach_of(const Candidate& c, const std::vector<StrandLevel>& levels, int below) {
  constexpr double kLeastAcross = 0.3;  // of a normal for its way out to be followed
  const StrandLevel &a = levels[below], &b = levels[below + 1];
  const double span = b.height - a.height, s = (c.h - a.height) / span;
  const Vec2 radii = (1 - s) * a.radii + s * b.radii;
  Vec2 offset = Vec2(c.x, c.y) - (1 - s) * a.center - s * b.center;
  Vec2 unit = offset.cwiseQuotient(radii);
  const double across = std::hypot(c.nx, c.ny), level_squared = unit.squaredNorm();
  Reach out{0.0, s, below, Vec4::Zero(), 0.0};
  if (level_squared < 1.0 && across > kLeastAcross) {
    const Vec2 n = Vec2(c.nx, c.ny) / across, way = n.cwiseQuotient(radii);
    const double aa = way.squaredNorm(), bb = unit.dot(way);
    const double t = (std::sqrt(bb * bb + aa * (1.0 - level_squared)) - bb) / aa;
    offset += t * n, unit += t * way;
    const Vec2 slope = unit.cwiseQuotient(radii);
    const double length = std::max(slope.dot(n), 0.5 * slope.norm()) / across;
    out.distance = -t * across;
    out.slope << -slope / length, -slope.cwiseProduct(unit) / length;
    out.turn = (slope.x() * offset.y() - slope.y() * offset.x()) / length;
    return out;
  }
  const double level = std::max(std::sqrt(level_squared), 1e-6);
  const Vec2 slope = unit.cwiseQuotient(radii) / level;
  const Vec2 growth = (b.center - a.center + unit.cwiseProduct(b.radii - a.radii)) / span;
  // A flank steeper than 45 degrees would make its own gaps small by growing steeper still.
  const double rise = slope.dot(growth), flat = slope.squaredNorm();
  const double length = std::sqrt(flat + std::min(rise * rise, flat));
  out.distance = (level - 1.0) / length;
  out.slope << -slope / length, -slope.cwiseProduct(unit) / length;
  out.turn = (slope.x() * offset.y() - slope.y() * offset.x()) / length;
  return out;
}

// The points near a strand in its own coordinates, lowest first.
std::vector<Candidate> candidates_of(const Skin& skin, const Strand& strand) {
  Eigen::AlignedBox2d box;
  for (const StrandLevel& level : strand.levels) {
    box.extend(Vec2(level.center - level.radii)), box.extend(Vec2(level.center + level.radii));
  }
  box.extend(Vec2(box.min().array() - kReach)), box.extend(Vec2(box.max().array() + kReach));
  std::vector<Candidate> out;
  for (size_t i = 0; i < skin.points.size(); ++i) {
    const Vec3 p = strand.local(skin.points[i]);
    if (p.z() < strand.levels.front().height - 1e-6 || p.z() > strand.levels.back().height + 1e-6) continue;
    if (!box.contains(p.head<2>())) continue;
    out.push_back({static_cast<int>(i), (strand.claims & part_bit(skin.part[i])) != 0, p.x(), p.y(), p.z(),
                   skin.normal[i].dot(strand.u), skin.normal[i].dot(strand.v)});
  }
  std::sort(out.begin(), out.end(),
            [](const Candidate& a, const Candidate& b) { return a.h != b.h ? a.h < b.h : a.point < b.point; });
  return out;
}

// Calls visit(candidate, reach) for every candidate, walking up the levels beside them.
template <typename Visit>
void walk(const std::vector<Candidate>& candidates, const std::vector<StrandLevel>& levels, Visit visit) {
  int below = 0;
  const int last = static_cast<int>(levels.size()) - 2;
  for (const Candidate& c : candidates) {
    while (below < last && levels[below + 1].height < c.h) ++below;
    visit(c, reach_of(c, levels, below));
  }
}

struct Owner {
  double gap = kFar;
  int strand = -1;
};

// Who answers for each point.
std::vector<Owner> find_owners(const std::vector<std::vector<Candidate>>& candidates,
                               const std::vector<Strand>& strands, size_t point_count) {
  std::vector<Owner> owners(point_count);
  for (size_t k = 0; k < strands.size(); ++k) {
    walk(candidates[k], strands[k].levels, [&](const Candidate& c, const Reach& reach) {
      if (reach.distance > 0.0 && !c.claimed) return;
      if (reach.distance < owners[c.point].gap) owners[c.point] = {reach.distance, static_cast<int>(k)};
    });
  }
  return owners;
}

Vec4 as_vector(const StrandLevel& level) {
  return {level.center.x(), level.center.y(), level.radii.x(), level.radii.y()};
}

struct NormalEquations {
  double turn_pull = 0.0, turn_weight = 0.0;  // of the strand's one angle
  std::vector<Mat4> diagonal, upper;          // upper[i] couples level i with i + 1
  std::vector<Vec4> right;
  double weight = 0.0;
  explicit NormalEquations(size_t levels)
      : diagonal(levels, Mat4::Zero()), upper(levels, Mat4::Zero()), right(levels, Vec4::Zero()) {}
  void add(const Reach& reach, double gap, double w) {
    const double sa = 1.0 - reach.share, sb = reach.share;
    const Mat4 outer = w * reach.slope * reach.slope.transpose();
    const Vec4 pull = -w * gap * reach.slope;
    diagonal[reach.below] += sa * sa * outer, diagonal[reach.below + 1] += sb * sb * outer;
    upper[reach.below] += sa * sb * outer;
    right[reach.below] += sa * pull, right[reach.below + 1] += sb * pull;
    weight += w;
    turn_pull -= w * gap * reach.turn, turn_weight += w * reach.turn * reach.turn;
  }
  // Block elimination from the lowest level up, then back.
  std::vector<Vec4> solve(double hold) const {
    const size_t n = diagonal.size();
    std::vector<Eigen::LLT<Mat4>> pivot(n);
    std::vector<Vec4> x = right;
    Mat4 block = diagonal[0];
    for (size_t i = 0; i < n; ++i) {
      pivot[i].compute(block + hold * Mat4::Identity());
      if (i + 1 == n) break;
      const Mat4 across = pivot[i].solve(upper[i]);
      block = diagonal[i + 1] - upper[i].transpose() * across;
      x[i + 1] -= upper[i].transpose() * pivot[i].solve(x[i]);
    }
    for (size_t i = n; i-- > 0;) {
      if (i + 1 < n) x[i] -= upper[i] * x[i + 1];
      x[i] = pivot[i].solve(x[i]);
    }
    return x;
  }
};

// A level with little skin of its own may not run away: it stays near where it began.
void move_levels(const std::vector<Vec4>& step, const std::vector<Vec4>& start, std::vector<StrandLevel>* levels) {
  constexpr double kShrink = 0.5, kGrow = 1.35;
  for (size_t i = 0; i < step.size(); ++i) {
    const double longest = step[i].cwiseAbs().maxCoeff();
    const Vec4 move = longest > kLongestStep ? Vec4(step[i] * (kLongestStep / longest)) : step[i];
    const Vec2 first = start[i].tail<2>();
    StrandLevel& level = (*levels)[i];
    level.center += move.head<2>();
    const Vec2 shift = level.center - start[i].head<2>();
    const double farthest = 0.5 * first.maxCoeff();
    if (shift.norm() > farthest) level.center = start[i].head<2>() + shift * (farthest / shift.norm());
    level.radii = (level.radii + move.tail<2>()).cwiseMax(kShrink * first).cwiseMin(kGrow * first).cwiseMax(kSlimmest);
  }
}

// Turns u and v by an angle, each ellipse staying where it is.
void turn_strand(double angle, Strand* strand, std::vector<Vec4>* start, std::vector<Candidate>* candidates) {
  const double c = std::cos(angle), s = std::sin(angle);
  const Vec3 u = c * strand->u + s * strand->v;
  strand->v = c * strand->v - s * strand->u, strand->u = u;
  for (StrandLevel& level : strand->levels) {
    level.center = Vec2(c * level.center.x() + s * level.center.y(), c * level.center.y() - s * level.center.x());
  }
  for (Vec4& level : *start) level.head<2>() = Vec2(c * level.x() + s * level.y(), c * level.y() - s * level.x());
  for (Candidate& p : *candidates) {
    const double x = c * p.x + s * p.y, nx = c * p.nx + s * p.ny;
    p.y = c * p.y - s * p.x, p.x = x;
    p.ny = c * p.ny - s * p.nx, p.nx = nx;
  }
}

std::vector<std::vector<Candidate>> all_candidates(const Skin& skin, const std::vector<Strand>& strands) {
  std::vector<std::vector<Candidate>> out;
  for (const Strand& strand : strands) out.push_back(candidates_of(skin, strand));
  return out;
}

// One Gauss-Newton step of one strand, over the points that it answers for.
void step_strand(const Skin& skin, const RefineSettings& settings, const std::vector<Owner>& owners, int self,
                 Strand* strand, std::vector<Vec4>* start, std::vector<Candidate>* candidates) {
  constexpr double kLongestTurn = 0.06;  // radians
  const double each = 1.0 / static_cast<double>(skin.points.size());
  const size_t level_count = strand->levels.size();
  NormalEquations equations(level_count);
  walk(*candidates, strand->levels, [&](const Candidate& c, const Reach& reach) {
    if (owners[c.point].strand != self) return;
    const double gap = reach.distance - settings.tolerance_m;
    const double importance = gap > 0.0 ? settings.outside_weight * each : skin.area[c.point];
    const double depth = std::max(-gap, settings.deep_m) / settings.deep_m;
    equations.add(reach, gap, importance / (depth * depth * std::max(std::abs(gap), settings.soft_m)));
  });
  if (equations.weight <= 0.0) return;
  const double calm = strand->compact ? settings.compact_calm : settings.calm;
  const double hold = calm * equations.weight / static_cast<double>(level_count);
  const double anchor = settings.anchor * hold;
  for (size_t i = 0; i < level_count; ++i) {
    equations.right[i] += anchor * ((*start)[i] - as_vector(strand->levels[i]));
  }
  move_levels(equations.solve(hold + anchor), *start, &strand->levels);
  const double angle = settings.turning * equations.turn_pull / (equations.turn_weight + 1e-5 * equations.weight);
  if (settings.turning > 0.0) turn_strand(std::clamp(angle, -kLongestTurn, kLongestTurn), strand, start, candidates);
}

}  // namespace

void refine_strands(const Skin& skin, const RefineSettings& settings, std::vector<Strand>* strands) {
  std::vector<std::vector<Candidate>> candidates = all_candidates(skin, *strands);
  std::vector<std::vector<Vec4>> start;
  for (const Strand& strand : *strands) {
    start.emplace_back();
    for (const StrandLevel& level : strand.levels) start.back().push_back(as_vector(level));
  }
  for (int sweep = 0; sweep < settings.sweeps; ++sweep) {
    const std::vector<Owner> owners = find_owners(candidates, *strands, skin.points.size());
    for (size_t k = 0; k < strands->size(); ++k) {
      step_strand(skin, settings, owners, static_cast<int>(k), &(*strands)[k], &start[k], &candidates[k]);
    }
  }
}

void hold_points(const Skin& skin, double share, Strand* strand) {
  const double height = strand->levels.back().height - strand->levels.front().height;
  std::vector<double> needed;
  for (const Candidate& c : candidates_of(skin, *strand)) {
    if (!c.claimed || c.h > strand->levels.back().height - 0.02 * height) continue;
    const StrandLevel level = strand_level_at(strand->levels, c.h);
    needed.push_back((Vec2(c.x, c.y) - level.center).cwiseQuotient(level.radii).norm());
  }
  if (needed.empty()) return;
  std::sort(needed.begin(), needed.end());
  const double scale = needed[static_cast<size_t>(share * static_cast<double>(needed.size() - 1))];
  for (StrandLevel& level : strand->levels) level.radii *= std::clamp(scale, 1.0, 1.8);
}

std::vector<double> strand_gaps(const Skin& skin, const std::vector<Strand>& strands) {
  std::vector<double> gaps;
  for (const Owner& owner : find_owners(all_candidates(skin, strands), strands, skin.points.size())) {
    gaps.push_back(owner.gap);
  }
  return gaps;
}

std::vector<std::vector<LevelShares>> owned_shares(const Skin& skin, const std::vector<Strand>& strands) {
  const std::vector<std::vector<Candidate>> candidates = all_candidates(skin, strands);
  const std::vector<Owner> owners = find_owners(candidates, strands, skin.points.size());
  std::vector<std::vector<LevelShares>> out;
  for (size_t k = 0; k < strands.size(); ++k) {
    out.emplace_back(strands[k].levels.size(), LevelShares::Zero());
    walk(candidates[k], strands[k].levels, [&](const Candidate& c, const Reach& reach) {
      if (owners[c.point].strand != static_cast<int>(k)) return;
      // The slope by the centre is the outward direction, negated; its squares share the point out between two sides.
      const Vec2 out_share = reach.slope.head<2>().normalized().cwiseAbs2() * skin.area[c.point];
      const size_t level = static_cast<size_t>(reach.below) + (reach.share > 0.5 ? 1 : 0);
      out[k][level][reach.slope.x() > 0.0 ? 0 : 1] += out_share.x();
      out[k][level][reach.slope.y() > 0.0 ? 2 : 3] += out_share.y();
    });
  }
  return out;
}

}  // namespace tryon
