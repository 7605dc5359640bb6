// What it is: the stations at which a body is measured, each a function that writes landmarks, measurements and curves.
// They build on each other's levels, so measure_body calls them in this order.
// Units and frame: metres, +Y up, facing +Z. How it fails: what a body does not show is left out.
// Thread rules: pure but for the ruler that they write to.
#pragma once

#include <optional>

#include "server/body/measure_ruler.h"

namespace tryon {

struct TrunkLevels {  // m above the floor
  double natural_waist = 0, waist = 0, buttock = 0, hip = 0, high_hip = 0, bust = 0, fullest_bust = 0, under_bust = 0;
};

TrunkLevels measure_trunk(BodyRuler* ruler);  // waist, hips, bust: girths and heights
void measure_head_and_neck(const TrunkLevels& at, BodyRuler* ruler);
void measure_leg(int side, const TrunkLevels& at, BodyRuler* ruler);
// Angle of the arm below the horizontal in degrees; none where its far end is missing.
std::optional<double> measure_arm(int side, BodyRuler* ruler);
void measure_lengths(const TrunkLevels& at, BodyRuler* ruler);  // over the trunk and shoulders; needs all landmarks

void measure_back_and_slopes(const TrunkLevels& at, BodyRuler* ruler);  // back parts of girths, drops and flares

}  // namespace tryon
