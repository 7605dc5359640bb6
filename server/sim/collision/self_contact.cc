#include "server/sim/collision/self_contact.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "server/base/chunks.h"
#include "server/sim/collision/element_distance.h"
#include "server/sim/collision/push.h"
#include "server/sim/collision/tangle.h"

namespace tryon::sim {

namespace {

constexpr Real kReachShare = Real(0.6);        // of the mean edge: how far pairs are searched
constexpr Real kBoundShare = Real(0.45);       // of the nearest distance: two such steps never meet
constexpr Real kSearchShare = Real(0.25);      // of the reach: motion after which pairs are searched anew
constexpr Real kNeighbourShare = Real(0.2);    // of the shortest rest edge: contact radius between near neighbours
constexpr Real kPull = Real(0.5);              // of stiffness times radius: the force that opens a contour
constexpr int kFewShare = 200, kPatience = 5;  // one vertex in so many at its bound may wait so many iterations
constexpr int kRounds = 12;                    // of halving ways, before what would meet keeps to its bound
constexpr Real kLeastDistance = Real(1e-9);
constexpr Real kAnywhere = Real(1e30);
constexpr int64_t kGrain = 256;  // vertices or pairs a chunk

size_t chunk_count(size_t count) { return (count + kGrain - 1) / kGrain; }

}  // namespace

SelfContact::SelfContact(const DrapeModel& model, Real radius, std::vector<Real> friction, std::vector<Real> stiffness,
                         Real steep_share, std::vector<uint8_t> of)
    : elements_(model, of),
      of_(std::move(of)),
      radius_(radius),
      steep_share_(steep_share),
      friction_(std::move(friction)),
      stiffness_(std::move(stiffness)) {
  reach_ = std::max(Real(2) * radius_, kReachShare * elements_.mean_edge());
  const int n = model.particle_count;
  for (auto* v : {&origin_, &centre_, &pull_, &way_}) v->assign(n, RVec3::Zero());
  for (auto* v : {&bound_, &moved_, &shift_, &length_, &share_, &room_}) v->assign(n, reach_);
  for (auto* flags : {&crossed_, &shortened_, &still_}) flags->assign(n, 0);
}

bool SelfContact::neighbours(const std::array<int, 4>& v, bool edges) const {
  const int split = edges ? 2 : 1;
  for (int i = 0; i < split; ++i)
    for (int j = split; j < 4; ++j)
      if (elements_.joined(v[i], v[j])) return true;
  return false;
}

SelfContact::Gap SelfContact::gap_of(const Pair& pair, const std::vector<RVec3>& x) const {
  Gap gap;
  const auto& v = pair.v;
  if (pair.edges) {
    const auto [s, t] = nearest_on_segments(x[v[0]], x[v[1]], x[v[2]], x[v[3]]);
    gap.w = {1 - s, s, t - 1, -t};
  } else {
    const auto w = nearest_on_triangle(x[v[0]], x[v[1]], x[v[2]], x[v[3]]);
    gap.w = {1, -w[0], -w[1], -w[2]};
  }
  gap.apart = gap.w[0] * x[v[0]] + gap.w[1] * x[v[1]] + gap.w[2] * x[v[2]] + gap.w[3] * x[v[3]];
  gap.distance = gap.apart.norm();
  return gap;
}

void SelfContact::add_pair(const std::vector<RVec3>& x, const std::array<int, 4>& v, bool edges,
                           std::vector<Pair>* pairs) const {
  if (crossed_[v[0]] || crossed_[v[1]] || crossed_[v[2]] || crossed_[v[3]]) return;
  if (still_[v[0]] && still_[v[1]] && still_[v[2]] && still_[v[3]]) return;
  Pair pair{v, edges, radius_, 0, 0, 0};
  pair.distance = gap_of(pair, x).distance;
  if (pair.distance >= reach_) return;
  if (neighbours(v, edges)) {
    Real shortest = elements_.rest_length(v[0]);
    for (int k = 1; k < 4; ++k) shortest = std::min(shortest, elements_.rest_length(v[k]));
    pair.radius = std::min(radius_, kNeighbourShare * shortest);
  }
  for (int k = 0; k < 4; ++k) pair.stiffness += Real(0.25) * stiffness_[v[k]];
  pairs->push_back(pair);
}

// Vertex-triangle pairs, then edge-edge pairs, in the order in which they were found.
void SelfContact::find_pairs(const RunContext& run, const std::vector<RVec3>& x) {
  const auto& points = elements_.vertex_triangles();
  const auto& edges = elements_.edge_edges();
  const auto count = static_cast<int64_t>(points.size() + edges.size()), split = static_cast<int64_t>(points.size());
  part_.resize(std::max(part_.size(), chunk_count(count)));
  const auto look = [&](int64_t begin, int64_t end) {
    auto& part = part_[begin / kGrain];
    part.clear();
    for (int64_t k = begin; k < end; ++k) {
      if (k < split) {
        const Triangle& t = elements_.triangles()[points[k].triangle];
        add_pair(x, {points[k].vertex, t[0], t[1], t[2]}, false, &part);
      } else {
        const auto& [first, second] = edges[k - split];
        const auto &e = elements_.edges()[first], &f = elements_.edges()[second];
        add_pair(x, {e.a, e.b, f.a, f.b}, true, &part);
      }
    }
  };
  run.parallel_for(count, kGrain, [&look](int64_t begin, int64_t end) { look(begin, end); });
  pairs_.clear();
  for (size_t k = 0; k < chunk_count(count); ++k) pairs_.insert(pairs_.end(), part_[k].begin(), part_[k].end());
}

void SelfContact::search(const RunContext& run, const std::vector<RVec3>& x) {
  origin_ = x;
  searched_ = true;
  elements_.find(x, reach_, run);
  find_crossings(x);
  find_pairs(run, x);
  rebound(x);
}

// The most that the two elements of a pair can have come nearer by.
Real SelfContact::moved(const std::array<int, 4>& v, bool edges, const std::vector<Real>& by) const {
  if (edges) return std::max(by[v[0]], by[v[1]]) + std::max(by[v[2]], by[v[3]]);
  return by[v[0]] + std::max(by[v[1]], std::max(by[v[2]], by[v[3]]));
}

// Bounds at x from the last search's pairs. A pair's distance is computed anew only where motion since the search has
// used up half of it; what was out of reach then is still as far as the reach less what both have moved.
void SelfContact::rebound(const std::vector<RVec3>& x) {
  centre_ = x;
  stopped_ = waited_ = 0;
  ever_stopped_ = false;
  farthest_ = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    moved_[i] = is_of(i) ? (x[i] - origin_[i]).norm() : Real(0);
    farthest_ = std::max(farthest_, moved_[i]);
  }
  for (size_t i = 0; i < x.size(); ++i)
    bound_[i] = is_of(i) ? kBoundShare * (reach_ - moved_[i] - farthest_) : kAnywhere;
  facing_.assign(pairs_.size(), {RVec3::Zero(), Real(-1)});
  for (Pair& pair : pairs_) {
    pair.least = pair.distance - moved(pair.v, pair.edges, moved_);
    if (pair.least < Real(0.5) * pair.distance) pair.least = gap_of(pair, x).distance;
    const Real bound = kBoundShare * std::max(pair.least, kLeastDistance);
    for (int v : pair.v) bound_[v] = std::min(bound_[v], bound);
  }
  cover(0);
}

