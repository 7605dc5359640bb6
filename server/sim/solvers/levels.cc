#include "server/sim/solvers/levels.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <utility>

#include "server/base/status.h"

namespace tryon::sim {

namespace {

constexpr double kDistancePower = 2.0;

int find_root(std::vector<int>* parent, int i) {
  while ((*parent)[i] != i) i = (*parent)[i] = (*parent)[(*parent)[i]];
  return i;
}

double cross(const Vec2& a, const Vec2& b) { return a.x() * b.y() - a.y() * b.x(); }

int corner_at(const Triangle& t, int particle) { return t[0] == particle ? 0 : t[1] == particle ? 1 : 2; }

// The two triangles continue each other in the flat: same ends, third vertices on opposite sides.
bool continues(const DrapeModel& model, const EdgeUse& edge) {
  Vec2 end[2][2], opposite[2];
  for (int s = 0; s < 2; ++s) {
    const int t = s == 0 ? edge.left : edge.right;
    const int a = corner_at(model.triangles[t], edge.a), b = corner_at(model.triangles[t], edge.b);
    end[s][0] = model.corner_flat[t][a];
    end[s][1] = model.corner_flat[t][b];
    opposite[s] = model.corner_flat[t][3 - a - b];
  }
  if (end[0][0] != end[1][0] || end[0][1] != end[1][1]) return false;
  const Vec2 along = end[0][1] - end[0][0];
  return cross(along, opposite[0] - end[0][0]) * cross(along, opposite[1] - end[0][0]) < 0;
}

std::vector<EdgeUse> edges_of(const DrapeModel& model) {
  TriangleMesh mesh;
  mesh.positions.resize(model.particle_count);
  mesh.triangles = model.triangles;
  return mesh_edges(mesh);
}

std::vector<int> locked_particles(const DrapeModel& model) {
  std::vector<int> locked;
  for (int i = 0; i < model.particle_count; ++i)
    if (model.inverse_mass[i] == 0) locked.push_back(i);
  for (int s = 0; s < model.springs.count(); ++s)
    if (model.springs.kind[s] == SpringKind::kSeam)
      locked.insert(locked.end(), {model.springs.a[s], model.springs.b[s]});
  std::sort(locked.begin(), locked.end());
  locked.erase(std::unique(locked.begin(), locked.end()), locked.end());
  return locked;
}

std::vector<int> inverse_of(const std::vector<int>& kept, int fine_count) {
  std::vector<int> out(fine_count, -1);
  for (size_t i = 0; i < kept.size(); ++i) out[kept[i]] = static_cast<int>(i);
  return out;
}

// P^T m: a motion carried down moves the same mass.
void set_masses(const DrapeModel& fine, ClothLevel* level) {
  const SparseRows& rows = level->prolongation;
  std::vector<double> mass(level->kept.size(), 0.0);
  for (int i = 0; i < fine.particle_count; ++i)
    for (int k = rows.first[i]; k < rows.first[i + 1]; ++k)
      mass[rows.column[k]] += rows.weight[k] * static_cast<double>(fine.mass[i]);
  level->model.mass.clear();
  level->model.inverse_mass.clear();
  for (size_t i = 0; i < mass.size(); ++i) {
    level->model.mass.push_back(static_cast<Real>(mass[i]));
    const bool pinned = fine.inverse_mass[level->kept[i]] == 0;
    level->model.inverse_mass.push_back(pinned ? Real(0) : static_cast<Real>(1 / mass[i]));
  }
  level->model.mean_weight = fine.mean_weight;
}

void add_seams(const DrapeModel& fine, const std::vector<int>& coarse_of, Springs* out) {
  for (int s = 0; s < fine.springs.count(); ++s) {
    if (fine.springs.kind[s] != SpringKind::kSeam) continue;
    out->a.push_back(coarse_of[fine.springs.a[s]]);
    out->b.push_back(coarse_of[fine.springs.b[s]]);
    out->rest.push_back(fine.springs.rest[s]);
    out->stiffness.push_back(fine.springs.stiffness[s]);
    out->kind.push_back(SpringKind::kSeam);
  }
}

SpringLayout layout_of(const DrapeModel& model) {
  if (model.threads.count() > 0) return SpringLayout::kThreads;
  return model.membranes.count() > 0 ? SpringLayout::kMembrane : SpringLayout::kEdges;
}

absl::StatusOr<std::unique_ptr<ClothLevel>> rebuilt_level(const DrapeModel& fine, const CoarseLevel& coarse) {
  ClothInput cloth;
  cloth.positions.assign(coarse.kept.size(), Vec3::Zero());  // rest shapes alone make a model
  cloth.triangles = coarse.triangles;
  cloth.corner_flat = coarse.corner_flat;
  cloth.fabric = fine.fabric_of(0);
  cloth.layout = layout_of(fine);
  ASSIGN_OR_RETURN(DrapeModel model, build_model(cloth));
  auto level = std::make_unique<ClothLevel>();
  level->model = std::move(model);
  level->kept = coarse.kept;
  level->prolongation = coarse.inverse_distance;
  add_seams(fine, inverse_of(coarse.kept, fine.particle_count), &level->model.springs);
  set_masses(fine, level.get());
  return level;
}

// The particles' graph with rest lengths, which Mueller's way coarsens without triangles.
struct Link {
  int to;
  double rest;
};
using Graph = std::vector<std::vector<Link>>;

void add_link(int a, int b, double rest, Graph* graph) {
  (*graph)[a].push_back({b, rest});
  (*graph)[b].push_back({a, rest});
}

// Rest distances in the flat, where two particles are corners of one piece.
class FlatDistances {
 public:
  explicit FlatDistances(const DrapeModel& model) : flat_(flat_domain(model)), corners_(model.particle_count) {
    std::vector<int> parent(flat_.flat.size());
    std::iota(parent.begin(), parent.end(), 0);
    for (const Triangle& t : flat_.triangles)
      for (int k = 1; k < 3; ++k) parent[find_root(&parent, t[k])] = find_root(&parent, t[0]);
    for (size_t c = 0; c < flat_.flat.size(); ++c) {
      piece_.push_back(find_root(&parent, static_cast<int>(c)));
      corners_[flat_.vertex[c]].push_back(static_cast<int>(c));
    }
  }
  double between(int a, int b) const {  // infinite where they share no piece
    double nearest = std::numeric_limits<double>::infinity();
    for (int i : corners_[a])
      for (int j : corners_[b])
        if (piece_[i] == piece_[j]) nearest = std::min(nearest, (flat_.flat[i] - flat_.flat[j]).norm());
    return nearest;
  }

