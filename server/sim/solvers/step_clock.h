// What it is: seconds for StepReport's timings; never part of an answer. Units: s. Shapes: none.
// How it fails: never. Thread rules: any thread.
#pragma once

#include <chrono>

namespace tryon::sim {

inline double now_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace tryon::sim
