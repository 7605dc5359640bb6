#include "server/io/mesh_wire.h"

#include "server/base/status.h"
#include "server/base/text.h"
#include "server/io/mesh_wire_parts.h"

namespace tryon {
namespace {

using namespace mesh_wire;

// Layout after magic and kind: vertex_count u32, triangle_count u32, point_count u32, normal_count u32, positions
// f64 [3 v], triangles i32 [3 t], points f64 [3 p], normals f64 [3 n], notes (count u32, each length u32 and bytes).
absl::StatusOr<ParsedMesh> decode_body(WireReader* in, const ParseLimits& limits) {
  uint32_t vertices = 0, triangles = 0, points = 0, normals = 0;
  if (!in->take_u32(&vertices) || !in->take_u32(&triangles) || !in->take_u32(&points) || !in->take_u32(&normals)) {
    return broken("a cut header");
  }
  const auto most = static_cast<uint32_t>(limits.max_vertices);
  if (vertices > most || points > most || normals > most || triangles > static_cast<uint32_t>(limits.max_triangles)) {
    return broken("more than was allowed");
  }
  ParsedMesh out;
  if (!in->take_list(&out.mesh.positions, vertices) || !in->take_list(&out.mesh.triangles, triangles) ||
      !in->take_list(&out.cloud.positions, points) || !in->take_list(&out.cloud.normals, normals)) {
    return broken("fewer bytes than it declared");
  }
  if (!in->take_notes(&out.healed)) return broken("a cut note");
  if (in->left() != 0) return broken("bytes after its end");
  const bool mesh = vertices > 0 && triangles > 0 && points == 0 && normals == 0;
  const bool cloud = vertices == 0 && triangles == 0 && points > 0;
  if (!mesh && !cloud) return broken("neither a mesh nor a cloud");
  RETURN_IF_ERROR(validate(out.mesh, "mesh"));
  RETURN_IF_ERROR(validate(out.cloud, "cloud"));
  return out;
}

}  // namespace

std::string encode_mesh(const absl::StatusOr<ParsedMesh>& result) {
  if (!result.ok()) return status_answer(result.status());
  const TriangleMesh& mesh = result->mesh;
  const PointCloud& cloud = result->cloud;
  const size_t places = mesh.positions.size() + cloud.positions.size() + cloud.normals.size();
  std::string out = begin_answer(kMesh, places * sizeof(Vec3) + mesh.triangles.size() * sizeof(Triangle));
  for (size_t count : {mesh.positions.size(), mesh.triangles.size(), cloud.positions.size(), cloud.normals.size()}) {
    put_u32(&out, count);
  }
  put(&out, mesh.positions.data(), mesh.positions.size());
  put(&out, mesh.triangles.data(), mesh.triangles.size());
  put(&out, cloud.positions.data(), cloud.positions.size());
  put(&out, cloud.normals.data(), cloud.normals.size());
  put_notes(&out, result->healed);
  return out;
}

absl::StatusOr<ParsedMesh> decode_mesh(std::string_view bytes, const ParseLimits& limits) {
  WireReader in(bytes);
  RETURN_IF_ERROR(open_answer(&in, kMesh));
  return decode_body(&in, limits);
}

}  // namespace tryon
