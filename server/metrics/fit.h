// What it is: how cloth lies on a body, place by place, as pure functions of meshes and of zone numbers that the caller
// gave their vertices: strains, distances, contact pressure, tension across seams, coverage, drape coefficient.
// Definitions: fit.md. Units and frame: SI, world. Shapes: [cloth vertex_count] or [cloth triangle_count]; a zone is
// 0 .. zone_count - 1, or -1 for none. Quantiles are by area, so they do not depend on the mesh.
// How it fails: it does not; a zone without cloth has area 0. Thread rules: pure functions; no dependence on threads.
#pragma once

#include <array>
#include <utility>
#include <vector>

#include "server/base/run_context.h"
#include "server/mesh/closest_point.h"
#include "server/mesh/triangle_mesh.h"

namespace tryon {

struct Distribution {
  double min = 0, mean = 0, p5 = 0, p50 = 0, p95 = 0, max = 0;
  double weight = 0;  // 0: nothing was there
};
Distribution distribution(std::vector<std::pair<double, double>> values_and_weights);

// Stretch - 1 of the cloth along warp (+y of the rest shape), weft (+x), and the more stretched of both bias
// directions.
struct FibreStrain {
  std::vector<double> warp, weft, bias;  // [triangle_count]; 0 where the rest shape has no area
};
FibreStrain fibre_strain(const TriangleMesh& mesh, const std::vector<std::array<Vec2, 3>>& corner_flat);

struct ClothOnBody {
  const TriangleMesh& mesh;
  const std::vector<std::array<Vec2, 3>>& corner_flat;
  std::vector<int> zone;         // [vertex_count] of the nearest skin
  std::vector<double> distance;  // [vertex_count] m to the skin, positive outside
  std::vector<double> press;     // [vertex_count] N, contact with the body
};
std::vector<double> vertex_areas(const TriangleMesh& mesh);  // [vertex_count] a third of each triangle beside it

struct PressureFit {
  double force = 0;         // N, all that presses
  double contact_area = 0;  // m2 of cloth that is pressed
  Distribution pressure;    // Pa over that area; its mean is force over contact_area
};

struct ZoneFit {
  double area = 0;        // m2 of cloth as it lies
  Distribution distance;  // m
  Distribution warp, weft, bias;
  PressureFit contact;
};
std::vector<ZoneFit> fit_by_zone(const ClothOnBody& cloth, const FibreStrain& strain, int zone_count);
PressureFit contact_pressure(const TriangleMesh& mesh, const std::vector<double>& press);

// Share of each zone's skin under the cloth, by area: skin is covered if the nearest place of the cloth is no free edge
// and the skin lies on its inner side. The last entry is all skin's.
std::vector<double> coverage_by_zone(const RunContext& run, const TriangleMesh& body,
                                     const std::vector<int>& triangle_zone, const TriangleMesh& cloth, int zone_count);

// Force that would open a seam, N/m as it lies, edge by edge with its length: traction across the edge square to it,
// mean of the triangles on both sides. `tension` [triangle_count] as sim::ClothForces; edges [n] of welded vertices.
std::vector<std::pair<double, double>> seam_tension(const TriangleMesh& mesh,
                                                    const std::vector<Eigen::Matrix3d>& tension,
                                                    const std::vector<std::pair<int, int>>& edges);

// Cusick's ratio for cloth that hangs from a closed support line down to closed hems: (area within the hems - area
// within the support), both seen from above, over the cloth's rest area between. 1: stands out flat; 0: hangs straight
// down; negative: the hem is narrower than the support.
double drape_coefficient(double hem_area, double support_area, double rest_area_between);

}  // namespace tryon
