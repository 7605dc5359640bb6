// What it is: from the settings of a request to what a drape runs on: what the cloth may not enter, and how it is
// settled. Units: SI. How it fails: it does not. Thread rules: pure functions; a collider is const.
#pragma once

#include <memory>

#include "server/drape/assemble.h"
#include "server/drape/request.h"
#include "server/drape/settle.h"
#include "server/sim/collision/collider.h"

namespace tryon {

// The person (the scan's surface or the solids, as asked for), and the floor.
std::unique_ptr<sim::Collider> make_collider(const DrapeSettings& settings, const FittedPerson& person);
SettleOptions settle_options(const DrapeSettings& settings);

}  // namespace tryon
