#include "server/sim/constraints/cloth_patches.h"

#include "server/sim/constraints/bend_elements.h"

namespace tryon::sim {

namespace {

// The triangles' corners at each particle: corner k is triangle k / 3's.
Grouped corners_at(const DrapeModel& model) {
  std::vector<int> particle;
  for (const Triangle& corner : model.triangles) particle.insert(particle.end(), corner.begin(), corner.end());
  return grouped(model.particle_count, particle);
}

}  // namespace

class ClothPatches::Builder {
 public:
  explicit Builder(ClothPatches* out)
      : out_(*out),
        model_(out->model_),
        corners_(corners_at(model_)),
        taken_(model_.triangles.size(), 0),
        element_(model_.triangles.size(), -1),
        copy_(model_.particle_count, -1) {
    const BendElements& f = model_.bend_elements;
    for (int i = 0; i < f.count(); ++i)
      if (f.particle_count(i) == BendElements::kUsual) element_[f.triangle[i]] = i;
  }

  void build() {
    const bool any = model_.threads.count() + model_.bend_elements.count() > 0;
    std::vector<int> patch;
    for (int t = 0; any && t < static_cast<int>(model_.triangles.size()); ++t)
      for (int seed = taken_[t] ? -1 : t; seed >= 0;) {
        seed = grow(seed, &patch);
        add(patch);
      }
    out_.copies_ = grouped(model_.particle_count, out_.particle_);
  }

 private:
  // Triangles round a seed, ring by ring; returns one beside them where there are more, else -1.
  int grow(int seed, std::vector<int>* patch) {
    patch->assign(1, seed);
    taken_[seed] = 1;
    for (size_t k = 0; k < patch->size(); ++k)
      for (const int i : model_.triangles[(*patch)[k]])
        for (int at = corners_.begin[i]; at < corners_.begin[i + 1]; ++at) {
          const int next = corners_.member[at] / 3;
          if (taken_[next]) continue;
          if (static_cast<int>(patch->size()) == local_step::kMostInPatch) return next;
          taken_[next] = 1;
          patch->push_back(next);
        }
    return -1;
  }

  uint16_t copy_of(int particle) {
    const int first = out_.patch_.back().first_copy;
    if (copy_[particle] < first) {
      copy_[particle] = static_cast<int>(out_.particle_.size());
      out_.particle_.push_back(particle);
    }
    return static_cast<uint16_t>(copy_[particle] - first);
  }

  void add(const std::vector<int>& triangles) {
    bool bends = false, rubs = false;
    for (const int t : triangles) {
      bends = bends || element_[t] >= 0;
      rubs = rubs || (element_[t] >= 0 && model_.bend_elements.moment[element_[t]] > 0);
    }
    const int fours = static_cast<int>(triangles.size() + 3) / 4;
    out_.patch_.push_back({static_cast<int>(out_.particle_.size()), 0, static_cast<int>(out_.threads_.size()), fours,
                           bends ? static_cast<int>(out_.bends_.size()) : -1, rubs});
    for (int four = 0; four < fours; ++four) {
      if (four % 2 == 0) begin_eight(bends);
      for (int lane = 0; lane < 4; ++lane) {
        const size_t at = static_cast<size_t>(lane * fours + four);
        const bool idle = at >= triangles.size();
        const int t = triangles[idle ? static_cast<size_t>(four) : at];
        const int beside = 4 * (four % 2) + lane;
        add_threads(t, beside, idle);
        if (bends) add_bends(t, beside, idle);
      }
    }
    out_.patch_.back().copy_count = static_cast<int>(out_.particle_.size()) - out_.patch_.back().first_copy;
  }

  void begin_eight(bool bends) {
    out_.threads_.emplace_back();
    if (!model_.threads.limit_weft.empty()) out_.limits_.emplace_back();
    if (bends) out_.bends_.emplace_back();
  }

  void add_threads(int t, int beside, bool idle) {
    local_step::EightThreads& eight = out_.threads_.back();
    for (int j = 0; j < 3; ++j) eight.corner[j][beside] = copy_of(model_.triangles[t][j]);
    const Threads& threads = model_.threads;
    if (threads.count() == 0) return;
    for (int k = 0; k < 4; ++k) eight.shape[k][beside] = threads.shape[t][k];
    if (!out_.limits_.empty())
      out_.limits_.back().weft[beside] = threads.limit_weft[t],
      out_.limits_.back().warp[beside] = threads.limit_warp[t];
    if (idle) return;
    eight.weft[beside] = threads.weft[t], eight.warp[beside] = threads.warp[t], eight.bias[beside] = threads.bias[t];
  }

  void add_bends(int t, int beside, bool idle) {
    local_step::EightBends& eight = out_.bends_.back();
    const BendElements& f = model_.bend_elements;
    const int i = element_[t];
    for (int j = 0; j < 3; ++j)
      eight.across[j][beside] = copy_of(i < 0 ? model_.triangles[t][0] : f.particle[i][3 + j]);
    if (idle || i < 0) return;
    eight.moment[beside] = f.moment[i];
    for (int k = 0; k < 3; ++k) {
      eight.stiffness[k][beside] = f.stiffness[i][k];
      for (int j = 1; j < 6; ++j) eight.weight[k][j - 1][beside] = f.weight[i][k][j];
    }
  }

  ClothPatches& out_;
  const DrapeModel& model_;
  const Grouped corners_;
  std::vector<uint8_t> taken_;  // [triangle_count] belongs to a patch
  std::vector<int> element_;    // [triangle_count] that bends it, -1: none
  std::vector<int> copy_;       // [particle_count] the last one made
};

ClothPatches::ClothPatches(const DrapeModel& model) : model_(model) { Builder(this).build(); }

local_step::PatchView ClothPatches::view(int patch) const {
  const Patch& p = patch_[patch];
  return {particle_.data() + p.first_copy,
          p.copy_count,
          threads_.data() + p.first_eight,
          limits_.empty() ? nullptr : limits_.data() + p.first_eight,
          p.first_bends < 0 ? nullptr : bends_.data() + p.first_bends,
          p.rubs,
          p.four_count,
          bend_elements::kSlack,
          model_.particle_count - 1};
}

}  // namespace tryon::sim
