// Polygons to triangles, and triangles that only lie side by side to a sewn mesh.
#include <algorithm>
#include <array>

#include "server/io/mesh_inspect.h"

namespace tryon {
namespace {

using mesh_inspect::Polygons;

// One polygon seen along its own normal, and what is left of it.
struct FlatPolygon {
  std::vector<int> vertex;  // of the mesh
  std::vector<Vec2> at;

  double turn(size_t a, size_t b, size_t c) const {  // > 0: left
    const Vec2 u = at[b] - at[a], v = at[c] - at[a];
    return u.x() * v.y() - u.y() * v.x();
  }
  bool is_ear(size_t i) const {
    const size_t n = at.size(), a = (i + n - 1) % n, c = (i + 1) % n;
    if (turn(a, i, c) <= 0.0) return false;
    for (size_t p = 0; p < n; ++p) {
      if (p == a || p == i || p == c) continue;
      if (turn(a, i, p) >= 0.0 && turn(i, c, p) >= 0.0 && turn(c, a, p) >= 0.0) return false;
    }
    return true;
  }
};

FlatPolygon flatten(const Polygons& polygons, size_t index) {
  FlatPolygon out;
  out.vertex.assign(polygons.corners.begin() + polygons.starts[index],
                    polygons.corners.begin() + polygons.starts[index + 1]);
  Vec3 normal = Vec3::Zero();  // Newell
  for (size_t i = 0; i < out.vertex.size(); ++i) {
    normal += polygons.positions[out.vertex[i]].cross(polygons.positions[out.vertex[(i + 1) % out.vertex.size()]]);
  }
  int drop = 0;
  normal.cwiseAbs().maxCoeff(&drop);
  const int u = (drop + 1) % 3, v = (drop + 2) % 3;
  for (int i : out.vertex) {
    const Vec3& p = polygons.positions[i];
    out.at.push_back(normal[drop] < 0.0 ? Vec2(p[v], p[u]) : Vec2(p[u], p[v]));
  }
  return out;
}

// Ear clipping; the second corner is tried first, so that convex faces become fans. Where no ear is left (a face that
// crosses itself or has no area) the second corner is cut all the same: n corners always give n - 2 triangles.
void cut_polygon(FlatPolygon polygon, std::vector<Triangle>* out) {
  while (polygon.vertex.size() > 3) {
    const size_t n = polygon.vertex.size();
    size_t ear = 1;
    for (size_t k = 0; k < n; ++k) {
      if (polygon.is_ear((1 + k) % n)) {
        ear = (1 + k) % n;
        break;
      }
    }
    out->emplace_back(polygon.vertex[(ear + n - 1) % n], polygon.vertex[ear], polygon.vertex[(ear + 1) % n]);
    polygon.vertex.erase(polygon.vertex.begin() + static_cast<std::ptrdiff_t>(ear));
    polygon.at.erase(polygon.at.begin() + static_cast<std::ptrdiff_t>(ear));
  }
  out->emplace_back(polygon.vertex[0], polygon.vertex[1], polygon.vertex[2]);
}

}  // namespace

absl::StatusOr<TriangleMesh> read_obj(std::string_view bytes, std::string_view file_name, const ParseLimits& limits,
                                      MeshFacts* facts) {
  RETURN_IF_ERROR(preflight_mesh(bytes, MeshFormat::kObj, file_name, limits));
  Polygons polygons;
  ASSIGN_OR_RETURN(*facts, mesh_inspect::inspect_obj({bytes, clean_file_name(file_name), limits}, &polygons));
  TriangleMesh mesh;
  mesh.triangles.reserve(static_cast<size_t>(facts->triangles));
  for (size_t i = 0; i + 1 < polygons.starts.size(); ++i) {
    const int* corner = polygons.corners.data() + polygons.starts[i];
    if (polygons.starts[i + 1] - polygons.starts[i] == 3) {
      mesh.triangles.emplace_back(corner[0], corner[1], corner[2]);
    } else {
      cut_polygon(flatten(polygons, i), &mesh.triangles);
    }
  }
  mesh.positions = std::move(polygons.positions);
  return mesh;
}

int64_t weld_open_edges(TriangleMesh* mesh) {
  std::vector<bool> open(mesh->positions.size(), false);
  for (const EdgeUse& edge : mesh_edges(*mesh)) {
    if (edge.right < 0) open[edge.a] = open[edge.b] = true;
  }
  std::vector<int> order, into(mesh->positions.size());
  for (int v = 0; v < mesh->vertex_count(); ++v) {
    into[v] = v;
    if (open[v]) order.push_back(v);
  }
  auto place = [&](int v) {
    const Vec3& p = mesh->positions[v];
    return std::array<double, 3>{p.x(), p.y(), p.z()};
  };
  std::sort(order.begin(), order.end(), [&](int a, int b) {
    const auto pa = place(a), pb = place(b);
    return pa != pb ? pa < pb : a < b;
  });
  int64_t count = 0;
  for (size_t i = 1; i < order.size(); ++i) {
    if (place(order[i]) != place(order[i - 1])) continue;
    into[order[i]] = into[order[i - 1]];
    ++count;
  }
  for (Triangle& t : mesh->triangles) t = Triangle(into[t[0]], into[t[1]], into[t[2]]);
  return count;
}

}  // namespace tryon
