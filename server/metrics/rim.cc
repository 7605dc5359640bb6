#include "server/metrics/rim.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>

#include "Eigen/Eigenvalues"

namespace tryon {
namespace {

using Complex = std::complex<double>;
constexpr int kSamples = 720, kModes = 3;

struct FreeEdge {
  int from, to;
  double rest;
};

std::vector<FreeEdge> free_edges(const TriangleMesh& mesh, const std::vector<std::array<Vec2, 3>>& corner_flat) {
  std::vector<FreeEdge> out;
  for (const EdgeUse& edge : mesh_edges(mesh)) {
    if (edge.right >= 0) continue;
    const Triangle& t = mesh.triangles[edge.left];
    for (int k = 0; k < 3; ++k) {
      const int a = t[k], b = t[(k + 1) % 3];
      if (std::min(a, b) != edge.a || std::max(a, b) != edge.b) continue;
      out.push_back({a, b, (corner_flat[edge.left][(k + 1) % 3] - corner_flat[edge.left][k]).norm()});
    }
  }
  return out;
}

void describe(const TriangleMesh& mesh, Rim* rim) {
  const size_t n = rim->vertices.size();
  double weight = 0.0;
  Eigen::Matrix3d spread = Eigen::Matrix3d::Zero();
  rim->lowest = 1e30, rim->highest = -1e30;
  for (size_t i = 0; i + (rim->closed ? 0 : 1) < n; ++i) {
    const Vec3 &a = mesh.positions[rim->vertices[i]], &b = mesh.positions[rim->vertices[(i + 1) % n]];
    const double length = (b - a).norm();
    rim->middle += length * 0.5 * (a + b);
    weight += length;
  }
  rim->length = weight;
  rim->middle /= std::max(weight, 1e-12);
  for (int v : rim->vertices) {
    const Vec3 d = mesh.positions[v] - rim->middle;
    spread += d * d.transpose();
    rim->lowest = std::min(rim->lowest, mesh.positions[v].y());
    rim->highest = std::max(rim->highest, mesh.positions[v].y());
  }
  rim->normal = Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d>(spread).eigenvectors().col(0);
  if (rim->normal.y() < 0) rim->normal = -rim->normal;
}

// Evenly by arc length, seen from above.
std::vector<Complex> resampled(const std::vector<Vec3>& rim) {
  std::vector<double> at = {0.0};
  for (size_t i = 0; i < rim.size(); ++i) {
    const Vec3 step = rim[(i + 1) % rim.size()] - rim[i];
    at.push_back(at.back() + std::hypot(step.x(), step.z()));
  }
  std::vector<Complex> out;
  size_t i = 0;
  for (int k = 0; k < kSamples; ++k) {
    const double s = at.back() * k / kSamples;
    while (i + 2 < at.size() && at[i + 1] <= s) ++i;
    const double share = (s - at[i]) / std::max(at[i + 1] - at[i], 1e-12);
    const Vec3 p = rim[i] + share * (rim[(i + 1) % rim.size()] - rim[i]);
    out.emplace_back(p.z(), p.x());
  }
  return out;
}

// How far each sample lies outside the rim's shape without folds.
std::vector<double> outward_offsets(const std::vector<Complex>& z) {
  Complex modes[2 * kModes + 1];
  for (int m = -kModes; m <= kModes; ++m) {
    for (int k = 0; k < kSamples; ++k)
      modes[m + kModes] += z[k] * std::polar(1.0 / kSamples, -2.0 * std::numbers::pi * m * k / kSamples);
  }
  const double turn = std::abs(modes[kModes + 1]) >= std::abs(modes[kModes - 1]) ? 1.0 : -1.0;  // walking direction
  std::vector<double> out;
  for (int k = 0; k < kSamples; ++k) {
    Complex place = 0.0, way = 0.0;
    for (int m = -kModes; m <= kModes; ++m) {
      const Complex term = modes[m + kModes] * std::polar(1.0, 2.0 * std::numbers::pi * m * k / kSamples);
      place += term;
      way += Complex(0.0, m) * term;
    }
    const Complex normal = way * Complex(0.0, -turn) / std::max(std::abs(way), 1e-12);
    out.push_back(std::real((z[k] - place) * std::conj(normal)));
  }
  return out;
}

// Crests and valleys of a cyclic signal in turn, none closer in value than `least`: the smallest step goes first.
std::vector<double> turns(const std::vector<double>& signal, double least) {
  std::vector<double> out;
  const size_t n = signal.size();
  for (size_t i = 0; i < n; ++i) {
    const double before = signal[(i + n - 1) % n], after = signal[(i + 1) % n];
    if ((signal[i] > before) == (signal[i] >= after)) out.push_back(signal[i]);
  }
  if (out.size() % 2 != 0) out.pop_back();  // flat to the last bit somewhere
  while (out.size() >= 2) {
    const size_t m = out.size();
    size_t best = 0;
    for (size_t i = 1; i < m; ++i) {
      if (std::abs(out[i] - out[(i + 1) % m]) < std::abs(out[best] - out[(best + 1) % m])) best = i;
    }
    if (std::abs(out[best] - out[(best + 1) % m]) >= least) break;
    const size_t other = (best + 1) % m;
    out.erase(out.begin() + static_cast<std::ptrdiff_t>(std::max(best, other)));
    out.erase(out.begin() + static_cast<std::ptrdiff_t>(std::min(best, other)));
  }
  return out;
}

}  // namespace

std::vector<Rim> find_rims(const TriangleMesh& mesh, const std::vector<std::array<Vec2, 3>>& corner_flat) {
  const std::vector<FreeEdge> edges = free_edges(mesh, corner_flat);
  std::vector<std::vector<int>> leaving(mesh.vertex_count());
  std::vector<int> arriving(mesh.vertex_count(), 0);
  for (size_t e = 0; e < edges.size(); ++e) {
    leaving[edges[e].from].push_back(static_cast<int>(e));
    ++arriving[edges[e].to];
  }
  std::vector<Rim> out;
  std::vector<char> used(edges.size(), 0);
  for (const bool ends_first : {true, false}) {
    for (size_t e = 0; e < edges.size(); ++e) {
      if (used[e] || (ends_first && arriving[edges[e].from] == static_cast<int>(leaving[edges[e].from].size())))
        continue;
      Rim rim;
      int at = edges[e].from, next = static_cast<int>(e);
      while (next >= 0) {
        used[next] = 1;
        rim.vertices.push_back(at);
        rim.rest_length += edges[next].rest;
        at = edges[next].to;
        next = -1;
        for (int candidate : leaving[at]) {
          if (!used[candidate]) next = candidate;
        }
      }
      rim.closed = at == rim.vertices.front() && rim.vertices.size() >= 3;
      if (!rim.closed) rim.vertices.push_back(at);
      describe(mesh, &rim);
      out.push_back(std::move(rim));
    }
  }
  std::stable_sort(out.begin(), out.end(), [](const Rim& a, const Rim& b) { return a.length > b.length; });
  return out;
}

Folds find_folds(const std::vector<Vec3>& closed_rim) {
  Folds out;
  if (closed_rim.size() < 8) return out;
  const std::vector<Complex> z = resampled(closed_rim);
  double length = 0.0;
  for (int k = 0; k < kSamples; ++k) length += std::abs(z[(k + 1) % kSamples] - z[k]);
  const std::vector<double> turn = turns(outward_offsets(z), kFoldShare * length);
  const size_t n = turn.size();
  if (n < 2) return out;
  for (size_t i = 0; i < n; ++i) {
    const double left = turn[(i + n - 1) % n], right = turn[(i + 1) % n];
    if (turn[i] < left || turn[i] < right) continue;
    const double depth = turn[i] - 0.5 * (left + right);
    ++out.count;
    out.mean_depth += depth;
    out.max_depth = std::max(out.max_depth, depth);
  }
  out.mean_depth /= std::max(out.count, 1);
  return out;
}

}  // namespace tryon
