#include "server/garment/suggest_seams.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

#include "server/base/text.h"
#include "server/base/units.h"
#include "server/garment/seam_odds.h"

namespace tryon {
namespace {

constexpr double kLeastOdds = 0.15;   // below which no pair of edges is proposed
constexpr double kLeast = 0.35;       // score below which no chain is
constexpr double kRingEase = 0.10;    // a cap may be eased into its armhole, or stretched, by so much
constexpr double kNotCertain = 0.89;  // where anything else could be meant
constexpr double kLongestDart = 0.2;  // metres: a longer one may be a slit
constexpr double kDartTip = 300.0;    // degrees of cloth round the tip of a dart
constexpr size_t kMaxEdges = 1'500;

// Of darts and chains: what share of proposals of a raw score was right on the pieces of 75 garments whose seams are
// known, drawn as straight lines (tests/golden/suggest_specs_test.cc prints it); nothing is added above 0.9, where all
// were.
double calibrated(double raw) {
  if (raw >= 0.9) return raw;
  if (raw >= 0.8) return 0.55 + 3.2 * (raw - 0.8);
  return raw >= 0.6 ? 0.25 + 1.5 * (raw - 0.6) : 0.25 * raw / 0.6;
}

// The same of pairs of edges by how much is believed of them; equal in both halves of those garments to a tenth.
double told(double belief) {
  constexpr std::array<std::pair<double, double>, 6> kKnots = {
      {{0.0, 0.0}, {0.15, 0.27}, {0.3, 0.56}, {0.5, 0.68}, {0.75, 0.72}, {0.9, 0.89}}};
  for (size_t k = 1; k < kKnots.size(); ++k) {
    const auto& [x0, y0] = kKnots[k - 1];
    const auto& [x1, y1] = kKnots[k];
    if (belief <= x1) return y0 + (belief - x0) / (x1 - x0) * (y1 - y0);
  }
  return belief;
}

// Two chains of edges; each runs as its panel's outline, or against it where `against`.
struct Link {
  int edge = 0;
  bool against = false;
};

struct Candidate {
  std::vector<Link> a, b;
  double score = 0.0, fit = 0.0;  // fit: how exactly the lengths agree, 0 to 1
  double times = 1.0;             // a's length over b's
  bool twin = false;
  bool joins = true;  // false: a facing, which lies on its piece and leads to no other
  std::string why;
};

class Suggester : private SeamOdds {
 public:
  explicit Suggester(const Pattern& pattern) : SeamOdds(pattern) {}

  std::vector<SeamProposal> run() {
    if (edges_.size() > kMaxEdges) return {};
    partner_.assign(edges_.size(), {-1, false});
    used_.assign(edges_.size(), false);
    accept_darts();
    find_pairs();
    for (const auto& [pair, ring] : {std::pair(0.6, 0.8), std::pair(0.35, 0.6), std::pair(kLeastOdds, kLeast)}) {
      accept_pairs(pair);  // sure seams make the openings that caps are set into
      accept_rings(ring);
    }
    std::stable_sort(out_.begin(), out_.end(),
                     [](const SeamProposal& x, const SeamProposal& y) { return x.confidence > y.confidence; });
    return std::move(out_);
  }

 private:
  // ---- pairs of edges -----------------------------------------------------------------------------------------

  void find_pairs() {
    std::vector<EdgePair> pairs = weighed();
    for (const EdgePair& p : pairs) likeness_of_[{p.i, p.j}] = p.likeness;
    for (const EdgePair& p : pairs) {
      if (!used_[p.i] && !used_[p.j]) add_pair(p);
    }
    std::stable_sort(pairs_.begin(), pairs_.end(),
                     [](const Candidate& x, const Candidate& y) { return x.score > y.score; });
  }

  void add_pair(const EdgePair& p) {
    const SeamEdge &a = edges_[p.i], &b = edges_[p.j];
    const bool self = a.panel == b.panel, against = self || opposite(a, b);
    Candidate c;
    c.a = {{p.i, false}}, c.b = {{p.j, against}};
    c.fit = bell(a.length - b.length, 0.0015 + 0.008 * std::max(a.length, b.length));
    c.score = belief(p, self);
    if (c.score < kLeastOdds) return;
    c.joins = self || facing_score(a, b) <= angle_score(a, b, against);
    c.twin = twins(a, b);
    c.why = cat("lengths ", to_mm(a.length), " and ", to_mm(b.length), " mm");
    pairs_.push_back(std::move(c));
  }

  // Half by what is known of other garments, half by rule; no garment among those sews a piece to itself.
  double belief(const EdgePair& p, bool self) const {
    const double rule = std::min(0.99, calibrated(p.likeness * (closes_tube(p.i, p.j) ? 0.3 : 1.0)));
    if (self) return rule;
    const auto log_odds = [](double share) { return std::log((share + 1e-3) / (1.0 - share + 1e-3)); };
    return 1.0 / (1.0 + std::exp(-0.5 * (log_odds(p.odds) + log_odds(rule))));
  }