// touching_ for vertices that stay within their bounds, or go no farther than `way`.
void SelfContact::cover(Real way) const {
  covered_ = way;
  touching_.clear();
  for (size_t i = 0; i < bound_.size(); ++i) room_[i] = std::max(bound_[i], way);
  for (size_t k = 0; k < pairs_.size(); ++k) {
    const Pair& pair = pairs_[k];
    if (pair.least - moved(pair.v, pair.edges, room_) < pair.radius) touching_.push_back(static_cast<int>(k));
  }
}

// True if a search was needed.
bool SelfContact::renew_bounds(const RunContext& run, const std::vector<RVec3>& x) {
  Real farthest = 0;
  for (size_t i = 0; searched_ && i < x.size(); ++i)
    if (is_of(i)) farthest = std::max(farthest, (x[i] - origin_[i]).squaredNorm());
  if (searched_ && crossing_count_ == 0 && farthest < kSearchShare * kSearchShare * reach_ * reach_) {
    rebound(x);
    return false;
  }
  search(run, x);
  return true;
}

void SelfContact::begin_step(const RunContext& run, const std::vector<RVec3>& x) {
  friction_between_.begin_step(x);
  renew_bounds(run, x);
  grip(x);
}

bool SelfContact::refresh(const RunContext& run, const std::vector<RVec3>& x) {
  if (stopped_ == 0) return false;
  const bool few = stopped_ < std::max(1, static_cast<int>(x.size()) / kFewShare);
  if (few && ++waited_ < kPatience) return false;
  return renew_bounds(run, x);
}

