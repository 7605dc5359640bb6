// What it is: the meshes of the validation tests (validation.md, 0.3). A strip lies along world x, its width along z;
// flat coordinates are (along, across). M1: right triangles, one diagonal; M2: alternating diagonals; M3: equilateral,
// edges across the strip; M4: M3 turned by 90 degrees, its ends are zigzags; M5: Delaunay of jittered points after
// three Laplacian smoothings, its first two columns straight, seeded. A disc has rings of 6 k particles, equilateral
// but for the bending to rings. Units: SI, +Y up. Shapes: of a strip columns + 1 particles along, rows + 1 across,
// index = along * (rows + 1) + across. How it fails: it does not. Thread rules: pure functions.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "server/base/units.h"
#include "server/sim/model.h"

namespace tryon::sim::validation {

enum class MeshKind { kM1, kM2, kM3, kM4, kM5 };
inline constexpr MeshKind kAllMeshes[] = {MeshKind::kM1, MeshKind::kM2, MeshKind::kM3, MeshKind::kM4, MeshKind::kM5};
inline const char* name_of(MeshKind kind) {
  static constexpr const char* kNames[] = {"M1", "M2", "M3", "M4", "M5"};
  return kNames[static_cast<int>(kind)];
}

struct Strip {
  double start = 0, cell = 0.01, width = 0.02;  // first column's place, spacing along, m
  int columns = 20, rows = 2;
  MeshKind mesh = MeshKind::kM1;
  uint32_t seed = 0;
  double turned = 0;  // rad: the material's axes against the strip's
  int at(int along, int across) const { return along * (rows + 1) + across; }
};

// An equilateral mesh's width for this many rows.
inline double even_width(const Strip& s) {
  if (s.mesh == MeshKind::kM4) return std::sqrt(3.0) / 2 * s.cell * s.rows;
  if (s.mesh == MeshKind::kM3 || s.mesh == MeshKind::kM5) return 2 / std::sqrt(3.0) * s.cell * s.rows;
  return s.cell * s.rows;
}

struct FlatMesh {
  std::vector<Vec2> points;
  std::vector<std::array<int, 3>> triangles;
};

inline double cross2(const Vec2& u, const Vec2& v) { return u.x() * v.y() - u.y() * v.x(); }

// Lawson: an edge is flipped where the opposite corner lies in the circumcircle, until none does.
inline void make_delaunay(FlatMesh* mesh) {
  const auto in_circle = [&](int ia, int ib, int ic, int id) {
    Eigen::Matrix3d m;
    const Vec2& d = mesh->points[id];
    int row = 0;
    for (int i : {ia, ib, ic}) {
      const Vec2 v = mesh->points[i] - d;
      m.row(row++) << v.x(), v.y(), v.squaredNorm();
    }
    return m.determinant() > 1e-9 * std::pow((mesh->points[ia] - mesh->points[ib]).norm(), 4);
  };
  for (bool again = true; again;) {
    again = false;
    std::map<std::pair<int, int>, int> seen;  // directed edge -> triangle
    for (size_t t = 0; t < mesh->triangles.size(); ++t)
      for (int k = 0; k < 3; ++k) seen[{mesh->triangles[t][k], mesh->triangles[t][(k + 1) % 3]}] = static_cast<int>(t);
    std::set<int> touched;
    for (const auto& [edge, t] : seen) {
      const auto twin = seen.find({edge.second, edge.first});
      if (twin == seen.end() || edge.first > edge.second || touched.count(t) || touched.count(twin->second)) continue;
      const auto opposite = [&](int f) {
        for (int v : mesh->triangles[f])
          if (v != edge.first && v != edge.second) return v;
        return -1;
      };
      const int a = edge.first, b = edge.second, c = opposite(t), d = opposite(twin->second);
      if (!in_circle(a, b, c, d)) continue;
      const auto area = [&](int i, int j, int k) {
        return cross2(mesh->points[j] - mesh->points[i], mesh->points[k] - mesh->points[i]);
      };
      if (!(area(a, d, c) > 0) || !(area(d, b, c) > 0)) continue;
      mesh->triangles[t] = {a, d, c};
      mesh->triangles[twin->second] = {d, b, c};
      touched.insert({t, twin->second});
      again = true;
    }
  }
}

inline void smooth(const std::vector<char>& held, FlatMesh* mesh) {
  std::vector<std::set<int>> ring(mesh->points.size());
  for (const auto& t : mesh->triangles)
    for (int k = 0; k < 3; ++k) ring[t[k]].insert({t[(k + 1) % 3], t[(k + 2) % 3]});
  const std::vector<Vec2> old = mesh->points;
  for (size_t i = 0; i < old.size(); ++i) {
    if (held[i]) continue;
    Vec2 sum = Vec2::Zero();
    for (int j : ring[i]) sum += old[j];
    mesh->points[i] = sum / static_cast<double>(ring[i].size());
  }
}

inline double least_angle(const FlatMesh& mesh) {
  double least = kPi;
  for (const auto& t : mesh.triangles)
    for (int k = 0; k < 3; ++k) {
      const Vec2 u = mesh.points[t[(k + 1) % 3]] - mesh.points[t[k]],
                 v = mesh.points[t[(k + 2) % 3]] - mesh.points[t[k]];
      least = std::min(least, std::atan2(std::abs(cross2(u, v)), u.dot(v)));
    }
  return least;
}

inline Vec2 lattice_point(const Strip& s, int i, int j) {
  const double dy = s.width / s.rows;
  Vec2 p(s.start + i * s.cell, j * dy - s.width / 2);
  const bool inner = j > 0 && j < s.rows;
  if ((s.mesh == MeshKind::kM3 || s.mesh == MeshKind::kM5) && inner && i % 2) p.y() += dy / 2;
  if (s.mesh == MeshKind::kM4 && j % 2) p.x() += s.cell / 2;
  return p;
}

inline bool diagonal_turned(const Strip& s, int i, int j) {
  if (s.mesh == MeshKind::kM2) return (i + j) % 2;
  if (s.mesh == MeshKind::kM3 || s.mesh == MeshKind::kM5) return i % 2 == 0;
  return s.mesh == MeshKind::kM4 && j % 2 == 0;
}

inline FlatMesh flat_strip(const Strip& s) {
  FlatMesh mesh;
  std::mt19937 random(s.seed + 11);
  const auto unit = [&] { return static_cast<double>(random()) / 4294967296.0 - 0.5; };
  std::vector<char> held;
  for (int i = 0; i <= s.columns; ++i)
    for (int j = 0; j <= s.rows; ++j) {
      mesh.points.push_back(lattice_point(s, i, j));
      held.push_back(!(i > 1 && i < s.columns && j > 0 && j < s.rows));
    }
  for (int i = 0; i < s.columns; ++i)
    for (int j = 0; j < s.rows; ++j) {
      const int a = s.at(i, j), b = s.at(i + 1, j), c = s.at(i + 1, j + 1), d = s.at(i, j + 1);
      const auto add = [&](int p, int q, int r) { mesh.triangles.push_back({p, q, r}); };
      diagonal_turned(s, i, j) ? (add(a, b, d), add(b, c, d)) : (add(a, b, c), add(a, c, d));
    }
  if (s.mesh != MeshKind::kM5) return mesh;
  for (size_t i = 0; i < held.size(); ++i)
    if (!held[i]) mesh.points[i] += 0.5 * Vec2(s.cell * unit(), s.width / s.rows * unit());
  for (int pass = 0; pass < 3; ++pass) {
    make_delaunay(&mesh);
    smooth(held, &mesh);
  }
  make_delaunay(&mesh);
  return mesh;
}

// Cloth from a flat mesh: world (x, 0, -y), the material turned.
inline ClothInput cloth_of(const FlatMesh& mesh, double turned = 0) {
  ClothInput cloth;
  const Eigen::Rotation2Dd turn(turned);
  for (const auto& t : mesh.triangles) {
    cloth.triangles.push_back(Triangle(t[0], t[1], t[2]));
    cloth.corner_flat.push_back({turn * mesh.points[t[0]], turn * mesh.points[t[1]], turn * mesh.points[t[2]]});
  }
  for (const Vec2& p : mesh.points) cloth.positions.push_back(Vec3(p.x(), 0, -p.y()));
  cloth.fabric.areal_density = 0.2;
  return cloth;
}

inline ClothInput make_strip(const Strip& s) { return cloth_of(flat_strip(s), s.turned); }

// Rings k = 0 .. rings of 6 k particles, radius k / rings of the whole: first the centre, then ring by ring.
inline FlatMesh flat_disc(double radius, int rings) {
  FlatMesh mesh;
  mesh.points.push_back(Vec2::Zero());
  const auto first = [](int k) { return k == 0 ? 0 : 1 + 3 * k * (k - 1); };
  for (int k = 1; k <= rings; ++k)
    for (int i = 0; i < 6 * k; ++i) {
      const double angle = kPi / 3 * i / k;
      mesh.points.push_back(radius * k / rings * Vec2(std::cos(angle), std::sin(angle)));
    }
  for (int k = 1; k <= rings; ++k)
    for (int side = 0; side < 6; ++side)
      for (int i = 0; i < k; ++i) {
        const auto outer = [&](int n) { return first(k) + (side * k + n) % (6 * k); };
        const auto inner = [&](int n) { return k == 1 ? 0 : first(k - 1) + (side * (k - 1) + n) % (6 * (k - 1)); };
        mesh.triangles.push_back({inner(i), outer(i), outer(i + 1)});
        if (i < k - 1) mesh.triangles.push_back({inner(i), outer(i + 1), inner(i + 1)});
      }
  return mesh;
}

// Positions of a mesh's particles from those of another mesh of the same cloth: linear in the triangle that holds the
// flat point, or in the nearest one.
inline std::vector<RVec3> carried_over(const FlatMesh& from, const DrapeState& state, const FlatMesh& to) {
  std::vector<RVec3> out;
  for (const Vec2& p : to.points) {
    double best = -1e9;
    RVec3 at = RVec3::Zero();
    for (const auto& t : from.triangles) {
      const Vec2 &a = from.points[t[0]], &b = from.points[t[1]], &c = from.points[t[2]];
      const double area = cross2(b - a, c - a), u = cross2(p - a, c - a) / area, v = cross2(b - a, p - a) / area;
      const double inside = std::min({u, v, 1 - u - v});
      if (inside <= best) continue;
      best = inside;
      at = Real(1 - u - v) * state.x[t[0]] + Real(u) * state.x[t[1]] + Real(v) * state.x[t[2]];
      if (best >= 0) break;
    }
    out.push_back(at);
  }
  return out;
}

}  // namespace tryon::sim::validation
