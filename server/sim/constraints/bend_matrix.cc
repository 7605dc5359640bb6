#include "server/sim/constraints/bend_matrix.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace tryon::sim::bend_matrix {

namespace {

using Row = std::vector<std::pair<int, double>>;  // column, stiffness: some twenty, too few for a search tree

double& at(Row* row, int column) {
  const auto has = [column](const auto& entry) { return entry.first == column; };
  const auto place = std::find_if(row->begin(), row->end(), has);
  return place != row->end() ? place->second : row->emplace_back(column, 0.0).second;
}

// The same number both ways: products and sums are in one order.
void add(const BendElements& elements, int i, std::vector<Row>* rows) {
  const auto& particle = elements.particle[i];
  const auto weight = [&](int k, int j) { return static_cast<double>(elements.weight[i][k][j]); };
  for (int a = 0; a < elements.particle_count(i); ++a)
    for (int b = 0; b < a; ++b) {
      double both = 0;
      for (int k = 0; k < 3; ++k) both += static_cast<double>(elements.stiffness[i][k]) * (weight(k, a) * weight(k, b));
      if (particle[a] == particle[b] || both == 0) continue;
      at(&(*rows)[particle[a]], particle[b]) += both;
      at(&(*rows)[particle[b]], particle[a]) += both;
    }
}

}  // namespace

void build(DrapeModel* model) {
  std::vector<Row> rows(model->particle_count);
  for (int i = 0; i < model->bend_elements.count(); ++i) add(model->bend_elements, i, &rows);
  BendMatrix& out = model->bend_matrix;
  out.row_begin.assign(1, 0);
  for (Row& row : rows) {
    std::sort(row.begin(), row.end());
    for (const auto& [j, stiffness] : row) {
      out.column.push_back(j);
      out.stiffness.push_back(static_cast<Real>(stiffness));
    }
    out.row_begin.push_back(out.count());
  }
}

}  // namespace tryon::sim::bend_matrix
