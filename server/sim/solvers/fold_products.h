// What it is: which blocks of a Hessian the folds' stiffness B adds to: sum over f of g_f m_f^T with m_f = sum over g
// of B_fg g_g and g_f the gradient of fold f's angle. m_f lies on the particles of all folds that B couples to f (eight
// in a sheet), so that a fold has 18 blocks in the lower triangle where its couplings one by one have 48. Units: none.
// Shapes: as Folds; which block it is (`block` of a product) is the caller's to fill in. How it fails: never.
// Thread rules: built once, then data.
#pragma once

#include <vector>

#include "server/sim/constraints/local_step.h"
#include "server/sim/model.h"

namespace tryon::sim {

struct FoldProducts {
  explicit FoldProducts(const Folds& folds);
  // visit(i, j, &product), i >= j, of every product in order.
  template <typename Visit>
  void visit(const Folds& folds, Visit visit) {
    for (int f = 0; f < folds.count(); ++f)
      for (int p = product_begin[f]; p < product_begin[f + 1]; ++p)
        visit(folds.particle[f][product[p].pair & 3], particle[particle_begin[f] + product[p].pair / 4], &product[p]);
  }

  std::vector<int> particle_begin, particle;     // [fold_count + 1]: of each row of B, the fold's own four first
  std::vector<int> place;                        // [4 entry_count of B] of each coupled fold's particles in the row's
  std::vector<int> product_begin;                // [fold_count + 1]
  std::vector<local_step::FoldProduct> product;  // the fold's own particles one after the other
  int most_particles = 0;                        // of a row
};

}  // namespace tryon::sim
