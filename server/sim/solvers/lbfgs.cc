#include "server/sim/solvers/lbfgs.h"

#include <algorithm>
#include <cmath>

namespace tryon::sim {

namespace {
void add_scaled(double factor, const std::vector<RVec3>& from, std::vector<RVec3>* to) {
  const Real f = static_cast<Real>(factor);
  for (size_t i = 0; i < from.size(); ++i) (*to)[i] += f * from[i];
}
}  // namespace

double dot(const std::vector<RVec3>& a, const std::vector<RVec3>& b) {
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i) sum += static_cast<double>(a[i].dot(b[i]));
  return sum;
}

Lbfgs::Lbfgs(int history, int particle_count) : history_(history), pairs_(history) {
  for (Pair& pair : pairs_) {
    pair.s.resize(particle_count);
    pair.y.resize(particle_count);
  }
}

void Lbfgs::push(const std::vector<RVec3>& s, const std::vector<RVec3>& y) {
  if (history_ == 0) return;
  const double sy = dot(s, y);
  if (!(sy > 1e-10 * std::sqrt(dot(s, s) * dot(y, y)))) return;
  Pair& pair = pairs_[next_];
  std::copy(s.begin(), s.end(), pair.s.begin());
  std::copy(y.begin(), y.end(), pair.y.begin());
  pair.inverse_sy = 1 / sy;
  next_ = (next_ + 1) % history_;
  used_ = std::min(used_ + 1, history_);
}

void Lbfgs::to_initial(std::vector<RVec3>* r) {
  for (int age = 0; age < used_; ++age) {
    Pair& pair = newest(age);
    pair.alpha = pair.inverse_sy * dot(pair.s, *r);
    add_scaled(-pair.alpha, pair.y, r);
  }
}

void Lbfgs::from_initial(std::vector<RVec3>* r) {
  for (int age = used_ - 1; age >= 0; --age) {
    Pair& pair = newest(age);
    add_scaled(pair.alpha - pair.inverse_sy * dot(pair.y, *r), pair.s, r);
  }
}

}  // namespace tryon::sim
