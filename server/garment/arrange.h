// What it is: seats a garment at a body and moves each panel, whole, along its outer normal until it clears the body.
// Units and frame: metres, +Y up, body facing +Z, floor at y = 0. Shapes: GarmentMesh::placed [vertex_count] changes.
// How it fails: PANEL_INSIDE_BODY names a panel that no push of up to 0.5 m frees. Thread rules: pure function.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "server/base/run_context.h"
#include "server/garment/garment.h"
#include "server/garment/lint.h"
#include "server/shape/solids.h"

namespace tryon {

struct ArrangeTarget {
  const SolidSet* solids = nullptr;
  double height_m = 0.0, shoulder_height_m = 0.0, waist_height_m = 0.0;
  // Ends of the arms' axes, for garments without a placement.
  Vec3 left_shoulder = Vec3::Zero(), left_wrist = Vec3::Zero();
  Vec3 right_shoulder = Vec3::Zero(), right_wrist = Vec3::Zero();
  // Middles of the arms from the shoulder to the wrist, where they bend; empty: straight.
  std::vector<Vec3> left_arm, right_arm;
  std::vector<Solid> arms;  // with hands: what hangs from the waist starts between them
};

struct ArrangeReport {
  bool by_roles = false;           // no placement was given for every panel: pieces went where their roles belong
  double lifted_m = 0.0;           // the whole garment, to sit at the shoulder or the waist
  std::vector<std::string> moved;  // "panel front: 31 mm outward"
  std::vector<Finding> findings;   // what the wearer should know: a waist that will not hold
};

absl::StatusOr<ArrangeReport> arrange(const RunContext& run, const ArrangeTarget& body, const Pattern& pattern,
                                      GarmentMesh* garment);

}  // namespace tryon
