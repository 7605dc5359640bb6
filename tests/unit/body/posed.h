// What it is: a person whose arms are swung to another angle, as people hold them on scanners: a clean body in a pose
// that no file shows. Units and frame: metres, +Y up, facing +Z. Shapes: the body's vertices and triangles.
// How it fails: it does not. Thread rules: pure function.
#pragma once

#include <vector>

#include "Eigen/Geometry"
#include "server/base/units.h"
#include "server/body/proxy_anatomy.h"

namespace tryon::testing {

// How much each vertex goes with an arm: one on it, nothing elsewhere, and smooth between.
inline std::vector<double> arm_weights(const Body& body, BodyPart arm) {
  constexpr int kRounds = 40;
  std::vector<double> weight(body.part.size());
  for (size_t v = 0; v < weight.size(); ++v) weight[v] = body.part[v] == arm ? 1.0 : 0.0;
  const std::vector<EdgeUse> edges = mesh_edges(body.mesh);
  for (int round = 0; round < kRounds; ++round) {
    std::vector<double> sum = weight;
    std::vector<int> count(weight.size(), 1);
    for (const EdgeUse& e : edges) {
      sum[e.a] += weight[e.b], sum[e.b] += weight[e.a];
      ++count[e.a], ++count[e.b];
    }
    for (size_t v = 0; v < weight.size(); ++v) weight[v] = sum[v] / count[v];
  }
  return weight;
}

// Both arms at so many degrees below the horizontal.
inline TriangleMesh with_arms_at(const Body& body, double degrees_below) {
  TriangleMesh out = body.mesh;
  const ProxyAnatomy anatomy(body);
  for (const BodyPart arm : {BodyPart::kLeftArm, BodyPart::kRightArm}) {
    const double side = arm == BodyPart::kLeftArm ? 1.0 : -1.0;
    const Vec3 joint = anatomy.arm(arm).shoulder;
    const double turn = -side * radians(degrees_below - body.arm_angle_deg);
    const std::vector<double> weight = arm_weights(body, arm);
    for (size_t v = 0; v < weight.size(); ++v) {
      if (weight[v] < 1e-6) continue;
      const Eigen::AngleAxisd swing(turn * weight[v], Vec3::UnitZ());
      out.positions[v] = joint + swing * (out.positions[v] - joint);
    }
  }
  return out;
}

}  // namespace tryon::testing
