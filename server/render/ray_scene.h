// What it is: the pieces of a picture as rays meet them (Embree): nearest surface, and whether a way is free.
// Units and frame: metres, the pieces' frame. A Hit's barycentric coordinates belong to corners 1 and 2.
// Only opaque pieces stop shadow rays. Packets hold eight rays from one origin (Embree's ISPC-style packets). How it
// fails: prepare before use; the meshes are already checked. Thread rules: built once on one thread (Embree with
// threads=1, so the same tree every time); const queries from any.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "server/render/preview.h"

namespace tryon {

struct Hit {
  int piece = -1;  // -1: nothing
  int triangle = -1;
  float distance = 0.0F, b1 = 0.0F, b2 = 0.0F;
};

inline constexpr int kPacket = 8;
using Packet = std::array<Eigen::Vector3f, kPacket>;

class RayScene {
 public:
  explicit RayScene(const std::vector<RenderPiece>& pieces);
  ~RayScene();
  RayScene(const RayScene&) = delete;
  RayScene& operator=(const RayScene&) = delete;

  Hit nearest(const Vec3& origin, const Vec3& direction, double from) const;
  // The first `count` of the packet's directions, from one eye.
  std::array<Hit, kPacket> nearest(const Vec3& origin, const Packet& directions, int count) const;
  // How many of the packet's rays meet something nearer than `reach`.
  int count_blocked(const Vec3& origin, const Packet& directions, double reach) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tryon
