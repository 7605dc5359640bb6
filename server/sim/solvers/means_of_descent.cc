#include "server/sim/solvers/means_of_descent.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace tryon::sim {

namespace {

// Steps before the Hessian is worth its factor: so many, or until the rms no longer falls, which where layers are kept
// apart is asked late, or, where none are, is small.
constexpr size_t kPlainSteps = 20, kLayeredSteps = 14;
constexpr double kNearRest = 0.15;
constexpr size_t kStallSteps = 4;  // in which less than 1 - kStallShare of it goes
constexpr double kStallShare = 0.8;
constexpr double kFarFromRest = 1.0;  // cloth without layers that stalls there has only begun to travel
// Steps of the Hessian in vain that leave so much, and more than kGainless of what was: layers travel.
constexpr double kTravels = 0.3, kGainless = 0.7;
constexpr int kTravelSteps = 8;
// A rough rest: steps of such a tolerance or more, an rms of so many times that. So many plain steps to there cost less
// than the Hessian's few.
constexpr double kRoughStep = 0.01, kRestOverStep = 2;
constexpr int kSoon = 8;

}  // namespace

// Directions of the Hessian that are cut short all the way bring layers that travel no nearer to their rest, and four
// plain steps and more cost as much as one of those.
void MeansOfDescent::choose(const LastStep& last, bool layers) {
  if (!hessian_) {
    rms_.push_back(last.rms);
    hessian_ = plain_steps_are_over(layers);
  } else if (plain_left_ > 0) {
    --plain_left_;
  } else if (layers && last.in_vain && last.rms > std::max(kTravels, kGainless * before_)) {
    plain_left_ = kTravelSteps;
  }
  before_ = last.rms;
}

// Folds of layers that rub keep the Hessian's directions short for long: there plain steps are the cheaper way.
bool MeansOfDescent::plain_steps_are_over(bool layers) const {
  const double now = rms_.back();
  const size_t steps = rms_.size() - 1;
  if (steps >= kPlainSteps) return true;
  if (gave_up_) return false;
  if (!layers && now > kFarFromRest) return false;
  if (!layers && now < kNearRest && !rests_soon()) return true;
  return steps >= (layers ? kLayeredSteps : kStallSteps) &&
         now > kStallShare * std::max(rms_[steps - kStallSteps], rms_[steps - 1]);
}

// To a rough rest, at the pace of the last four steps.
bool MeansOfDescent::rests_soon() const {
  if (tolerance_ < kRoughStep || rms_.size() <= kStallSteps) return false;
  const double now = rms_.back(), share = now / rms_[rms_.size() - 1 - kStallSteps];
  return now * std::pow(share, kSoon / double{kStallSteps}) < kRestOverStep * tolerance_;
}

void MeansOfDescent::give_up_hessian() {
  hessian_ = false, plain_left_ = 0;
  rms_.clear();
  gave_up_ = true;
}

}  // namespace tryon::sim
