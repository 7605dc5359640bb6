#include "server/garment/seam_odds.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace tryon {
namespace {

constexpr double kShortest = 0.012;              // metres: edges that are worth a seam of their own
constexpr double kUnlike = 0.12, kSlack = 4e-3;  // lengths further apart (a share, and metres) are not looked at

double share_of(double log_odds) { return 1.0 / (1.0 + std::exp(-std::clamp(log_odds, -30.0, 30.0))); }

template <size_t kCount>
double dot(const std::array<double, kCount>& a, const std::array<double, kCount>& b) {
  double sum = 0.0;
  for (size_t k = 0; k < kCount; ++k) sum += a[k] * b[k];
  return sum;
}

// Which kinds of pieces are sewn together, how.
struct Relation {
  bool unknown = false, same = false, armhole = false, band = false, collar = false;
  bool strange() const { return !unknown && !same && !armhole && !band && !collar; }
};

Relation relation_of(const PieceRole& p, const PieceRole& q) {
  using K = PieceKind;
  const auto is = [&](K x, K y) { return (p.kind == x && q.kind == y) || (p.kind == y && q.kind == x); };
  Relation r;
  r.unknown = p.kind == K::kUnknown || q.kind == K::kUnknown;
  r.same = !r.unknown && p.kind == q.kind;
  r.armhole = is(K::kSleeve, K::kBodice);
  r.band = is(K::kCuff, K::kSleeve) || is(K::kCuff, K::kLeg) || is(K::kWaistband, K::kSkirt) ||
           is(K::kWaistband, K::kLeg) || is(K::kWaistband, K::kBodice) || is(K::kSkirt, K::kBodice) ||
           is(K::kLeg, K::kBodice);
  r.collar = is(K::kCollar, K::kBodice) || is(K::kHood, K::kBodice) || is(K::kCollar, K::kHood);
  return r;
}

constexpr PairFacts kFirst = {-2.04, 1.76, 0.76,  -0.31, 0.33,  -1.04, 1.72,  -3.97, -0.63, -1.26,
                              1.15,  0.69, -2.02, 0.55,  -0.10, -0.27, 0.62,  -2.55, 1.07,  1.08,
                              0.29,  1.47, 1.25,  -1.32, 2.55,  -0.15, -0.55, 0.49};
constexpr PlaceFacts kSecond = {0.62, 0.61, 0.57, 0.11, 0.56, -3.66};

}  // namespace

const std::array<const char*, kPairFacts> kPairFactNames = {
    "1",          "lengths",      "lengths to 0.3 mm", "log length", "cap",
    "facing",     "slopes",       "one piece",         "twins",      "faces differ",
    "faces same", "sides same",   "sides differ",      "kinds same", "armhole",
    "band",       "collar",       "strange",           "unknown",    "stacked",
    "lateral",    "same lateral", "band stacked",      "crowd",      "shoulder",
    "one curved", "likeness",     "log likeness"};

SeamOdds::SeamOdds(const Pattern& pattern) : SeamEdges(pattern), roles_(piece_roles(pattern)) {
  for (const SeamEdge& e : edges_) {
    Vec2 out(e.chord.y(), -e.chord.x());
    if (!counter_clockwise_[e.panel]) out = -out;
    outwards_.push_back(out.norm() > 1e-9 ? Vec2(out.normalized()) : Vec2(Vec2::Zero()));
    double alike = -1.0;  // itself
    for (const SeamEdge& x : edges_) alike += std::abs(x.length - e.length) < 0.002 + 0.004 * e.length;
    crowd_.push_back(alike);
  }
}

bool SeamOdds::twins(const SeamEdge& a, const SeamEdge& b) const {
  return a.panel != b.panel && pieces_[a.panel].face * pieces_[b.panel].face >= 0 && congruent(a.panel, b.panel);
}

// Like corner to like corner counts for little when the pieces are rectangles; a curve says more.
double SeamOdds::likeness(const SeamEdge& a, const SeamEdge& b) const {
  const double longer = std::max(a.length, b.length), off = std::abs(a.length - b.length);
  const bool self = a.panel == b.panel, against = self || opposite(a, b);
  const double corners = self ? 0.4 + 0.6 * angle_score(a, b, true) : angle_score(a, b, against);
  const double cap = self ? 0.0 : cap_score(a, b);
  double score = bell(off, 0.0015 + 0.008 * longer);
  score *= 0.25 + 0.75 * std::max({corners, facing_score(a, b), cap});
  score *= 0.55 + 0.45 * std::max(cap, bell(a.bow - b.bow, 0.035));
  score *= 0.75 + 0.25 * bell(a.slope - b.slope, 35.0);
  score *= 0.55 + 0.45 * std::min(1.0, longer / 0.2);
  score *= a.curved || b.curved ? 1.0 : 0.93;
  score *= names_score(a, b) * notch_score(a, b, against);
  if (twins(a, b)) score *= 0.3;  // a lining or an interfacing lies upon its piece, it is not sewn beside it
  if (a.hem && b.hem && !pieces_[a.panel].lies && !pieces_[b.panel].lies) score *= 0.25;
  score *= bell(std::max(0.0, std::min(a.bow, b.bow)), 0.15);  // two caps
  return self ? score * self_score(a, b) : score;
}

