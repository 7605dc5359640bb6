// What it is: a fabric as the particles of the simulator take it. Units: SI per unit width, both sides.
// How it fails: it does not. Thread rules: pure function.
#pragma once

#include "server/fabric/fabric.h"
#include "server/sim/model.h"

namespace tryon::lab {

// Twist from the bias strip: B_bias = (B_warp + B_weft + 4 D_66) / 4 where warp and weft do not couple.
sim::SpringFabric spring_fabric(const Fabric& fabric);

}  // namespace tryon::lab
