// What it is: the flat format of a request to make a surface of points (parent to tryon-meshparse) and of its answer.
// Units: the cloud's. Shapes: as PointCloud and Reconstruction. How it fails: either side refuses what is cut, too
// large, not finite or of unequal lengths, and says so; neither trusts the other. Thread rules: pure functions.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "server/io/mesh_file.h"

namespace tryon {

struct CloudRequest {
  PointCloud cloud;
  ReconstructSettings settings;
};
std::string encode_cloud_request(const PointCloud& cloud, const ReconstructSettings& settings);
absl::StatusOr<CloudRequest> decode_cloud_request(std::string_view bytes, const ParseLimits& limits);

std::string encode_reconstruction(const absl::StatusOr<Reconstruction>& result);
absl::StatusOr<Reconstruction> decode_reconstruction(std::string_view bytes, const ParseLimits& limits);

// Detail > 0 and finite, points there and finite: what both sides ask of a request.
absl::Status check_cloud_request(const PointCloud& cloud, const ReconstructSettings& settings,
                                 const ParseLimits& limits);

}  // namespace tryon
