// What it is: how much of the sky and of the key light reaches what the picture shows. Computed at every second pixel
// with few rays each, the directions of neighbours interleaved, and gathered from nine neighbours of the same surface,
// so that a hundred directions are seen everywhere and none is traced twice (interleaved sampling, Keller and Heidrich
// 2001). Units and frame: metres; shares in [0, 1]. How it fails: it does not. Thread rules: trace() once (it spreads
// the work itself), then const from any thread; the same light for any number of threads.
#pragma once

#include <cstdint>
#include <vector>

#include "server/base/run_context.h"
#include "server/render/ray_scene.h"

namespace tryon {

struct LightSeen {
  double open = 1.0;  // share of the hemisphere, weighted by the cosine, that no nearby obstacle hides
  double key = 1.0;   // share of the key light's disc
};

// A point that light falls on.
struct LitPoint {
  static constexpr int kNothing = -1, kFloor = -2;
  int piece = kNothing;
  Eigen::Vector3f point, flat_normal, normal;  // the normals face the viewer
};

class LightField {
 public:
  // size: of the subject; pixel: width of a pixel on it; key: unit direction towards the key light.
  LightField(const RayScene& scene, const Vec3& key, double size, double pixel);
  // probes: [down * across], what the pixel (2 column, 2 row) shows.
  void trace(const RunContext& run, int across, int down, std::vector<LitPoint> probes);
  // For a point that pixel (x, y) shows.
  LightSeen at(const LitPoint& lit, int x, int y) const;
  // Whether no neighbour of the pixel shows a piece or a shadow on the floor: then the backdrop is as without a
  // subject.
  bool clear_at(int x, int y) const {
    return clear_[static_cast<size_t>((y + 1) / 2) * (across_ + 1) + (x + 1) / 2] != 0;
  }

 private:
  void mark_clear();
  LightSeen traced(const LitPoint& lit, int subset) const;

  const RayScene& scene_;
  double size_, pixel_;
  std::vector<Eigen::Vector3f> sky_;  // about +z, cosine weighted
  std::vector<Eigen::Vector3f> key_;  // world
  int across_ = 0, down_ = 0;
  std::vector<LitPoint> probes_;
  std::vector<LightSeen> light_;
  std::vector<uint8_t> clear_;  // [(down + 1) * (across + 1)]
};

}  // namespace tryon
