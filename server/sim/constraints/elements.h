// What it is: the elastic energy of a model as one list of generalised springs, for methods that treat constraints one
// by one: E = sum 1/2 k (|e| - rest)^2, e = sum c_j x_j over up to four particles. A triangle's threads are four of
// them (rest 1), a hinge one of rest 0 (its vector vanishes when flat), edge springs and seams the common kind.
// Ordered seams, warp and weft, bias, bending, and inside each by colours: elements of a colour share no particle, so a
// colour may run in parallel and gives the same bytes for any number of threads.
// Units: N/m times the square of what c carries. Shapes: [element_count]; colour c is begin[c] .. begin[c + 1].
// How it fails: never. Thread rules: plain values; build once.
#pragma once

#include <array>
#include <vector>

#include "server/sim/model.h"

namespace tryon::sim {

struct Elements {
  std::vector<std::array<int, 4>> particle;  // unused places repeat the first particle with coefficient 0
  std::vector<std::array<Real, 4>> weight;   // c_j
  std::vector<Real> rest, stiffness;
  std::vector<uint8_t> tether;    // slack below its rest length
  std::vector<uint8_t> seam;      // rest is scaled by DrapeState::tie_rest_ratio
  std::vector<Real> mobility;     // sum of inverse mass c_j^2, 1/kg; 0 = all its particles are pinned
  std::vector<int> colour_begin;  // [colour_count + 1]
  int count() const { return static_cast<int>(rest.size()); }
  int colour_count() const { return static_cast<int>(colour_begin.size()) - 1; }
  RVec3 vector(int i, const RVec3* x) const {
    const auto& p = particle[i];
    const auto& c = weight[i];
    return c[0] * x[p[0]] + c[1] * x[p[1]] + c[2] * x[p[2]] + c[3] * x[p[3]];
  }
  // A measure of stiffness that compares elements of all kinds: k sum c^2, N/m.
  Real strength(int i) const {
    const auto& c = weight[i];
    return stiffness[i] * (c[0] * c[0] + c[1] * c[1] + c[2] * c[2] + c[3] * c[3]);
  }
};

Elements make_elements(const DrapeModel& model, double tie_stiffness);

}  // namespace tryon::sim
