#include "server/garment/piece_layout.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

#include "server/base/status.h"
#include "server/base/text.h"

namespace tryon {
namespace {

using std::numbers::pi;
constexpr double kSideGap = 0.004;   // m between pieces on both sides of a middle line
constexpr double kStackGap = 0.006;  // m between a piece and the one sewn below it
constexpr double kLeastRing = 0.20;  // m

// An edge seen from outside, after flip and turn, before the move.
struct Side {
  Vec2 from, to, middle, out;
  double length = 0.0;
};

class Layout {
 public:
  explicit Layout(const Pattern& pattern) : pattern_(pattern) {}
  absl::StatusOr<GarmentLayout> run();

 private:
  PieceLayout& piece(int p) { return out_.pieces[static_cast<size_t>(p)]; }
  const PieceLayout& piece(int p) const { return out_.pieces[static_cast<size_t>(p)]; }
  bool on_trunk(int p) const { return piece(p).tube == PieceTube::kTrunk; }
  Side side(int p, int edge) const;
  void look(int p);
  void choose_arms();
  void turn_sleeve(int p);
  void place_sleeves();
  bool place_beside_sleeve(int p);
  bool has_rule(int p) const;
  void place_by_rule(int p);
  bool place_by_seams(int p);
  bool place_in_ring(int p);
  bool set_height(int p);
  void place_trunk();
  void find_ring_radius();
  void find_anchor();
  int largest_unset(bool arms) const;

