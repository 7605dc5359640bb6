// What it is: moves the ellipses of strands until their union hugs the skin: least mean gap with the wanted share of
// points inside. Units and frame: metres, the body's. Shapes: as Skin and Strand.
// The gap of a point is that of the strand that holds it deepest, or where none does, of the nearest that claims its
// part. Least absolute gaps with the outside weighing many times the inside are a quantile regression, solved by
// reweighted Gauss-Newton steps. A residual touches two neighbouring levels of one strand, so each strand's normal
// equations are block tridiagonal and solved apart. Pulls of a GirthRuler enter them as points inside do.
// How it fails: it does not. Thread rules: pure function.
#pragma once

#include <memory>

#include "server/body/proxy_girth.h"
#include "server/body/proxy_strand.h"

namespace tryon {

struct RefineSettings {
  int sweeps = 10;
  double outside_weight = 60.0;  // of a millimetre outside against one inside, 1 .. 1e4
  double tolerance_m = 0.00045;  // farther outside than this counts as outside
  double soft_m = 0.004;         // gaps smaller than this are squared, larger ones absolute
  double deep_m = 0.020;         // skin deeper inside (between fingers, within a mouth) pulls less and less
  double turning = 0.0;          // share of each Gauss-Newton turn that is taken, 0 .. 1
  bool sliding = false;          // whether inner levels also move along the axis
  double slide_calm = 0.0;       // what holds them there, per weight
  double anchor = 0.3;           // of calm, towards where the levels began
  bool nearby = false;           // whether most points deep inside are left out
  double girth = 0.0;            // of a plane's pulls at 1 % girth error, against the gaps of the skin beside it
  double girth_soft_m = 0.002;   // reaching too far by less than this is squared
  double calm = 0.005;           // share of a strand's own weight that holds its levels in place
};

// Refers to skin and strands: both must outlive it. Levels may be replaced between calls (then restart), frames not.
class StrandRefiner {
 public:
  StrandRefiner(const Skin& skin, std::vector<Strand>* strands);
  ~StrandRefiner();
  void measure_with(const GirthRuler* ruler) { ruler_ = ruler; }  // may be null; must outlive the refiner
  void restart();                                                 // levels are held where they are now
  void sweep(const RefineSettings& settings);
  // Sweeps until at most `allowed` points are outside, or settings.sweeps are spent.
  void hold(const RefineSettings& settings, size_t allowed);
  // Grows single levels until at most `allowed` points are outside, as far as a few millimetres can do that.
  void grow(size_t allowed);
  // The points' gaps against the union: positive outside, infinite beyond all strands. First order in the distance,
  // exact on the surface.
  std::vector<double> gaps();
  // The skin that each level of each strand answers for: result [strand_count][level_count].
  std::vector<std::vector<LevelShares>> owned_shares();

 private:
  struct State;
  void find_owners();
  void look_near();
  void find_pulls(const RefineSettings& settings);
  void step(const RefineSettings& settings, size_t self);
  const Skin& skin_;
  std::vector<Strand>& strands_;
  const GirthRuler* ruler_ = nullptr;
  std::unique_ptr<State> state_;
};

// Once, for what is refined or asked only once.
void refine_strands(const Skin& skin, const RefineSettings& settings, std::vector<Strand>* strands);

// Scales a strand's radii until it holds the given share of its claimed points between its ends.
void hold_points(const Skin& skin, double share, Strand* strand);

std::vector<double> strand_gaps(const Skin& skin, std::vector<Strand> strands);

}  // namespace tryon