// False if every vertex is within its bound.
bool SelfContact::find_ways(const RunContext& run, const std::vector<RVec3>& x) {
  const double beyond = largest_of(run, x.size(), [this, &x](int64_t begin, int64_t end) {
    bool all_within = true;
    for (int64_t i = begin; i < end; ++i) {
      way_[i] = x[i] - centre_[i];
      length_[i] = way_[i].norm();
      all_within = all_within && length_[i] <= bound_[i];
    }
    return all_within ? 0.0 : 1.0;
  });
  if (beyond == 0) return false;
  for (size_t i = 0; i < x.size(); ++i) {  // farther away there may be what was not looked for
    const Real seen = is_of(i) ? kBoundShare * (reach_ - moved_[i] - farthest_) : kAnywhere;
    share_[i] = length_[i] > seen ? seen / length_[i] : Real(1);
    length_[i] *= share_[i];
  }
  find_roaming(run);
  return true;
}

bool SelfContact::roams(const Pair& pair) const {
  return moved(pair.v, pair.edges, length_) > 2 * kBoundShare * pair.least;
}

void SelfContact::find_roaming(const RunContext& run) {
  roams_.resize(pairs_.size());
  run.parallel_for(static_cast<int64_t>(pairs_.size()), kGrain, [this](int64_t begin, int64_t end) {
    for (int64_t k = begin; k < end; ++k) {
      roams_[k] = roams(pairs_[k]);
      if (roams_[k]) face(static_cast<int>(k));
    }
  });
  roaming_.clear();
  for (size_t k = 0; k < pairs_.size(); ++k)
    if (roams_[k]) roaming_.push_back(static_cast<int>(k));
}

void SelfContact::face(int pair) {
  if (facing_[pair].distance >= 0) return;
  const Gap gap = gap_of(pairs_[pair], centre_);
  facing_[pair] = {gap.apart / std::max(gap.distance, kLeastDistance), gap.distance};
}

// Along the normal of the nearest points the first element lies wholly before the second. How far before is a concave
// function of time while all move straight: what is positive at both ends is positive between them.
bool SelfContact::stays_apart(int index) const {
  const Pair& pair = pairs_[index];
  if (!roams(pair)) return true;
  const Facing& facing = facing_[index];
  const int split = pair.edges ? 2 : 1;
  Real first = std::numeric_limits<Real>::max(), second = -first;
  for (int k = 0; k < 4; ++k) {
    const int v = pair.v[k];
    const Real at = facing.normal.dot(centre_[v] - centre_[pair.v[0]] + share_[v] * way_[v]);
    k < split ? first = std::min(first, at) : second = std::max(second, at);
  }
  return first - second >= (1 - 2 * kBoundShare) * facing.distance;
}

// Of the roaming pairs all, or those of which a way was shortened: the others are as they were.
void SelfContact::find_meeting(const RunContext& run, bool all) {
  meets_.resize(roaming_.size());
  run.parallel_for(static_cast<int64_t>(roaming_.size()), kGrain, [this, all](int64_t begin, int64_t end) {
    for (int64_t k = begin; k < end; ++k) {
      const auto& v = pairs_[roaming_[k]].v;
      const bool changed = all || shortened_[v[0]] || shortened_[v[1]] || shortened_[v[2]] || shortened_[v[3]];
      meets_[k] = changed && !stays_apart(roaming_[k]);
    }
  });
}

// Halves the ways of what would meet, down to the bounds, in which nothing meets.
void SelfContact::shorten_ways(const RunContext& run) {
  shorter_.clear();
  for (int round = 0;; ++round) {
    find_meeting(run, round == 0);
    for (const int v : shorter_) shortened_[v] = 0;
    shorter_.clear();
    for (size_t k = 0; k < roaming_.size(); ++k) {
      if (!meets_[k]) continue;
      for (const int v : pairs_[roaming_[k]].v)
        if (length_[v] > bound_[v] && !std::exchange(shortened_[v], uint8_t{1})) shorter_.push_back(v);
    }
    if (shorter_.empty()) return;
    for (const int v : shorter_) {
      const Real length = round < kRounds ? std::max(Real(0.5) * length_[v], bound_[v]) : bound_[v];
      share_[v] *= length / length_[v];
      length_[v] = length;
    }
  }
}