 private:
  FlatCloth flat_;
  std::vector<std::vector<int>> corners_;
  std::vector<int> piece_;
};

// A particle may go while it and each neighbour that has gone keep two that stay (Mueller 2008, k = 2).
std::vector<int> choose_kept(const Graph& graph, const std::vector<uint8_t>& locked) {
  const int n = static_cast<int>(graph.size());
  std::vector<uint8_t> stays(n, 1);
  const auto staying = [&](int i) {
    int count = 0;
    for (const Link& l : graph[i]) count += stays[l.to];
    return count;
  };
  for (int i = 0; i < n; ++i) {
    if (locked[i] || staying(i) < 2) continue;
    bool free = true;
    for (const Link& l : graph[i]) free = free && (stays[l.to] || staying(l.to) > 2);
    if (free) stays[i] = 0;
  }
  std::vector<int> kept;
  for (int i = 0; i < n; ++i)
    if (stays[i]) kept.push_back(i);
  return kept;
}

SparseRows parent_rows(const Graph& graph, const std::vector<int>& coarse_of) {
  SparseRows rows;
  rows.first.push_back(0);
  for (size_t i = 0; i < graph.size(); ++i) {
    std::map<int, double> row;
    double sum = 0;
    if (coarse_of[i] >= 0) row[coarse_of[i]] = sum = 1;
    for (const Link& l : graph[i]) {
      if (coarse_of[i] >= 0 || coarse_of[l.to] < 0) continue;
      const double weight = std::pow(l.rest, -kDistancePower);
      row[coarse_of[l.to]] += weight;
      sum += weight;
    }
    for (const auto& [column, weight] : row) {
      rows.column.push_back(column);
      rows.weight.push_back(weight / sum);
    }
    rows.first.push_back(static_cast<int>(rows.column.size()));
  }
  return rows;
}

// Finer links with removed ends moved to their nearest parent.
Graph coarse_links(const Graph& graph, const std::vector<int>& kept, const std::vector<int>& coarse_of,
                   const std::vector<int>& finest, const FlatDistances& flat) {
  std::vector<Link> home(graph.size());  // coarse index, rest length to it
  for (size_t i = 0; i < graph.size(); ++i) {
    home[i] = {coarse_of[i], 0};
    if (coarse_of[i] >= 0) continue;
    home[i].rest = std::numeric_limits<double>::infinity();
    for (const Link& l : graph[i])
      if (coarse_of[l.to] >= 0 && l.rest < home[i].rest) home[i] = {coarse_of[l.to], l.rest};
  }
  std::map<std::pair<int, int>, double> links;
  for (size_t i = 0; i < graph.size(); ++i)
    for (const Link& l : graph[i]) {
      const int a = home[i].to, b = home[l.to].to;
      if (a >= b) continue;
      const double straight = flat.between(finest[kept[a]], finest[kept[b]]);
      const double path = home[i].rest + l.rest + home[l.to].rest;
      const double rest = std::isfinite(straight) ? straight : path;
      const auto [at, fresh] = links.try_emplace({a, b}, rest);
      if (!fresh) at->second = std::min(at->second, rest);
    }
  Graph out(kept.size());
  for (const auto& [ends, rest] : links) add_link(ends.first, ends.second, rest, &out);
  return out;
}

std::unique_ptr<ClothLevel> linked_level(const DrapeModel& fine, const Graph& links, std::vector<int> kept,
                                         SparseRows rows) {
  auto level = std::make_unique<ClothLevel>();
  DrapeModel& model = level->model;
  model.particle_count = static_cast<int>(kept.size());
  model.fabrics = fine.fabrics;
  for (int i : kept) model.fabric_index.push_back(fine.fabric_index[i]);
  for (int i = 0; i < model.particle_count; ++i)
    for (const Link& l : links[i]) {
      if (l.to < i) continue;
      model.springs.a.push_back(i);
      model.springs.b.push_back(l.to);
      model.springs.rest.push_back(static_cast<Real>(l.rest));
      model.springs.stiffness.push_back(static_cast<Real>(fine.fabric_of(0).stretch_warp));
      model.springs.kind.push_back(SpringKind::kStructural);
    }
  add_seams(fine, inverse_of(kept, fine.particle_count), &model.springs);
  level->kept = std::move(kept);
  level->prolongation = std::move(rows);
  set_masses(fine, level.get());
  return level;
}

}  // namespace

FlatCloth flat_domain(const DrapeModel& model) {
  const int corners = 3 * static_cast<int>(model.triangles.size());
  std::vector<int> parent(corners);
  std::iota(parent.begin(), parent.end(), 0);
  for (const EdgeUse& edge : edges_of(model)) {
    if (edge.right < 0 || !continues(model, edge)) continue;
    for (int end : {edge.a, edge.b}) {
      const int left = 3 * edge.left + corner_at(model.triangles[edge.left], end);
      const int right = 3 * edge.right + corner_at(model.triangles[edge.right], end);
      parent[find_root(&parent, right)] = find_root(&parent, left);
    }
  }
  FlatCloth cloth;
  cloth.vertex_count = model.particle_count;
  cloth.locked = locked_particles(model);
  std::vector<int> index(corners, -1);
  for (size_t t = 0; t < model.triangles.size(); ++t) {
    Triangle corner;
    for (int k = 0; k < 3; ++k) {
      int& at = index[find_root(&parent, 3 * static_cast<int>(t) + k)];
      if (at < 0) {
        at = static_cast<int>(cloth.flat.size());
        cloth.flat.push_back(model.corner_flat[t][k]);
        cloth.vertex.push_back(model.triangles[t][k]);
      }
      corner[k] = at;
    }
    cloth.triangles.push_back(corner);
  }
  return cloth;
}

absl::StatusOr<ClothLevels> quadric_levels(const DrapeModel& model, int levels) {
  HierarchySettings settings;
  settings.levels = levels;
  settings.distance_power = kDistancePower;
  ASSIGN_OR_RETURN(const Hierarchy hierarchy, build_hierarchy(flat_domain(model), settings));
  ClothLevels out;
  const DrapeModel* fine = &model;
  for (const CoarseLevel& coarse : hierarchy.coarser) {
    if (coarse.vertex_count() >= fine->particle_count) break;
    ASSIGN_OR_RETURN(std::unique_ptr<ClothLevel> level, rebuilt_level(*fine, coarse));
    out.push_back(std::move(level));
    fine = &out.back()->model;
  }
  return out;
}

absl::StatusOr<ClothLevels> parent_levels(const DrapeModel& model, int levels) {
  const FlatDistances flat(model);
  Graph graph(model.particle_count);
  for (const EdgeUse& edge : edges_of(model)) {
    const auto& c = model.triangles[edge.left];
    const auto& rest = model.corner_flat[edge.left];
    add_link(edge.a, edge.b, (rest[corner_at(c, edge.a)] - rest[corner_at(c, edge.b)]).norm(), &graph);
  }
  std::vector<int> finest(model.particle_count);
  std::iota(finest.begin(), finest.end(), 0);
  ClothLevels out;
  const DrapeModel* fine = &model;
  for (int depth = 1; depth < levels; ++depth) {
    std::vector<uint8_t> locked(fine->particle_count, 0);
    for (int i : locked_particles(*fine)) locked[i] = 1;
    const std::vector<int> kept = choose_kept(graph, locked);
    if (static_cast<int>(kept.size()) >= fine->particle_count) break;
    const std::vector<int> coarse_of = inverse_of(kept, fine->particle_count);
    SparseRows rows = parent_rows(graph, coarse_of);
    graph = coarse_links(graph, kept, coarse_of, finest, flat);
    std::vector<int> next;
    for (int i : kept) next.push_back(finest[i]);
    finest = std::move(next);
    out.push_back(linked_level(*fine, graph, kept, std::move(rows)));
    fine = &out.back()->model;
  }
  return out;
}

}  // namespace tryon::sim
