#include "server/garment/suggest_seams.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "server/base/text.h"
#include "server/base/units.h"

namespace tryon {
namespace {

constexpr double kReach = 0.01;       // metres of an edge that give its direction at a corner
constexpr double kLeast = 0.35;       // score below which nothing is proposed
constexpr double kShortest = 0.012;   // metres: edges that are worth a seam of their own
constexpr double kRingEase = 0.10;    // a cap may be eased into its armhole, or stretched, by so much
constexpr double kNotCertain = 0.89;  // where anything else could be meant
constexpr size_t kMaxEdges = 1'500;

double bell(double x, double width) { return std::exp(-(x / width) * (x / width)); }

struct Edge {
  int panel = 0, edge = 0;
  double length = 0.0;
  double angle[2] = {0.0, 0.0};  // degrees inside the cloth at start and end
  double bow = 0.0;              // height over chord, positive: out of the cloth
  double slope = 0.0;            // degrees between chord and grain, 0 to 90
  bool curved = false, rises = false;
  bool hem = false;  // the lower end of its piece, all across it
};

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

class Suggester {
 public:
  explicit Suggester(const Pattern& pattern) : pattern_(pattern) {
    for (int p = 0; p < static_cast<int>(pattern.panels.size()); ++p) {
      first_.push_back(static_cast<int>(edges_.size()));
      for (int e = 0; e < static_cast<int>(pattern.panels[p].edges.size()); ++e) edges_.push_back(describe(p, e));
      area_.push_back(panel_area(pattern.panels[p]));
    }
  }

  std::vector<SeamProposal> run() {
    if (edges_.size() > kMaxEdges) return {};
    partner_.assign(edges_.size(), {-1, false});
    used_.assign(edges_.size(), false);
    find_pairs();
    for (const double least : {0.8, 0.6, kLeast}) {  // sure seams make the openings that caps are set into
      accept_pairs(least);
      accept_rings(least);
    }
    std::stable_sort(out_.begin(), out_.end(),
                     [](const SeamProposal& x, const SeamProposal& y) { return x.confidence > y.confidence; });
    return std::move(out_);
  }

 private:
  // ---- edges --------------------------------------------------------------------------------------------------

  int count(int panel) const { return static_cast<int>(pattern_.panels[panel].edges.size()); }
  int next(int i) const {
    const Edge& e = edges_[i];
    return first_[e.panel] + (e.edge + 1) % count(e.panel);
  }
  int before(int i) const {
    const Edge& e = edges_[i];
    return first_[e.panel] + (e.edge + count(e.panel) - 1) % count(e.panel);
  }

  Vec2 direction(int panel, int edge, bool at_end) const {
    const Panel& p = pattern_.panels[panel];
    const double share = std::min(0.25, kReach / std::max(edge_length(p, edge), 1e-9));
    const Vec2 d = at_end ? Vec2(edge_at(p, edge, 1.0) - edge_at(p, edge, 1.0 - share))
                          : Vec2(edge_at(p, edge, share) - edge_at(p, edge, 0.0));
    return d.normalized();
  }

  // The angle inside the cloth between an edge and the one after it; the loop may run either way round.
  double inner_angle(int panel, int edge, double sign) const {
    const Vec2 in = direction(panel, edge, true);
    const Vec2 out = direction(panel, (edge + 1) % count(panel), false);
    const double turn = std::atan2(in.x() * out.y() - in.y() * out.x(), in.dot(out));
    return 180.0 - sign * degrees(turn);
  }

