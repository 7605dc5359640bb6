#include "server/garment/mesh_cuts.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace tryon {
namespace {

bool holds(const std::vector<Vec2>& loop, const Vec2& p) {
  bool inside = false;
  for (size_t i = 0; i < loop.size(); ++i) {
    const Vec2 &a = loop[i], &b = loop[(i + 1) % loop.size()];
    if ((a.y() > p.y()) == (b.y() > p.y())) continue;
    if (p.x() < a.x() + (p.y() - a.y()) / (b.y() - a.y()) * (b.x() - a.x())) inside = !inside;
  }
  return inside;
}

void drop_unused(int outline_count, PlanarMesh* mesh) {
  std::vector<bool> used(mesh->positions.size(), false);
  for (int v = 0; v < outline_count; ++v) used[v] = true;
  for (const Triangle& t : mesh->triangles) used[t[0]] = used[t[1]] = used[t[2]] = true;
  std::vector<int> place(used.size(), -1);
  std::vector<Vec2> kept;
  for (size_t v = 0; v < used.size(); ++v) {
    if (!used[v]) continue;
    place[v] = static_cast<int>(kept.size());
    kept.push_back(mesh->positions[v]);
  }
  mesh->positions = std::move(kept);
  for (Triangle& t : mesh->triangles) t = Triangle(place[t[0]], place[t[1]], place[t[2]]);
  for (int& v : mesh->points) v = v < 0 ? v : place[v];
  for (auto& line : mesh->lines) {
    for (int& v : line) v = place[v];
    std::erase(line, -1);
  }
}

using Edge = std::pair<int, int>;

// The triangles round `v` on the left of the line from..v..to (-1: the line ends there), in no particular order.
std::vector<int> left_of(const PlanarMesh& mesh, const std::map<Edge, int>& beside, int v, int from, int to) {
  std::set<int> reached;
  std::vector<int> open;
  auto enter = [&](int a, int b) {
    const auto found = beside.find({a, b});
    if (found != beside.end() && reached.insert(found->second).second) open.push_back(found->second);
  };
  if (to >= 0) enter(v, to);
  if (from >= 0) enter(from, v);
  while (!open.empty()) {
    const Triangle& t = mesh.triangles[open.back()];
    open.pop_back();
    for (int k = 0; k < 3; ++k) {
      const int a = t[k], b = t[(k + 1) % 3];
      const bool spoke = a == v || b == v, line = a == from || b == from || a == to || b == to;
      if (spoke && !line) enter(b, a);
    }
  }
  return {reached.begin(), reached.end()};
}

void cut_slit(int index, const std::vector<bool>& sewn, PlanarMesh* mesh) {
  const std::vector<int> chain = mesh->lines[index];
  std::map<Edge, int> beside;  // directed edge -> the triangle that walks it
  for (int t = 0; t < static_cast<int>(mesh->triangles.size()); ++t) {
    for (int k = 0; k < 3; ++k) beside[{mesh->triangles[t][k], mesh->triangles[t][(k + 1) % 3]}] = t;
  }
  std::vector<std::pair<int, std::vector<int>>> moves;  // a vertex, and the triangles that get its copy
  for (size_t i = 0; i < chain.size(); ++i) {
    const int v = chain[i], from = i > 0 ? chain[i - 1] : -1, to = i + 1 < chain.size() ? chain[i + 1] : -1;
    const bool on_outline = v < static_cast<int>(sewn.size());
    if ((from < 0 || to < 0) ? !on_outline || sewn[v] : on_outline) continue;
    moves.emplace_back(v, left_of(*mesh, beside, v, from, to));
  }
  for (const auto& [v, triangles] : moves) {
    const int copy = static_cast<int>(mesh->positions.size());
    mesh->positions.push_back(Vec2(mesh->positions[v]));
    for (const int t : triangles) {
      for (int k = 0; k < 3; ++k) mesh->triangles[t][k] = mesh->triangles[t][k] == v ? copy : mesh->triangles[t][k];
    }
  }
}

}  // namespace

void cut_holes(const std::vector<int>& lines, int outline_count, PlanarMesh* mesh) {
  std::vector<Triangle> kept = mesh->triangles;
  for (const int l : lines) {
    std::vector<Vec2> loop;
    for (const int v : mesh->lines[l]) loop.push_back(mesh->positions[v]);
    std::erase_if(kept, [&](const Triangle& t) {
      return holds(loop, (mesh->positions[t[0]] + mesh->positions[t[1]] + mesh->positions[t[2]]) / 3.0);
    });
  }
  if (kept.empty() || kept.size() == mesh->triangles.size()) return;
  mesh->triangles = std::move(kept);
  drop_unused(outline_count, mesh);
}

void cut_slits(const std::vector<int>& lines, const std::vector<bool>& sewn, PlanarMesh* mesh) {
  for (const int l : lines) cut_slit(l, sewn, mesh);
}

}  // namespace tryon
