#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <optional>

#include "server/base/status.h"
#include "server/base/text.h"
#include "server/base/units.h"
#include "server/garment/garment.h"
#include "server/garment/mesh_cuts.h"
#include "server/garment/mesh_outline.h"
#include "server/garment/seam_graph.h"
#include "server/mesh/triangulate.h"

namespace tryon {
namespace {

constexpr int kMaxRounds = 5;          // of meshing panels again with sides halved that cramped a triangle
constexpr double kMaxTriangles = 4e6;  // of one garment
constexpr double kMinEdge = 1e-3, kMaxEdge = 0.2;

// `points` of outlines; 0 before they are sampled.
absl::Status check_size(const Pattern& pattern, size_t points, double edge_m) {
  double area = 0.0;
  for (const Panel& panel : pattern.panels) area += panel_area(panel);
  const double triangles = area / (0.433 * edge_m * edge_m) + static_cast<double>(points);
  if (triangles <= kMaxTriangles) return absl::OkStatus();
  return invalid_input("GARMENT_TOO_LARGE", "pattern.panels",
                       cat(pattern.panels.size(), " panels of ", area, " m2 would need ", triangles, " triangles at ",
                           to_mm(edge_m), " mm"),
                       "Ask for a coarser resolution, or check the unit of the file.");
}

absl::Status check_request(const Pattern& pattern, double edge_m) {
  if (!(edge_m >= kMinEdge && edge_m <= kMaxEdge)) {
    return invalid_input("EDGE_LENGTH", "edge_m", cat("a triangle edge of ", to_mm(edge_m), " mm is out of range"),
                         cat("Ask for ", to_mm(kMinEdge), " to ", to_mm(kMaxEdge), " mm."));
  }
  RETURN_IF_ERROR(validate(pattern));
  return check_size(pattern, 0, edge_m);
}

absl::Status name_panel(const absl::Status& status, const Panel& panel) {
  const auto detail = error_detail(status);
  if (!detail) return status;
  return make_error(status.code(), detail->reason, cat("pattern.panels[", panel.name, "].", detail->field),
                    cat("panel ", panel.name, ": ", status.message()), detail->remedy);
}

// A panel's triangles, and which marked line each of its lines is a part of.
struct PanelMesh {
  PlanarMesh mesh;
  std::vector<int> line;  // [mesh.lines] -> PanelMarks::lines
};

absl::StatusOr<PanelMesh> mesh_panel(const OutlinePlan& plan, int panel, double edge_m) {
  MarkedDomain marked = plan.domain(panel);
  PanelMesh out;
  ASSIGN_OR_RETURN(
      out.mesh, without_faulty_marks(&marked, [&](const PlanarDomain& domain) { return triangulate(domain, edge_m); }));
  out.line = std::move(marked.line);
  return out;
}

// Meshes the listed panels anew.
absl::Status mesh_panels(const RunContext& run, const Pattern& pattern, const OutlinePlan& plan, double edge_m,
                         const std::vector<int>& which, std::vector<PanelMesh>* meshes) {
  const int64_t count = static_cast<int64_t>(which.size());
  std::vector<std::optional<absl::StatusOr<PanelMesh>>> results(which.size());
  run.parallel_for(count, 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const absl::Status stop = run.check();
      results[i] = stop.ok() ? mesh_panel(plan, which[i], edge_m) : absl::StatusOr<PanelMesh>(stop);
    }
  });
  for (int64_t i = 0; i < count; ++i) {
    if (!results[i]->ok()) return name_panel(results[i]->status(), pattern.panels[which[i]]);
    (*meshes)[which[i]] = std::move(*results[i]).value();
  }
  return absl::OkStatus();
}

// Samples the outlines and meshes the panels; where a side keeps a triangle narrow it is halved on both partners.
absl::StatusOr<std::vector<PanelMesh>> mesh_all(const RunContext& run, const Pattern& pattern, double edge_m,
                                                OutlinePlan* plan) {
  RETURN_IF_ERROR(plan->refine(run).status());
  size_t points = 0;
  for (const PanelOutline& outline : plan->outlines()) points += outline.points.size();
  RETURN_IF_ERROR(check_size(pattern, points, edge_m));
  std::vector<PanelMesh> meshes(pattern.panels.size());
  std::vector<int> which(meshes.size());
  std::iota(which.begin(), which.end(), 0);
  for (int round = 0;; ++round) {
    RETURN_IF_ERROR(mesh_panels(run, pattern, *plan, edge_m, which, &meshes));
    if (round == kMaxRounds) return meshes;
    std::vector<std::vector<int>> sides;
    for (const PanelMesh& panel : meshes) sides.push_back(panel.mesh.cramping_sides);
    plan->halve(sides);
    ASSIGN_OR_RETURN(which, plan->refine(run));
    if (which.empty()) return meshes;
  }
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
  garment->grain.push_back(panel.grain);
}