bool SelfContact::limit(const RunContext& run, std::vector<RVec3>* x) {
  stopped_ = 0;
  if (!find_ways(run, *x)) return false;
  shorten_ways(run);
  for (size_t i = 0; i < x->size(); ++i) {
    if (share_[i] >= 1) continue;
    (*x)[i] = centre_[i] + share_[i] * way_[i];
    ++stopped_;
  }
  ever_stopped_ = ever_stopped_ || stopped_ > 0;
  return stopped_ > 0;
}

bool SelfContact::renew(const RunContext& run, const std::vector<RVec3>& x) {
  if (!ever_stopped_) return false;
  renew_bounds(run, x);
  return true;
}

// How far each vertex has come since the bounds were taken, and touching_ for as far as that.
void SelfContact::follow(const RunContext& run, const std::vector<RVec3>& x) const {
  const auto beyond = static_cast<Real>(largest_of(run, x.size(), [this, &x](int64_t begin, int64_t end) {
    Real most = 0;
    for (int64_t i = begin; i < end; ++i) {
      shift_[i] = (x[i] - centre_[i]).norm();
      if (shift_[i] > bound_[i]) most = std::max(most, shift_[i]);
    }
    return static_cast<double>(most);
  }));
  if (beyond > covered_) cover(2 * beyond);
}

// pressed_ of some of touching_: from pressed_[begin] on as many as press now.
int SelfContact::press(const std::vector<RVec3>& x, int64_t begin, int64_t end) const {
  Pressed* next = pressed_.data() + begin;
  for (int64_t k = begin; k < end; ++k) {
    const Pair& pair = pairs_[touching_[k]];
    if (pair.least - moved(pair.v, pair.edges, shift_) >= pair.radius) continue;  // cannot have come so near
    const Gap gap = gap_of(pair, x);
    if (gap.distance >= pair.radius) continue;
    const Push push = push_layers(pair.radius - gap.distance, pair.radius, steep_share_);
    *next++ = {pair.v, gap.w, (pair.stiffness * push.force / std::max(gap.distance, kLeastDistance)) * gap.apart,
               static_cast<double>(pair.stiffness * push.energy)};
  }
  return static_cast<int>(next - pressed_.data() - begin);
}

void SelfContact::press_all(const RunContext& run, const std::vector<RVec3>& x) const {
  pressed_.resize(touching_.size());
  pressing_.assign(chunk_count(touching_.size()), 0);
  run.parallel_for(static_cast<int64_t>(touching_.size()), kGrain,
                   [this, &x](int64_t begin, int64_t end) { pressing_[begin / kGrain] = press(x, begin, end); });
}

template <typename Visit>
void SelfContact::visit_pressed(Visit visit) const {
  for (size_t chunk = 0; chunk < pressing_.size(); ++chunk) {
    const Pressed* const begin = pressed_.data() + chunk * kGrain;
    for (const Pressed* at = begin; at != begin + pressing_[chunk]; ++at) visit(*at);
  }
}

double SelfContact::add(const RunContext& run, const std::vector<RVec3>& x, std::vector<RVec3>* gradient) const {
  follow(run, x);
  press_all(run, x);
  double energy = 0;
  visit_pressed([&](const Pressed& pressed) {
    energy += pressed.energy;
    for (int j = 0; j < 4; ++j) (*gradient)[pressed.v[j]] -= pressed.w[j] * pressed.force;
  });
  friction_between_.add(x, &energy, gradient);
  if (crossing_count_ > 0)
    for (size_t i = 0; i < x.size(); ++i)
      if (crossed_[i]) {
        energy -= static_cast<double>(pull_[i].dot(x[i] - friction_between_.start()[i]));
        (*gradient)[i] -= pull_[i];
      }
  return energy;
}

Real SelfContact::overheld(const std::vector<RVec3>& x) {
  carried_.assign(x.size(), RVec3::Zero());
  bearable_.assign(x.size(), 0);
  friction_between_.add_forces(x, &carried_);
  visit_pressed([&](const Pressed& pressed) {
    const Real most = friction_of(pressed.v) * pressed.force.norm();
    for (int j = 0; j < 4; ++j) bearable_[pressed.v[j]] += most * std::abs(pressed.w[j]);
  });
  Real over = 0;
  for (size_t i = 0; i < x.size(); ++i) over = std::max(over, carried_[i].norm() - bearable_[i]);
  return over;
}

