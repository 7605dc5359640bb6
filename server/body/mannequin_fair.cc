#include "server/body/mannequin_fair.h"

#include "Eigen/SparseCholesky"
#include "Eigen/SparseCore"
#include "server/base/status.h"

namespace tryon {
namespace {

using Sparse = Eigen::SparseMatrix<double>;
using Entries = std::vector<Eigen::Triplet<double>>;

// Row r: a vertex minus the mean of its neighbours, for every vertex that a free one can bend. Known places go right.
void umbrella_rows(const Figure& figure, const std::vector<int>& unknown, Entries* entries, std::vector<Vec3>* right) {
  for (size_t v = 0; v < figure.neighbours.size(); ++v) {
    bool bends = unknown[v] >= 0;
    for (int n : figure.neighbours[v]) bends = bends || unknown[n] >= 0;
    if (!bends) continue;
    const int row = static_cast<int>(right->size());
    right->push_back(Vec3::Zero());
    auto add = [&](int vertex, double weight) {
      if (unknown[vertex] >= 0) {
        entries->emplace_back(row, unknown[vertex], weight);
      } else {
        right->back() -= weight * figure.mesh.positions[vertex];
      }
    };
    add(static_cast<int>(v), 1.0);
    const double share = -1.0 / static_cast<double>(figure.neighbours[v].size());
    for (int n : figure.neighbours[v]) add(n, share);
  }
}

// Rows that draw a vertex towards the place that its section gave it.
void pull_rows(const Figure& figure, const std::vector<int>& unknown, Entries* entries, std::vector<Vec3>* right) {
  for (size_t v = 0; v < figure.pull.size(); ++v) {
    if (unknown[v] < 0 || figure.pull[v] <= 0.0) continue;
    entries->emplace_back(static_cast<int>(right->size()), unknown[v], figure.pull[v]);
    right->push_back(figure.pull[v] * figure.mesh.positions[v]);
  }
}

}  // namespace

absl::Status fair_figure(Figure* figure) {
  std::vector<int> unknown(figure->pull.size(), -1);
  int count = 0;
  for (size_t v = 0; v < unknown.size(); ++v) {
    if (figure->pull[v] != Figure::kPinned) unknown[v] = count++;
  }
  Entries entries;
  std::vector<Vec3> right;
  umbrella_rows(*figure, unknown, &entries, &right);
  pull_rows(*figure, unknown, &entries, &right);
  Sparse a(static_cast<int>(right.size()), count);
  a.setFromTriplets(entries.begin(), entries.end());
  Eigen::MatrixXd b(static_cast<int>(right.size()), 3);
  for (size_t r = 0; r < right.size(); ++r) b.row(static_cast<int>(r)) = right[r].transpose();
  const Eigen::SimplicialLDLT<Sparse> solver(Sparse(a.transpose() * a));
  if (solver.info() != Eigen::Success) return internal_fault("the mannequin's fairing system is singular");
  const Eigen::MatrixXd x = solver.solve(a.transpose() * b);
  for (size_t v = 0; v < unknown.size(); ++v) {
    if (unknown[v] >= 0) figure->mesh.positions[v] = x.row(unknown[v]).transpose();
  }
  return absl::OkStatus();
}

}  // namespace tryon
