// What it is: what others made of the dress_knife scene's panels: the drape of the simulator that staged them, and
// Blender's cloth. Units: m; printed mm, s. Shapes: meshes in the scene's frame, as ours. How it fails: says so where
// no Blender runs. Thread rules: one at a time.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "server/base/status.h"
#include "server/base/text.h"
#include "server/fabric/fabric.h"
#include "server/lab/drape_meter.h"
#include "server/mesh/closest_point.h"
#include "tests/support/shared_data.h"
#include "tests/support/test_meshes.h"

namespace tryon::peers {

// Codim-IPC's scripts drape this scene in their wool with 5 % elastane (24.9 N/m, 178 g/m2, strain limited to 0.134),
// and so it lies in the file: nothing there is stretched by more than 0.130. The library has the same measurements but
// for bending: there it is a tenth of what modulus and thickness would give, a fiftieth of the library's estimate.
inline constexpr const char *kTheirCloth = "wool_lycra", *kTheirs = "theirs";

// Of the library, or kTheirs. The other simulator knows no friction between threads.
inline absl::StatusOr<Fabric> dress_fabric(const std::string& name) {
  ASSIGN_OR_RETURN(Fabric out, fabric_by_name(name == kTheirs ? kTheirCloth : name));
  out.bend_hysteresis = 0.0;
  if (name != kTheirs) return out;
  constexpr double kModulus = 0.076e6, kThickness = 0.328e-3, kPoisson = 0.071, kShare = 0.1;  // Pa, m
  out.bend_warp = out.bend_weft = kShare * kModulus * std::pow(kThickness, 3) / (12 * (1 - kPoisson * kPoisson));
  out.friction_static = out.friction_kinetic = 0.2;
  return out;
}

inline TriangleMesh their_dress() {
  const TriangleMesh both = testing::read_obj(testing::shared_data_path("scenes/dress_knife/drape.obj"));
  constexpr int kDressVertices = 15656;
  TriangleMesh out;
  for (int v = 0; v < kDressVertices; ++v) out.positions.push_back(both.positions[v] + Vec3(0, 0.75, 0));
  for (const Triangle& t : both.triangles)
    if (t.maxCoeff() < kDressVertices) out.triangles.push_back(t);
  return out;
}

// Seen along an axis (0: from the side, 2: from the front): what both cover, of what either does.
inline double silhouettes_in_common(const TriangleMesh& a, const TriangleMesh& b, int along) {
  constexpr double kReach = 1.0, kMiddle = 0.9;  // m, of the height
  const auto seen = [&](const TriangleMesh& mesh) {
    std::vector<Vec3> out;
    for (const Vec3& x : mesh.positions) out.emplace_back(x[2 - along], x[along], x.y() - kMiddle);
    return out;
  };
  std::vector<Vec3> all = seen(a);
  const std::vector<Vec3> other = seen(b);
  const double own = lab::shadow_area(all, a.triangles, kReach), theirs = lab::shadow_area(other, b.triangles, kReach);
  const int first = static_cast<int>(all.size());
  all.insert(all.end(), other.begin(), other.end());
  std::vector<Triangle> triangles = a.triangles;
  for (const Triangle& t : b.triangles) triangles.emplace_back(t.array() + first);
  const double either = lab::shadow_area(all, triangles, kReach);
  return (own + theirs - either) / either;
}

// To the surface of what the other simulator made.
inline void compare(const TriangleMesh& ours, const TriangleMesh& theirs) {
  const ClosestPointIndex surface(theirs, SideRule::kPseudoNormal);
  std::vector<double> away;
  double hem = 1e9, their_hem = 1e9, sum = 0.0;
  for (const Vec3& p : ours.positions) {
    away.push_back((surface.query(p).point - p).norm());
    hem = std::min(hem, p.y());
    sum += away.back();
  }
  for (const Vec3& p : theirs.positions) their_hem = std::min(their_hem, p.y());
  std::sort(away.begin(), away.end());
  const auto far = away.end() - std::upper_bound(away.begin(), away.end(), 0.02);
  std::printf(
      "to the other simulator's drape: mean %.1f mm, p95 %.1f mm, largest %.1f mm, %td vertices beyond 20 mm; hem at "
      "%.0f mm, theirs %.0f; "
      "silhouettes in common %.1f %% from the front, %.1f %% from the side\n",
      1e3 * sum / static_cast<double>(away.size()), 1e3 * away[away.size() * 95 / 100], 1e3 * away.back(), far,
      1e3 * hem, 1e3 * their_hem, 100 * silhouettes_in_common(ours, theirs, 2),
      100 * silhouettes_in_common(ours, theirs, 0));
}

// Blender's cloth on the same panels round the same body, at 24 frames a second, beside what our certified rest took.
inline void compare_blender(double own_s, int frames) {
  const std::string out = (std::filesystem::temp_directory_path() / "blender_cloth.obj").string();
  const std::string scene = testing::shared_data_path("scenes/dress_knife");
  const std::string command = cat("blender --background --factory-startup --python tests/bench/blender_cloth.py -- ",
                                  scene, "/stage.obj ", scene, "/body.obj ", frames, " ", out, " >/dev/null 2>&1");
  if (std::system(command.c_str()) != 0) return void(std::printf("no Blender ran: apt-get install blender\n"));
  std::ifstream file(out);
  std::string mark, name;
  double seconds = 0, moved = 0;
  file >> mark >> name >> seconds >> mark >> name >> moved;
  std::printf("Blender: %d frames in %.1f s, %.2f of what our rest took; then vertices go %.1f mm a frame\n", frames,
              seconds, seconds / own_s, 1e3 * moved);
}

}  // namespace tryon::peers