void SelfContact::curvature(const std::vector<RVec3>& x, std::vector<Curvature>* pairs) const {
  pairs->clear();
  for (int index : touching_) {
    const Pair& pair = pairs_[index];
    const Gap gap = gap_of(pair, x);
    if (gap.distance >= pair.radius || gap.distance < kLeastDistance) continue;
    const Vec3 n = (gap.apart / gap.distance).cast<double>();
    const double k = static_cast<double>(pair.stiffness *
                                         push_layers(pair.radius - gap.distance, pair.radius, steep_share_).curvature);
    pairs->push_back({pair.v, gap.w, k * n * n.transpose()});
  }
  for (const LayerFriction::Grip& grip : friction_between_.grips())
    pairs->push_back({grip.v, grip.w, friction_between_.curvature(grip, x)});
}

void SelfContact::take_held(const SelfContact& whole, const std::vector<RVec3>& whole_x, const std::vector<int>& at,
                            const std::vector<uint8_t>& moves) {
  for (size_t i = 0; i < at.size(); ++i) still_[i] = !moves[i];
  friction_between_.take_from(whole.friction_between_, whole_x, at);
}

void SelfContact::give_held(const std::vector<RVec3>& x, const std::vector<int>& at, const std::vector<RVec3>& whole_x,
                            SelfContact* whole) const {
  friction_between_.give_to(&whole->friction_between_, x, whole_x, at);
}

Real SelfContact::friction_of(const std::array<int, 4>& v) const {
  Real friction = 0;
  for (int i : v) friction += Real(0.25) * friction_[i];
  return friction;
}

void SelfContact::grip(const std::vector<RVec3>& x) {
  friction_between_.let_go();
  for (int index : touching_) {
    const Pair& pair = pairs_[index];
    const Gap gap = gap_of(pair, x);
    if (gap.distance >= pair.radius || gap.distance < kLeastDistance) continue;
    const Real friction = friction_of(pair.v);
    if (friction <= 0) continue;
    const Real force = pair.stiffness * push_layers(pair.radius - gap.distance, pair.radius, steep_share_).force;
    const Real limit = friction * force;
    if (limit <= 0) continue;
    friction_between_.grip(pair.v, pair.edges, gap.w, gap.apart / gap.distance, limit);
  }
}

void SelfContact::find_crossings(const std::vector<RVec3>& x) {
  crossing_count_ = 0;
  std::fill(crossed_.begin(), crossed_.end(), 0);
  std::fill(pull_.begin(), pull_.end(), RVec3::Zero());
  each_crossing(elements_, x, [&](int edge, int triangle, Real at) { open_contour(x, edge, triangle, at); });
}

// How far the contour would shorten as the edge moves against the triangle: R - (R.e / n.e) n, with R the directions in
// which the contour leaves the crossing.
void SelfContact::open_contour(const std::vector<RVec3>& x, int edge, int triangle, Real s) {
  const auto& e = elements_.edges()[edge];
  const Triangle& t = elements_.triangles()[triangle];
  const RVec3 along = (x[e.b] - x[e.a]).normalized();
  const RVec3 n = (x[t[1]] - x[t[0]]).cross(x[t[2]] - x[t[0]]).normalized();
  RVec3 sum = RVec3::Zero();
  for (int side : {e.left, e.right}) {
    if (side < 0) continue;
    const Triangle& beside = elements_.triangles()[side];
    int opposite = beside[0];
    for (int v : beside)
      if (v != e.a && v != e.b) opposite = v;
    const RVec3 into = x[opposite] - x[e.a];
    RVec3 direction = n.cross(along.cross(into));
    const Real length = direction.norm();
    if (length < Real(1e-18)) continue;
    direction /= length;
    if (direction.dot(into - along.dot(into) * along) < 0) direction = -direction;
    sum += direction;
  }
  const Real steep = along.dot(n);
  if (std::abs(steep) > Real(0.05)) sum -= (sum.dot(along) / steep) * n;
  const Real size = sum.norm();
  ++crossing_count_;
  const auto w = nearest_on_triangle(x[e.a] + s * (x[e.b] - x[e.a]), x[t[0]], x[t[1]], x[t[2]]);
  const std::array<std::pair<int, Real>, 5> parts = {
      {{e.a, 1 - s}, {e.b, s}, {t[0], -w[0]}, {t[1], -w[1]}, {t[2], -w[2]}}};
  for (const auto& [v, weight] : parts) {
    crossed_[v] = 1;
    if (size > Real(1e-12)) pull_[v] += (kPull * stiffness_[v] * radius_ * weight / size) * sum;
  }
}

}  // namespace tryon::sim
