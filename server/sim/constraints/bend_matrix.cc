#include "server/sim/constraints/bend_matrix.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "server/sim/constraints/folds.h"

namespace tryon::sim::bend_matrix {

namespace {
bool runs_along(const Triangle& t, const EdgeUse& edge) {
  for (int k = 0; k < 3; ++k)
    if (t[k] == edge.a && t[(k + 1) % 3] == edge.b) return true;
  return false;
}

using Row = std::vector<std::pair<int, double>>;  // column, stiffness: some twenty, too few for a search tree

// Behind the last one where the row has no such column.
size_t place_of(const Row& row, int column) {
  const auto has = [column](const auto& entry) { return entry.first == column; };
  return static_cast<size_t>(std::find_if(row.begin(), row.end(), has) - row.begin());
}

double& at(Row* row, int column) {
  const size_t place = place_of(*row, column);
  if (place == row->size()) row->emplace_back(column, 0.0);
  return (*row)[place].second;
}

}  // namespace

void build(const ClothInput& cloth, DrapeModel* model) {
  DrapeModel flat;
  fold::build(cloth, &flat);
  const Folds& folds = flat.folds;
  // The angle's sign follows the order of the left-hand triangle's corners, that of sum w x does not.
  std::vector<double> sign;
  for (const EdgeUse& edge : mesh_edges(TriangleMesh{cloth.positions, cloth.triangles}))
    if (edge.right >= 0) sign.push_back(runs_along(cloth.triangles[edge.left], edge) ? 1.0 : -1.0);
  std::vector<Row> rows(model->particle_count);
  for (int f = 0; f < folds.count(); ++f)
    for (int k = folds.row_begin[f]; k < folds.row_begin[f + 1]; ++k) {
      const int g = folds.column[k];
      const double stiffness =
          sign[f] * sign[g] * static_cast<double>(folds.stiffness[k] / (folds.edge_length[f] * folds.edge_length[g]));
      for (int a = 0; a < 4; ++a)
        for (int b = 0; b < 4; ++b)
          at(&rows[folds.particle[f][a]], folds.particle[g][b]) +=
              stiffness * static_cast<double>(folds.weight[f][a] * folds.weight[g][b]);
    }
  for (Row& row : rows) std::sort(row.begin(), row.end());
  BendMatrix& out = model->bend_matrix;
  out.row_begin.assign(1, 0);
  for (int i = 0; i < model->particle_count; ++i) {
    for (const auto& [j, stiffness] : rows[i]) {
      if (i == j) continue;
      // The two halves are summed in different orders: one value for both.
      const double twin = rows[j].at(place_of(rows[j], i)).second;
      out.column.push_back(j);
      out.stiffness.push_back(static_cast<Real>(0.5 * (stiffness + twin)));
    }
    out.row_begin.push_back(out.count());
  }
}

}  // namespace tryon::sim::bend_matrix
