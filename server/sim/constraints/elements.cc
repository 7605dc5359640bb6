#include "server/sim/constraints/elements.h"

#include <algorithm>
#include <cmath>

#include "server/sim/constraints/ties.h"

namespace tryon::sim {

namespace {

struct Element {
  std::array<int, 4> particle;
  std::array<Real, 4> weight;
  Real rest = 0, stiffness = 0;
  bool seam = false, tether = false;
};
using Group = std::vector<Element>;  // one kind; coloured on its own, in the order given

Group seam_group(const DrapeModel& model, double tie_stiffness) {
  Group out;
  const Springs& s = model.springs;
  for (int i = 0; i < s.count(); ++i)
    if (s.kind[i] == SpringKind::kSeam && tie_stiffness > 0)
      out.push_back({{s.a[i], s.b[i], s.a[i], s.a[i]}, {1, -1, 0, 0}, s.rest[i], Real(tie_stiffness), true});
  return out;
}

Group edge_group(const DrapeModel& model, SpringKind kind) {
  Group out;
  const Springs& s = model.springs;
  for (int i = 0; i < s.count(); ++i)
    if (s.kind[i] == kind && s.stiffness[i] > 0)
      out.push_back({{s.a[i], s.b[i], s.a[i], s.a[i]},
                     {1, -1, 0, 0},
                     s.rest[i],
                     s.stiffness[i],
                     false,
                     kind == SpringKind::kTether});
  return out;
}

// direction 0 weft, 1 warp, 2 and 3 the two bias directions.
Group thread_group(const DrapeModel& model, int direction) {
  Group out;
  const Real half_root = Real(std::sqrt(0.5));
  for (int t = 0; t < model.threads.count(); ++t) {
    const auto& s = model.threads.shape[t];
    const std::array<Real, 3> x = {-s[0] - s[1], s[0], s[1]}, y = {-s[2] - s[3], s[2], s[3]};
    Element e;
    const Triangle& c = model.triangles[t];
    e.particle = {c[0], c[1], c[2], c[0]};
    for (int k = 0; k < 3; ++k)
      e.weight[k] = direction == 0   ? x[k]
                    : direction == 1 ? y[k]
                                     : half_root * (direction == 2 ? x[k] + y[k] : x[k] - y[k]);
    e.weight[3] = 0;
    e.rest = 1;
    e.stiffness = direction == 0   ? model.threads.weft[t]
                  : direction == 1 ? model.threads.warp[t]
                                   : model.threads.bias[t];
    if (e.stiffness > 0) out.push_back(e);
  }
  return out;
}

Group hinge_group(const DrapeModel& model) {
  Group out;
  for (int i = 0; i < model.hinges.count(); ++i)
    if (model.hinges.stiffness[i] > 0)
      out.push_back({model.hinges.particle[i], model.hinges.weight[i], 0, model.hinges.stiffness[i], false});
  return out;
}

// Greedy: the first colour in which none of the element's particles is taken.
std::vector<int> colours_of(const Group& group, int particle_count) {
  std::vector<std::vector<int>> taken(particle_count);  // colours at each particle
  std::vector<int> colour(group.size());
  for (size_t i = 0; i < group.size(); ++i) {
    const auto used = [&](int c) {
      for (int k = 0; k < 4; ++k) {
        const auto& at = taken[group[i].particle[k]];
        if (group[i].weight[k] != 0 && std::find(at.begin(), at.end(), c) != at.end()) return true;
      }
      return false;
    };
    while (used(colour[i])) ++colour[i];
    for (int k = 0; k < 4; ++k)
      if (group[i].weight[k] != 0) taken[group[i].particle[k]].push_back(colour[i]);
  }
  return colour;
}

void append(const DrapeModel& model, const Element& e, Elements* out) {
  out->particle.push_back(e.particle);
  out->weight.push_back(e.weight);
  out->rest.push_back(e.rest);
  out->stiffness.push_back(e.stiffness);
  out->seam.push_back(e.seam);
  out->tether.push_back(e.tether);
  Real mobility = 0;
  for (int k = 0; k < 4; ++k) mobility += model.inverse_mass[e.particle[k]] * e.weight[k] * e.weight[k];
  out->mobility.push_back(mobility);
}

void append_coloured(const DrapeModel& model, const Group& group, Elements* out) {
  const std::vector<int> colour = colours_of(group, model.particle_count);
  const int count = group.empty() ? 0 : *std::max_element(colour.begin(), colour.end()) + 1;
  for (int c = 0; c < count; ++c) {
    for (size_t i = 0; i < group.size(); ++i)
      if (colour[i] == c) append(model, group[i], out);
    out->colour_begin.push_back(out->count());
  }
}

}  // namespace

Elements make_elements(const DrapeModel& model, double tie_stiffness) {
  Elements out;
  out.colour_begin = {0};
  append_coloured(model, seam_group(model, tie_stiffness), &out);
  for (int direction : {1, 0, 2, 3}) append_coloured(model, thread_group(model, direction), &out);
  for (SpringKind kind : {SpringKind::kStructural, SpringKind::kShear, SpringKind::kBend, SpringKind::kTether})
    append_coloured(model, edge_group(model, kind), &out);
  append_coloured(model, hinge_group(model), &out);
  return out;
}

}  // namespace tryon::sim
