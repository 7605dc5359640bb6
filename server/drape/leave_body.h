// What it is: cloth that lies in a body is put outside. Where surfaces meet (an arm's root in the trunk, a sole on the
// floor), pushing along normals may go back and forth: a particle that is still inside leaves by the way along the
// normal, where there is room, or else by the shortest of 26 straight ways. Units and frame: metres, the scene's.
// Shapes: state.x [particle_count]. How it fails: it does not; who finds no room within 0.3 m stays, and so does who
// has another layer beside it, which contact alone takes out. Thread rules: as RunContext; the same for any number of
// threads.
#pragma once

#include "server/base/run_context.h"
#include "server/sim/model.h"

namespace tryon {

// Those deeper than a millimetre; says how many left.
int leave_body(const RunContext& run, const sim::DrapeModel& model, const sim::Scene& scene, sim::DrapeState* state);

}  // namespace tryon
