// What it is: pleats, sewn layer on layer: which cloth of an edge lies under which where it is caught in a seam, and
// the panel as it lies once its pleats are laid.
//
//     knife to the end, seen from the hem           ______________        visible crease at -depth, inner one at 0;
//     (start left, end right, outer side up)              ________)       the cloth up to +depth is taken out of the
//                                                        (______________  edge and lies under what comes before it
//
// A knife to the start is its mirror image; an inverted pleat is one to the end and one to the start whose visible
// creases meet; a box pleat is an inverted one seen from the other side. Units: metres; offsets along the edge from the
// pleat's middle. How it fails: a pleat that does not fit into its edge, or shares cloth with another one, is not laid
// (pleat_is_laid). Thread rules: pure functions.
#pragma once

#include <string>
#include <vector>

#include "server/garment/pattern.h"

namespace tryon {

// One fold pair of a pleat: the cloth within depth of `middle` is taken out.
struct FoldPair {
  double middle = 0.0;  // from the pleat's middle
  bool to_end = true;   // the visible crease is at middle - depth and faces the edge's end; else the mirror image
};
std::vector<FoldPair> fold_pairs(const Pleat& pleat);
// Where the creases lie, ascending.
std::vector<double> fold_offsets(const Pleat& pleat);
// Half of the cloth that it takes: its own cloth lies within this of its middle.
double pleat_reach(const Pleat& pleat);
// [pleats] which of them are laid, and whether one is.
std::vector<bool> laid_pleats(const Panel& panel);
inline bool pleat_is_laid(const Panel& panel, size_t pleat) { return laid_pleats(panel)[pleat]; }
// A place on the outline some metres on (or back), across corners.
struct EdgePlace {
  int edge = 0;
  double at = 0.0;
};
EdgePlace walk_outline(const Panel& panel, EdgePlace from, double metres);

// Takes the pleats' cloth out of the seams that hold it and adds seams (SeamSpec::pleat) that lay it: both halves of
// each pair on each other, and the pair under (box: on) the cloth beside it. Stitches become seams. Once: a pattern
// that has such seams stays as it is.
void sew_pleats(Pattern* pattern);

// A panel with its pleats laid: places on the flat cloth to places on the laid one, and how far above it (outer side
// positive) they lie, so that no layer meets another. Panels without pleats stay.
class LaidPanel {
 public:
  explicit LaidPanel(const Panel& panel);
  bool has_pleats() const { return !knots_.empty(); }
  Vec2 at(const Vec2& flat) const;
  double height(const Vec2& flat) const;

 private:
  struct Knot {
    double u, laid, height;
  };
  double between(const Vec2& flat, double Knot::*value) const;

  Vec2 origin_ = Vec2::Zero(), along_ = Vec2::UnitX();
  std::vector<Knot> knots_;  // ascending in u
};
// The pattern as it lies: outlines of laid panels, without pleats. For deciding where pieces go, not for cutting.
Pattern with_pleats_laid(Pattern pattern);

}  // namespace tryon
