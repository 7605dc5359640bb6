#include "server/garment/regrade.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "Eigen/SparseCholesky"
#include "server/base/status.h"
#include "server/base/text.h"
#include "server/garment/seam_graph.h"

namespace tryon {
namespace {

double doubled_area(const std::vector<Vec2>& flat, const Triangle& t) {
  const Vec2 a = flat[t[1]] - flat[t[0]], b = flat[t[2]] - flat[t[0]];
  return a.x() * b.y() - a.y() * b.x();
}

constexpr int kSpans = 256;       // of an edge while a vertex is looked for on it
constexpr double kOnEdge = 2e-4;  // m: nearer lies on it

// Evenly by arc length, so that a place between two points is a share of the length.
using EdgePoints = std::vector<std::vector<Vec2>>;
EdgePoints sampled(const Panel& panel) {
  EdgePoints out;
  for (int e = 0; e < static_cast<int>(panel.edges.size()); ++e) out.push_back(sample_edge(panel, e, kSpans));
  return out;
}

struct EdgePlace {
  int edge = -1;
  double share = 0.0, distance = kOnEdge;
};

EdgePlace place_on(const EdgePoints& edges, const Vec2& p) {
  EdgePlace best;
  for (size_t e = 0; e < edges.size(); ++e) {
    for (int i = 0; i < kSpans; ++i) {
      const Vec2 &a = edges[e][i], &b = edges[e][i + 1];
      const double length = (b - a).squaredNorm();
      const double t = length > 0 ? std::clamp((p - a).dot(b - a) / length, 0.0, 1.0) : 0.0;
      const double distance = (a + t * (b - a) - p).norm();
      if (distance < best.distance) best = {static_cast<int>(e), (i + t) / kSpans, distance};
    }
  }
  return best;
}

std::vector<bool> on_rim(const GarmentMesh& mesh) {
  std::vector<bool> out(mesh.vertex_count(), false);
  TriangleMesh topology;
  topology.positions = mesh.placed;
  topology.triangles = mesh.triangles;
  for (const EdgeUse& edge : mesh_edges(topology)) {
    if (edge.right < 0) out[edge.a] = out[edge.b] = true;
  }
  return out;
}

// Where the outlines' vertices lie in the other size; the rims of slits and holes move with the cloth about them.
void move_outlines(const GarmentMesh& mesh, const Pattern& from, const Pattern& to, std::vector<Vec2>* flat,
                   std::vector<bool>* fixed) {
  std::vector<EdgePoints> edges;
  for (const Panel& panel : from.panels) edges.push_back(sampled(panel));
  const std::vector<bool> rim = on_rim(mesh);
  for (int v = 0; v < mesh.vertex_count(); ++v) {
    if (!rim[v]) continue;
    const EdgePlace place = place_on(edges[mesh.panel[v]], mesh.flat[v]);
    if (place.edge < 0) continue;
    (*flat)[v] = edge_at(to.panels[mesh.panel[v]], place.edge, place.share);
    (*fixed)[v] = true;
  }
}

// All others: each the mean of its neighbours' moves.
void move_inside(const GarmentMesh& mesh, const std::vector<bool>& fixed, std::vector<Vec2>* flat) {
  std::vector<int> row(mesh.vertex_count(), -1);
  int count = 0;
  for (int v = 0; v < mesh.vertex_count(); ++v) {
    if (!fixed[v]) row[v] = count++;
  }
  if (count == 0) return;
  Eigen::MatrixX2d right = Eigen::MatrixX2d::Zero(count, 2);
  std::vector<Eigen::Triplet<double>> entries;
  const auto join = [&](int a, int b) {
    if (row[a] < 0) return;
    entries.emplace_back(row[a], row[a], 1.0);
    if (row[b] >= 0) {
      entries.emplace_back(row[a], row[b], -1.0);
    } else {
      right.row(row[a]) += ((*flat)[b] - mesh.flat[b]).transpose();
    }
  };
  for (const Triangle& t : mesh.triangles) {
    for (int k = 0; k < 3; ++k) {
      join(t[k], t[(k + 1) % 3]);
      join(t[(k + 1) % 3], t[k]);
    }
  }
  Eigen::SparseMatrix<double> net(count, count);
  net.setFromTriplets(entries.begin(), entries.end());
  const Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>> solver(net);
  const Eigen::MatrixX2d moved = solver.solve(right);
  for (int v = 0; v < mesh.vertex_count(); ++v) {
    if (row[v] >= 0) (*flat)[v] = mesh.flat[v] + moved.row(row[v]).transpose();
  }
}

// Creases run straight from where they begin on the outline to where they end on it.
void move_creases(const GarmentMesh& mesh, std::vector<Vec2>* flat, std::vector<bool>* fixed) {
  for (const ClothLine& line : mesh.lines) {
    const bool crease = line.kind == ClothLine::Kind::kFold || line.kind == ClothLine::Kind::kTack;
    const int first = line.vertices.front(), last = line.vertices.back();
    if (!crease || !(*fixed)[first] || !(*fixed)[last]) continue;
    const Vec2 way = mesh.flat[last] - mesh.flat[first], onward = (*flat)[last] - (*flat)[first];
    for (size_t i = 1; i + 1 < line.vertices.size(); ++i) {
      const int v = line.vertices[i];
      (*flat)[v] = (*flat)[first] + (mesh.flat[v] - mesh.flat[first]).dot(way) / way.squaredNorm() * onward;
      (*fixed)[v] = true;
    }
  }
}

bool same_side(const StitchSide& x, const StitchSide& y) { return x.panel == y.panel && x.edge == y.edge; }

// The same pieces of edges, sewn to each other alike.
bool sewn_alike(const Pattern& one, const Pattern& other) {
  const auto pieces = [](const Panel& x, const Panel& y) { return x.edges.size() == y.edges.size(); };
  const auto stitched = [](const Stitch& x, const Stitch& y) {
    return same_side(x.a, y.a) && same_side(x.b, y.b) && x.right_wrong == y.right_wrong && x.pleat == y.pleat;
  };
  return std::equal(one.panels.begin(), one.panels.end(), other.panels.begin(), other.panels.end(), pieces) &&
         std::equal(one.stitches.begin(), one.stitches.end(), other.stitches.begin(), other.stitches.end(), stitched);
}

// The pattern in whole edges, as it was meshed, and the same edges in the other size.
struct TwoSizes {
  Pattern from, to;
};

// A pleat takes as much cloth in every size, so that edges with pleats are cut at other shares: each size by itself.
absl::StatusOr<TwoSizes> with_pleats(const Pattern& pattern, const std::string& size) {
  ASSIGN_OR_RETURN(Pattern from, split_seams(pattern));
  ASSIGN_OR_RETURN(const Pattern other, at_size(pattern, size));
  ASSIGN_OR_RETURN(Pattern to, split_seams(other));
  if (sewn_alike(from, to)) return TwoSizes{std::move(from), std::move(to)};
  return invalid_input("SIZE_TOPOLOGY", cat("pattern.sizes[", size, "]"),
                       cat("the pleats of size ", size, " lie on each other otherwise than in the base size"),
                       "Mesh that size afresh.");
}

absl::StatusOr<TwoSizes> in_two_sizes(const GarmentMesh& mesh, const Pattern& pattern, const std::string& size) {
  if (mesh.has_laid_pleats()) return with_pleats(pattern, size);
  TwoSizes out;
  out.from = pattern;
  const bool darts =
      std::any_of(pattern.panels.begin(), pattern.panels.end(), [](const Panel& p) { return !p.darts.empty(); });
  if (!pattern.seams.empty() || darts) {
    ASSIGN_OR_RETURN(out.from, split_seams(pattern));
  }
  ASSIGN_OR_RETURN(out.to, at_size(out.from, size));
  return out;
}

}  // namespace

absl::StatusOr<GarmentMesh> regraded(const GarmentMesh& mesh, const Pattern& pattern, const std::string& size) {
  if (size == name_of_size(pattern)) return mesh;
  ASSIGN_OR_RETURN(const TwoSizes sizes, in_two_sizes(mesh, pattern, size));
  const Pattern& to = sizes.to;
  GarmentMesh out = mesh;
  std::vector<bool> fixed(mesh.vertex_count(), false);
  move_outlines(mesh, sizes.from, to, &out.flat, &fixed);
  move_creases(mesh, &out.flat, &fixed);
  move_inside(mesh, fixed, &out.flat);
  for (size_t t = 0; t < out.triangles.size(); ++t) {
    const double before = doubled_area(mesh.flat, out.triangles[t]), after = doubled_area(out.flat, out.triangles[t]);
    if (before * after > 0 && std::abs(after) > 0.05 * std::abs(before)) continue;
    const std::string& panel = mesh.panel_names[mesh.triangle_panel[t]];
    return invalid_input("SIZE_TOPOLOGY", cat("pattern.sizes[", size, "].panels[", panel, "]"),
                         cat("panel ", panel, " of size ", size, " is no smooth change of the base size"),
                         "Grade the pattern with the same points in every size.");
  }
  for (Seam& seam : out.seams) {
    if (seam.stitch < 0) continue;
    const Stitch& stitch = to.stitches[seam.stitch];
    seam.left_length = edge_length(to.panels[stitch.a.panel], stitch.a.edge);
    seam.right_length = edge_length(to.panels[stitch.b.panel], stitch.b.edge);
  }
  return out;
}

}  // namespace tryon