// Outline vertices that lie on sewn edges.
std::vector<bool> sewn_vertices(const Pattern& pattern, int panel, const PanelOutline& outline) {
  const int n = static_cast<int>(outline.points.size());
  std::vector<bool> sewn(n, false);
  for (const Stitch& s : pattern.stitches) {
    for (const StitchSide* side : {&s.a, &s.b}) {
      if (side->panel != panel) continue;
      const bool last = side->edge + 1 == static_cast<int>(outline.first.size());
      const int end = last ? n : outline.first[side->edge + 1];
      for (int i = outline.first[side->edge]; i <= end; ++i) sewn[i % n] = true;
    }
  }
  return sewn;
}

// Opens the cloth along the lines that are cut: closed ones become holes first.
void open_cuts(const PanelMarks& marks, const std::vector<bool>& sewn, PanelMesh* panel) {
  std::vector<int> holes, slits;
  for (size_t l = 0; l < panel->line.size(); ++l) {
    const MarkedLine& line = marks.lines[panel->line[l]];
    const std::vector<int>& chain = panel->mesh.lines[l];
    if (line.kind != ClothLine::Kind::kCut || chain.size() < 2) continue;
    (chain.front() == chain.back() ? holes : slits).push_back(static_cast<int>(l));
  }
  if (!holes.empty()) cut_holes(holes, static_cast<int>(sewn.size()), &panel->mesh);
  cut_slits(slits, sewn, &panel->mesh);
}

// Vertices at notches (of the sampled outline) and at drill holes (the nearest ones of the mesh).
void add_marks(const PanelMarks& marks, const PanelOutline& outline, const PlanarMesh& mesh, int base, double edge_m,
               GarmentMesh* garment) {
  for (const OutlinePlace& notch : marks.notches) garment->marks.push_back(base + outline_vertex(outline, notch));
  for (const Vec2& hole : marks.holes) {
    double least = edge_m;
    int best = -1;
    for (size_t v = 0; v < mesh.positions.size(); ++v) {
      const double d = (mesh.positions[v] - hole).norm();
      if (d < least) least = d, best = static_cast<int>(v);
    }
    if (best >= 0) garment->marks.push_back(base + best);
  }
  std::sort(garment->marks.begin(), garment->marks.end());
  garment->marks.erase(std::unique(garment->marks.begin(), garment->marks.end()), garment->marks.end());
}

