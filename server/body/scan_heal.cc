#include "server/body/scan_heal.h"

#include <algorithm>
#include <cmath>

#include "server/base/status.h"
#include "server/base/text.h"
#include "server/base/units.h"
#include "server/body/holes.h"
#include "server/body/outward.h"
#include "server/body/scan_noise.h"

namespace tryon {
namespace {

constexpr double kNoisy = 0.8e-3;     // m; a clean body's own detail stays below
constexpr double kFacetShare = 0.07;  // of an edge: so much do the facets of a coarse mesh stand out by themselves
constexpr double kCalm = 0.2e-3;

double rounded(double value, double step) { return std::round(value / step) * step; }

// The edge of as many equal triangles of the same area.
double mean_edge(const TriangleMesh& mesh) {
  return std::sqrt(4.0 / std::sqrt(3.0) * surface_area(mesh) / std::max(1, mesh.triangle_count()));
}

bool is_manifold(const TriangleMesh& mesh, int* open_edges) {
  bool manifold = true;
  *open_edges = 0;
  const std::vector<EdgeUse> edges = mesh_edges(mesh);
  for (size_t i = 0; i < edges.size(); ++i) {
    *open_edges += edges[i].right < 0;
    if (i > 0 && edges[i].a == edges[i - 1].a && edges[i].b == edges[i - 1].b) manifold = false;
  }
  return manifold;
}

}  // namespace

void mend_without_filling(Person* person) {
  TriangleMesh* mesh = &person->mesh;
  std::vector<std::string>* healed = &person->source.healed;
  int open_edges = 0;
  const bool manifold = is_manifold(*mesh, &open_edges);
  if (!manifold || open_edges > 0) {
    const ManifoldReport made = make_manifold(mesh);
    if (made.dropped > 0) healed->push_back(cat("dropped ", made.dropped, " triangles that hung on one edge"));
    if (made.split > 0) healed->push_back(cat("parted the surface at ", made.split, " points where it only touched"));
    keep_largest_piece(mesh, healed);
  }
  make_outward(mesh, healed);
  if (const double noise = surface_noise(*mesh); noise > std::max(kNoisy, kFacetShare * mean_edge(*mesh))) {
    smooth_noise(kCalm, mesh);
    healed->push_back(cat("smoothed noise of ", rounded(to_mm(noise), 0.1), " mm"));
  }
}

absl::StatusOr<HealReport> heal_person(const RunContext& run, Person* person) {
  mend_without_filling(person);
  RETURN_IF_ERROR(run.check());
  HealReport report;
  TriangleMesh* mesh = &person->mesh;
  std::vector<std::string>* healed = &person->source.healed;
  ASSIGN_OR_RETURN(const HoleReport holes, fill_holes(run, mesh));
  if (holes.filled + holes.open == 0) return report;
  const double whole = surface_area(*mesh);
  report.open_holes = holes.open;
  report.filled_ratio = holes.area / whole;
  report.largest_ratio = holes.largest_area / whole;
  report.largest = holes.largest;
  if (holes.filled > 0) {
    healed->push_back(cat("filled ", holes.filled, " hole", holes.filled > 1 ? "s" : "", ", ",
                          rounded(100 * report.filled_ratio, 0.1), " % of the surface"));
  }
  if (holes.open > 0) healed->push_back(cat("left ", holes.open, " holes open"));
  return report;
}

}  // namespace tryon
