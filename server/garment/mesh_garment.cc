#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <optional>

#include "server/base/status.h"
#include "server/base/text.h"
#include "server/base/units.h"
#include "server/garment/garment.h"
#include "server/mesh/predicates.h"
#include "server/mesh/triangulate.h"

namespace tryon {
namespace {

constexpr double kCollapse = 0.15;         // shorter edges (fraction of edge_m) become one point: no needles
constexpr int kMaxRefinements = 5;         // of an outline that crosses itself when sampled coarsely
constexpr double kMaxTriangles = 4e6;      // of one garment
constexpr int kMaxOutlinePoints = 20'000;  // of one panel
constexpr double kMinEdge = 1e-3, kMaxEdge = 0.2;

using EdgeCounts = std::vector<std::vector<int>>;  // [panel][edge] segments

struct PanelOutline {
  std::vector<Vec2> points;
  std::vector<int> first;  // [edge_count] index of the edge's first point; its last is the next edge's first
};

EdgeCounts starting_counts(const Pattern& pattern, double edge_m) {
  EdgeCounts counts;
  std::vector<std::vector<double>> lengths;
  for (const Panel& panel : pattern.panels) {
    lengths.emplace_back();
    for (size_t e = 0; e < panel.edges.size(); ++e) lengths.back().push_back(edge_length(panel, static_cast<int>(e)));
  }
  for (const Stitch& s : pattern.stitches) {
    double &a = lengths[s.a.panel][s.a.edge], &b = lengths[s.b.panel][s.b.edge];
    a = b = 0.5 * (a + b);
  }
  for (const auto& panel : lengths) {
    counts.emplace_back();
    for (const double length : panel) {
      const int count = std::max(1, static_cast<int>(std::lround(length / edge_m)));
      counts.back().push_back(length < kCollapse * edge_m ? 0 : count);
    }
  }
  return counts;
}

PanelOutline outline_of(const Panel& panel, const std::vector<int>& counts) {
  PanelOutline out;
  for (size_t e = 0; e < panel.edges.size(); ++e) {
    out.first.push_back(static_cast<int>(out.points.size()));
    if (counts[e] == 0) continue;
    std::vector<Vec2> points = sample_edge(panel, static_cast<int>(e), counts[e]);
    out.points.insert(out.points.end(), points.begin(), std::prev(points.end()));
  }
  return out;
}

bool is_simple(const std::vector<Vec2>& points) { return points.size() >= 3 && !find_crossing(points); }

// Gives collapsed edges their length back; where none are, every edge gets twice as many points. Partners follow.
void refine_counts(const Pattern& pattern, int panel, EdgeCounts* counts) {
  std::vector<int>& own = (*counts)[panel];
  const bool collapsed = std::count(own.begin(), own.end(), 0) > 0;
  for (int& count : own) count = collapsed ? std::max(1, count) : 2 * count;
  for (const Stitch& s : pattern.stitches) {
    if (s.a.panel == panel) (*counts)[s.b.panel][s.b.edge] = own[s.a.edge];
    if (s.b.panel == panel) (*counts)[s.a.panel][s.a.edge] = own[s.b.edge];
  }
}

absl::Status too_large(const Panel& panel, double edge_m) {
  return invalid_input("GARMENT_TOO_LARGE", cat("pattern.panels[", panel.name, "]"),
                       cat("the outline of panel ", panel.name, " would need more than ", kMaxOutlinePoints,
                           " points at ", to_mm(edge_m), " mm"),
                       "Ask for a coarser resolution, or check the unit of the file.");
}

// Samples every outline; where points at edge_m are too coarse for a curve (a narrow facing), that panel's edges and
// their seam partners get twice as many.
absl::StatusOr<std::vector<PanelOutline>> sample_outlines(const Pattern& pattern, double edge_m) {
  EdgeCounts counts = starting_counts(pattern, edge_m);
  std::vector<PanelOutline> outlines(pattern.panels.size());
  for (int round = 0; round <= kMaxRefinements; ++round) {
    int failed = -1;
    for (int p = 0; p < static_cast<int>(pattern.panels.size()); ++p) {
      if (std::accumulate(counts[p].begin(), counts[p].end(), 0.0) > kMaxOutlinePoints) {
        return too_large(pattern.panels[p], edge_m);
      }
      outlines[p] = outline_of(pattern.panels[p], counts[p]);
      if (is_simple(outlines[p].points)) continue;
      failed = p;
      refine_counts(pattern, p, &counts);
    }
    if (failed < 0) return outlines;
    if (round == kMaxRefinements) {
      const std::string& name = pattern.panels[failed].name;
      return invalid_input("PANEL_TOO_FINE", cat("pattern.panels[", name, "]"),
                           cat("panel ", name, " is too narrow to be cut at ", to_mm(edge_m), " mm"),
                           "Ask for a finer resolution, or widen the panel.");
    }
  }
  return internal_fault("outline sampling did not end");
}

absl::Status check_request(const Pattern& pattern, double edge_m) {
  if (!(edge_m >= kMinEdge && edge_m <= kMaxEdge)) {
    return invalid_input("EDGE_LENGTH", "edge_m", cat("a triangle edge of ", to_mm(edge_m), " mm is out of range"),
                         cat("Ask for ", to_mm(kMinEdge), " to ", to_mm(kMaxEdge), " mm."));
  }
  return validate(pattern);
}

absl::Status check_size(const Pattern& pattern, const std::vector<PanelOutline>& outlines, double edge_m) {
  double area = 0.0;
  size_t points = 0;
  for (const PanelOutline& outline : outlines) {
    area += std::abs(signed_area(outline.points));
    points += outline.points.size();
  }
  const double triangles = area / (0.433 * edge_m * edge_m) + static_cast<double>(points);
  if (triangles <= kMaxTriangles) return absl::OkStatus();
  return invalid_input("GARMENT_TOO_LARGE", "pattern.panels",
                       cat(pattern.panels.size(), " panels of ", area, " m2 would need ", triangles, " triangles at ",
                           to_mm(edge_m), " mm"),
                       "Ask for a coarser resolution, or check the unit of the file.");
}

absl::Status name_panel(const absl::Status& status, const Panel& panel) {
  const auto detail = error_detail(status);
  if (!detail) return status;
  return make_error(status.code(), detail->reason, cat("pattern.panels[", panel.name, "].", detail->field),
                    cat("panel ", panel.name, ": ", status.message()), detail->remedy);
}

absl::StatusOr<std::vector<PlanarMesh>> mesh_panels(const RunContext& run, const Pattern& pattern,
                                                    const std::vector<PanelOutline>& outlines, double edge_m) {
  const int64_t count = static_cast<int64_t>(outlines.size());
  std::vector<std::optional<absl::StatusOr<PlanarMesh>>> results(outlines.size());
  run.parallel_for(count, 1, [&](int64_t begin, int64_t end) {
    for (int64_t p = begin; p < end; ++p) {
      const absl::Status stop = run.check();
      results[p] = stop.ok() ? triangulate(outlines[p].points, edge_m) : absl::StatusOr<PlanarMesh>(stop);
    }
  });
  std::vector<PlanarMesh> meshes;
  for (int64_t p = 0; p < count; ++p) {
    if (!results[p]->ok()) return name_panel(results[p]->status(), pattern.panels[p]);
    meshes.push_back(std::move(*results[p]).value());
  }
  return meshes;
}

void append_panel(const Panel& panel, int index, const PlanarMesh& mesh, GarmentMesh* garment) {
  const int base = garment->vertex_count();
  for (const Vec2& p : mesh.positions) {
    garment->flat.push_back(p);
    garment->placed.push_back(panel.rotation * Vec3(p.x(), p.y(), 0.0) + panel.translation);
    garment->panel.push_back(index);
  }
  for (const Triangle& t : mesh.triangles) {
    garment->triangles.push_back(t + Triangle::Constant(base));
    garment->triangle_panel.push_back(index);
  }
  garment->panel_names.push_back(panel.name);
}

// The garment's vertices along an edge, both ends included.
std::vector<int> edge_vertices(const PanelOutline& outline, int base, int edge) {
  const int n = static_cast<int>(outline.points.size());
  const int begin = outline.first[edge];
  const int end = edge + 1 < static_cast<int>(outline.first.size()) ? outline.first[edge + 1] : n;
  std::vector<int> vertices;
  for (int i = begin; i <= end; ++i) vertices.push_back(base + i % n);
  return vertices;
}

Seam make_seam(const Pattern& pattern, int s, std::vector<int> left, std::vector<int> right) {
  const Stitch& stitch = pattern.stitches[s];
  Seam seam;
  seam.stitch = s;
  seam.left_length = edge_length(pattern.panels[stitch.a.panel], stitch.a.edge);
  seam.right_length = edge_length(pattern.panels[stitch.b.panel], stitch.b.edge);
  if (!stitch.right_wrong) std::reverse(right.begin(), right.end());
  for (size_t k = 0; k < left.size(); ++k) {
    if (left[k] == right[k]) continue;  // the tip of a dart is one vertex already
    seam.left.push_back(left[k]);
    seam.right.push_back(right[k]);
  }
  return seam;
}

std::vector<int> find_waist_line(const Pattern& pattern, const std::vector<PanelOutline>& outlines,
                                 const std::vector<int>& base) {
  std::vector<int> line;
  for (size_t p = 0; p < pattern.panels.size(); ++p) {
    for (size_t e = 0; e < pattern.panels[p].edges.size(); ++e) {
      if (pattern.panels[p].edges[e].label != "lower_interface") continue;
      const std::vector<int> vertices = edge_vertices(outlines[p], base[p], static_cast<int>(e));
      line.insert(line.end(), vertices.begin(), vertices.end());
    }
  }
  std::sort(line.begin(), line.end());
  line.erase(std::unique(line.begin(), line.end()), line.end());
  return line;
}

}  // namespace

absl::StatusOr<GarmentMesh> mesh_garment(const RunContext& run, const Pattern& pattern, double edge_m) {
  RETURN_IF_ERROR(check_request(pattern, edge_m));
  ASSIGN_OR_RETURN(const std::vector<PanelOutline> outlines, sample_outlines(pattern, edge_m));
  RETURN_IF_ERROR(check_size(pattern, outlines, edge_m));
  ASSIGN_OR_RETURN(const std::vector<PlanarMesh> meshes, mesh_panels(run, pattern, outlines, edge_m));
  GarmentMesh garment;
  std::vector<int> base;
  for (size_t p = 0; p < meshes.size(); ++p) {
    base.push_back(garment.vertex_count());
    append_panel(pattern.panels[p], static_cast<int>(p), meshes[p], &garment);
  }
  for (size_t s = 0; s < pattern.stitches.size(); ++s) {
    const StitchSide &a = pattern.stitches[s].a, &b = pattern.stitches[s].b;
    garment.seams.push_back(make_seam(pattern, static_cast<int>(s),
                                      edge_vertices(outlines[a.panel], base[a.panel], a.edge),
                                      edge_vertices(outlines[b.panel], base[b.panel], b.edge)));
  }
  garment.waist_line = find_waist_line(pattern, outlines, base);
  return garment;
}

}  // namespace tryon
