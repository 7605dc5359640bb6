// What it is: the light of a picture: a soft key light from the upper left, a fill, sky and floor light dimmed by
// ambient occlusion, and how skin and cloth answer it.
// Units and frame: metres; linear RGB, 1 = the brightest the screen shows. Lights are fixed to the camera.
// Random numbers are hashes of (pixel, sample): the same picture for any order of work.
// How it fails: it does not. Thread rules: const, from any thread.
#pragma once

#include <cstdint>
#include <vector>

#include "server/render/camera.h"
#include "server/render/ray_scene.h"

namespace tryon {

// A low-discrepancy stream of points in the unit square, shifted by a hash of its pixel.
class SampleStream {
 public:
  SampleStream(uint32_t x, uint32_t y, uint32_t purpose);
  Vec2 next();

 private:
  double x_, y_;
};

// One stream a purpose: each is spread evenly by itself.
struct PixelSamples {
  SampleStream sky, key;
  PixelSamples(uint32_t x, uint32_t y) : sky(x, y, 0), key(x, y, 1) {}
};

class Shader {
 public:
  // The pieces must outlive the shader and have normals.
  Shader(const std::vector<RenderPiece>& pieces, const Camera& camera, int height);
  // Linear RGB seen through the image point (x, y) in pixels.
  Vec3 radiance(double x, double y, PixelSamples* samples) const;

 private:
  struct Surface;
  Surface surface_at(const Hit& hit, const Vec3& ray) const;
  Vec3 shade(const Surface& surface, const Vec3& ray, PixelSamples* samples) const;
  Vec3 backdrop(const Vec3& ray, double y, PixelSamples* samples) const;
  double openness(const Vec3& point, const Vec3& normal, int rays, SampleStream* samples) const;
  double key_visibility(const Vec3& point, SampleStream* samples) const;
  double weave(const RenderPiece& piece, const Hit& hit) const;

  const std::vector<RenderPiece>& pieces_;
  const Camera& camera_;
  RayScene scene_;
  int height_;
  double floor_, size_, pixel_;  // metres: height of the floor, size of the subject, width of a pixel on it
  Vec3 key_, fill_, rim_;        // unit directions towards the lights, world frame
};

}  // namespace tryon
