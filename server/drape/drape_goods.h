// What it is: a finished drape in one hand, for all that is made of it: files, pictures, the report. References only.
// Units and frame: as its parts. How it fails: it does not. Thread rules: const.
#pragma once

#include <algorithm>

#include "server/drape/assemble.h"
#include "server/drape/settle.h"
#include "server/fabric/fabric.h"

namespace tryon {

struct DrapeGoods {
  const FittedPerson& person;
  const GarmentMesh& garment;
  const Settled& settled;
  const Fabric& fabric;
  const DrapeSettings& settings;

  bool wants(Export what) const {
    return std::find(settings.exports.begin(), settings.exports.end(), what) != settings.exports.end();
  }
};

}  // namespace tryon
