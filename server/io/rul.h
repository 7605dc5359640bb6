// What it is: a RUL table of grade rules (AAMA-292, ASTM D6673): for each numbered rule, how far a point moves from the
// sample size to every size. Units: metres out; UNITS: METRIC (millimetres) or ENGLISH (inches) in the file.
// Shapes: rules[number][size] in the order of `sizes`. Deltas are taken relative to the sample size's own.
// How it fails: GRADE_RULES with the line of the file. Thread rules: pure function.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "server/garment/pattern.h"

namespace tryon {

struct GradeRules {
  std::string table, sample;
  std::vector<std::string> sizes;
  std::map<int, std::vector<Vec2>> rules;
};

absl::StatusOr<GradeRules> read_rul(std::string_view bytes);

// How far each point of an outline moves to a size: by its rule (-1: none), or between its ruled neighbours by the way
// along the outline.
std::vector<Vec2> grade_deltas(const GradeRules& rules, size_t size, const std::vector<Vec2>& loop,
                               const std::vector<int>& rule);
// A panel's marks in that size, in the order of PanelShape: each moves as the nearest point of the outline.
std::vector<Vec2> graded_marks(const Panel& panel, const std::vector<Vec2>& loop, const std::vector<Vec2>& delta);

}  // namespace tryon
