// The fairing of patches: the least sum of squared umbrella vectors, edges weighted by one over their length.
#include <algorithm>
#include <cmath>

#include "Eigen/SparseCholesky"
#include "Eigen/SparseCore"
#include "server/body/holes.h"

namespace tryon {
namespace {

using Sparse = Eigen::SparseMatrix<double>;

constexpr int kRounds = 2;  // edge lengths settle in so many

struct Row {
  int vertex;
  std::vector<int> neighbours;  // rising, once each
};

// The free vertices and all that share a triangle with one, with their rings.
std::vector<Row> rows_about(const std::vector<int>& unknown, const TriangleMesh& mesh) {
  std::vector<char> wanted(mesh.positions.size(), 0);
  for (const Triangle& t : mesh.triangles) {
    if (unknown[t[0]] < 0 && unknown[t[1]] < 0 && unknown[t[2]] < 0) continue;
    wanted[t[0]] = wanted[t[1]] = wanted[t[2]] = 1;
  }
  std::vector<int> row_of(mesh.positions.size(), -1);
  std::vector<Row> rows;
  for (size_t v = 0; v < wanted.size(); ++v) {
    if (!wanted[v]) continue;
    row_of[v] = static_cast<int>(rows.size());
    rows.push_back({static_cast<int>(v), {}});
  }
  for (const Triangle& t : mesh.triangles) {
    for (int k = 0; k < 3; ++k) {
      if (row_of[t[k]] < 0) continue;
      rows[row_of[t[k]]].neighbours.push_back(t[(k + 1) % 3]);
      rows[row_of[t[k]]].neighbours.push_back(t[(k + 2) % 3]);
    }
  }
  for (Row& row : rows) {
    std::sort(row.neighbours.begin(), row.neighbours.end());
    row.neighbours.erase(std::unique(row.neighbours.begin(), row.neighbours.end()), row.neighbours.end());
  }
  return rows;
}

bool solve_once(const std::vector<Row>& rows, const std::vector<int>& unknown, int count, bool even,
                TriangleMesh* mesh) {
  std::vector<Eigen::Triplet<double>> entries;
  Eigen::MatrixXd right = Eigen::MatrixXd::Zero(static_cast<int>(rows.size()), 3);
  for (int r = 0; r < static_cast<int>(rows.size()); ++r) {
    auto add = [&](int v, double weight) {
      if (unknown[v] >= 0) {
        entries.emplace_back(r, unknown[v], weight);
      } else {
        right.row(r) -= weight * mesh->positions[v].transpose();
      }
    };
    double sum = 0.0;
    std::vector<double> weight;
    for (int n : rows[r].neighbours) {
      const double length = (mesh->positions[n] - mesh->positions[rows[r].vertex]).norm();
      weight.push_back(even ? 1.0 : 1.0 / std::max(length, 1e-9));
      sum += weight.back();
    }
    add(rows[r].vertex, 1.0);
    for (size_t i = 0; i < weight.size(); ++i) add(rows[r].neighbours[i], -weight[i] / sum);
  }
  Sparse a(static_cast<int>(rows.size()), count);
  a.setFromTriplets(entries.begin(), entries.end());
  const Eigen::SimplicialLDLT<Sparse> solver(Sparse(a.transpose() * a));
  if (solver.info() != Eigen::Success) return false;
  const Eigen::MatrixXd x = solver.solve(a.transpose() * right);
  if (!x.allFinite()) return false;
  for (size_t v = 0; v < unknown.size(); ++v) {
    if (unknown[v] >= 0) mesh->positions[v] = x.row(unknown[v]).transpose();
  }
  return true;
}

}  // namespace

bool fair_vertices(const std::vector<int>& free, TriangleMesh* mesh) {
  if (free.empty()) return true;
  std::vector<int> unknown(mesh->positions.size(), -1);
  int count = 0;
  for (int v : free) unknown[v] = count++;
  const std::vector<Row> rows = rows_about(unknown, *mesh);
  for (int round = 0; round < kRounds; ++round) {
    if (!solve_once(rows, unknown, count, round == 0, mesh)) return false;
  }
  return true;
}

}  // namespace tryon
