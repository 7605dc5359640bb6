// What it is: what the proxy fit asks of a body's parts: their vertices and triangles, the borders between them, and
// the joints where one run of slices ends and the next begins.
// Units and frame: metres, the body's. Shapes: see Body. How it fails: a part or landmark that the body lacks gives an
// empty list, or a joint estimated from the limb's length. Thread rules: const after construction.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "server/body/body.h"

namespace tryon {

// The vertices on both sides of the border between two parts.
struct PartBorder {
  Vec3 center = Vec3::Zero(), lowest = Vec3::Zero(), highest = Vec3::Zero();
  int vertex_count = 0;
};

struct ArmJoints {
  bool found = false, has_hand = false;  // without a hand the wrist is where the arm ends
  Vec3 shoulder = Vec3::Zero(), elbow = Vec3::Zero(), wrist = Vec3::Zero(), tip = Vec3::Zero();
  double pit = 0.0;  // metres from the shoulder towards the elbow where the arm's section is whole
};

struct LegJoints {
  bool found = false;
  Vec3 hip = Vec3::Zero(), knee = Vec3::Zero(), ankle = Vec3::Zero(), toe = Vec3::Zero(), heel = Vec3::Zero();
};

class ProxyAnatomy {
 public:
  explicit ProxyAnatomy(const Body& body);
  const Body& body() const { return body_; }
  // Those with all corners in the part: a corner in the neighbour would have to be held by the wrong run.
  const std::vector<int>& triangles(BodyPart part) const { return triangles_[static_cast<size_t>(part)]; }
  const std::vector<int>& vertices(BodyPart part) const { return vertices_[static_cast<size_t>(part)]; }
  PartBorder border(BodyPart a, BodyPart b) const;
  ArmJoints arm(BodyPart part) const;
  LegJoints leg(BodyPart part) const;
  double crotch() const { return crotch_; }        // where the trunk ends and two legs begin
  double neck_base() const { return neck_base_; }  // where the trunk ends and the neck begins
  Vec3 neck_axis() const;                          // unit, upward; across the tape round the neck where there is one
  // The mean of a part's vertices between two shares of the way from a point along a direction.
  Vec3 center_between(BodyPart part, const Vec3& from, const Vec3& along, double low, double high) const;

 private:
  const Body& body_;
  std::array<std::vector<int>, kBodyPartCount> triangles_, vertices_;
  std::vector<int> across_;  // triangles with corners in several parts
  double crotch_ = 0.0, neck_base_ = 0.0;
};

}  // namespace tryon
