// What it is: the pieces of a picture as rays meet them (Embree): nearest surface, and whether a way is free.
// Units and frame: metres, the pieces' frame. A Hit's barycentric coordinates belong to corners 1 and 2.
// Only opaque pieces stop shadow rays. How it fails: prepare before use; the meshes are already checked.
// Thread rules: built once on one thread (Embree with threads=1, so the same tree every time); const queries from any.
#pragma once

#include <memory>
#include <vector>

#include "server/render/preview.h"

namespace tryon {

struct Hit {
  int piece = -1;  // -1: nothing
  int triangle = -1;
  double distance = 0.0, b1 = 0.0, b2 = 0.0;
};

class RayScene {
 public:
  explicit RayScene(const std::vector<RenderPiece>& pieces);
  ~RayScene();
  RayScene(const RayScene&) = delete;
  RayScene& operator=(const RayScene&) = delete;

  Hit nearest(const Vec3& origin, const Vec3& direction, double from) const;
  bool blocked(const Vec3& origin, const Vec3& direction, double reach) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tryon