PairFacts SeamOdds::facts(int i, int j, double likeness) const {
  const SeamEdge &a = edges_[i], &b = edges_[j];
  const PieceRole &p = roles_[a.panel], &q = roles_[b.panel];
  const bool self = a.panel == b.panel;
  Relation r = relation_of(p, q);
  if (self) r = {r.unknown, false, false, false, false};
  const bool faces = p.face != PieceFace::kNone && q.face != PieceFace::kNone, differ = faces && p.face != q.face;
  const bool sides = p.side != PieceSide::kNone && q.side != PieceSide::kNone;
  const Vec2 &n = outwards_[i], &m = outwards_[j];
  const double stacked = -n.y() * m.y(), lateral = std::abs(n.x() * m.x());
  const double longer = std::max(a.length, b.length), off = std::abs(a.length - b.length);
  return {1.0,
          bell(off, 0.0015 + 0.008 * longer),
          bell(off, 3e-4),
          std::log(longer / 0.1),
          cap_score(a, b),
          facing_score(a, b),
          bell(a.slope - b.slope, 35.0),
          double(self),
          double(twins(a, b)),
          double(differ),
          double(faces && !differ),
          double(sides && p.side == q.side),
          double(sides && p.side != q.side),
          double(r.same),
          double(r.armhole),
          double(r.band),
          double(r.collar),
          double(!self && r.strange()),
          double(r.unknown),
          stacked,
          lateral,
          r.same ? lateral * (differ ? 1.0 : 0.3) : 0.0,
          r.band || r.collar ? stacked : 0.0,
          std::log(1.0 + crowd_[i] + crowd_[j]),
          r.same && differ ? std::max(0.0, n.y()) * std::max(0.0, m.y()) : 0.0,
          double(a.curved != b.curved),
          likeness,
          std::log(likeness + 0.02)};
}

std::vector<EdgePair> SeamOdds::pairs() const {
  std::vector<EdgePair> out;
  for (int i = 0; i < static_cast<int>(edges_.size()); ++i) {
    for (int j = i + 1; j < static_cast<int>(edges_.size()); ++j) {
      const SeamEdge &a = edges_[i], &b = edges_[j];
      if (std::min(a.length, b.length) < kShortest) continue;
      if (std::abs(a.length - b.length) > kSlack + kUnlike * std::max(a.length, b.length)) continue;
      if (a.panel == b.panel && (next(i) == j || next(j) == i)) continue;
      EdgePair pair;
      pair.i = i, pair.j = j;
      pair.likeness = likeness(a, b);
      pair.facts = facts(i, j, pair.likeness);
      out.push_back(pair);
    }
  }
  return out;
}

void SeamOdds::weigh(std::vector<EdgePair>* pairs, const PairFacts& first, const PlaceFacts& second) const {
  std::map<std::pair<int, int>, double> share;
  std::vector<double> sum(edges_.size(), 0.0);
  for (const EdgePair& p : *pairs) {
    const double s = share_of(dot(first, p.facts));
    share[{p.i, p.j}] = s;
    sum[p.i] += s, sum[p.j] += s;
  }
  const auto at = [&](int i, int j) {
    const auto found = share.find({std::min(i, j), std::max(i, j)});
    return found == share.end() ? 0.0 : found->second;
  };
  for (EdgePair& p : *pairs) {
    const double s = at(p.i, p.j), of_i = std::log(s / sum[p.i]), of_j = std::log(s / sum[p.j]);
    const double crossed[2] = {at(next(p.i), before(p.j)), at(before(p.i), next(p.j))};
    const double straight[2] = {at(next(p.i), next(p.j)), at(before(p.i), before(p.j))};
    const double one = std::max({crossed[0], crossed[1], straight[0], straight[1]});
    const double both = std::max(std::min(crossed[0], crossed[1]), std::min(straight[0], straight[1]));
    p.around = {1.0, dot(first, p.facts), std::min(of_i, of_j), std::max(of_i, of_j), one, both};
    p.odds = share_of(dot(second, p.around));
  }
}

std::vector<EdgePair> SeamOdds::weighed() const {
  std::vector<EdgePair> out = pairs();
  weigh(&out, kFirst, kSecond);
  return out;
}

}  // namespace tryon
