// What it is: the edges of a pattern's pieces as a seamstress looks at them who was told no seams: their lengths, the
// corners at their ends, how they bend, their notches, what their pieces are called; and how well two of them fit.
// Units: metres, degrees. Shapes: edges of all panels in one list; scores from 0, 1 is a good fit.
// How it fails: it does not. Thread rules: const after construction, free to share.
#pragma once

#include <cmath>
#include <vector>

#include "server/garment/pattern.h"

namespace tryon {

inline double bell(double x, double width) { return std::exp(-(x / width) * (x / width)); }

// What a piece's name tells.
struct PieceName {
  int side = 0;            // -1 left, +1 right, 0 does not say
  int face = 0;            // +1 front, -1 back
  bool lies = false;       // a sleeve without a grain line: it may be drawn along its arm
  bool symmetric = false;  // its outline is its own mirror image
};

struct SeamEdge {
  int panel = 0, edge = 0;
  double length = 0.0;
  double angle[2] = {0.0, 0.0};  // degrees inside the cloth at start and end
  double bow = 0.0;              // height over chord, positive: out of the cloth
  double slope = 0.0;            // degrees between chord and grain, 0 to 90
  bool curved = false, rises = false;
  Vec2 chord = Vec2::Zero();
  bool hem = false;  // the lower end of its piece, all across it
};

class SeamEdges {
 public:
  explicit SeamEdges(const Pattern& pattern);

  const SeamEdge& edge(int i) const { return edges_[i]; }
  int count(int panel) const;
  int next(int i) const;
  int before(int i) const;
  Vec2 direction(int panel, int edge, bool at_end) const;
  // The angle inside the cloth between an edge and the one after it; the loop may run either way round.
  double inner_angle(int panel, int edge, double sign) const;
  SeamEdge describe(int p, int e) const;
  bool congruent(int p, int q) const;
  bool is_symmetric(int p) const;
  // Sewn cloth goes on without a corner: the angles at both ends of a seam make a straight line together.
  double angle_score(const SeamEdge& a, const SeamEdge& b, bool against) const;
  // A cap bulges into the hollow of its armhole; their corners say little.
  static double cap_score(const SeamEdge& a, const SeamEdge& b);
  // A facing is a narrow copy of its piece's border: equal corners, one after the other turned over.
  double facing_score(const SeamEdge& a, const SeamEdge& b) const;
  // Two edges of other pieces that together are as long: the opening that a tube could be set into.
  bool fits_opening(double length, int panel) const;
  // A piece sewn to itself is a tube: a sleeve, a leg. A long rectangle is a band, which is not.
  double self_score(const SeamEdge& a, const SeamEdge& b) const;
  // Another piece, no copy of this one, has two edges of that length: each of a front's sides has its back's.
  bool has_partner_piece(const SeamEdge& a) const;
  // Metres from the beginning of the edge (from its end where it is walked against), ascending.
  std::vector<double> notches_along(const SeamEdge& e, bool against) const;
  // Notches are cut where two edges meet: where both have some they agree, or the edges belong to others.
  double notch_score(const SeamEdge& a, const SeamEdge& b, bool against) const;
  // What names and symmetry say about two pieces that might be sewn.
  double names_score(const SeamEdge& a, const SeamEdge& b) const;
  // Whether the two outlines run against each other along the seam. Pieces are drawn upright: tops meet tops. Where an
  // edge has no top, corners tell; pieces of one side of the body run against each other.
  bool opposite(const SeamEdge& a, const SeamEdge& b) const;

 protected:
  const Pattern& pattern_;
  std::vector<double> area_;             // [panel] m2
  std::vector<bool> counter_clockwise_;  // [panel]
  std::vector<PieceName> pieces_;        // [panel]
  std::vector<int> first_;               // [panel] its first edge
  std::vector<SeamEdge> edges_;
};

}  // namespace tryon
