#include "server/mesh/sharp_points.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <unordered_map>
#include <utility>

#include "Eigen/Cholesky"
#include "server/mesh/within_reach.h"

namespace tryon {

namespace {

constexpr double kRing = 0.010;        // m round a vertex, where the fall is measured
constexpr double kPitch = 0.003;       // m: vertices nearer than that are one
constexpr double kMostFall = 0.002;    // m, in the direction in which it falls most
constexpr double kMeanFall = 0.0005;   // m, in the mean: a saddle holds no cloth up
constexpr double kAlongRidge = 0.005;  // m between points of an edge of which both ends are sharp
constexpr double kMostPieces = 16;
constexpr int64_t kLeastGrain = 2048, kMostChunks = 32;
constexpr size_t kFewestCrossings = 5;  // of edges with the ring, for three unknowns

// The mesh with the vertices of each cell of a grid made one: the first of them stands for all.
struct Thinned {
  std::vector<int> vertex;     // [node_count] of the mesh
  std::vector<int> row_begin;  // [node_count + 1]
  std::vector<int> beside;     // nodes
};

std::vector<int> nodes_of(const TriangleMesh& mesh, std::vector<int>* vertex) {
  std::unordered_map<int64_t, int> node_in;
  node_in.reserve(mesh.positions.size());
  std::vector<int> node(mesh.positions.size());
  for (size_t v = 0; v < mesh.positions.size(); ++v) {
    const auto [at, fresh] = node_in.try_emplace(cell_key(mesh.positions[v], kPitch), static_cast<int>(vertex->size()));
    if (fresh) vertex->push_back(static_cast<int>(v));
    node[v] = at->second;
  }
  return node;
}

Thinned thinned(const TriangleMesh& mesh) {
  Thinned out;
  const std::vector<int> node = nodes_of(mesh, &out.vertex);
  std::vector<std::pair<int, int>> edges;  // the lower node first
  for (const Triangle& t : mesh.triangles) {
    for (int k = 0; k < 3; ++k) {
      const auto [low, high] = std::minmax({node[t[k]], node[t[(k + 1) % 3]]});
      if (low != high) edges.emplace_back(low, high);
    }
  }
  std::sort(edges.begin(), edges.end());
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  out.row_begin.assign(out.vertex.size() + 1, 0);
  for (const auto& [a, b] : edges) ++out.row_begin[a + 1], ++out.row_begin[b + 1];
  for (size_t k = 0; k < out.vertex.size(); ++k) out.row_begin[k + 1] += out.row_begin[k];
  out.beside.resize(2 * edges.size());
  std::vector<int> next(out.row_begin.begin(), out.row_begin.end() - 1);
  for (const auto& [a, b] : edges) out.beside[next[a]++] = b, out.beside[next[b]++] = a;  // rows ascend
  return out;
}

// Goes out from a node as far as the ring and finds where edges cross it.
class RingWalk {
 public:
  RingWalk(const TriangleMesh& mesh, const Thinned& nodes)
      : mesh_(mesh), nodes_(nodes), seen_(nodes.vertex.size(), -1) {}

  const std::vector<Vec3>& crossings(int from) {
    crossings_.clear();
    reached_.assign(1, {from, 0.0});
    seen_[from] = from;
    for (size_t next = 0; next < reached_.size(); ++next) {
      const Reached a = reached_[next];
      for (int k = nodes_.row_begin[a.node]; k < nodes_.row_begin[a.node + 1]; ++k) step(from, a, nodes_.beside[k]);
    }
    return crossings_;
  }

 private:
  struct Reached {
    int node;
    double distance;
  };
  const Vec3& at(int node) const { return mesh_.positions[nodes_.vertex[node]]; }

  void step(int from, const Reached& a, int b) {
    if (seen_[b] == from) return;
    const double far = (at(b) - at(from)).norm();
    if (far > kRing) {
      crossings_.push_back(at(a.node) + (kRing - a.distance) / (far - a.distance) * (at(b) - at(a.node)));
    } else {
      seen_[b] = from;
      reached_.push_back({b, far});
    }
  }

  const TriangleMesh& mesh_;
  const Thinned& nodes_;
  std::vector<int> seen_;  // [node_count], by which walk
  std::vector<Reached> reached_;
  std::vector<Vec3> crossings_;
};

bool is_sharp(const Vec3& at, const Vec3& normal, const std::vector<Vec3>& ring) {
  if (ring.size() < kFewestCrossings) return false;
  const Vec3 along = normal.unitOrthogonal(), across = normal.cross(along);
  Eigen::Matrix3d squares = Eigen::Matrix3d::Zero();
  Vec3 moments = Vec3::Zero();
  for (const Vec3& p : ring) {
    const double u = (p - at).dot(along), v = (p - at).dot(across), squared = u * u + v * v;
    if (squared <= 0.0) continue;
    const Vec3 row(1.0, (u * u - v * v) / squared, 2.0 * u * v / squared);  // 1, cos 2t, sin 2t
    squares += row * row.transpose();
    moments -= (p - at).dot(normal) * row;
  }
  const Vec3 fall = squares.ldlt().solve(moments);
  return fall[0] > kMeanFall && fall[0] + fall.tail<2>().norm() > kMostFall;
}

// Along an edge that is a ridge.
void add_between(const std::vector<Vec3>& x, const std::vector<Vec3>& normals, int a, int b,
                 std::vector<SharpPoint>* out) {
  const int pieces = static_cast<int>(std::min((x[b] - x[a]).norm() / kAlongRidge, kMostPieces)) + 1;
  for (int k = 1; k < pieces; ++k) {
    const double share = static_cast<double>(k) / pieces;
    out->push_back({x[a] + share * (x[b] - x[a]), (normals[a] + share * (normals[b] - normals[a])).normalized()});
  }
}

}  // namespace

std::vector<SharpPoint> sharp_points(const RunContext& run, const TriangleMesh& mesh) {
  const Thinned nodes = thinned(mesh);
  const std::vector<Vec3> normals = vertex_normals(mesh);
  std::vector<uint8_t> sharp(nodes.vertex.size(), 0);
  const auto count = static_cast<int64_t>(sharp.size());
  const int64_t grain = std::max(kLeastGrain, count / kMostChunks);  // each has a walk of its own
  run.parallel_for(count, grain, [&](int64_t begin, int64_t end) {
    RingWalk walk(mesh, nodes);
    for (int64_t k = begin; k < end; ++k) {
      const int v = nodes.vertex[static_cast<size_t>(k)];
      sharp[static_cast<size_t>(k)] = is_sharp(mesh.positions[v], normals[v], walk.crossings(static_cast<int>(k)));
    }
  });
  std::vector<SharpPoint> out;
  for (size_t k = 0; k < sharp.size(); ++k) {
    if (!sharp[k]) continue;
    const int a = nodes.vertex[k];
    out.push_back({mesh.positions[a], normals[a]});
    for (int at = nodes.row_begin[k]; at < nodes.row_begin[k + 1]; ++at) {
      const int other = nodes.beside[at];
      if (other > static_cast<int>(k) && sharp[other])
        add_between(mesh.positions, normals, a, nodes.vertex[other], &out);
    }
  }
  return out;
}

}  // namespace tryon
