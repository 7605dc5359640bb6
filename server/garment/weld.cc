#include <algorithm>
#include <numeric>

#include "server/garment/garment.h"

namespace tryon {
namespace {

// The representative of each vertex: the lowest index among all that the seams join to it, however many meet.
std::vector<int> representatives(const GarmentMesh& garment) {
  std::vector<int> parent(garment.vertex_count());
  std::iota(parent.begin(), parent.end(), 0);
  auto root = [&](int v) {
    while (parent[v] != v) v = parent[v] = parent[parent[v]];
    return v;
  };
  for (const Seam& seam : garment.seams) {
    for (size_t k = 0; k < seam.left.size(); ++k) {
      const int a = root(seam.left[k]), b = root(seam.right[k]);
      parent[std::max(a, b)] = std::min(a, b);
    }
  }
  for (int v = 0; v < garment.vertex_count(); ++v) parent[v] = root(v);
  return parent;
}

}  // namespace

Vec2 GarmentMesh::on_cloth(int vertex) const {
  const Vec2& p = flat[vertex];
  if (grain.empty()) return p;
  const Vec2& warp = grain[panel[vertex]];
  return {p.x() * warp.y() - p.y() * warp.x(), p.dot(warp)};
}

std::array<Vec2, 3> GarmentMesh::on_cloth(const Triangle& t) const {
  return {on_cloth(t[0]), on_cloth(t[1]), on_cloth(t[2])};
}

std::vector<Vec2> GarmentMesh::all_on_cloth() const {
  std::vector<Vec2> out;
  for (int v = 0; v < vertex_count(); ++v) out.push_back(on_cloth(v));
  return out;
}

bool GarmentMesh::has_laid_pleats() const {
  return std::any_of(lines.begin(), lines.end(),
                     [](const ClothLine& line) { return line.kind == ClothLine::Kind::kFold; });
}

std::vector<ElasticSpan> elastic_spans(const GarmentMesh& garment, const std::vector<int>& vertex) {
  std::vector<ElasticSpan> out;
  for (const ElasticBand& band : garment.bands) {
    int last = -1;
    double length = 0.0;  // of cloth since the last vertex that the mesh has
    for (size_t i = 0; i < band.vertices.size(); ++i) {
      if (i > 0) length += (garment.flat[band.vertices[i]] - garment.flat[band.vertices[i - 1]]).norm();
      const int here = vertex[band.vertices[i]];
      if (here < 0) continue;
      const double relaxed = band.relaxed * length;
      if (last >= 0 && here != last && relaxed > 0.0) out.push_back({last, here, relaxed, band.stiffness / relaxed});
      last = here, length = 0.0;
    }
  }
  return out;
}

WeldedMesh weld(const GarmentMesh& garment, const std::vector<Vec3>& positions) {
  const std::vector<int> representative = representatives(garment);
  WeldedMesh out;
  out.source.resize(representative.size());
  std::vector<int> members;
  for (size_t v = 0; v < representative.size(); ++v) {  // a representative comes before its followers
    if (representative[v] == static_cast<int>(v)) {
      out.source[v] = out.mesh.vertex_count();
      out.mesh.positions.push_back(Vec3::Zero());
      members.push_back(0);
    } else {
      out.source[v] = out.source[representative[v]];
    }
    out.mesh.positions[out.source[v]] += positions[v];
    ++members[out.source[v]];
  }
  for (size_t i = 0; i < members.size(); ++i) out.mesh.positions[i] /= members[i];
  for (const Triangle& t : garment.triangles) {
    const Triangle w(out.source[t[0]], out.source[t[1]], out.source[t[2]]);
    if (w[0] == w[1] || w[1] == w[2] || w[2] == w[0]) continue;  // closed up by its own seam, e.g. in a dart's tip
    out.mesh.triangles.push_back(w);
    out.corner_flat.push_back(garment.on_cloth(t));
  }
  out.elastics = elastic_spans(garment, out.source);
  return out;
}

}  // namespace tryon
