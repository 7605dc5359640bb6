// What it is: a cloth's triangles in patches of some hundreds that hang together, for loops that keep a patch's
// particles in the first cache: threads and bending with its friction (of elements of the usual size) pull on its own
// copies of them, and each particle then adds up its copies, in a fixed order. Units: as model.h. Shapes: in the
// margin. How it fails: never. Thread rules: built once and const; a pure function of the model: the same patches for
// any number of threads, and those of a cloth the same whatever other cloths a model holds.
#pragma once

#include <vector>

#include "server/base/grouped.h"
#include "server/sim/constraints/local_step.h"
#include "server/sim/model.h"

namespace tryon::sim {

class ClothPatches {
 public:
  explicit ClothPatches(const DrapeModel& model);  // which must outlive this
  int count() const { return static_cast<int>(patch_.size()); }
  int copy_count() const { return static_cast<int>(particle_.size()); }
  local_step::PatchView view(int patch) const;
  int first_copy(int patch) const { return patch_[patch].first_copy; }
  const Grouped& copies() const { return copies_; }  // of each particle

 private:
  struct Patch {
    int first_copy, copy_count, first_eight, four_count;
    int first_bends;  // -1: nothing bends
    bool rubs;        // what bends, somewhere
  };
  class Builder;

  const DrapeModel& model_;
  std::vector<Patch> patch_;
  std::vector<int> particle_;                      // [copy_count]
  std::vector<local_step::EightThreads> threads_;  // [eight_count]
  std::vector<local_step::EightLimits> limits_;    // the same; empty: nowhere
  std::vector<local_step::EightBends> bends_;      // of patches that bend
  Grouped copies_;
};

}  // namespace tryon::sim
