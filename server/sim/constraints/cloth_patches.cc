#include "server/sim/constraints/cloth_patches.h"

#include <numeric>

#include "server/sim/constraints/bend_friction.h"

namespace tryon::sim {

namespace {

constexpr int kMostTriangles = 512;

// The triangles at each particle.
struct Beside {
  std::vector<int> begin, triangle;
  Beside(const std::vector<Triangle>& triangles, int particle_count) : begin(particle_count + 1, 0) {
    for (const Triangle& corner : triangles)
      for (const int i : corner) ++begin[i + 1];
    std::partial_sum(begin.begin(), begin.end(), begin.begin());
    triangle.resize(begin.back());
    std::vector<int> next = begin;
    for (size_t t = 0; t < triangles.size(); ++t)
      for (const int i : triangles[t]) triangle[next[i]++] = static_cast<int>(t);
  }
};

}  // namespace

class ClothPatches::Builder {
 public:
  explicit Builder(ClothPatches* out)
      : out_(*out),
        model_(out->model_),
        beside_(model_.triangles, model_.particle_count),
        asked_(model_.triangles.size(), 0),
        rubs_(model_.triangles.size(), -1),
        copy_(model_.particle_count, -1) {
    const BendFriction& f = model_.bend_friction;
    for (int i = 0; i < f.count(); ++i) rubs_[f.triangle[i]] = i;
  }

  void build() {
    const bool any = model_.threads.count() + model_.bend_friction.count() > 0;
    std::vector<int> patch, front;
    for (size_t seed = 0; any && seed < model_.triangles.size(); ++seed) {
      if (asked_[seed]) continue;
      front.assign(1, static_cast<int>(seed));
      while (!front.empty()) {
        front = grow(front.front(), &patch);
        add(patch);
      }
    }
    find_copies();
  }

 private:
  // Triangles round a seed, ring by ring; returns one beside them where there is more.
  std::vector<int> grow(int seed, std::vector<int>* patch) {
    patch->assign(1, seed);
    asked_[seed] = 1;
    for (size_t k = 0; k < patch->size(); ++k)
      for (const int i : model_.triangles[(*patch)[k]])
        for (int at = beside_.begin[i]; at < beside_.begin[i + 1]; ++at) {
          const int next = beside_.triangle[at];
          if (asked_[next]) continue;
          if (static_cast<int>(patch->size()) == kMostTriangles) return {next};
          asked_[next] = 1;
          patch->push_back(next);
        }
    return {};
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
    bool rubs = false;
    for (const int t : triangles) rubs = rubs || rubs_[t] >= 0;
    const int fours = static_cast<int>(triangles.size() + 3) / 4;
    out_.patch_.push_back({static_cast<int>(out_.particle_.size()), 0, static_cast<int>(out_.threads_.size()), fours,
                           rubs ? static_cast<int>(out_.bends_of_.size()) : -1});
    for (int four = 0; four < fours; ++four) {
      out_.threads_.emplace_back();
      if (!model_.threads.limit_weft.empty()) out_.limits_.emplace_back();
      if (rubs) out_.bends_of_.emplace_back();
      for (int lane = 0; lane < 4; ++lane) {
        const size_t at = static_cast<size_t>(lane * fours + four);
        const bool idle = at >= triangles.size();
        const int t = triangles[idle ? static_cast<size_t>(four) : at];
        add_threads(t, lane, idle);
        if (rubs) add_bends(t, lane, idle);
      }
    }
    out_.patch_.back().copy_count = static_cast<int>(out_.particle_.size()) - out_.patch_.back().first_copy;
  }

  void add_threads(int t, int lane, bool idle) {
    local_step::FourThreads& four = out_.threads_.back();
    for (int j = 0; j < 3; ++j) four.corner[j][lane] = copy_of(model_.triangles[t][j]);
    const Threads& threads = model_.threads;
    if (threads.count() == 0) return;
    for (int k = 0; k < 4; ++k) four.shape[k][lane] = threads.shape[t][k];
    if (!out_.limits_.empty())
      out_.limits_.back().weft[lane] = threads.limit_weft[t], out_.limits_.back().warp[lane] = threads.limit_warp[t];
    if (idle) return;
    four.weft[lane] = threads.weft[t], four.warp[lane] = threads.warp[t], four.bias[lane] = threads.bias[t];
  }

  void add_bends(int t, int lane, bool idle) {
    local_step::FourBends& four = out_.bends_of_.back();
    const BendFriction& f = model_.bend_friction;
    const int i = rubs_[t];
    for (int j = 0; j < 3; ++j) four.across[j][lane] = copy_of(i < 0 ? model_.triangles[t][0] : f.particle[i][3 + j]);
    if (idle || i < 0) return;
    four.moment[lane] = f.moment[i];
    for (int k = 0; k < 3; ++k) {
      four.stiffness[k][lane] = f.stiffness[i][k];
      for (int j = 1; j < 6; ++j) four.weight[k][j - 1][lane] = f.weight[i][k][j];
    }
    for (const int particle : f.particle[i]) out_.bends_[particle] = 1;
  }

  void find_copies() {
    std::vector<int>& begin = out_.copy_begin_;
    begin.assign(model_.particle_count + 1, 0);
    for (const int i : out_.particle_) ++begin[i + 1];
    std::partial_sum(begin.begin(), begin.end(), begin.begin());
    out_.copies_.resize(out_.particle_.size());
    std::vector<int> next = begin;
    for (size_t k = 0; k < out_.particle_.size(); ++k) out_.copies_[next[out_.particle_[k]]++] = static_cast<int>(k);
  }

  ClothPatches& out_;
  const DrapeModel& model_;
  const Beside beside_;
  std::vector<uint8_t> asked_;  // [triangle_count] belongs to a patch
  std::vector<int> rubs_;       // [triangle_count] the element of its friction, -1: none
  std::vector<int> copy_;       // [particle_count] the last one made
};

ClothPatches::ClothPatches(const DrapeModel& model) : model_(model), bends_(model.particle_count, 0) {
  Builder(this).build();
}

local_step::PatchView ClothPatches::view(int patch) const {
  const Patch& p = patch_[patch];
  return {particle_.data() + p.first_copy,
          p.copy_count,
          threads_.data() + p.first_four,
          limits_.empty() ? nullptr : limits_.data() + p.first_four,
          p.first_bends < 0 ? nullptr : bends_of_.data() + p.first_bends,
          p.four_count,
          bend_friction::kSlack,
          model_.particle_count - 1};
}

}  // namespace tryon::sim
