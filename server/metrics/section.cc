#include "server/metrics/section.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace tryon {
namespace {

struct Piece {   // of the cut, inside one triangle
  int from, to;  // crossings
  double rest = 0.0;
};

struct Crossings {
  std::vector<Vec3> points;
  std::map<std::pair<int, int>, int> of_edge;

  int at(const TriangleMesh& mesh, int a, int b, double da, double db) {
    if (a > b) std::swap(a, b), std::swap(da, db);
    const auto [found, fresh] = of_edge.try_emplace({a, b}, static_cast<int>(points.size()));
    if (fresh) points.push_back(mesh.positions[a] + da / (da - db) * (mesh.positions[b] - mesh.positions[a]));
    return found->second;
  }
};

struct Cut {
  Crossings crossings;
  std::vector<Piece> pieces;
  std::vector<std::array<int, 2>> pieces_of;  // [crossing] or -1
};

void add_triangle(const TriangleMesh& mesh, const std::array<Vec2, 3>& flat, const Triangle& tri, const double (&d)[3],
                  Cut* cut) {
  int ends[2] = {-1, -1}, count = 0;
  Vec2 rest[2];
  for (int k = 0; k < 3; ++k) {
    const int j = (k + 1) % 3;
    if ((d[k] > 0) == (d[j] > 0)) continue;
    rest[count] = flat[k] + d[k] / (d[k] - d[j]) * (flat[j] - flat[k]);
    ends[count++] = cut->crossings.at(mesh, tri[k], tri[j], d[k], d[j]);
  }
  if (count != 2) return;
  const int piece = static_cast<int>(cut->pieces.size());
  cut->pieces.push_back({ends[0], ends[1], (rest[1] - rest[0]).norm()});
  cut->pieces_of.resize(cut->crossings.points.size(), {-1, -1});
  for (int end : ends) {
    std::array<int, 2>& slots = cut->pieces_of[end];
    if (slots[0] < 0) {
      slots[0] = piece;
    } else if (slots[1] < 0) {
      slots[1] = piece;  // a third one (three panels in one seam) begins a strand of its own
    }
  }
}

// From a crossing along its pieces until there is no other.
ClothLoop walk(const Cut& cut, int start, std::vector<char>* used) {
  ClothLoop loop;
  int at = start;
  while (true) {
    int piece = -1;
    for (int candidate : cut.pieces_of[at]) {
      if (candidate >= 0 && !(*used)[candidate]) piece = candidate;
    }
    loop.points.push_back(cut.crossings.points[at]);
    if (piece < 0) break;
    (*used)[piece] = 1;
    const int next = cut.pieces[piece].from == at ? cut.pieces[piece].to : cut.pieces[piece].from;
    loop.length += (cut.crossings.points[next] - cut.crossings.points[at]).norm();
    loop.rest_length += cut.pieces[piece].rest;
    at = next;
    if (at == start) {
      loop.closed = loop.points.size() >= 3;
      break;
    }
  }
  return loop;
}

std::pair<Vec3, Vec3> axes_of(const Vec3& normal) {
  const Vec3 n = normal.normalized();
  const Vec3 seed = std::abs(n.x()) < 0.9 ? Vec3::UnitX() : Vec3::UnitY();
  const Vec3 u = (seed - seed.dot(n) * n).normalized();
  return {u, n.cross(u)};
}

}  // namespace

std::vector<ClothLoop> cut_cloth(const TriangleMesh& mesh, const std::vector<std::array<Vec2, 3>>& corner_flat,
                                 const Vec3& origin, const Vec3& normal) {
  Cut cut;
  for (int t = 0; t < mesh.triangle_count(); ++t) {
    double d[3];
    for (int k = 0; k < 3; ++k) {
      d[k] = (mesh.positions[mesh.triangles[t][k]] - origin).dot(normal);
      if (d[k] == 0.0) d[k] = 1e-12;  // on the plane counts as above it
    }
    add_triangle(mesh, corner_flat[t], mesh.triangles[t], d, &cut);
  }
  cut.pieces_of.resize(cut.crossings.points.size(), {-1, -1});
  std::vector<ClothLoop> loops;
  std::vector<char> used(cut.pieces.size(), 0);
  for (const bool ends_first : {true, false}) {  // open strands from their ends, then what is closed
    for (size_t c = 0; c < cut.pieces_of.size(); ++c) {
      const bool is_end = cut.pieces_of[c][1] < 0;
      const int first = cut.pieces_of[c][0];
      if (first < 0 || is_end != ends_first) continue;
      const int second = cut.pieces_of[c][1];
      if (used[first] && (second < 0 || used[second])) continue;
      ClothLoop loop = walk(cut, static_cast<int>(c), &used);
      loop.area = area_along(loop.points, normal);
      loops.push_back(std::move(loop));
    }
  }
  return loops;
}

bool goes_round(const std::vector<Vec3>& polygon, const Vec3& normal, const Vec3& point) {
  const auto [u, v] = axes_of(normal);
  bool inside = false;
  for (size_t i = 0, j = polygon.size() - 1; i < polygon.size(); j = i++) {
    const Vec2 a((polygon[i] - point).dot(u), (polygon[i] - point).dot(v));
    const Vec2 b((polygon[j] - point).dot(u), (polygon[j] - point).dot(v));
    if ((a.y() > 0) == (b.y() > 0)) continue;
    if (a.x() + a.y() / (a.y() - b.y()) * (b.x() - a.x()) > 0) inside = !inside;
  }
  return inside;
}

double area_along(const std::vector<Vec3>& polygon, const Vec3& normal) {
  Vec3 twice = Vec3::Zero();
  for (size_t i = 0; i < polygon.size(); ++i) {
    const Vec3 a = polygon[i] - polygon[0];
    twice += a.cross(polygon[(i + 1) % polygon.size()] - polygon[0]);
  }
  return 0.5 * std::abs(twice.dot(normal.normalized()));
}

}  // namespace tryon
