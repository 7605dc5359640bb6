#include "server/sim/model_part.h"

#include <algorithm>
#include <utility>

namespace tryon::sim {

namespace {

class Cutter {
 public:
  Cutter(const DrapeModel& whole, const std::vector<uint8_t>& moves) : whole_(whole), moves_(moves) {}

  // Two rings round what moves: bending reaches so far.
  void choose(const std::vector<uint8_t>& beside) {
    const std::vector<uint8_t> near = widened(whole_, moves_, 1);
    std::vector<uint8_t> in(moves_.size(), 0);
    for (size_t t = 0; t < whole_.triangles.size(); ++t) {
      const Triangle& c = whole_.triangles[t];
      if (!any(near, c) && !any(beside, c)) continue;
      triangle_.push_back(static_cast<int>(t));
      for (const int i : c) in[i] = 1;
    }
    for (int s = 0; s < whole_.springs.count(); ++s)
      if (spring_acts(s)) in[whole_.springs.a[s]] = in[whole_.springs.b[s]] = 1;
    index_.assign(moves_.size(), -1);
    for (size_t i = 0; i < in.size(); ++i)
      if (in[i]) index_[i] = static_cast<int>(out_.whole.size()), out_.whole.push_back(static_cast<int>(i));
  }

  ModelPart cut() && {
    cut_particles();
    cut_triangles();
    cut_springs();
    cut_hinges(whole_.hinges, &out_.model.hinges);
    cut_hinges(whole_.viscous, &out_.model.viscous);
    cut_bend_elements();
    cut_bend_matrix();
    return std::move(out_);
  }

 private:
  template <typename Particles>
  static bool any(const std::vector<uint8_t>& flag, const Particles& of) {
    return std::any_of(of.begin(), of.end(), [&flag](int i) { return flag[i] != 0; });
  }
  bool spring_acts(int s) const { return moves_[whole_.springs.a[s]] || moves_[whole_.springs.b[s]]; }
  template <typename Particles>
  Particles renamed(Particles particle) const {
    for (int& i : particle) i = index_[i];
    return particle;
  }
  template <typename T>
  void pick(const std::vector<T>& from, const std::vector<int>& which, std::vector<T>* to) const {
    if (from.empty()) return;
    for (const int k : which) to->push_back(from[k]);
  }

  void cut_particles() {
    DrapeModel& part = out_.model;
    part.particle_count = static_cast<int>(out_.whole.size());
    pick(whole_.mass, out_.whole, &part.mass);
    pick(whole_.fabric_index, out_.whole, &part.fabric_index);
    for (const int i : out_.whole) part.inverse_mass.push_back(moves_[i] ? whole_.inverse_mass[i] : Real(0));
    part.fabrics = whole_.fabrics;
    part.mean_weight = whole_.mean_weight;
  }

  void cut_triangles() {
    DrapeModel& part = out_.model;
    for (const int t : triangle_) part.triangles.push_back(renamed(whole_.triangles[t]));
    pick(whole_.corner_flat, triangle_, &part.corner_flat);
    pick(whole_.rest_area, triangle_, &part.rest_area);
    pick(whole_.shear_viscosity, triangle_, &part.shear_viscosity);
    const Threads& threads = whole_.threads;
    pick(threads.shape, triangle_, &part.threads.shape);
    pick(threads.weft, triangle_, &part.threads.weft);
    pick(threads.warp, triangle_, &part.threads.warp);
    pick(threads.bias, triangle_, &part.threads.bias);
    pick(threads.limit_weft, triangle_, &part.threads.limit_weft);
    pick(threads.limit_warp, triangle_, &part.threads.limit_warp);
    pick(whole_.membranes.shape, triangle_, &part.membranes.shape);
    pick(whole_.membranes.stiffness, triangle_, &part.membranes.stiffness);
  }

  void cut_springs() {
    const Springs& from = whole_.springs;
    Springs& to = out_.model.springs;
    for (int s = 0; s < from.count(); ++s) {
      if (!spring_acts(s)) continue;
      to.a.push_back(index_[from.a[s]]);
      to.b.push_back(index_[from.b[s]]);
      to.rest.push_back(from.rest[s]);
      to.stiffness.push_back(from.stiffness[s]);
      to.kind.push_back(from.kind[s]);
    }
  }

  void cut_hinges(const Hinges& from, Hinges* to) const {
    for (int h = 0; h < from.count(); ++h) {
      if (!any(moves_, from.particle[h])) continue;
      to->particle.push_back(renamed(from.particle[h]));
      to->weight.push_back(from.weight[h]);
      to->stiffness.push_back(from.stiffness[h]);
    }
  }

  // Those pairs of which one moves.
  void cut_bend_matrix() {
    const BendMatrix& from = whole_.bend_matrix;
    if (from.count() == 0) return;
    BendMatrix& to = out_.model.bend_matrix;
    to.row_begin.push_back(0);
    for (const int i : out_.whole) {
      for (int k = from.row_begin[i]; k < from.row_begin[i + 1]; ++k) {
        const int j = from.column[k];
        if (index_[j] < 0 || !(moves_[i] || moves_[j])) continue;
        to.column.push_back(index_[j]);
        to.stiffness.push_back(from.stiffness[k]);
      }
      to.row_begin.push_back(static_cast<int>(to.column.size()));
    }
  }

  void cut_bend_elements() {
    const BendElements& from = whole_.bend_elements;
    BendElements& to = out_.model.bend_elements;
    for (int k = 0; k < from.count(); ++k) {
      if (!any(moves_, from.particle[k])) continue;
      const auto at = std::lower_bound(triangle_.begin(), triangle_.end(), from.triangle[k]);
      to.triangle.push_back(static_cast<int>(at - triangle_.begin()));
      to.particle.push_back(renamed(from.particle[k]));
      to.weight.push_back(from.weight[k]);
      to.stiffness.push_back(from.stiffness[k]);
      to.moment.push_back(from.moment[k]);
    }
  }

  const DrapeModel& whole_;
  const std::vector<uint8_t>& moves_;
  std::vector<int> triangle_, index_;  // of the whole's, ascending; [whole's particle_count] in the part, -1: not there
  ModelPart out_;
};

}  // namespace

std::vector<uint8_t> widened(const DrapeModel& model, std::vector<uint8_t> chosen, int rings) {
  for (int ring = 0; ring < rings; ++ring) {
    const std::vector<uint8_t> before = chosen;
    for (const Triangle& c : model.triangles)
      if (before[c[0]] || before[c[1]] || before[c[2]]) chosen[c[0]] = chosen[c[1]] = chosen[c[2]] = 1;
  }
  return chosen;
}

ModelPart part_of(const DrapeModel& model, const std::vector<uint8_t>& moves, const std::vector<uint8_t>& beside) {
  Cutter cutter(model, moves);
  cutter.choose(beside);
  return std::move(cutter).cut();
}

}  // namespace tryon::sim
