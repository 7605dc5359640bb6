// The order of elimination: every vertex once, and less fill than by minimum degree.
#include "server/sim/solvers/dissection.h"

#include <algorithm>
#include <numeric>

#include "Eigen/OrderingMethods"
#include "Eigen/SparseCholesky"
#include "gtest/gtest.h"
#include "server/sim/solvers/cholesky.h"
#include "tests/unit/sim/solvers/matrix_fixtures.h"

namespace tryon::sim {
namespace {

using namespace tryon::sim::testing;

struct Graph {
  std::vector<int> begin{0}, neighbour;
};

Graph graph_of(const Eigen::SparseMatrix<double>& matrix) {
  Graph g;
  for (int j = 0; j < matrix.cols(); ++j) {
    for (Eigen::SparseMatrix<double>::InnerIterator it(matrix, j); it; ++it)
      if (it.row() != j) g.neighbour.push_back(static_cast<int>(it.row()));
    g.begin.push_back(static_cast<int>(g.neighbour.size()));
  }
  return g;
}

void expect_every_vertex_once(const Graph& g) {
  std::vector<int> order = nested_dissection(g.begin, g.neighbour);
  std::sort(order.begin(), order.end());
  std::vector<int> all(g.begin.size() - 1);
  std::iota(all.begin(), all.end(), 0);
  EXPECT_EQ(order, all);
}

TEST(Dissection, OrdersEveryVertexOnceWhateverTheGraph) {
  expect_every_vertex_once({});
  expect_every_vertex_once({{0, 0, 0, 0}, {}});
  expect_every_vertex_once(graph_of(cloth_matrix(30)));
  Graph star, complete, two_paths;
  const int n = 300;
  for (int i = 0; i < n; ++i) {
    if (i > 0) star.neighbour.push_back(0);
    for (int j = 1; i == 0 && j < n; ++j) star.neighbour.push_back(j);
    star.begin.push_back(static_cast<int>(star.neighbour.size()));
    for (int j = 0; j < n; ++j)
      if (j != i) complete.neighbour.push_back(j);
    complete.begin.push_back(static_cast<int>(complete.neighbour.size()));
    for (int j : {i - 2, i + 2})
      if (j >= 0 && j < n) two_paths.neighbour.push_back(j);
    two_paths.begin.push_back(static_cast<int>(two_paths.neighbour.size()));
  }
  for (const Graph& g : {star, complete, two_paths}) expect_every_vertex_once(g);
}

TEST(Dissection, FillsLessThanMinimumDegreeOnACloth) {
  const Eigen::SparseMatrix<double> matrix = cloth_matrix(70, SpringLayout::kEdges);
  Cholesky own;
  own.analyse(matrix);
  const Eigen::SimplicialLLT<Eigen::SparseMatrix<double>> judge(matrix);  // minimum degree
  const Eigen::SparseMatrix<double> l = judge.matrixL();
  EXPECT_LT(own.factor_nonzeros() + matrix.cols(), l.nonZeros());
}

}  // namespace
}  // namespace tryon::sim
