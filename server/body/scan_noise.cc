#include "server/body/scan_noise.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace tryon {
namespace {

constexpr double kLambda = 0.5, kMu = -0.526;  // pass band up to 0.1
constexpr int kMostRounds = 40, kRoundsAtOnce = 4;
// Median of absolute values of a normal deviate, times the gain of the second difference at six neighbours.
constexpr double kMedianToDeviation = 0.6745 * 1.35;

struct Rings {
  std::vector<int> starts, neighbours;  // of a rim vertex its two rim neighbours only
};

Rings rings_of(const TriangleMesh& mesh) {
  const std::vector<EdgeUse> edges = mesh_edges(mesh);
  std::vector<char> rim(mesh.positions.size(), 0);
  for (const EdgeUse& e : edges) {
    if (e.right < 0) rim[e.a] = rim[e.b] = 1;
  }
  auto counts = [&](const EdgeUse& e, int v) { return !rim[v] || e.right < 0; };
  Rings rings;
  rings.starts.assign(mesh.positions.size() + 1, 0);
  for (const EdgeUse& e : edges) {
    rings.starts[e.a + 1] += counts(e, e.a);
    rings.starts[e.b + 1] += counts(e, e.b);
  }
  for (size_t v = 0; v < mesh.positions.size(); ++v) rings.starts[v + 1] += rings.starts[v];
  rings.neighbours.resize(static_cast<size_t>(rings.starts.back()));
  std::vector<int> at(rings.starts.begin(), rings.starts.end() - 1);
  for (const EdgeUse& e : edges) {
    if (counts(e, e.a)) rings.neighbours[at[e.a]++] = e.b;
    if (counts(e, e.b)) rings.neighbours[at[e.b]++] = e.a;
  }
  return rings;
}

std::vector<Vec3> umbrellas(const Rings& rings, const std::vector<Vec3>& of) {
  std::vector<Vec3> out(of.size(), Vec3::Zero());
  for (size_t v = 0; v < of.size(); ++v) {
    const int from = rings.starts[v], to = rings.starts[v + 1];
    if (from == to) continue;
    for (int i = from; i < to; ++i) out[v] += of[rings.neighbours[i]];
    out[v] = out[v] / static_cast<double>(to - from) - of[v];
  }
  return out;
}

double noise_of(const Rings& rings, const TriangleMesh& mesh) {
  if (mesh.positions.empty()) return 0.0;
  const std::vector<Vec3> second = umbrellas(rings, umbrellas(rings, mesh.positions));
  const std::vector<Vec3> normals = vertex_normals(mesh);
  std::vector<double> along(second.size());
  for (size_t v = 0; v < second.size(); ++v) along[v] = std::abs(second[v].dot(normals[v]));
  const auto middle = along.begin() + static_cast<std::ptrdiff_t>(along.size() / 2);
  std::nth_element(along.begin(), middle, along.end());
  return *middle / kMedianToDeviation;
}

}  // namespace

double surface_noise(const TriangleMesh& mesh) { return noise_of(rings_of(mesh), mesh); }

int smooth_noise(double goal, TriangleMesh* mesh) {
  const Rings rings = rings_of(*mesh);
  int round = 0;
  while (round < kMostRounds && noise_of(rings, *mesh) > goal) {
    for (int i = 0; i < kRoundsAtOnce; ++i, ++round) {
      for (double step : {kLambda, kMu}) {
        const std::vector<Vec3> move = umbrellas(rings, mesh->positions);
        for (size_t v = 0; v < move.size(); ++v) mesh->positions[v] += step * move[v];
      }
    }
  }
  return round;
}

}  // namespace tryon