  const Pattern& pattern_;
  GarmentLayout out_;
  std::vector<bool> set_, high_set_;  // u and facing; t
  std::vector<double> area_;
  double ring_ = kLeastRing;
};

double loop_area(const Panel& panel) {
  double area = 0.0;
  constexpr int kSamples = 8;
  for (size_t e = 0; e < panel.edges.size(); ++e) {
    for (int k = 0; k < kSamples; ++k) {
      const Vec2 a = edge_point(panel, static_cast<int>(e), k / static_cast<double>(kSamples));
      const Vec2 b = edge_point(panel, static_cast<int>(e), (k + 1) / static_cast<double>(kSamples));
      area += 0.5 * (a.x() * b.y() - b.x() * a.y());
    }
  }
  return area;
}

Vec2 turned(const PieceLayout& piece, const Vec2& flat) {
  const Vec2 seen(piece.flip ? -flat.x() : flat.x(), flat.y());
  return Eigen::Rotation2Dd(piece.turn) * seen;
}

Side Layout::side(int p, int edge) const {
  const Panel& panel = pattern_.panels[static_cast<size_t>(p)];
  Side s;
  s.from = turned(piece(p), edge_point(panel, edge, 0.0));
  s.to = turned(piece(p), edge_point(panel, edge, 1.0));
  s.middle = turned(piece(p), edge_point(panel, edge, 0.5));
  s.length = edge_length(panel, edge);
  const Vec2 d = s.to - s.from;
  s.out = d.norm() > 1e-9 ? Vec2(Vec2(d.y(), -d.x()).normalized()) : Vec2(Vec2::Zero());
  return s;
}

// Sets what depends on flip and turn: the box.
void Layout::look(int p) {
  const Panel& panel = pattern_.panels[static_cast<size_t>(p)];
  PieceLayout& l = piece(p);
  l.low.setConstant(1e9), l.high.setConstant(-1e9);
  for (size_t e = 0; e < panel.edges.size(); ++e) {
    for (int k = 0; k < 8; ++k) {
      const Vec2 q = turned(l, edge_point(panel, static_cast<int>(e), k / 8.0));
      l.low = l.low.cwiseMin(q), l.high = l.high.cwiseMax(q);
    }
  }
}

// A sleeve that does not say its arm is at that of the side that it is sewn to, else the first is the left one.
void Layout::choose_arms() {
  bool left_taken = false;
  for (size_t p = 0; p < out_.pieces.size(); ++p) {
    PieceLayout& l = out_.pieces[p];
    if (!l.role.on_arm) continue;
    if (l.role.side == PieceSide::kNone) l.role.side = left_taken ? PieceSide::kRight : PieceSide::kLeft;
    left_taken |= l.role.side == PieceSide::kLeft;
    l.tube = l.role.side == PieceSide::kLeft ? PieceTube::kLeftArm : PieceTube::kRightArm;
  }
}

// Turns a sleeve so that its cap is up: along its seams within the arm, from the free end to the armhole.
void Layout::turn_sleeve(int p) {
  const auto n = static_cast<int>(pattern_.panels[static_cast<size_t>(p)].edges.size());
  std::vector<int> kind(static_cast<size_t>(n), 0);  // 0 free or a cuff, 1 cap, 2 along the arm
  for (const Stitch& s : pattern_.stitches) {
    for (auto [me, it] : {std::pair(s.a, s.b), std::pair(s.b, s.a)}) {
      if (me.panel != p) continue;
      const bool cuff = piece(it.panel).role.kind == PieceKind::kCuff && piece(p).role.kind == PieceKind::kSleeve;
      kind[static_cast<size_t>(me.edge)] = on_trunk(it.panel) ? 1 : cuff ? 0 : 2;
    }
  }
  Vec2 cap = Vec2::Zero(), end = Vec2::Zero(), up = Vec2::Zero();
  double cap_length = 0.0, end_length = 0.0;
  for (int e = 0; e < n; ++e) {
    const Side s = side(p, e);
    if (kind[static_cast<size_t>(e)] == 1) cap += s.length * s.middle, cap_length += s.length;
    if (kind[static_cast<size_t>(e)] == 0) end += s.length * s.middle, end_length += s.length;
  }
  if (cap_length <= 0.0 || end_length <= 0.0) return;
  const Vec2 rough = cap / cap_length - end / end_length;
  for (int e = 0; e < n; ++e) {
    if (kind[static_cast<size_t>(e)] != 2) continue;
    const Side s = side(p, e);
    const Vec2 d = s.to - s.from;
    up += d.dot(rough) > 0 ? d : Vec2(-d);
  }
  if (up.norm() < 1e-6 || up.dot(rough) < 0.5 * up.norm() * rough.norm()) up = rough;
  piece(p).turn += std::atan2(up.x(), up.y());
  look(p);
}

// A cuff goes on where the sleeve ends, turned as the seam says.
bool Layout::place_beside_sleeve(int p) {
  for (const Stitch& s : pattern_.stitches) {
    for (auto [me, it] : {std::pair(s.a, s.b), std::pair(s.b, s.a)}) {
      if (me.panel != p || it.panel == p || !set_[static_cast<size_t>(it.panel)]) continue;
      if (piece(it.panel).tube != piece(p).tube || piece(it.panel).role.face != piece(p).role.face) continue;
      const Side mine = side(p, me.edge), theirs = side(it.panel, it.edge);
      const Vec2 a = mine.to - mine.from, b = theirs.from - theirs.to;
      piece(p).turn += std::atan2(b.y(), b.x()) - std::atan2(a.y(), a.x());
      look(p);
      piece(p).offset = piece(it.panel).offset + theirs.middle + kStackGap * theirs.out - side(p, me.edge).middle;
      piece(p).facing = piece(it.panel).facing;
      return true;
    }
  }
  return false;
}

void Layout::place_sleeves() {
  for (int round = 0; round < static_cast<int>(out_.pieces.size()); ++round) {
    bool moved = false;
    for (int p = 0; p < static_cast<int>(out_.pieces.size()); ++p) {
      if (on_trunk(p) || set_[static_cast<size_t>(p)]) continue;
      const bool cuff = piece(p).role.kind == PieceKind::kCuff;
      const bool last = round + 1 == static_cast<int>(out_.pieces.size());
      if (cuff && !last) {
        if (!place_beside_sleeve(p)) continue;
      } else {
        turn_sleeve(p);
        PieceLayout& l = piece(p);
        const double outside = l.tube == PieceTube::kLeftArm ? pi / 2 : -pi / 2;
        l.facing = l.role.face == PieceFace::kFront ? 0.0 : l.role.face == PieceFace::kBack ? pi : outside;
        l.closes_itself = l.role.face == PieceFace::kNone;
        l.offset = Vec2(-0.5 * (l.low.x() + l.high.x()), -l.high.y());
      }
      set_[static_cast<size_t>(p)] = moved = true;
    }
    if (!moved && round > 0) round = std::max(round, static_cast<int>(out_.pieces.size()) - 2);
  }
}

// Pieces whose face (and half) are known and that are large enough to stand for themselves.
bool Layout::has_rule(int p) const {
  const PieceRole& r = piece(p).role;
  if (r.kind == PieceKind::kHood) return true;
  if (r.face == PieceFace::kNone) return false;
  return r.side != PieceSide::kNone && r.kind != PieceKind::kCuff && r.kind != PieceKind::kPocket &&
         r.kind != PieceKind::kGusset;
}

void Layout::place_by_rule(int p) {
  PieceLayout& l = piece(p);
  const double middle = 0.5 * (l.low.x() + l.high.x());
  if (l.role.kind == PieceKind::kHood) {
    l.facing = l.role.side == PieceSide::kLeft ? pi / 2 : l.role.side == PieceSide::kRight ? -pi / 2 : pi;
    l.offset.x() = -middle;
  } else {
    const bool back = l.role.face == PieceFace::kBack;
    l.facing = back ? pi : 0.0;
    // Seen from the front the person's left is to the right, seen from behind to the left.
    const bool to_right = (l.role.side == PieceSide::kLeft) != back;
    l.offset.x() = l.role.side == PieceSide::kNone ? -middle : to_right ? kSideGap - l.low.x() : -kSideGap - l.high.x();
  }
  set_[static_cast<size_t>(p)] = true;
}

// Beside or below the pieces of the same face that it is sewn to.
bool Layout::place_by_seams(int p) {
  PieceLayout& l = piece(p);
  double u = 0.0, weight = 0.0, facing = 0.0;
  for (const Stitch& s : pattern_.stitches) {
    for (auto [me, it] : {std::pair(s.a, s.b), std::pair(s.b, s.a)}) {
      if (me.panel != p || it.panel == p || !set_[static_cast<size_t>(it.panel)] || !on_trunk(it.panel)) continue;
      if (piece(it.panel).role.face != l.role.face || l.role.face == PieceFace::kNone) continue;
      if (piece(it.panel).role.kind == PieceKind::kHood) continue;
      const Side mine = side(p, me.edge), theirs = side(it.panel, it.edge);
      if (mine.out.dot(theirs.out) > 0.2) continue;
      u += mine.length * (theirs.middle.x() + piece(it.panel).offset.x() - mine.middle.x());
      weight += mine.length;
      facing = piece(it.panel).facing;
    }
  }
  if (weight <= 0.0) return false;
  l.offset.x() = u / weight;
  l.facing = facing;
  set_[static_cast<size_t>(p)] = true;
  return true;
}

// One of many in a ring: after the neighbour at its side, or under the piece that it hangs from.
bool Layout::place_in_ring(int p) {
  PieceLayout& l = piece(p);
  const double width = l.high.x() - l.low.x();
  double sum_sin = 0.0, sum_cos = 0.0;
  bool beside = false;
  for (const bool upright : {true, false}) {  // neighbours at the side say more than what it hangs from
    if (beside) break;
    for (const Stitch& s : pattern_.stitches) {
      for (auto [me, it] : {std::pair(s.a, s.b), std::pair(s.b, s.a)}) {
        if (me.panel != p || it.panel == p || !set_[static_cast<size_t>(it.panel)] || !on_trunk(it.panel)) continue;
        const PieceLayout& other = piece(it.panel);
        const Side mine = side(p, me.edge), theirs = side(it.panel, it.edge);
        if (mine.out.dot(theirs.out) > -0.1) continue;
        const bool at_side = std::abs(theirs.out.x()) > std::abs(theirs.out.y());
        if (at_side != upright) continue;
        // The share of the way round that the neighbour takes.
        const double span = other.high.x() - other.low.x();
        const double reach = other.ring_radius > 0.0 ? span / ring_ : other.role.side == PieceSide::kNone ? pi : pi / 2;
        double angle = other.facing + reach * (theirs.middle.x() + other.offset.x()) / std::max(span, 1e-6);
        if (at_side) angle += (theirs.out.x() > 0 ? 0.5 : -0.5) * (width + kSideGap) / ring_;
        sum_sin += std::sin(angle), sum_cos += std::cos(angle);
        beside = true;
        if (at_side) break;
      }
      if (beside && upright) break;
    }
  }
  if (!beside) return false;
  l.facing = std::atan2(sum_sin, sum_cos);
  l.ring_radius = ring_;
  l.offset.x() = -0.5 * (l.low.x() + l.high.x());
  set_[static_cast<size_t>(p)] = true;
  return true;
}

bool Layout::set_height(int p) {
  double t = 0.0, weight = 0.0;
  for (const Stitch& s : pattern_.stitches) {
    for (auto [me, it] : {std::pair(s.a, s.b), std::pair(s.b, s.a)}) {
      if (me.panel != p || it.panel == p || !high_set_[static_cast<size_t>(it.panel)] || !on_trunk(it.panel)) continue;
      const Side mine = side(p, me.edge), theirs = side(it.panel, it.edge);
      const bool stacked = mine.out.y() * theirs.out.y() < -0.25;
      const double gap = stacked ? kStackGap * theirs.out.y() : 0.0;
      t += mine.length * (theirs.middle.y() + piece(it.panel).offset.y() + gap - mine.middle.y());
      weight += mine.length;
    }
  }
  if (weight <= 0.0) return false;
  piece(p).offset.y() = t / weight;
  high_set_[static_cast<size_t>(p)] = true;
  return true;
}

int Layout::largest_unset(bool arms) const {
  int best = -1;
  for (int p = 0; p < static_cast<int>(out_.pieces.size()); ++p) {
    if (set_[static_cast<size_t>(p)] || on_trunk(p) == arms) continue;
    if (best < 0 || area_[static_cast<size_t>(p)] > 1.001 * area_[static_cast<size_t>(best)]) best = p;
  }
  return best;
}

// Widths of what stands side by side, over the way round.
void Layout::find_ring_radius() {
  double width = 0.0;
  bool any = false;
  for (int p = 0; p < static_cast<int>(out_.pieces.size()); ++p) {
    if (!on_trunk(p)) continue;
    const PieceLayout& l = piece(p);
    const bool ring = l.role.face == PieceFace::kNone && l.role.kind != PieceKind::kHood;
    any |= ring;
    bool beside_ring = ring;
    for (const Stitch& s : pattern_.stitches) {
      for (auto [me, it] : {std::pair(s.a, s.b), std::pair(s.b, s.a)}) {
        if (me.panel != p || !on_trunk(it.panel) || it.panel == p) continue;
        const Side mine = side(p, me.edge);
        beside_ring |= piece(it.panel).role.face == PieceFace::kNone && std::abs(mine.out.x()) > std::abs(mine.out.y());
      }
    }
    if (beside_ring) width += l.high.x() - l.low.x() + kSideGap;
  }
  if (any) ring_ = std::max(kLeastRing, width / (2 * pi));
}

void Layout::place_trunk() {
  find_ring_radius();
  const int n = static_cast<int>(out_.pieces.size());
  for (int p = 0; p < n; ++p) {
    if (on_trunk(p) && has_rule(p)) place_by_rule(p);
  }
  for (;;) {  // what the seams say, else the largest piece that is left stands for itself
    bool moved = false;
    for (int p = 0; p < n && !moved; ++p) {
      if (on_trunk(p) && !set_[static_cast<size_t>(p)]) moved = place_by_seams(p);
    }
    if (moved) continue;
    int faced = -1;
    for (int p = 0; p < n; ++p) {
      if (!on_trunk(p) || set_[static_cast<size_t>(p)] || piece(p).role.face == PieceFace::kNone) continue;
      if (faced < 0 || area_[static_cast<size_t>(p)] > 1.001 * area_[static_cast<size_t>(faced)]) faced = p;
    }
    if (faced >= 0) {
      place_by_rule(faced);
      continue;
    }
    for (int p = 0; p < n && !moved; ++p) {
      if (on_trunk(p) && !set_[static_cast<size_t>(p)]) moved = place_in_ring(p);
    }
    if (moved) continue;
    const int seed = largest_unset(false);
    if (seed < 0) break;
    PieceLayout& l = piece(seed);
    l.ring_radius = ring_;
    l.offset.x() = -0.5 * (l.low.x() + l.high.x());
    set_[static_cast<size_t>(seed)] = true;
  }
  for (;;) {
    bool moved = false;
    for (int p = 0; p < n && !moved; ++p) {
      if (on_trunk(p) && !high_set_[static_cast<size_t>(p)]) moved = set_height(p);
    }
    if (moved) continue;
    int seed = -1;
    for (int p = 0; p < n; ++p) {
      if (!on_trunk(p) || high_set_[static_cast<size_t>(p)]) continue;
      if (seed < 0 || area_[static_cast<size_t>(p)] > 1.001 * area_[static_cast<size_t>(seed)]) seed = p;
    }
    if (seed < 0) return;
    piece(seed).offset.y() = -piece(seed).high.y();
    high_set_[static_cast<size_t>(seed)] = true;
  }
}

// Shoulder seams join a front and a back whose edges both look up.
void Layout::find_anchor() {
  double t = 0.0, weight = 0.0, top = -1e9, hung = -1e9;
  for (const Stitch& s : pattern_.stitches) {
    if (!on_trunk(s.a.panel) || !on_trunk(s.b.panel)) {
      out_.upper = true;
      continue;
    }
    const Side a = side(s.a.panel, s.a.edge), b = side(s.b.panel, s.b.edge);
    const PieceLayout &p = piece(s.a.panel), &q = piece(s.b.panel);
    const auto may = [](PieceKind k) {
      return k == PieceKind::kBodice || k == PieceKind::kYoke || k == PieceKind::kUnknown;
    };
    if (!may(p.role.kind) || !may(q.role.kind) || p.role.face == q.role.face || s.a.panel == s.b.panel) continue;
    if (a.out.y() < 0.5 || b.out.y() < 0.5) continue;
    t += 0.5 * (a.middle.y() + p.offset.y() + b.middle.y() + q.offset.y()) * a.length;
    weight += a.length;
  }
  for (const PieceLayout& l : out_.pieces) {
    if (l.tube != PieceTube::kTrunk || l.role.kind == PieceKind::kCollar || l.role.kind == PieceKind::kHood) continue;
    top = std::max(top, l.high.y() + l.offset.y());
    const bool below =
        l.role.kind == PieceKind::kWaistband || l.role.kind == PieceKind::kSkirt || l.role.kind == PieceKind::kLeg;
    if (l.role.kind == PieceKind::kBodice || l.role.kind == PieceKind::kYoke) out_.upper = true;
    if (!below) continue;
    hung = std::max(hung, l.high.y() + l.offset.y());
  }
  out_.has_shoulders = weight > 0.0;
  out_.upper |= out_.has_shoulders;
  out_.anchor_t = out_.has_shoulders ? t / weight : out_.upper || hung < -1e8 ? top : hung;
}

absl::StatusOr<GarmentLayout> Layout::run() {
  const std::vector<PieceRole> roles = piece_roles(pattern_);
  for (size_t p = 0; p < pattern_.panels.size(); ++p) {
    const Panel& panel = pattern_.panels[p];
    PieceLayout l;
    l.role = roles[p];
    const double area = loop_area(panel);
    l.flip = area < 0.0;
    area_.push_back(std::abs(area));
    if (panel.grain_given) {  // upright, the end that is up in the drawing up
      Vec2 grain(l.flip ? -panel.grain.x() : panel.grain.x(), panel.grain.y());
      if (grain.y() < 0.0) grain = -grain;
      l.turn = std::atan2(grain.x(), grain.y());
    }
    out_.pieces.push_back(l);
  }
  set_.assign(pattern_.panels.size(), false);
  high_set_ = set_;
  choose_arms();
  for (int p = 0; p < static_cast<int>(out_.pieces.size()); ++p) look(p);
  for (const Stitch& s : pattern_.stitches) {  // a tube of one piece
    if (s.a.panel != s.b.panel) continue;
    const Side a = side(s.a.panel, s.a.edge), b = side(s.b.panel, s.b.edge);
    const double width = piece(s.a.panel).high.x() - piece(s.a.panel).low.x();
    if (a.out.dot(b.out) < -0.5 && std::abs(a.middle.x() - b.middle.x()) > 0.6 * width) {
      piece(s.a.panel).closes_itself = piece(s.a.panel).role.face == PieceFace::kNone;
    }
  }
  place_sleeves();
  place_trunk();
  find_anchor();
  return out_;
}

}  // namespace

Vec2 PieceLayout::to_surface(const Vec2& flat) const { return turned(*this, flat) + offset; }

absl::StatusOr<GarmentLayout> lay_out(const Pattern& pattern) { return Layout(pattern).run(); }

}  // namespace tryon
