#include "server/sim/solvers/fold_products.h"

#include <algorithm>

namespace tryon::sim {

FoldProducts::FoldProducts(const Folds& folds) {
  particle_begin.push_back(0), product_begin.push_back(0);
  for (int f = 0; f < folds.count(); ++f) {
    const int first = particle_begin[f];
    particle.insert(particle.end(), folds.particle[f].begin(), folds.particle[f].end());
    for (int k = folds.row_begin[f]; k < folds.row_begin[f + 1]; ++k)
      for (const int i : folds.particle[folds.column[k]]) {
        const auto at = std::find(particle.begin() + first, particle.end(), i);
        place.push_back(static_cast<int>(at - particle.begin()) - first);
        if (at == particle.end()) particle.push_back(i);
      }
    particle_begin.push_back(static_cast<int>(particle.size()));
    const int count = particle_begin[f + 1] - first;
    most_particles = std::max(most_particles, count);
    for (int own = 0; own < 4; ++own)
      for (int s = 0; s < count; ++s)
        if (folds.particle[f][own] >= particle[first + s]) product.push_back({0, 4 * s + own});
    product_begin.push_back(static_cast<int>(product.size()));
  }
}

}  // namespace tryon::sim
