// What it is: the bodies that tests of the body module share.
// How it fails: a body that cannot be made fails the process with its status. Thread rules: pure functions.
#pragma once

#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "server/body/body.h"
#include "server/body/mannequin.h"
#include "tests/support/shared_data.h"
#include "tests/support/test_meshes.h"

namespace tryon::testing {

struct KnownBody {  // what the data set says about a file
  const char* file;
  const char* unit;
  const char* up;
  double height_m;
  Pose pose;
};

inline const std::vector<KnownBody>& known_bodies() {
  static const std::vector<KnownBody> bodies = {
      {"bodies/garmentcode/mean_all.obj", "m", "+y", 1.720, Pose::kA},
      {"bodies/garmentcode/mean_female.obj", "m", "+y", 1.662, Pose::kA},
      {"bodies/garmentcode/mean_all_tpose.obj", "m", "+y", 1.720, Pose::kT},
      {"bodies/smpl/f_smpl_average_A40.obj", "m", "+y", 1.658, Pose::kA},
      {"bodies/smpl/f_smpl_template_T.obj", "m", "+y", 1.658, Pose::kT},
      {"bodies/smpl/f_smpl_template_headphones_cm.obj", "cm", "+y", 1.658, Pose::kT},
      {"bodies/makehuman/mh_f_young_avg_A_dm.obj", "dm", "+y", 1.605, Pose::kA},
      {"bodies/makehuman/mh_m_old_thin_T_cm_zup.obj", "cm", "+z", 1.598, Pose::kT},
      {"bodies/scans/scanmesh_f_plus_holes_cm_zup.obj", "cm", "+z", 1.605, Pose::kArmsDown},
  };
  return bodies;
}

inline TriangleMesh mannequin_mesh(const MannequinTable& table = {}) {
  auto mesh = make_mannequin(table);
  if (!mesh.ok()) throw std::runtime_error(std::string(mesh.status().message()));
  return *std::move(mesh);
}

inline Body body_of(const TriangleMesh& mesh, const ScanOptions& options = {}) {
  auto body = make_body({}, mesh, options);
  if (!body.ok()) throw std::runtime_error(std::string(body.status().message()));
  return *std::move(body);
}

// A regular turn about an axis, then scale and shift.
inline Eigen::Affine3d motion(double scale, double degrees_about, const Vec3& axis, const Vec3& shift) {
  Eigen::Affine3d out = Eigen::Affine3d::Identity();
  out.translate(shift).scale(scale).rotate(Eigen::AngleAxisd(degrees_about * 3.14159265358979323846 / 180, axis));
  return out;
}

inline std::vector<int> part_counts(const Body& body) {
  std::vector<int> count(kBodyPartCount, 0);
  for (BodyPart part : body.part) ++count[static_cast<size_t>(part)];
  return count;
}

}  // namespace tryon::testing

// For each body of the data set: BODY is its KnownBody; absent ones are named and skipped.
#define FOR_EACH_KNOWN_BODY(BODY)                                                  \
  TRYON_NEEDS_SHARED_DATA("bodies");                                               \
  for (const ::tryon::testing::KnownBody& BODY : ::tryon::testing::known_bodies()) \
    if (::testing::ScopedTrace scoped_name(__FILE__, __LINE__, BODY.file); true)
