// What it is: frames of a motion in a file, frames_000.bin and on, kFramesAFile frames each: two little-endian uint32,
// the number of frames and of vertices, then frame after frame x, y, z as little-endian float32 for every vertex of
// garment.glb, in its order. Units and frame: metres, +Y up, body facing +Z. How it fails: bytes that are no such file
// are INTERNAL: they are our own. Thread rules: FramesFile one thread; the rest pure. Knows no physics.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "server/mesh/triangle_mesh.h"

namespace tryon {

inline constexpr int kFramesAFile = 10;
std::string frames_file_name(int number);

class FramesFile {
 public:
  void add(const std::vector<Vec3>& frame);  // as many vertices as the one before
  int count() const { return static_cast<int>(frames_); }
  std::string take();  // the whole file; it is empty again

 private:
  uint32_t frames_ = 0, vertices_ = 0;
  std::string places_;
};

// [frame] bytes of its vertices, within `file`.
absl::StatusOr<std::vector<std::string_view>> frames_in(std::string_view file);

}  // namespace tryon
