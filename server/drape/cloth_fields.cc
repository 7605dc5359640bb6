#include "server/drape/cloth_fields.h"

#include <algorithm>
#include <cmath>

#include "server/metrics/metrics.h"

namespace tryon {
namespace {

constexpr double kInRange = 0.98;         // share of the vertices that the colour scale covers
constexpr double kLeastStrain = 0.02;     // the scale is never finer: numerical strain must not look dramatic
constexpr double kLeastDistance = 0.02;   // m
constexpr double kLeastPressure = 100.0;  // Pa

// Mean over the triangles round each vertex, by rest area.
std::vector<double> at_vertices(const WeldedMesh& cloth, const std::vector<double>& of_triangles) {
  std::vector<double> sum(cloth.mesh.positions.size(), 0.0), weight(sum.size(), 0.0);
  for (int t = 0; t < cloth.mesh.triangle_count(); ++t) {
    const auto& corner = cloth.corner_flat[static_cast<size_t>(t)];
    const Vec2 a = corner[1] - corner[0], b = corner[2] - corner[0];
    const double area = std::abs(a.x() * b.y() - a.y() * b.x());
    for (int k = 0; k < 3; ++k) {
      const auto v = static_cast<size_t>(cloth.mesh.triangles[static_cast<size_t>(t)][k]);
      sum[v] += area * of_triangles[static_cast<size_t>(t)];
      weight[v] += area;
    }
  }
  for (size_t v = 0; v < sum.size(); ++v) sum[v] = weight[v] > 0.0 ? sum[v] / weight[v] : 0.0;
  return sum;
}

// The value that kInRange of the vertices stay within, made round in the shown unit.
double reach(const ClothField& field, double least) {
  std::vector<double> sizes;
  sizes.reserve(field.values.size());
  for (const double v : field.values) sizes.push_back(std::abs(v));
  if (sizes.empty()) return least;
  const auto k = static_cast<std::ptrdiff_t>(kInRange * static_cast<double>(sizes.size() - 1));
  std::nth_element(sizes.begin(), sizes.begin() + k, sizes.end());
  const double wide = std::max(least, sizes[static_cast<size_t>(k)]);
  return round_up_125(wide * field.scale) / field.scale;
}

ClothField strain_field(const WeldedMesh& cloth, const char* key, const char* title,
                        const std::vector<double>& values) {
  ClothField field{key, title, "%", 100.0, true, at_vertices(cloth, values)};
  field.high = reach(field, kLeastStrain);
  field.low = -field.high;
  return field;
}

ClothField distance_field(const RunContext& run, const FittedPerson& person, const WeldedMesh& cloth) {
  ClothField field{"distance", "Distance to the body", "mm", 1e3, false, {}};
  field.values = signed_distances(run, cloth.mesh.positions, *person.surface);
  field.low = 0.0;
  field.high = reach(field, kLeastDistance);
  return field;
}

// What the body, or a garment beneath, presses against each vertex, over the third of its triangles that belongs to it.
ClothField pressure_field(const TriangleMesh& mesh, const std::vector<double>& press) {
  ClothField field{"pressure", "Contact pressure", "Pa", 1.0, false, std::vector<double>(press.size(), 0.0)};
  std::vector<double> area(press.size(), 0.0);
  for (int t = 0; t < mesh.triangle_count(); ++t) {
    const double third = triangle_normal(mesh, t).norm() / 6.0;
    for (int k = 0; k < 3; ++k) area[static_cast<size_t>(mesh.triangles[static_cast<size_t>(t)][k])] += third;
  }
  for (size_t v = 0; v < press.size(); ++v) field.values[v] = area[v] > 0.0 ? press[v] / area[v] : 0.0;
  field.high = reach(field, kLeastPressure);
  return field;
}

}  // namespace

double round_up_125(double x) {
  const double ten = std::pow(10.0, std::floor(std::log10(x)));
  for (const double step : {1.0, 2.0, 5.0}) {
    if (x <= step * ten * (1.0 + 1e-9)) return step * ten;
  }
  return 10.0 * ten;
}

std::vector<ClothField> cloth_fields(const RunContext& run, const FittedPerson& person, const Settled& settled) {
  const WeldedMesh& cloth = settled.cloth;
  const StrainField strain = measure_strain(cloth.mesh, cloth.corner_flat);
  std::vector<ClothField> out;
  out.push_back(strain_field(cloth, "strain_warp", "Strain along the warp", strain.warp));
  out.push_back(strain_field(cloth, "strain_weft", "Strain along the weft", strain.weft));
  out.push_back(strain_field(cloth, "strain_shear", "Shear (bias strain)", strain.shear));
  out.push_back(distance_field(run, person, cloth));
  const std::vector<double>& press = settled.report.forces.press;
  if (!press.empty() && press.size() == cloth.mesh.positions.size()) out.push_back(pressure_field(cloth.mesh, press));
  return out;
}

}  // namespace tryon