  Edge describe(int p, int e) const {
    const Panel& panel = pattern_.panels[p];
    Edge out;
    out.panel = p, out.edge = e;
    out.length = edge_length(panel, e);
    double signed_sum = 0.0;
    const std::vector<Vec2> outline = outline_points(panel, 16);
    for (size_t i = 0; i < outline.size(); ++i) {
      const Vec2 &a = outline[i], &b = outline[(i + 1) % outline.size()];
      signed_sum += a.x() * b.y() - a.y() * b.x();
    }
    const double sign = signed_sum >= 0.0 ? 1.0 : -1.0;
    out.angle[0] = inner_angle(p, (e + count(p) - 1) % count(p), sign);
    out.angle[1] = inner_angle(p, e, sign);
    const Vec2 s = edge_at(panel, e, 0.0), chord = edge_at(panel, e, 1.0) - s;
    const double size = std::max(chord.norm(), 1e-9);
    for (double t = 0.1; t < 0.95; t += 0.1) {
      const Vec2 d = edge_at(panel, e, t) - s;
      const double height = -sign * (chord.x() * d.y() - chord.y() * d.x()) / (size * size);
      if (std::abs(height) > std::abs(out.bow)) out.bow = height;
    }
    out.curved = std::abs(out.bow) > 0.012;
    out.rises = chord.dot(panel.grain) > 0.0;
    Eigen::AlignedBox2d box, own;
    for (const Vec2& q : outline) box.extend(q);
    for (double t = 0.0; t <= 1.0; t += 0.25) own.extend(edge_at(panel, e, t));
    const Vec2 size_of_piece = box.sizes();
    out.hem = own.max().y() < box.min().y() + 0.08 * size_of_piece.y() && own.sizes().x() > 0.55 * size_of_piece.x();
    out.slope = degrees(std::acos(std::min(1.0, std::abs(chord.dot(panel.grain)) / size)));
    return out;
  }

  bool congruent(int p, int q) const {
    if (p == q || count(p) != count(q)) return false;
    for (int shift = 0; shift < count(p); ++shift) {
      bool same = true, turned = true;
      for (int e = 0; e < count(p); ++e) {
        const double length = edges_[first_[p] + e].length;
        same = same && std::abs(length - edges_[first_[q] + (e + shift) % count(q)].length) < 1e-3;
        turned = turned && std::abs(length - edges_[first_[q] + (shift + count(q) - e) % count(q)].length) < 1e-3;
      }
      if (same || turned) return true;
    }
    return false;
  }

  // ---- pairs of edges -----------------------------------------------------------------------------------------

  // Sewn cloth goes on without a corner: the angles at both ends of a seam make a straight line together.
  double angle_score(const Edge& a, const Edge& b, bool against) const {
    const double start = a.angle[0] + b.angle[against ? 1 : 0] - 180.0;
    const double end = a.angle[1] + b.angle[against ? 0 : 1] - 180.0;
    return std::sqrt(bell(start, 28.0) * bell(end, 28.0));
  }

  // A facing is a narrow copy of its piece's border: equal corners, one after the other turned over.
  double facing_score(const Edge& a, const Edge& b) const {
    if (a.panel == b.panel) return 0.0;
    const double small = std::min(area_[a.panel], area_[b.panel]), large = std::max(area_[a.panel], area_[b.panel]);
    if (small > 0.4 * large || std::abs(a.length - b.length) > 1e-3 || std::abs(a.bow - b.bow) > 0.02) return 0.0;
    const double turned = std::sqrt(bell(a.angle[0] - b.angle[1], 15.0) * bell(a.angle[1] - b.angle[0], 15.0));
    const double straight = std::sqrt(bell(a.angle[0] - b.angle[0], 15.0) * bell(a.angle[1] - b.angle[1], 15.0));
    return 0.85 * std::max({turned, straight, a.curved ? 0.7 : 0.0});
  }

  // Two edges of other pieces that together are as long: the opening that a tube could be set into.
  bool fits_opening(double length, int panel) const {
    for (const Edge& x : edges_) {
      for (const Edge& y : edges_) {
        if (x.panel >= y.panel || x.panel == panel || y.panel == panel) continue;
        const bool like = std::min(x.length, y.length) > 0.3 * length && std::abs(x.slope - y.slope) < 25.0;
        if (like && std::abs(x.length + y.length - length) < 0.002 + 0.002 * length) return true;
      }
    }
    return false;
  }

  // A piece sewn to itself is a tube: a sleeve, a leg. A long rectangle is a band, which is not.
  double self_score(const Edge& a, const Edge& b) const {
    if (std::min(a.length, b.length) < 0.05) return 0.0;
    const int i = first_[a.panel] + a.edge;
    const double across = edges_[next(i)].length, back = edges_[before(i)].length;
    const bool rectangle = count(a.panel) == 4 && !a.curved && !b.curved && std::abs(across - back) < 0.1 * across;
    if (!rectangle) return 1.0;
    if (std::max(a.length, across) > 3.0 * std::min(a.length, across)) return 0.2;
    return edges_.size() < 400 && fits_opening(across, a.panel) ? 0.95 : 0.7;
  }

