#include "server/drape/rehang.h"

#include <algorithm>

namespace tryon {
namespace {

constexpr double kNarrower = 0.985;  // sizes are four hundredths apart or more

// Of what holds the garment up: its tapes and elastics.
double length_along_bands(const GarmentMesh& garment, const std::vector<Vec2>& flat) {
  double sum = 0.0;
  for (const ElasticBand& band : garment.bands)
    for (size_t i = 1; i < band.vertices.size(); ++i)
      sum += (flat[band.vertices[i]] - flat[band.vertices[i - 1]]).norm();
  return sum;
}

}  // namespace

std::vector<Vec3> rehung(const GarmentMesh& garment, const std::vector<Vec2>& flat_before, const WeldedMesh& lies) {
  std::vector<Vec3> out = lies.mesh.positions;
  const double before = length_along_bands(garment, flat_before), now = length_along_bands(garment, garment.flat);
  if (garment.waist_line.empty() || now >= kNarrower * before) return out;
  double slid = 0.0;
  for (const int v : garment.waist_line) slid += garment.placed[v].y() - out[lies.source[v]].y();
  slid /= static_cast<double>(garment.waist_line.size());
  for (Vec3& x : out) x.y() += std::max(slid, 0.0);
  return out;
}

}  // namespace tryon
