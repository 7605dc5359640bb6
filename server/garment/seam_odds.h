// What it is: how probable it is that two edges of a pattern's pieces are sewn to each other. Two logistic models: one
// of what is seen in the pair (lengths, corners, curves, what the pieces are, which way the edges look), one of what
// else the two edges could be sewn to and whether their neighbours fit as well. Their weights are those that
// `scripts/bench seams` finds on garments whose seams are known, half of them kept away to judge by.
// Units: shares from 0 to 1. Shapes: pairs i < j of SeamEdges' list. How it fails: it does not.
// Thread rules: pure functions.
#pragma once

#include <array>
#include <vector>

#include "server/garment/role.h"
#include "server/garment/seam_edges.h"

namespace tryon {

inline constexpr int kPairFacts = 28, kPlaceFacts = 6;
using PairFacts = std::array<double, kPairFacts>;
using PlaceFacts = std::array<double, kPlaceFacts>;

struct EdgePair {
  int i = 0, j = 0;
  PairFacts facts{};                  // the first is 1
  PlaceFacts around{};                // the first is 1, the second the log odds of `facts`
  double likeness = 0.0, odds = 0.0;  // likeness: a score by rule of how well they fit
};

extern const std::array<const char*, kPairFacts> kPairFactNames;

class SeamOdds : public SeamEdges {
 public:
  explicit SeamOdds(const Pattern& pattern);
  // Pairs that are worth a thought, with their facts.
  std::vector<EdgePair> pairs() const;
  // Fills in `around` and `odds`.
  void weigh(std::vector<EdgePair>* pairs, const PairFacts& first, const PlaceFacts& second) const;
  // With the weights that are in use.
  std::vector<EdgePair> weighed() const;
  // How well two edges fit by their looks, 0 to 1; names and notches included.
  double likeness(const SeamEdge& a, const SeamEdge& b) const;
  // Pieces of one outline that are not a front and a back: one lies upon the other.
  bool twins(const SeamEdge& a, const SeamEdge& b) const;

 private:
  PairFacts facts(int i, int j, double likeness) const;

  std::vector<PieceRole> roles_;  // [panel]
  std::vector<Vec2> outwards_;    // [edge] unit normal, the piece seen from its outer side
  std::vector<double> crowd_;     // [edge] how many others have its length
};

}  // namespace tryon
