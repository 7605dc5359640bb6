#include "server/body/proxy_refine.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "Eigen/Cholesky"

namespace tryon {
namespace {

constexpr double kFar = std::numeric_limits<double>::infinity();
constexpr double kReach = 0.06;      // metres round a strand within which points are looked at
constexpr double kSlimmest = 0.003;  // metres: no radius falls below
constexpr double kLongestStep = 0.006;
constexpr double kLimit = 0.00049;  // metres: a point farther outside is not held

using Vec5 = Eigen::Matrix<double, 5, 1>;  // a level: centre, radii and height
using Mat5 = Eigen::Matrix<double, 5, 5>;

struct Candidate {
  int point = 0;
  bool claimed = false;
  double x = 0.0, y = 0.0, h = 0.0;
  double nx = 0.0, ny = 0.0;  // the skin's outward normal across the axis
  double across = 0.0;        // its length there
  double stands_for = 1.0;    // points
};

// A candidate against its strand: first-order distance and its slope by the centre and radii at that height.
struct Reach {
  double distance = kFar, share = 0.0;
  int below = 0;
  Vec5 slope = Vec5::Zero();
  double turn = 0.0;  // slope by the strand's angle, each ellipse turning about its centre
};

// The ellipse beside a candidate, and the candidate in its unit circle.
struct Beside {
  double share, span;
  Vec2 radii, offset, unit;
  double level_squared;
};

[[gnu::always_inline]] inline Beside beside(const Candidate& c, const StrandLevel& a, const StrandLevel& b) {
  Beside out;
  out.span = b.height - a.height, out.share = (c.h - a.height) / out.span;
  out.radii = a.radii + out.share * (b.radii - a.radii);
  out.offset = Vec2(c.x, c.y) - a.center - out.share * (b.center - a.center);
  out.unit = out.offset.cwiseQuotient(out.radii), out.level_squared = out.unit.squaredNorm();
  return out;
}

// Outside: first order in the distance. Inside: how far it is to leave along the skin's own normal, for the nearest
// flank may be that of the far side: a thin hand would let its ellipse grow into the air.
constexpr double kLeastAcross = 0.3;  // of a normal for its way out to be followed

inline bool leaves_along_normal(const Candidate& c, const Beside& at) {
  return at.level_squared < 1.0 && c.across > kLeastAcross;
}

// How far along the normal's part across the axis.
[[gnu::always_inline]] inline double way_out(const Candidate& c, const Beside& at, Vec2* way) {
  *way = Vec2(c.nx, c.ny).cwiseQuotient(at.radii) / c.across;
  const double aa = way->squaredNorm(), bb = at.unit.dot(*way);
  return (std::sqrt(bb * bb + aa * (1.0 - at.level_squared)) - bb) / aa;
}

// Length of the slope of the ellipse's level, never below that at the flatter end (on the axis itself there is none); a
// flank steeper than 45 degrees would make its own gaps small by growing steeper still.
[[gnu::always_inline]] inline double slope_length(const Vec2& slope, const Beside& at, const StrandLevel& a,
                                                  const StrandLevel& b) {
  const double rise = slope.dot(b.center - a.center + at.unit.cwiseProduct(b.radii - a.radii)) / at.span;
  const double widest = at.radii.maxCoeff(), flat = std::max(slope.squaredNorm(), 1.0 / (widest * widest));
  return std::sqrt(flat + std::min(rise * rise, flat));
}

// Infinite where it cannot be less than `known`, or lies outside a strand that has no claim to it.
inline double distance_of(const Candidate& c, const std::vector<StrandLevel>& levels, int below, double known) {
  const StrandLevel &a = levels[below], &b = levels[below + 1];
  const Beside at = beside(c, a, b);
  if (at.level_squared > 1.0 && (known < 0.0 || !c.claimed)) return kFar;
  if (leaves_along_normal(c, at)) {
    Vec2 way;
    return -way_out(c, at, &way) * c.across;
  }
  const double level = std::max(std::sqrt(at.level_squared), 1e-6);
  return (level - 1.0) / slope_length(at.unit.cwiseQuotient(at.radii) / level, at, a, b);
}

inline Reach reach_of(const Candidate& c, const std::vector<StrandLevel>& levels, int below) {
  const StrandLevel &a = levels[below], &b = levels[below + 1];
  Beside at = beside(c, a, b);
  Reach out{0.0, at.share, below, Vec5::Zero(), 0.0};
  Vec2 slope;
  double length;
  if (leaves_along_normal(c, at)) {
    Vec2 way;
    const double t = way_out(c, at, &way);
    const Vec2 n = Vec2(c.nx, c.ny) / c.across;
    at.offset += t * n, at.unit += t * way;
    slope = at.unit.cwiseQuotient(at.radii);
    length = std::max(slope.dot(n), 0.5 * slope.norm()) / c.across;
    out.distance = -t * c.across;
  } else {
    const double level = std::max(std::sqrt(at.level_squared), 1e-6);
    slope = at.unit.cwiseQuotient(at.radii) / level;
    length = slope_length(slope, at, a, b);
    out.distance = (level - 1.0) / length;
  }
  const Vec2 by_center = -slope / length, by_radius = -slope.cwiseProduct(at.unit) / length;
  // Raising both levels slides the line between them past the point.
  const double slide = -(by_center.dot(b.center - a.center) + by_radius.dot(b.radii - a.radii)) / at.span;
  out.slope << by_center, by_radius, slide;
  out.turn = (slope.x() * at.offset.y() - slope.y() * at.offset.x()) / length;
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
    const double nx = skin.normal[i].dot(strand.u), ny = skin.normal[i].dot(strand.v);
    const bool claimed = (strand.claims & part_bit(skin.part[i])) != 0;
    out.push_back({static_cast<int>(i), claimed, p.x(), p.y(), p.z(), nx, ny, std::sqrt(nx * nx + ny * ny)});
  }
  std::sort(out.begin(), out.end(),
            [](const Candidate& a, const Candidate& b) { return a.h != b.h ? a.h < b.h : a.point < b.point; });
  return out;
}

// Calls visit(candidate, level below it) for every candidate, walking up the levels beside them.
template <typename Visit>
void walk(const std::vector<Candidate>& candidates, const std::vector<StrandLevel>& levels, Visit visit) {
  int below = 0;
  const int last = static_cast<int>(levels.size()) - 2;
  for (const Candidate& c : candidates) {
    while (below < last && levels[below + 1].height < c.h) ++below;
    visit(c, below);
  }
}

struct Owner {
  double gap = kFar;
  int strand = -1;
};

Vec5 as_vector(const StrandLevel& level) {
  Vec5 out;
  out << level.center, level.radii, level.height;
  return out;
}

// Of the points that the first-order gap takes for outside, leaves those that are so by the true distance.
void drop_covered(const Skin& skin, const std::vector<Strand>& strands,
                  std::vector<std::pair<double, size_t>>* outside) {
  std::vector<Solid> solids;
  for (const Strand& strand : strands) {
    for (const Frustum& frustum : strand_frusta(strand)) solids.push_back(frustum);
  }
  const SolidSet set(std::move(solids));
  std::erase_if(*outside, [&](const std::pair<double, size_t>& at) {
    const SolidSet::Hit hit = set.nearest(skin.points[at.second], 2.0 * kLimit);
    return hit.solid >= 0 && hit.surface.distance <= kLimit;
  });
}

struct NormalEquations {
  double turn_pull = 0.0, turn_weight = 0.0;  // of the strand's one angle
  std::vector<Mat5> diagonal, upper;          // upper[i] couples level i with i + 1
  std::vector<Vec5> right;
  double weight = 0.0;
  explicit NormalEquations(size_t levels)
      : diagonal(levels, Mat5::Zero()), upper(levels, Mat5::Zero()), right(levels, Vec5::Zero()) {}
  void add(const Reach& reach, double gap, double w) {
    const double sa = 1.0 - reach.share, sb = reach.share;
    // Only the lower halves of the diagonal blocks are kept.
    Mat5 &aa = diagonal[reach.below], &bb = diagonal[reach.below + 1], &ab = upper[reach.below];
    for (int j = 0; j < 5; ++j) {
      const double wj = w * reach.slope[j];
      const double aj = sa * sa * wj, bj = sb * sb * wj, cj = sa * sb * wj;
      for (int i = j; i < 5; ++i) aa(i, j) += aj * reach.slope[i], bb(i, j) += bj * reach.slope[i];
      for (int i = 0; i < 5; ++i) ab(i, j) += cj * reach.slope[i];
    }
    const Vec5 pull = -w * gap * reach.slope;
    right[reach.below] += sa * pull, right[reach.below + 1] += sb * pull;
    weight += w;
    turn_pull -= w * gap * reach.turn, turn_weight += w * reach.turn * reach.turn;
  }
  // Block elimination from the lowest level up, then back.
  std::vector<Vec5> solve(double hold) const {
    const size_t n = diagonal.size();
    std::vector<Eigen::LLT<Mat5>> pivot(n);
    std::vector<Vec5> x = right;
    Mat5 block = diagonal[0].selfadjointView<Eigen::Lower>();
    for (size_t i = 0; i < n; ++i) {
      pivot[i].compute(block + hold * Mat5::Identity());
      if (i + 1 == n) break;
      const Mat5 across = pivot[i].solve(upper[i]);
      block = Mat5(diagonal[i + 1].selfadjointView<Eigen::Lower>()) - upper[i].transpose() * across;
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
void move_levels(const std::vector<Vec5>& step, const std::vector<Vec5>& start, std::vector<StrandLevel>* levels) {
  constexpr double kShrink = 0.5, kGrow = 1.35, kLeastSpan = 0.008;
  const size_t last = step.size() - 1;
  for (size_t i = 0; i <= last; ++i) {
    const double longest = step[i].head<4>().cwiseAbs().maxCoeff();
    const Vec5 move = longest > kLongestStep ? Vec5(step[i] * (kLongestStep / longest)) : step[i];
    const Vec2 first = start[i].segment<2>(2);
    StrandLevel& level = (*levels)[i];
    level.center += move.head<2>();
    const Vec2 shift = level.center - start[i].head<2>();
    const double farthest = 0.5 * first.maxCoeff();
    if (shift.norm() > farthest) level.center = start[i].head<2>() + shift * (farthest / shift.norm());
    level.radii =
        (level.radii + move.segment<2>(2)).cwiseMax(kShrink * first).cwiseMin(kGrow * first).cwiseMax(kSlimmest);
    if (i == 0 || i == last) continue;
    const double low = (*levels)[i - 1].height + kLeastSpan, high = (*levels)[i + 1].height - kLeastSpan;
    if (low < high) level.height = std::clamp(level.height + move[4], low, high);
  }
}

// Turns u and v by an angle, each ellipse staying where it is.
void turn_strand(double angle, Strand* strand, std::vector<Vec5>* start) {
  const double c = std::cos(angle), s = std::sin(angle);
  const Vec3 u = c * strand->u + s * strand->v;
  strand->v = c * strand->v - s * strand->u, strand->u = u;
  for (StrandLevel& level : strand->levels) {
    level.center = Vec2(c * level.center.x() + s * level.center.y(), c * level.center.y() - s * level.center.x());
  }
  for (Vec5& level : *start) level.head<2>() = Vec2(c * level.x() + s * level.y(), c * level.y() - s * level.x());
}

void turn_candidates(double angle, std::vector<Candidate>* candidates) {
  const double c = std::cos(angle), s = std::sin(angle);
  for (Candidate& p : *candidates) {
    const double x = c * p.x + s * p.y, nx = c * p.nx + s * p.ny;
    p.y = c * p.y - s * p.x, p.x = x;
    p.ny = c * p.ny - s * p.nx, p.nx = nx;
  }
}

}  // namespace

struct StrandRefiner::State {
  std::vector<std::vector<Candidate>> candidates;  // by strand
  std::vector<std::vector<Candidate>> near;        // the same, most of those deep inside left out
  bool nearby = false;                             // whether `near` is looked at
  std::vector<std::vector<Vec5>> start;
  std::vector<Owner> owners;  // [point_count]
  std::vector<GirthPull> pulls;
  std::vector<double> boost;  // [point_count] of a point's weight while it stays outside
  const std::vector<Candidate>& beside(size_t strand) const { return nearby ? near[strand] : candidates[strand]; }
};

StrandRefiner::StrandRefiner(const Skin& skin, std::vector<Strand>* strands)
    : skin_(skin), strands_(*strands), state_(std::make_unique<State>()) {
  for (const Strand& strand : strands_) state_->candidates.push_back(candidates_of(skin, strand));
  state_->boost.assign(skin.points.size(), 1.0);
  restart();
}

StrandRefiner::~StrandRefiner() = default;

void StrandRefiner::restart() {
  state_->start.clear();
  for (const Strand& strand : strands_) {
    state_->start.emplace_back();
    for (const StrandLevel& level : strand.levels) state_->start.back().push_back(as_vector(level));
  }
}

void StrandRefiner::find_owners() {
  if (!state_->nearby) state_->owners.assign(skin_.points.size(), Owner());
  for (size_t k = 0; state_->nearby && k < strands_.size(); ++k) {
    for (const Candidate& c : state_->near[k]) state_->owners[c.point] = Owner();
  }
  for (size_t k = 0; k < strands_.size(); ++k) {
    walk(state_->beside(k), strands_[k].levels, [&](const Candidate& c, int below) {
      Owner& owner = state_->owners[c.point];
      const double distance = distance_of(c, strands_[k].levels, below, owner.gap);
      if (distance < owner.gap) owner = {distance, static_cast<int>(k)};
    });
  }
}

void StrandRefiner::find_pulls(const RefineSettings& settings) {
  state_->pulls.clear();
  if (ruler_ && settings.girth > 0.0) state_->pulls = ruler_->pulls(strands_);
}

void StrandRefiner::sweep(const RefineSettings& settings) {
  if (settings.nearby) look_near();
  for (int i = 0; i < settings.sweeps; ++i) {
    find_owners();
    find_pulls(settings);
    for (size_t k = 0; k < strands_.size(); ++k) step(settings, k);
  }
  state_->nearby = false;
}

// One Gauss-Newton step of one strand, over the points that it answers for.
void StrandRefiner::step(const RefineSettings& settings, size_t self) {
  constexpr double kLongestTurn = 0.06;  // radians
  Strand& strand = strands_[self];
  std::vector<Vec5>& start = state_->start[self];
  const double each = 1.0 / static_cast<double>(skin_.points.size());
  const size_t level_count = strand.levels.size();
  NormalEquations equations(level_count);
  walk(state_->beside(self), strand.levels, [&](const Candidate& c, int below) {
    if (state_->owners[c.point].strand != static_cast<int>(self)) return;
    const Reach reach = reach_of(c, strand.levels, below);
    const double gap = reach.distance - settings.tolerance_m;
    const double importance =
        gap > 0.0 ? settings.outside_weight * each * state_->boost[c.point] : skin_.area[c.point] * c.stands_for;
    const double depth = std::max(-gap, settings.deep_m) / settings.deep_m;
    equations.add(reach, gap, importance / (depth * depth * std::max(std::abs(gap), settings.soft_m)));
  });
  if (equations.weight <= 0.0) return;
  for (const GirthPull& pull : state_->pulls) {
    if (pull.strand != static_cast<int>(self)) continue;
    const Candidate c{0, true, pull.x, pull.y, pull.h};
    equations.add(reach_of(c, strand.levels, pull.below), -pull.excess,
                  settings.girth * pull.weight / std::max(pull.excess, settings.girth_soft_m));
  }
  const double hold = settings.calm * equations.weight / static_cast<double>(level_count);
  const double anchor = settings.anchor * hold;
  for (size_t i = 0; i < level_count; ++i) {
    equations.right[i] += anchor * (start[i] - as_vector(strand.levels[i]));
    if (!settings.sliding || i == 0 || i + 1 == level_count) equations.diagonal[i](4, 4) += 1e6 * equations.weight;
  }
  move_levels(equations.solve(hold + anchor), start, &strand.levels);
  const double angle = settings.turning * equations.turn_pull / (equations.turn_weight + 1e-5 * equations.weight);
  if (settings.turning > 0.0) {
    const double turn = std::clamp(angle, -kLongestTurn, kLongestTurn);
    turn_strand(turn, &strand, &start);
    turn_candidates(turn, &state_->candidates[self]);
    if (state_->nearby) turn_candidates(turn, &state_->near[self]);
  }
}

std::vector<double> StrandRefiner::gaps() {
  find_owners();
  std::vector<double> out;
  for (const Owner& owner : state_->owners) out.push_back(owner.gap);
  return out;
}

// Looks only at what is near the surface and at every fourth point that lies deeper, in place of all.
void StrandRefiner::look_near() {
  constexpr double kDeep = 0.0015;
  constexpr int kEvery = 4;
  state_->nearby = false;
  find_owners();
  state_->near.assign(strands_.size(), {});
  for (size_t k = 0; k < strands_.size(); ++k) {
    for (const Candidate& c : state_->candidates[k]) {
      const bool deep = state_->owners[c.point].gap < -kDeep;
      if (deep && c.point % kEvery != 0) continue;
      state_->near[k].push_back(c);
      if (deep) state_->near[k].back().stands_for = kEvery;
    }
  }
  state_->nearby = true;
}

// Doubles what points outside weigh, sweep by sweep; the farthest of those that may stay outside are let go.
void StrandRefiner::hold(const RefineSettings& settings, size_t allowed) {
  constexpr double kMostBoost = 4096.0, kRaise = 2.0;
  constexpr int kLookAgain = 6;
  for (int i = 0; i < settings.sweeps; ++i) {
    if (i % kLookAgain == 0) look_near();
    find_owners();
    std::vector<std::pair<double, size_t>> outside;
    for (size_t p = 0; p < skin_.points.size(); ++p) {
      if (state_->owners[p].gap > kLimit) outside.emplace_back(-state_->owners[p].gap, p);
    }
    if (outside.size() <= 2 * allowed) drop_covered(skin_, strands_, &outside);
    if (outside.size() <= allowed) break;
    std::sort(outside.begin(), outside.end());
    for (size_t k = allowed / 2; k < outside.size(); ++k) {
      double& boost = state_->boost[outside[k].second];
      boost = std::min(boost * kRaise, kMostBoost);
    }
    find_pulls(settings);
    for (size_t k = 0; k < strands_.size(); ++k) step(settings, k);
  }
  state_->nearby = false;
}

// Each level grows as far as the points beside it need; the farthest that may stay outside ask for nothing.
void StrandRefiner::grow(size_t allowed) {
  constexpr double kMostGrowth = 0.006;
  for (int round = 0; round < 4; ++round) {
    find_owners();
    std::vector<std::pair<double, size_t>> outside;
    for (size_t p = 0; p < skin_.points.size(); ++p) {
      if (state_->owners[p].gap > kLimit) outside.emplace_back(-state_->owners[p].gap, p);
    }
    drop_covered(skin_, strands_, &outside);
    if (outside.size() <= allowed) return;
    std::sort(outside.begin(), outside.end());
    const double most = std::min(-outside[allowed / 2].first, kMostGrowth);
    for (size_t k = 0; k < strands_.size(); ++k) {
      std::vector<double> growth(strands_[k].levels.size(), 0.0);
      walk(state_->candidates[k], strands_[k].levels, [&](const Candidate& c, int below) {
        const Owner& owner = state_->owners[c.point];
        if (owner.strand != static_cast<int>(k) || owner.gap <= kLimit || owner.gap > most) return;
        const Reach reach = reach_of(c, strands_[k].levels, below);
        const double share = reach.share, need = owner.gap - 0.9 * kLimit;
        const double scale = need / (share * share + (1 - share) * (1 - share));
        growth[reach.below] = std::max(growth[reach.below], scale * (1 - share));
        growth[reach.below + 1] = std::max(growth[reach.below + 1], scale * share);
      });
      for (size_t i = 0; i < growth.size(); ++i) strands_[k].levels[i].radii.array() += growth[i];
    }
  }
}

std::vector<std::vector<LevelShares>> StrandRefiner::owned_shares() {
  find_owners();
  std::vector<std::vector<LevelShares>> out;
  for (size_t k = 0; k < strands_.size(); ++k) {
    out.emplace_back(strands_[k].levels.size(), LevelShares::Zero());
    walk(state_->candidates[k], strands_[k].levels, [&](const Candidate& c, int below) {
      if (state_->owners[c.point].strand != static_cast<int>(k)) return;
      const Reach reach = reach_of(c, strands_[k].levels, below);
      // The slope by the centre is the outward direction, negated; its squares share the point out between two sides.
      const Vec2 out_share = reach.slope.head<2>().normalized().cwiseAbs2() * skin_.area[c.point];
      const size_t level = static_cast<size_t>(reach.below) + (reach.share > 0.5 ? 1 : 0);
      out[k][level][reach.slope.x() > 0.0 ? 0 : 1] += out_share.x();
      out[k][level][reach.slope.y() > 0.0 ? 2 : 3] += out_share.y();
    });
  }
  return out;
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

void refine_strands(const Skin& skin, const RefineSettings& settings, std::vector<Strand>* strands) {
  StrandRefiner(skin, strands).sweep(settings);
}

std::vector<double> strand_gaps(const Skin& skin, std::vector<Strand> strands) {
  return StrandRefiner(skin, &strands).gaps();
}

}  // namespace tryon