  double pair_likeness(int i, int j) const {
    const auto found = likeness_of_.find({std::min(i, j), std::max(i, j)});
    return found == likeness_of_.end() ? 0.0 : found->second;
  }

  // The edges on both sides of these two fit each other as well, and are longer: two pieces of a tube, and these are
  // its end, which stays open.
  bool closes_tube(int i, int j) const {
    if (edges_[i].panel == edges_[j].panel) return false;
    for (const bool crossed : {true, false}) {
      const int m = crossed ? before(j) : next(j), n = crossed ? next(j) : before(j);
      const double flanks = std::min(pair_likeness(next(i), m), pair_likeness(before(i), n));
      const double length = edges_[next(i)].length + edges_[before(i)].length;
      if (flanks > 0.4 * pair_likeness(i, j) && length > 1.2 * edges_[i].length) return true;
    }
    return false;
  }

  // The best other use of either edge.
  double rival(const Candidate& c) const {
    double best = 0.0;
    for (const Candidate& other : pairs_) {
      if (&other == &c) continue;
      const bool shares = other.a[0].edge == c.a[0].edge || other.a[0].edge == c.b[0].edge ||
                          other.b[0].edge == c.a[0].edge || other.b[0].edge == c.b[0].edge;
      if (shares) best = std::max(best, other.score);
    }
    return best;
  }

  // Two neighbouring edges are not both sewn to neighbouring edges of one other piece: that makes a bag, no garment.
  bool makes_bag(const Candidate& c) const {
    const int i = c.a[0].edge, j = c.b[0].edge;
    for (const int n : {next(i), before(i)}) {
      const int m = partner_[n].first;
      const double corner = n == next(i) ? edges_[i].angle[1] : edges_[i].angle[0];
      if (std::abs(corner - 180.0) < 40.0) continue;  // one seam that goes on
      if (m >= 0 && (m == next(j) || m == before(j)) && edges_[m].panel == edges_[j].panel) return true;
    }
    return false;
  }

  void propose(const Candidate& c, double confidence) {
    SeamProposal p;
    auto ranges = [&](const std::vector<Link>& links) {
      std::vector<SeamRange> out;
      for (const Link& l : links) {
        out.push_back({edges_[l.edge].panel, edges_[l.edge].edge, l.against ? 1.0 : 0.0, l.against ? 0.0 : 1.0});
        used_[l.edge] = true;
      }
      return out;
    };
    p.seam.a = ranges(c.a), p.seam.b = ranges(c.b);
    p.seam.gather = c.times;
    p.confidence = std::clamp(confidence, 0.0, 0.99);
    p.why = c.why;
    out_.push_back(std::move(p));
  }

  // Another piece has two neighbouring edges of that length, with a corner outwards: it is let into the slit.
  bool takes_godet(const SeamEdge& leg) const {
    for (const SeamEdge& x : edges_) {
      if (x.panel == leg.panel) continue;
      const SeamEdge& y = edges_[next(first_[x.panel] + x.edge)];
      const double off = std::max(std::abs(x.length - leg.length), std::abs(y.length - leg.length));
      if (off < 0.003 && x.angle[1] < 180.0) return true;
    }
    return false;
  }

  // The notch is open at the lower end of its piece, where vents are and darts are not.
  bool opens_down(const SeamEdge& leg) const {
    const Panel& panel = pattern_.panels[leg.panel];
    return edge_at(panel, leg.edge, 0.0).y() < edge_at(panel, leg.edge, 1.0).y();
  }

  // Two neighbouring edges of one length that meet at a sharp notch into the cloth.
  void accept_darts() {
    for (int i = 0; i < static_cast<int>(edges_.size()); ++i) {
      const int j = next(i);
      const SeamEdge &a = edges_[i], &b = edges_[j];
      const double off = std::abs(a.length - b.length), longer = std::max(a.length, b.length);
      if (used_[i] || used_[j] || count(a.panel) < 5 || a.angle[1] < kDartTip || longer < 0.03 || longer > 0.35)
        continue;
      if (off > 0.002 + 0.02 * longer) continue;
      Candidate c;
      c.a = {{i, false}}, c.b = {{j, true}};
      c.why = cat("a dart: legs of ", to_mm(a.length), " and ", to_mm(b.length), " mm");
      if (takes_godet(a)) continue;
      propose(c, calibrated(off < 0.002 && longer < kLongestDart && !opens_down(a) ? 0.97 : kNotCertain));
    }
  }

  void accept_pairs(double least) {
    for (Candidate& c : pairs_) {
      const int i = c.a[0].edge, j = c.b[0].edge;
      if (c.score < least || used_[i] || used_[j] || makes_bag(c)) continue;
      const std::pair<int, int> pieces{edges_[i].panel, edges_[j].panel};  // one way round for all of their seams
      c.b[0].against = against_.insert({pieces, c.b[0].against}).first->second;
      const double second = rival(c);
      const SeamEdge &a = edges_[i], &b = edges_[j];
      const bool lengthwise = std::max(a.slope, b.slope) < 50.0 && !pieces_[a.panel].lies && !pieces_[b.panel].lies;
      const bool certain = second < 0.5 * c.score && c.fit > 0.9 && a.length > 0.1 && lengthwise &&
                           angle_score(a, b, c.b[0].against) > 0.7 && a.panel != b.panel && !c.twin;
      if (c.joins) partner_[i] = {j, c.b[0].against}, partner_[j] = {i, c.b[0].against};
      propose(c, certain ? told(c.score) : std::min(told(c.score), kNotCertain));
    }
  }

