#include "server/sim/model.h"

namespace tryon::sim {

DrapeState start_state(const ClothInput& cloth) {
  DrapeState state;
  state.x.reserve(cloth.positions.size());
  for (const Vec3& p : cloth.positions) state.x.push_back(p.cast<Real>());
  state.v.assign(cloth.positions.size(), RVec3::Zero());
  return state;
}

}  // namespace tryon::sim
