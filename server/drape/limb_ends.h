// What it is: hands and feet in tubes of cloth. A cuff narrower than a hand, or a leg that reaches over the foot, may
// close beside it when panels are pulled shut round it. Nobody dresses so: the sleeve is pushed up, the hand goes in,
// the sleeve comes down. Units and frame: metres, +Y up. Shapes: as GarmentMesh. How it fails: never; a limb that the
// body lacks, or whose end was cut off, is left out. Thread rules: pure functions.
#pragma once

#include <vector>

#include "server/body/body.h"
#include "server/garment/garment.h"
#include "server/garment/lint.h"
#include "server/mesh/triangle_mesh.h"
#include "server/sim/collision/collider.h"

namespace tryon {

std::vector<LimbEnd> limb_ends(const Body& body);
// Whether its middle goes through the cloth.
bool is_beside(const LimbEnd& end, const TriangleMesh& cloth);
// Plainly so: a hem that caught on toes or a heel may come free as it falls.
bool stays_beside(const LimbEnd& end, const TriangleMesh& cloth);
std::vector<LimbEnd> beside(const std::vector<LimbEnd>& ends, const TriangleMesh& cloth);  // those that are
// What the wearer should know of those that do.
std::vector<Finding> limb_findings(const std::vector<LimbEnd>& ends, const TriangleMesh& cloth);
// Panels round the limb become shorter from elbow or knee on, as if they were pushed up: they end `above` the wrist or
// ankle, in their rest shape and as they are placed, and a sleeve of one piece lies closer round the arm there, so that
// its edges meet behind it. What ends there anyway stays as it is.
void push_up(const LimbEnd& end, double above, const sim::Collider& body, GarmentMesh* garment);

}  // namespace tryon
