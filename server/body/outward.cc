#include "server/body/outward.h"

#include <algorithm>
#include <array>
#include <utility>

#include "server/base/text.h"

namespace tryon {
namespace {

struct Neighbour {
  int triangle = -1;
  bool agrees = true;  // walks the shared edge the other way
};

struct EdgeSide {
  int a, b, triangle, corner;
  bool forward;  // walks from a to b
};

struct Adjacency {
  std::vector<std::array<Neighbour, 3>> across;  // [triangle_count]
  int disagreeing = 0;
};

Adjacency find_neighbours(const TriangleMesh& mesh) {
  std::vector<EdgeSide> sides;
  sides.reserve(mesh.triangles.size() * 3);
  for (int t = 0; t < mesh.triangle_count(); ++t) {
    for (int k = 0; k < 3; ++k) {
      const int a = mesh.triangles[t][k], b = mesh.triangles[t][(k + 1) % 3];
      sides.push_back({std::min(a, b), std::max(a, b), t, k, a < b});
    }
  }
  std::stable_sort(sides.begin(), sides.end(),
                   [](const EdgeSide& s, const EdgeSide& o) { return s.a != o.a ? s.a < o.a : s.b < o.b; });
  Adjacency out;
  out.across.resize(mesh.triangles.size());
  for (size_t i = 0, j = 0; i < sides.size(); i = j) {
    while (j < sides.size() && sides[j].a == sides[i].a && sides[j].b == sides[i].b) ++j;
    if (j - i != 2) continue;
    const EdgeSide &s = sides[i], &o = sides[i + 1];
    const bool agrees = s.forward != o.forward;
    out.across[s.triangle][s.corner] = {o.triangle, agrees};
    out.across[o.triangle][o.corner] = {s.triangle, agrees};
    out.disagreeing += !agrees;
  }
  return out;
}

// Floods each patch from its first triangle; the smaller share of a patch is what gets turned.
int agree_with_neighbours(const Adjacency& adjacency, TriangleMesh* mesh) {
  std::vector<signed char> turn(mesh->triangles.size(), -1);
  int turned = 0;
  for (int start = 0; start < mesh->triangle_count(); ++start) {
    if (turn[start] >= 0) continue;
    turn[start] = 0;
    std::vector<int> patch = {start};
    int count = 0;
    for (size_t i = 0; i < patch.size(); ++i) {
      for (const Neighbour& n : adjacency.across[patch[i]]) {
        if (n.triangle < 0 || turn[n.triangle] >= 0) continue;
        turn[n.triangle] = static_cast<signed char>(n.agrees ? turn[patch[i]] : 1 - turn[patch[i]]);
        count += turn[n.triangle];
        patch.push_back(n.triangle);
      }
    }
    const int size = static_cast<int>(patch.size());
    const signed char minority = count > size - count ? 0 : 1;
    for (int t : patch) {
      if (turn[t] != minority) continue;
      std::swap(mesh->triangles[t][1], mesh->triangles[t][2]);
      ++turned;
    }
  }
  return turned;
}

// About the middle of the mesh, so that holes weigh little.
double volume_about_middle(const TriangleMesh& mesh) {
  const Vec3 middle = bounds(mesh).center();
  double six = 0.0;
  for (const Triangle& t : mesh.triangles) {
    six += (mesh.positions[t[0]] - middle).dot((mesh.positions[t[1]] - middle).cross(mesh.positions[t[2]] - middle));
  }
  return six / 6.0;
}

}  // namespace

void make_outward(TriangleMesh* mesh, std::vector<std::string>* healed) {
  const Adjacency adjacency = find_neighbours(*mesh);
  if (adjacency.disagreeing > 0) {
    const int turned = agree_with_neighbours(adjacency, mesh);
    if (turned > 0) healed->push_back(cat("turned ", turned, " triangles to agree with their neighbours"));
  }
  if (volume_about_middle(*mesh) < 0) {
    for (Triangle& t : mesh->triangles) std::swap(t[1], t[2]);
    healed->push_back("turned all triangles outward");
  }
}

}  // namespace tryon
