// What it is: turns the knobs of the parametric figure until the tape of measure_body reads a goal: damped Gauss-Newton
// steps on the logarithms of readings and knobs, the matrix of responses learnt on the way (Broyden 1965). What was
// asked weighs most; what was predicted gives way to it, and to a smooth figure.
// Units and frame: mm in the goal; the body in metres, +Y up, facing +Z, floor at y = 0.
// How it fails: with the refusal of segment_body where no figure near the first is a person's; otherwise it returns the
// nearest figure, and the caller judges. Thread rules: pure function; the same goal gives the same bytes.
#pragma once

#include <array>

#include "absl/status/statusor.h"
#include "server/base/run_context.h"
#include "server/body/anthropometry.h"
#include "server/body/body.h"

namespace tryon {

struct FigureGoal {
  std::array<double, kItemCount> wanted_mm{};
  std::array<bool, kItemCount> asked{};
  FigureType type = FigureType::kNeutral;
  double arm_angle_deg = 45.0;
};

struct FittedFigure {
  Body body;  // measured; source is left empty
  int passes = 0;
};

absl::StatusOr<FittedFigure> fit_figure(const RunContext& run, const FigureGoal& goal);

// What the tape reads of an item; 0 where it found none.
double reading_mm(const Body& body, Item item);

}  // namespace tryon