void add_lines(const PanelMarks& marks, const PanelMesh& panel, int index, int base, GarmentMesh* garment) {
  for (size_t l = 0; l < panel.line.size(); ++l) {
    const MarkedLine& marked = marks.lines[panel.line[l]];
    ClothLine line{marked.kind, index, marked.source, {}, marked.offset};
    for (const int v : panel.mesh.lines[l]) line.vertices.push_back(base + v);
    if (line.vertices.size() > 1) garment->lines.push_back(std::move(line));
  }
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

constexpr double kStayTape = 300.0;  // newtons a unit of strain: a light twill tape

// What hangs from the waist, and the tape that stays it, so that it does not stretch over the hips.
void add_waist(const Pattern& pattern, const std::vector<PanelOutline>& outlines, const std::vector<int>& base,
               GarmentMesh* garment) {
  std::vector<int>& line = garment->waist_line;
  for (size_t p = 0; p < pattern.panels.size(); ++p) {
    for (size_t e = 0; e < pattern.panels[p].edges.size(); ++e) {
      if (pattern.panels[p].edges[e].label != kWaistLabel) continue;
      const std::vector<int> vertices = edge_vertices(outlines[p], base[p], static_cast<int>(e));
      line.insert(line.end(), vertices.begin(), vertices.end());
      garment->bands.push_back({vertices, 1.0, kStayTape});
    }
  }
  std::sort(line.begin(), line.end());
  line.erase(std::unique(line.begin(), line.end()), line.end());
}

// Vertices of a tack sewn to those of its pleat's visible crease, as far down as the pleat is sewn.
Seam tack_seam(const GarmentMesh& garment, const Pleat& pleat, const ClothLine& crease, const ClothLine& tack) {
  Seam seam;
  seam.stitch = -1;
  const size_t count = std::min(crease.vertices.size(), tack.vertices.size());
  for (size_t k = 1; k < count; ++k) {
    const int left = crease.vertices[k], right = tack.vertices[k];
    const double down = (garment.flat[left] - garment.flat[crease.vertices[0]]).norm();
    const double off = (garment.flat[right] - garment.flat[tack.vertices[0]]).norm() - down;
    if (down > pleat.stitched + 1e-9 || std::abs(off) > 0.5 * pleat.depth) break;
    seam.left.push_back(left), seam.right.push_back(right);
    seam.left_length = down, seam.right_length = down + off;
  }
  return seam;
}

// Pleats that are sewn down below the seam that holds them.
void add_tacks(const Pattern& pattern, GarmentMesh* garment) {
  for (const ClothLine& tack : garment->lines) {
    if (tack.kind != ClothLine::Kind::kTack) continue;
    const Pleat& pleat = pattern.panels[tack.panel].pleats[tack.source];
    for (const ClothLine& crease : garment->lines) {
      const bool same = crease.panel == tack.panel && crease.source == tack.source;
      const bool pair = std::abs(std::abs(crease.offset - tack.offset) - 2.0 * pleat.depth) < 1e-9;
      const bool visible = std::abs(crease.offset) > 1e-9;
      if (crease.kind != ClothLine::Kind::kFold || !same || !pair || !visible) continue;
      Seam seam = tack_seam(*garment, pleat, crease, tack);
      if (!seam.left.empty()) garment->seams.push_back(std::move(seam));
    }
  }
}

// Seams and casings with an elastic in them.
void add_bands(const Pattern& pattern, const std::vector<PanelOutline>& outlines, const std::vector<int>& base,
               GarmentMesh* garment) {
  for (const SeamSpec& seam : pattern.seams) {
    if (seam.elastic.stiffness <= 0.0) continue;
    for (const SeamRange& r : seam.a) {
      garment->bands.push_back(
          {edge_vertices(outlines[r.panel], base[r.panel], r.edge), seam.elastic.relaxed, seam.elastic.stiffness});
    }
  }
}

absl::StatusOr<GarmentMesh> mesh_split(const RunContext& run, const Pattern& pattern, double edge_m) {
  OutlinePlan plan(pattern, edge_m);
  ASSIGN_OR_RETURN(std::vector<PanelMesh> meshes, mesh_all(run, pattern, edge_m, &plan));
  const std::vector<PanelOutline>& outlines = plan.outlines();
  GarmentMesh garment;
  std::vector<int> base;
  for (int p = 0; p < static_cast<int>(meshes.size()); ++p) {
    const PanelMarks& marks = plan.marks()[p];
    open_cuts(marks, sewn_vertices(pattern, p, outlines[p]), &meshes[p]);
    base.push_back(garment.vertex_count());
    append_panel(pattern.panels[p], p, meshes[p].mesh, &garment);
    add_lines(marks, meshes[p], p, base[p], &garment);
    add_marks(marks, outlines[p], meshes[p].mesh, base[p], edge_m, &garment);
  }
  for (size_t s = 0; s < pattern.stitches.size(); ++s) {
    const StitchSide &a = pattern.stitches[s].a, &b = pattern.stitches[s].b;
    garment.seams.push_back(make_seam(pattern, static_cast<int>(s),
                                      edge_vertices(outlines[a.panel], base[a.panel], a.edge),
                                      edge_vertices(outlines[b.panel], base[b.panel], b.edge)));
  }
  add_tacks(pattern, &garment);
  add_bands(pattern, outlines, base, &garment);
  add_waist(pattern, outlines, base, &garment);
  return garment;
}

}  // namespace

absl::StatusOr<GarmentMesh> mesh_garment(const RunContext& run, const Pattern& pattern, double edge_m) {
  RETURN_IF_ERROR(check_request(pattern, edge_m));
  const bool marked = std::any_of(pattern.panels.begin(), pattern.panels.end(),
                                  [](const Panel& p) { return !p.darts.empty() || !p.pleats.empty(); });
  if (pattern.seams.empty() && !marked) return mesh_split(run, pattern, edge_m);
  ASSIGN_OR_RETURN(const Pattern split, split_seams(pattern));
  return mesh_split(run, split, edge_m);
}

}  // namespace tryon
