#include "server/body/scan_person.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "server/base/status.h"
#include "server/base/text.h"
#include "server/body/complete.h"
#include "server/body/holes.h"
#include "server/body/scan_cloud.h"
#include "server/body/scan_heal.h"
#include "server/body/scan_points.h"
#include "server/body/scan_scalp.h"

namespace tryon {
namespace {

constexpr double kOpenRim = 0.12;       // m: a boundary as long as this may be where a limb ends
constexpr double kMostFilled = 0.15;    // of the surface by patches; beyond, points and mirror do better
constexpr double kSampling = 0.005;     // m between samples of a torn mesh
constexpr double kSeen = 0.015;         // m from the nearest measured point: beyond, the surface was made up
constexpr double kWorthSaying = 0.002;  // of the surface

double longest_rim(const TriangleMesh& mesh) {
  double longest = 0.0;
  for (const std::vector<int>& loop : boundary_loops(mesh)) {
    double length = 0.0;
    for (size_t i = 0; i < loop.size(); ++i) {
      length += (mesh.positions[loop[i]] - mesh.positions[loop[(i + 1) % loop.size()]]).norm();
    }
    longest = std::max(longest, length);
  }
  return longest;
}

PointCloud with_normals(const TriangleMesh& mesh) {
  PointCloud cloud;
  std::vector<char> used(mesh.positions.size(), 0);
  const std::vector<Vec3> normals = vertex_normals(mesh);
  for (const Triangle& t : mesh.triangles) used[t[0]] = used[t[1]] = used[t[2]] = 1;
  for (size_t v = 0; v < used.size(); ++v) {
    if (!used[v]) continue;
    cloud.positions.push_back(mesh.positions[v]);
    cloud.normals.push_back(normals[v]);
  }
  for (int t = 0; t < mesh.triangle_count(); ++t) {
    TriangleMesh one;
    for (int k = 0; k < 3; ++k) one.positions.push_back(mesh.positions[mesh.triangles[t][k]]);
    one.triangles.emplace_back(0, 1, 2);
    const std::vector<Vec3> inside = sample_surface(one, kSampling);
    for (size_t i = 3; i < inside.size(); ++i) {
      cloud.positions.push_back(inside[i]);
      cloud.normals.push_back(triangle_normal(mesh, t).normalized());
    }
  }
  return cloud;
}

// Stands the person on the floor again, after the surface was made anew.
void stand_on_floor(Person* person) {
  double low = 1e300;
  for (const Vec3& p : person->mesh.positions) low = std::min(low, p.y());
  for (Vec3& p : person->mesh.positions) p.y() -= low;
  person->source.shift_m.y() -= low;
}

// Area that no measured point is near, by region.
void say_what_was_made_up(const Reconstruction& surface, double added, ScanSource* source) {
  std::map<std::string, double> made;
  double whole = 0.0, filled = 0.0, height = 0.0;
  for (const Vec3& p : surface.mesh.positions) height = std::max(height, p.y());
  for (int t = 0; t < surface.mesh.triangle_count(); ++t) {
    const Triangle& tri = surface.mesh.triangles[t];
    const double area = 0.5 * triangle_normal(surface.mesh, t).norm();
    whole += area;
    if (surface.support.empty()) continue;
    if (std::min({surface.support[tri[0]], surface.support[tri[1]], surface.support[tri[2]]}) < kSeen) continue;
    filled += area;
    made[region_name(
        (surface.mesh.positions[tri[0]] + surface.mesh.positions[tri[1]] + surface.mesh.positions[tri[2]]) / 3.0,
        height)] += area;
  }
  source->filled_ratio = std::min(1.0, filled / whole + added);
  for (const auto& [region, area] : made) {
    if (area < kWorthSaying * whole) continue;
    source->completed.push_back(
        cat("closed ", region, " over ", std::round(1e4 * area), " cm2 that the scan does not show"));
  }
}

absl::Status needs_reconstructor() {
  return invalid_input("BODY_NEEDS_RECONSTRUCTION", "body", "the scan is points, or too broken to be mended as a mesh",
                       "Send a surface mesh, or a server with a reconstructor.");
}

absl::StatusOr<Person> from_points(const RunContext& run, PointCloud cloud, ScanSource source,
                                   const Reconstructor& reconstruct) {
  if (!reconstruct) return needs_reconstructor();
  RETURN_IF_ERROR(check_all_round(cloud.positions));
  const Mirrored mirrored = mirror_missing(cloud);
  for (size_t i = 0; i < mirrored.points.positions.size(); ++i) {
    cloud.positions.push_back(mirrored.points.positions[i]);
    if (!cloud.normals.empty()) cloud.normals.push_back(mirrored.points.normals[i]);
  }
  for (const std::string& region : mirrored.regions) {
    source.completed.push_back(cat("mirrored ", region, " from the other side"));
  }
  const double scalp = close_scalp(&cloud);
  if (scalp > 0.0) {
    source.completed.push_back(
        cat("closed the scalp over ", std::round(1e4 * scalp), " cm2, hardly seen, by the ellipsoid of the head"));
  }
  RETURN_IF_ERROR(run.check());
  run.report("reconstruct", 0.0);
  ASSIGN_OR_RETURN(Reconstruction surface, reconstruct(run, cloud, ReconstructSettings()));
  Person person{{}, std::move(source)};
  for (const std::string& line : surface.healed) person.source.healed.push_back(line);
  say_what_was_made_up(surface, mirrored.share + scalp / surface_area(surface.mesh), &person.source);
  person.mesh = std::move(surface.mesh);
  RETURN_IF_ERROR(validate(person.mesh, "body"));
  keep_largest_piece(&person.mesh, &person.source.healed);
  const double filled = person.source.filled_ratio;
  run.report("heal", 0.0);
  ASSIGN_OR_RETURN(const HealReport report, heal_person(run, &person));
  person.source.filled_ratio = std::min(1.0, filled + report.filled_ratio);
  stand_on_floor(&person);
  return person;
}

}  // namespace

absl::StatusOr<Person> person_of_mesh(const RunContext& run, const TriangleMesh& scan, const ScanOptions& options,
                                      const Reconstructor& reconstruct) {
  RETURN_IF_ERROR(validate(scan, "body"));
  if (scan.triangles.empty()) {
    return invalid_input("BODY_TOO_FEW_POINTS", "body", "the scan has no surface: it holds no triangles",
                         "Send a mesh of one standing person.");
  }
  run.report("orient", 0.0);
  ASSIGN_OR_RETURN(Person person, find_person(run, options, scan));
  run.report("heal", 0.0);
  const double rim = longest_rim(person.mesh);
  if (rim == 0.0) {
    RETURN_IF_ERROR(heal_person(run, &person).status());
    return person;
  }
  const Person torn = person;
  if (rim > kOpenRim) RETURN_IF_ERROR(check_all_round(sample_surface(person.mesh, 0.006)));
  ASSIGN_OR_RETURN(const HealReport report, heal_person(run, &person));
  person.source.filled_ratio = report.filled_ratio;
  stand_on_floor(&person);
  if (!reconstruct) return person;
  const bool beyond_patches = report.filled_ratio > kMostFilled || report.open_holes > 0;
  if (!beyond_patches && (rim < kOpenRim || mirror_missing(with_normals(person.mesh)).regions.empty())) return person;
  Person ready = torn;
  mend_without_filling(&ready);
  return from_points(run, with_normals(ready.mesh), std::move(ready.source), reconstruct);
}

absl::StatusOr<Person> person_of_cloud(const RunContext& run, const PointCloud& scan, const ScanOptions& options,
                                       const Reconstructor& reconstruct) {
  run.report("orient", 0.0);
  ASSIGN_OR_RETURN(CloudPerson person, find_person_in_cloud(run, options, scan));
  return from_points(run, std::move(person.cloud), std::move(person.source), reconstruct);
}

}  // namespace tryon
