// What it is: how far a drape has come to rest, in a word: "none", "preview", "final" or "reference", each better than
// the one before (validation 6.1). Units: net nodal force over the mean nodal weight; m/s. How it fails: a word that is
// none of them is "none". Thread rules: pure functions.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace tryon {

inline constexpr double kFinalRms = 1e-3, kFinalMax = 1e-2, kPreviewRms = 5e-2, kPreviewMax = 5e-1;

// A grade at which a drape may be wanted.
enum class TargetGrade { kFinal, kPreview };
inline constexpr std::array<std::string_view, 2> kTargetNames = {"final", "preview"};
struct Target {
  std::string_view name;
  double rms, max;
};
constexpr Target target_of(TargetGrade grade) {
  const std::string_view name = kTargetNames[static_cast<size_t>(grade)];
  return grade == TargetGrade::kFinal ? Target{name, kFinalRms, kFinalMax} : Target{name, kPreviewRms, kPreviewMax};
}

// Of the certificate's forces and the 99.5th percentile of the last step's speeds, which only "preview" asks for: the
// steps of a rest are without inertia.
std::string_view grade_of(double residual_rms, double residual_max, double speed);
bool is_at_least(std::string_view grade, std::string_view wanted);

}  // namespace tryon
