// What it is: points of a surface without triangles, as depth cameras give them, and the way back to a surface.
// Units and frame: whatever its owner says. Shapes: positions [point_count]; normals [point_count] or empty.
// How it fails: validate() names the first offending point. Thread rules: plain values.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "server/base/run_context.h"
#include "server/mesh/triangle_mesh.h"

namespace tryon {

struct PointCloud {
  std::vector<Vec3> positions;  // [point_count]
  std::vector<Vec3> normals;    // [point_count], unit, or empty

  int point_count() const { return static_cast<int>(positions.size()); }
};

// Finite positions, normals absent or of equal number; the field of the error is "<name>.point[7]".
absl::Status validate(const PointCloud& cloud, std::string_view name);

struct ReconstructSettings {
  double detail = 0.008;     // edge length aimed at, in the cloud's unit; > 0
  bool clean = true;         // remove statistical outliers first
  bool keep_normals = true;  // use the cloud's own normals where it has them
};

struct Reconstruction {
  TriangleMesh mesh;                // closed where the method allows, outward
  std::vector<double> support;      // [vertex_count] distance to the nearest point that was measured, the cloud's unit
  std::vector<std::string> healed;  // what was done, in words
};

// Who makes a surface of points: io's sandboxed child, or a test's own.
using Reconstructor =
    std::function<absl::StatusOr<Reconstruction>(const RunContext&, const PointCloud&, const ReconstructSettings&)>;

}  // namespace tryon
