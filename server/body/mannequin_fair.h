// What it is: smooths the free vertices of a figure as a thin plate that is held by the pinned ones: the fillets of
// shoulders, armpits and crotch. Minimises the sum of squared umbrella vectors (Kobbelt et al. 1998, discrete fairing).
// The factors of the first figure are kept for all that share its net and pulls: those of place_figure all do.
// Units: metres. How it fails: INTERNAL when the system cannot be factorised. Thread rules: pure function.
#pragma once

#include "absl/status/status.h"
#include "server/body/mannequin_figure.h"

namespace tryon {

absl::Status fair_figure(Figure* figure);

}  // namespace tryon
