// What it is: where strands overstate girths, as pulls on single ellipses: planes across trunk and limbs, the support
// function of the body's hull in each (fixed), and that of the union (measured anew); where the union reaches farther,
// the ellipse that does so is to come in.
//   Girth of a hull = integral of its support function over all directions, so hollows cost nothing and only the
// directions in which a strand reaches beyond the body's hull count.
// Units and frame: metres; planes in the body's frame, pulls in their strand's own coordinates. Shapes: pulls in a
// fixed order, at most planes * kGirthDirections. How it fails: it does not. Thread rules: const after construction.
#pragma once

#include <array>
#include <vector>

#include "server/body/proxy_cuts.h"
#include "server/body/proxy_strand.h"

namespace tryon {

inline constexpr int kGirthDirections = 24;

struct GirthPull {
  int strand = 0, below = 0;         // the ellipse lies between levels below and below + 1
  double x = 0.0, y = 0.0, h = 0.0;  // the point on it that reaches farthest
  double excess = 0.0;               // metres along the ellipse's normal by which it reaches too far, > 0
  double weight = 0.0;               // share of the body's area times the plane's girth error, per kOnePercent
};

class GirthRuler {
 public:
  // Planes every `spacing` from `offset` after a part's first; see proxy_cuts.h.
  GirthRuler(const ProxyAnatomy& anatomy, double offset, double spacing);
  std::vector<GirthPull> pulls(const std::vector<Strand>& strands) const;

 private:
  using Supports = std::array<double, kGirthDirections>;
  struct Plane {
    double girth = 0.0, share = 0.0;  // of the hull; of the body's area that is nearest to this plane
    bool clipped = false;
    double low = 0.0, high = 0.0;  // walls along u where clipped
    Supports supports{};           // of the body's hull
  };
  struct Family {
    PartCuts cuts;
    double first = 0.0;
    std::vector<Plane> planes;  // girth 0: not to be measured
  };
  // A family's view of a strand: its frame as (along u, along v, along the normal) of the planes.
  struct View {
    Vec3 base, axis, u, v;
  };
  struct Reaching {  // what reaches farthest in each direction of a plane
    Supports supports;
    std::array<GirthPull, kGirthDirections> pulls;
  };
  View view_of(const Family& family, const Strand& strand) const;
  bool is_clipped(const Family& family, int index) const;
  Plane make_plane(const std::vector<Vec2>& outline, const std::vector<Vec2>* everything) const;  // null: unclipped
  void reach_upright(const Family& family, const Strand& strand, int index, std::vector<Reaching>* out) const;
  void reach_oblique(const Family& family, const Strand& strand, int index, std::vector<Reaching>* out) const;
  void append_pulls(const Plane& plane, const Reaching& reaching, std::vector<GirthPull>* out) const;
  double spacing_ = 0.0, area_ = 0.0;
  std::vector<Family> families_;
};

}  // namespace tryon
