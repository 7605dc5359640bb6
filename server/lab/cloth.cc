#include "server/lab/cloth.h"

#include <algorithm>
#include <cmath>

namespace tryon::lab {

sim::SpringFabric spring_fabric(const Fabric& f) {
  const double least =
      0.05 * std::sqrt(f.bend_warp * f.bend_weft);  // a bias strip softer than that is a slip of the pen
  const double twist = f.bend_bias > 0 ? std::max(least, f.bend_bias - 0.25 * (f.bend_warp + f.bend_weft)) : 0;
  return {.areal_density = f.areal_density,
          .stretch_warp = f.stretch_warp,
          .stretch_weft = f.stretch_weft,
          .shear = f.shear,
          .bend_warp = f.bend_warp,
          .bend_weft = f.bend_weft,
          .bend_twist = twist,
          .bend_friction = 0.5 * f.bend_hysteresis,
          .poisson = f.poisson,
          .limit_warp = f.strain_limit.warp,
          .limit_weft = f.strain_limit.weft,
          .thickness = f.thickness,
          .friction_static = f.friction_static,
          .friction_kinetic = f.friction_kinetic};
}

}  // namespace tryon::lab
