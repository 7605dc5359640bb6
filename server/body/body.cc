#include "server/body/body.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "server/base/status.h"
#include "server/base/text.h"
#include "server/body/measure.h"
#include "server/body/orient.h"
#include "server/body/segment.h"

namespace tryon {
namespace {

constexpr int kMinVertices = 400;  // fewer cannot show the levels that are looked for

// Keeps the component with the largest area, with its vertices in their old order.
void keep_largest_component(TriangleMesh* mesh, std::vector<std::string>* healed) {
  const auto [component, count] = connected_components(*mesh);
  if (count <= 1) return;
  std::vector<double> area(static_cast<size_t>(count), 0.0);
  for (int t = 0; t < mesh->triangle_count(); ++t) area[component[t]] += triangle_normal(*mesh, t).norm();
  const int best = static_cast<int>(std::max_element(area.begin(), area.end()) - area.begin());
  std::vector<int> index(mesh->positions.size(), -1);
  TriangleMesh kept;
  std::vector<char> used(mesh->positions.size(), 0);
  for (int t = 0; t < mesh->triangle_count(); ++t) {
    if (component[t] != best) continue;
    for (int k = 0; k < 3; ++k) used[mesh->triangles[t][k]] = 1;
  }
  for (int v = 0; v < mesh->vertex_count(); ++v) {
    if (!used[v]) continue;
    index[v] = kept.vertex_count();
    kept.positions.push_back(mesh->positions[v]);
  }
  for (int t = 0; t < mesh->triangle_count(); ++t) {
    const Triangle& tri = mesh->triangles[t];
    if (component[t] == best) kept.triangles.push_back({index[tri[0]], index[tri[1]], index[tri[2]]});
  }
  healed->push_back(cat("left out ", count - 1, " separate piece", count > 2 ? "s" : "", " of ",
                        mesh->triangle_count() - kept.triangle_count(), " triangles"));
  *mesh = std::move(kept);
}

void face_outward(TriangleMesh* mesh, std::vector<std::string>* healed) {
  if (signed_volume(*mesh) >= 0) return;
  for (Triangle& t : mesh->triangles) std::swap(t[1], t[2]);
  healed->push_back("turned all triangles outward");
}

}  // namespace

std::string_view body_part_name(BodyPart part) {
  static constexpr std::string_view kNames[kBodyPartCount] = {"head",      "neck",     "torso",    "left_arm",
                                                              "right_arm", "left_leg", "right_leg"};
  return kNames[static_cast<size_t>(part)];
}

std::string_view pose_name(Pose pose) { return pose == Pose::kA ? "A" : pose == Pose::kT ? "T" : "arms_down"; }

absl::StatusOr<Body> make_body(const RunContext& run, TriangleMesh scan, const ScanOptions& options) {
  RETURN_IF_ERROR(validate(scan, "body"));
  std::vector<std::string> healed;
  keep_largest_component(&scan, &healed);
  if (scan.vertex_count() < kMinVertices) {
    return invalid_input("BODY_TOO_FEW_POINTS", "body",
                         cat("the largest piece has ", scan.vertex_count(), " vertices, fewer than ", kMinVertices),
                         "Send a finer scan of one standing person.");
  }
  RETURN_IF_ERROR(run.check());
  Body body;
  ASSIGN_OR_RETURN(body.source, orient_body(options, &scan));
  face_outward(&scan, &healed);
  RETURN_IF_ERROR(run.check());
  ASSIGN_OR_RETURN(Segmentation segmentation, segment_body(scan));
  body.mesh = std::move(scan);
  body.part = std::move(segmentation.part);
  body.height_m = segmentation.levels.height;
  body.source.healed = std::move(healed);
  measure_body(segmentation.levels, &body);
  return body;
}

}  // namespace tryon
