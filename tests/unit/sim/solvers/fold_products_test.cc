// What B adds to a Hessian by rows, against all its couplings one by one.
#include "server/sim/solvers/fold_products.h"

#include <random>

#include "gtest/gtest.h"
#include "tests/unit/sim/cloth_fixtures.h"

namespace tryon::sim {
namespace {

// A dense matrix and one number behind it, block (i, j) at row 3 i, column 3 j.
class Dense {
 public:
  explicit Dense(int particles) : rows_(3 * particles), values(static_cast<size_t>(rows_ * rows_ + 1), 0.0) {}
  void place(int i, int j, local_step::FoldProduct* product) {
    product->block = static_cast<int>(blocks.size());
    blocks.push_back({3 * (i + rows_ * j), rows_});
  }
  double at(int row, int column) const { return values[static_cast<size_t>(row + rows_ * column)]; }

 private:
  int rows_;

 public:
  std::vector<double> values;
  std::vector<local_step::BlockPlace> blocks;
};

DrapeModel folded_sheet(BendLaw law) {
  testing::SheetOptions o;
  o.columns = o.rows = 4;
  o.jitter = 0.3;
  ClothInput cloth = testing::make_sheet(o);
  cloth.bend = law;
  return build_model(cloth).value();
}

class FoldProductsOf : public ::testing::TestWithParam<BendLaw> {};
INSTANTIATE_TEST_SUITE_P(Laws, FoldProductsOf, ::testing::Values(BendLaw::kHinge, BendLaw::kShape));

TEST_P(FoldProductsOf, AreTheSumOfAllCouplingsOneByOne) {
  const DrapeModel model = folded_sheet(GetParam());
  const Folds& folds = model.folds;
  std::mt19937 random(4);
  const auto unit = [&] { return static_cast<Real>(static_cast<double>(random()) / 2147483648.0 - 1); };
  std::vector<RVec3> gradient(4 * folds.count() + 1);
  for (RVec3& g : gradient) g = RVec3(unit(), unit(), unit());
  Eigen::MatrixXd expected = Eigen::MatrixXd::Zero(3 * model.particle_count, 3 * model.particle_count);
  for (int f = 0; f < folds.count(); ++f)
    for (int k = folds.row_begin[f]; k < folds.row_begin[f + 1]; ++k)
      for (int a = 0; a < 4; ++a)
        for (int b = 0; b < 4; ++b)
          expected.block<3, 3>(3 * folds.particle[f][a], 3 * folds.particle[folds.column[k]][b]) +=
              double(folds.stiffness[k]) * gradient[4 * f + a].cast<double>() *
              gradient[4 * folds.column[k] + b].cast<double>().transpose();
  FoldProducts products(folds);
  for (const local_step::Kernels* kernels : {&local_step::best_kernels(), &local_step::baseline_kernels()}) {
    Dense dense(model.particle_count);
    products.visit(folds, [&](int i, int j, local_step::FoldProduct* product) {
      ASSERT_GE(i, j);
      dense.place(i, j, product);
    });
    std::vector<double> sum(4 * products.most_particles);
    kernels->fold_products({folds.row_begin.data(), folds.column.data(), folds.stiffness.data(),
                            products.particle_begin.data(), products.place.data(), products.product_begin.data(),
                            products.product.data(), dense.blocks.data(), gradient.data()},
                           0, folds.count(), sum.data(), dense.values.data());
    for (int row = 0; row < expected.rows(); ++row)
      for (int column = 0; column < row; ++column)
        EXPECT_NEAR(dense.at(row, column), expected(row, column), 1e-14 * expected.norm());
    EXPECT_EQ(dense.values.back(), 0);
  }
}

}  // namespace
}  // namespace tryon::sim
