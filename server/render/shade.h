// What it is: the light of a picture: a soft key light from the upper left, a fill, sky and floor light dimmed by
// ambient occlusion, and how skin and cloth answer it.
// Units and frame: metres; linear RGB, 1 = the brightest the screen shows. Lights are fixed to the camera.
// How it fails: it does not. Thread rules: const, from any thread.
#pragma once

#include <vector>

#include "server/render/camera.h"
#include "server/render/light_field.h"
#include "server/render/ray_scene.h"

namespace tryon {

// What lies in the middle of a pixel.
struct PixelSeen {
  Hit hit;                                           // of the nearest surface
  bool veiled = false;                               // that surface is a veil: look again
  Eigen::Vector3f normal = Eigen::Vector3f::Zero();  // faces the viewer
};

class Shader {
 public:
  // The pieces, which have normals, and their scene outlive the shader.
  Shader(const std::vector<RenderPiece>& pieces, const RayScene& scene, const Camera& camera, int height);
  // Looks through the middle of `count` pixels from (x, y) to the right.
  void look(int x, int y, int count, PixelSeen* out) const;
  // Linear RGB through a pixel whose middle `seen` tells of; through the image point (px, py) in the pixel (x, y).
  Vec3 colour_of(const PixelSeen& seen, int x, int y) const;
  Vec3 radiance(double px, double py, int x, int y) const;
  // Where light falls at that pixel: on a piece, on the floor or nowhere.
  LitPoint lit_point(const PixelSeen& seen, int x, int y) const;
  LightField& light() { return light_; }

 private:
  struct Surface;
  static LitPoint lit_by(const Surface& surface);
  Surface surface_at(const Hit& hit, const Vec3& ray) const;
  Vec3 shade(const Surface& surface, const Vec3& ray, const LightSeen& light) const;
  LitPoint floor_point(const Vec3& ray) const;
  Vec3 backdrop(int y) const;  // of a row, where nothing throws a shadow
  Vec3 backdrop(const Vec3& ray, int x, int y) const;
  double weave(const RenderPiece& piece, const Hit& hit) const;

  const std::vector<RenderPiece>& pieces_;
  const Camera& camera_;
  const RayScene& scene_;
  int height_;
  double floor_, size_, pixel_;  // metres: height of the floor, size of the subject, width of a pixel on it
  Vec3 key_, fill_, rim_;        // unit directions towards the lights, world frame
  LightField light_;
};

}  // namespace tryon
