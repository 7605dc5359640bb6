// What it is: moves panels that start through one another apart: whole, by the shortest of a few straight ways that
// crosses nothing else and stays clear of the body. Units: metres. Shapes: GarmentMesh::placed changes.
// How it fails: PANELS_CROSS names two panels that no move of up to 0.35 m parts. Thread rules: pure function.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "server/base/run_context.h"
#include "server/garment/garment.h"
#include "server/shape/solids.h"

namespace tryon {

std::vector<Vec3> outer_normals(const GarmentMesh& garment);               // [panel] area-weighted, unit
std::vector<std::vector<int>> panel_vertices(const GarmentMesh& garment);  // [panel]
// The smallest gap to the solids of a panel's vertices, moved by `shift`; `reach` where it is larger.
double panel_gap(const SolidSet& solids, const GarmentMesh& garment, const std::vector<int>& vertices,
                 const Vec3& shift, double reach);

// Returns what was moved: "panel front_left: 20 mm away from front_right".
absl::StatusOr<std::vector<std::string>> separate_panels(const RunContext& run, const SolidSet& solids,
                                                         double clearance_m, GarmentMesh* garment);

}  // namespace tryon