  // ---- chains across seams ------------------------------------------------------------------------------------

  // Beyond the end of an edge, over the seam that its neighbour is sewn in: the next edge of the same opening, if any.
  bool over_seam(const Link& from, Link* to) const {
    const int side = from.against ? before(from.edge) : next(from.edge);  // the neighbour at the link's far end
    const auto [other, against] = partner_[side];
    if (other < 0) return false;
    // The far end of the link is the side's start (walked forwards) or its end; find that end on the partner.
    const bool at_start = !from.against;
    const bool at_other_start = against ? !at_start : at_start;
    *to = at_other_start ? Link{before(other), true} : Link{next(other), false};
    return !used_[to->edge] && to->edge != from.edge;
  }

  double length(const std::vector<Link>& links) const {
    double sum = 0.0;
    for (const Link& l : links) sum += edges_[l.edge].length;
    return sum;
  }

  // Every run of one to four free edges across seams.
  std::vector<std::vector<Link>> runs() const {
    std::vector<std::vector<Link>> out;
    for (int i = 0; i < static_cast<int>(edges_.size()); ++i) {
      for (const bool against : {false, true}) {
        std::vector<Link> run = {{i, against}};
        if (used_[i]) continue;
        if (!against) out.push_back(run);
        Link link;
        while (run.size() < 4 && over_seam(run.back(), &link)) {
          const bool again = std::any_of(run.begin(), run.end(), [&](const Link& l) { return l.edge == link.edge; });
          if (again) break;
          run.push_back(link);
          if (run.front().edge < run.back().edge) out.push_back(run);
        }
      }
    }
    return out;
  }

  // An edge whose neighbours are sewn to each other closes to a ring: a sleeve's cap.
  bool is_ring(int i) const { return next(i) != before(i) && partner_[next(i)].first == before(i); }

  void add_ring(const std::vector<Link>& one, const std::vector<Link>& many, std::vector<Candidate>* out) const {
    const SeamEdge& e = edges_[one[0].edge];
    for (const Link& l : many) {
      if (edges_[l.edge].panel == e.panel) return;
    }
    const bool ring = is_ring(one[0].edge);
    const bool rectangle = count(e.panel) == 4 && !e.curved;
    for (const double times : {1.0, 2.0}) {
      const double goal = times * length(many), off = std::abs(e.length - goal) / std::max(e.length, goal);
      const bool cap = ring && times == 1.0 && many.size() > 1 && (e.bow > 0.05 || rectangle);
      if (std::min(e.length, goal) < 0.06 || off > (cap && !rectangle ? kRingEase : 0.012)) continue;
      if (times == 2.0 && ring) continue;
      Candidate c;
      c.a = one, c.b = many, c.times = times;
      c.fit = bell(off, cap ? 0.09 : 0.004);
      c.score = c.fit * (cap ? 0.9 : many.size() > 1 ? 0.7 : 0.5) * (times == 1.0 ? 1.0 : 0.9);
      if (many.size() == 1 && times == 1.0) continue;  // pairs were weighed before
      c.why = cat("lengths ", to_mm(e.length), " and ", to_mm(length(many)), " mm over ", many.size(), " edges");
      if (c.score >= kLeast) out->push_back(std::move(c));
    }
  }

  void accept_rings(double least) {
    const std::vector<std::vector<Link>> all = runs();
    std::vector<Candidate> candidates;
    for (const auto& one : all) {
      if (one.size() != 1 || candidates.size() > 20'000) continue;
      for (const auto& many : all) add_ring(one, many, &candidates);
    }
    std::stable_sort(candidates.begin(), candidates.end(),
                     [](const Candidate& x, const Candidate& y) { return x.score > y.score; });
    for (const Candidate& c : candidates) {
      bool free = !used_[c.a[0].edge];
      for (const Link& l : c.b) free = free && !used_[l.edge];
      if (free && c.score >= least) propose(c, calibrated(std::min(c.score, kNotCertain)));
    }
  }

  std::map<std::pair<int, int>, double> likeness_of_;  // of two edges, as a pair
  std::vector<Candidate> pairs_;
  std::vector<std::pair<int, bool>> partner_;    // of an edge in an accepted pair, and whether walked against
  std::map<std::pair<int, int>, bool> against_;  // of two panels
  std::vector<bool> used_;
  std::vector<SeamProposal> out_;
};

}  // namespace

std::vector<SeamProposal> suggest_seams(const Pattern& pattern) { return Suggester(pattern).run(); }

}  // namespace tryon
