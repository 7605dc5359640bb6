#include "server/drape/grade.h"

#include <algorithm>
#include <iterator>

namespace tryon {
namespace {

constexpr std::string_view kGrades[] = {"none", "preview", "final", "reference"};
constexpr double kReferenceRms = 1e-5, kReferenceMax = 1e-4, kPreviewSpeed = 1e-2;

auto rank(std::string_view grade) {
  const auto found = std::find(std::begin(kGrades), std::end(kGrades), grade);
  return found == std::end(kGrades) ? 0 : found - std::begin(kGrades);
}

}  // namespace

std::string_view grade_of(double residual_rms, double residual_max, double speed) {
  if (residual_rms <= kReferenceRms && residual_max <= kReferenceMax) return "reference";
  if (residual_rms <= kFinalRms && residual_max <= kFinalMax) return "final";
  if (residual_rms <= kPreviewRms && residual_max <= kPreviewMax && speed <= kPreviewSpeed) return "preview";
  return "none";
}

bool is_at_least(std::string_view grade, std::string_view wanted) { return rank(grade) >= rank(wanted); }

}  // namespace tryon
