// What it is: by which matrix a drape's next long step towards rest goes: the constant one, whose iterations are cheap,
// or the Hessian's factor, whose directions are whole only near rest. Units: rms of the net forces in mean weights.
// Shapes: none. How it fails: never. Thread rules: one object, one thread. Cites: Liu 2017 (the constant matrix).
#pragma once

#include <vector>

namespace tryon::sim {

class MeansOfDescent {
 public:
  struct LastStep {
    double rms = 0;        // that it left
    bool in_vain = false;  // the Hessian's iterations were used up, and what is wanting is not a few particles' matter
  };
  // `tolerance`: of a step, the largest gradient in mean weights.
  explicit MeansOfDescent(double tolerance = 0) : tolerance_(tolerance) {}
  // Once a step, before it.
  void choose(const LastStep& last, bool layers);
  bool by_hessian() const { return hessian_ && plain_left_ == 0; }
  // Whether the Hessian was taken, and the step that choose() has not been asked of yet may be its own.
  bool hessian_may_follow() const { return hessian_ && plain_left_ <= 1; }
  // No point along the constant matrix's directions is lower.
  void take_hessian() { hessian_ = true, plain_left_ = 0; }
  // It has no factor: plain steps for as long as they may be.
  void give_up_hessian();

 private:
  bool plain_steps_are_over(bool layers) const;
  bool rests_soon() const;

  double tolerance_;
  std::vector<double> rms_;  // before each plain step, until the Hessian is taken
  double before_ = 0;        // rms before the last step
  int plain_left_ = 0;       // between the Hessian's steps
  bool hessian_ = false, gave_up_ = false;
};

}  // namespace tryon::sim
