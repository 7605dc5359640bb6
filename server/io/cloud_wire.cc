#include "server/io/cloud_wire.h"

#include <cmath>

#include "server/base/status.h"
#include "server/base/text.h"
#include "server/io/mesh_wire_parts.h"

namespace tryon {
namespace {

using namespace mesh_wire;

constexpr uint32_t kClean = 1, kKeepNormals = 2;
constexpr double kFarthest = 1e9;  // as the readers of files have it

absl::Status bad_request(std::string_view what) {
  return invalid_input("RECONSTRUCTION_FAILED", "cloud", cat("the points cannot be made a surface: ", what),
                       "Send the scan again.");
}

}  // namespace

absl::Status check_cloud_request(const PointCloud& cloud, const ReconstructSettings& settings,
                                 const ParseLimits& limits) {
  if (!(settings.detail > 0.0) || !std::isfinite(settings.detail)) return bad_request("the detail is no length");
  if (cloud.positions.empty()) return bad_request("there are none");
  if (cloud.positions.size() > static_cast<size_t>(limits.max_vertices)) {
    return invalid_input("MESH_TOO_LARGE", "cloud",
                         cat("the cloud has ", cloud.positions.size(), " points; the limit is ", limits.max_vertices),
                         "Thin the cloud; 200,000 points describe a body well.");
  }
  RETURN_IF_ERROR(validate(cloud, "cloud"));
  for (const Vec3& p : cloud.positions) {
    if (p.cwiseAbs().maxCoeff() > kFarthest) return bad_request("one lies beyond all bounds");
  }
  return absl::OkStatus();
}

// Layout after magic and kind: detail f64, flags u32, point_count u32, normal_count u32, points f64, normals f64.
std::string encode_cloud_request(const PointCloud& cloud, const ReconstructSettings& settings) {
  std::string out = begin_answer(kRequest, (cloud.positions.size() + cloud.normals.size()) * sizeof(Vec3));
  put(&out, &settings.detail, 1);
  put_u32(&out, (settings.clean ? kClean : 0) | (settings.keep_normals ? kKeepNormals : 0));
  put_u32(&out, cloud.positions.size());
  put_u32(&out, cloud.normals.size());
  put(&out, cloud.positions.data(), cloud.positions.size());
  put(&out, cloud.normals.data(), cloud.normals.size());
  return out;
}

absl::StatusOr<CloudRequest> decode_cloud_request(std::string_view bytes, const ParseLimits& limits) {
  WireReader in(bytes);
  CloudRequest out;
  uint32_t flags = 0, points = 0, normals = 0;
  if (!open_answer(&in, kRequest).ok() || !in.take(&out.settings.detail, sizeof(double)) || !in.take_u32(&flags) ||
      !in.take_u32(&points) || !in.take_u32(&normals)) {
    return bad_request("the request is cut");
  }
  if (flags > (kClean | kKeepNormals)) return bad_request("the request has unknown flags");
  if (!in.take_list(&out.cloud.positions, points) || !in.take_list(&out.cloud.normals, normals) || in.left() != 0) {
    return bad_request("the request has not as many bytes as it declares");
  }
  out.settings.clean = (flags & kClean) != 0;
  out.settings.keep_normals = (flags & kKeepNormals) != 0;
  RETURN_IF_ERROR(check_cloud_request(out.cloud, out.settings, limits));
  return out;
}

// Layout after magic and kind: vertex_count u32, triangle_count u32, positions, triangles, support f64 [v], notes.
std::string encode_reconstruction(const absl::StatusOr<Reconstruction>& result) {
  if (!result.ok()) return status_answer(result.status());
  const TriangleMesh& mesh = result->mesh;
  std::string out = begin_answer(kSurface, mesh.positions.size() * 32 + mesh.triangles.size() * sizeof(Triangle));
  put_u32(&out, mesh.positions.size());
  put_u32(&out, mesh.triangles.size());
  put(&out, mesh.positions.data(), mesh.positions.size());
  put(&out, mesh.triangles.data(), mesh.triangles.size());
  put(&out, result->support.data(), result->support.size());
  put_notes(&out, result->healed);
  return out;
}

absl::StatusOr<Reconstruction> decode_reconstruction(std::string_view bytes, const ParseLimits& limits) {
  WireReader in(bytes);
  RETURN_IF_ERROR(open_answer(&in, kSurface));
  uint32_t vertices = 0, triangles = 0;
  if (!in.take_u32(&vertices) || !in.take_u32(&triangles)) return broken("a cut header");
  if (vertices > static_cast<uint32_t>(limits.max_vertices) ||
      triangles > static_cast<uint32_t>(limits.max_triangles)) {
    return broken("more than was allowed");
  }
  Reconstruction out;
  if (!in.take_list(&out.mesh.positions, vertices) || !in.take_list(&out.mesh.triangles, triangles) ||
      !in.take_list(&out.support, vertices)) {
    return broken("fewer bytes than it declared");
  }
  if (!in.take_notes(&out.healed)) return broken("a cut note");
  if (in.left() != 0) return broken("bytes after its end");
  if (vertices == 0 || triangles == 0) return broken("a surface without triangles");
  for (double distance : out.support) {
    if (!(distance >= 0.0) || !std::isfinite(distance)) return broken("a support that is no distance");
  }
  RETURN_IF_ERROR(validate(out.mesh, "mesh"));
  return out;
}

}  // namespace tryon