  // Whether the two outlines run against each other along the seam. Pieces are drawn upright: tops meet tops. Where an
  // edge has no top, corners tell; pieces of one side of the body run against each other.
  bool opposite(const Edge& a, const Edge& b) const {
    if (a.slope < 50.0 && b.slope < 50.0) return a.rises != b.rises;
    return 1.4 * angle_score(a, b, true) >= angle_score(a, b, false);
  }

  // Like corner to like corner counts for little when the pieces are rectangles; a curve says more.
  void add_pair(int i, int j) {
    const Edge &a = edges_[i], &b = edges_[j];
    const double longer = std::max(a.length, b.length), off = std::abs(a.length - b.length);
    if (std::min(a.length, b.length) < kShortest || off > 0.004 + 0.03 * longer) return;
    const bool self = a.panel == b.panel;
    if (self && (next(i) == j || next(j) == i)) return;
    const bool against = self || opposite(a, b);
    const double corners = self ? 0.4 + 0.6 * angle_score(a, b, true) : angle_score(a, b, against);
    Candidate c;
    c.a = {{i, false}}, c.b = {{j, against}};
    c.fit = bell(off, 0.0015 + 0.008 * longer);
    c.score =
        c.fit * (0.25 + 0.75 * std::max(corners, facing_score(a, b))) * (0.55 + 0.45 * bell(a.bow - b.bow, 0.035));
    c.score *= 0.75 + 0.25 * bell(a.slope - b.slope, 35.0);
    c.score *= 0.55 + 0.45 * std::min(1.0, longer / 0.2);
    c.score *= a.curved || b.curved ? 1.0 : 0.93;
    c.joins = self || facing_score(a, b) <= corners;
    c.twin = congruent(a.panel, b.panel);
    if (c.twin) c.score *= 0.3;  // a lining or an interfacing lies upon its piece, it is not sewn beside it
    if (a.hem && b.hem) c.score *= 0.25;
    c.score *= bell(std::max(0.0, std::min(a.bow, b.bow)), 0.15);  // two caps
    if (self) c.score *= self_score(a, b);
    c.why = cat("lengths ", to_mm(a.length), " and ", to_mm(b.length), " mm");
    if (c.score > 0.15) pairs_.push_back(std::move(c));
  }

  void find_pairs() {
    for (int i = 0; i < static_cast<int>(edges_.size()); ++i) {
      for (int j = i + 1; j < static_cast<int>(edges_.size()); ++j) add_pair(i, j);
    }
    std::stable_sort(pairs_.begin(), pairs_.end(),
                     [](const Candidate& x, const Candidate& y) { return x.score > y.score; });
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

  void accept_pairs(double least) {
    for (Candidate& c : pairs_) {
      const int i = c.a[0].edge, j = c.b[0].edge;
      if (c.score < least || used_[i] || used_[j] || makes_bag(c)) continue;
      const std::pair<int, int> pieces{edges_[i].panel, edges_[j].panel};  // one way round for all of their seams
      c.b[0].against = against_.insert({pieces, c.b[0].against}).first->second;
      const double second = rival(c), unique = c.score / (c.score + second);
      double confidence = c.score * (0.4 + 0.6 * std::min(1.0, 2.0 * unique - (second > 0.0 ? 0.2 : 0.0)));
      const Edge &a = edges_[i], &b = edges_[j];
      const bool certain = second < 0.5 * c.score && c.fit > 0.8 && a.length > 0.1 &&
                           angle_score(a, b, c.b[0].against) > 0.7 && a.panel != b.panel && !c.twin;
      if (!certain) confidence = std::min(confidence, kNotCertain);
      if (c.joins) partner_[i] = {j, c.b[0].against}, partner_[j] = {i, c.b[0].against};
      propose(c, confidence);
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
    const Edge& e = edges_[one[0].edge];
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
      if (free && c.score >= least) propose(c, std::min(c.score, kNotCertain));
    }
  }

  const Pattern& pattern_;
  std::vector<double> area_;  // [panel] m2
  std::vector<int> first_;    // [panel] its first edge
  std::vector<Edge> edges_;
  std::vector<Candidate> pairs_;
  std::vector<std::pair<int, bool>> partner_;    // of an edge in an accepted pair, and whether walked against
  std::map<std::pair<int, int>, bool> against_;  // of two panels
  std::vector<bool> used_;
  std::vector<SeamProposal> out_;
};

}  // namespace

std::vector<SeamProposal> suggest_seams(const Pattern& pattern) { return Suggester(pattern).run(); }

}  // namespace tryon
