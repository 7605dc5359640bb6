#include "server/body/body.h"

#include <cmath>
#include <utility>

#include "server/base/status.h"
#include "server/base/text.h"
#include "server/body/measure.h"
#include "server/body/scan_person.h"
#include "server/body/segment.h"

namespace tryon {
namespace {

// The arms, in degrees below the horizontal, as each pose may be declared to hold them; what is found has its bounds in
// between (measure.cc), so that an angle near one may be called either way.
struct ArmRange {
  double from, to;
};
constexpr ArmRange kArms[] = {{10.0, 80.0}, {-90.0, 35.0}, {55.0, 90.0}};  // A, T, arms down

absl::Status take_declared_pose(const ScanOptions& options, Body* body) {
  body->source.declared_pose = options.pose.has_value();
  if (!options.pose) return absl::OkStatus();
  const ArmRange& arms = kArms[static_cast<size_t>(*options.pose)];
  const double angle = body->arm_angle_deg;
  if (angle < arms.from || angle > arms.to) {
    return invalid_input("BODY_DECLARATION_CONTRADICTED", "scan.pose",
                         cat("the arms hang ", std::lround(angle), " degrees below the horizontal, which is no pose \"",
                             pose_name(*options.pose), "\""),
                         cat("Declare the pose \"", pose_name(body->pose), "\", or leave it out."));
  }
  body->pose = *options.pose;
  return absl::OkStatus();
}

absl::StatusOr<Body> measured(const RunContext& run, const ScanOptions& options, Person person) {
  RETURN_IF_ERROR(run.check());
  run.report("segment", 0.0);
  ASSIGN_OR_RETURN(Segmentation segmentation, segment_body(person.mesh));
  RETURN_IF_ERROR(run.check());
  run.report("measure", 0.0);
  Body body;
  body.mesh = std::move(person.mesh);
  body.part = std::move(segmentation.part);
  body.source = std::move(person.source);
  body.height_m = segmentation.levels.height;
  measure_body(segmentation.levels, &body);
  RETURN_IF_ERROR(take_declared_pose(options, &body));
  run.report("measure", 1.0);
  return body;
}

}  // namespace

std::string_view body_part_name(BodyPart part) {
  static constexpr std::string_view kNames[kBodyPartCount] = {"head",      "neck",     "torso",    "left_arm",
                                                              "right_arm", "left_leg", "right_leg"};
  return kNames[static_cast<size_t>(part)];
}

std::string_view body_segment_name(BodySegment segment) {
  static constexpr std::string_view kNames[kBodySegmentCount] = {"head",
                                                                 "neck",
                                                                 "torso",
                                                                 "left_upper_arm",
                                                                 "right_upper_arm",
                                                                 "left_lower_arm",
                                                                 "right_lower_arm",
                                                                 "left_hand",
                                                                 "right_hand",
                                                                 "left_upper_leg",
                                                                 "right_upper_leg",
                                                                 "left_lower_leg",
                                                                 "right_lower_leg",
                                                                 "left_foot",
                                                                 "right_foot"};
  return kNames[static_cast<size_t>(segment)];
}

std::string_view pose_name(Pose pose) { return pose == Pose::kA ? "A" : pose == Pose::kT ? "T" : "arms_down"; }

absl::StatusOr<Body> make_body(const RunContext& run, TriangleMesh scan, const ScanOptions& options) {
  return make_body(run, Scan{std::move(scan), {}, {}}, options, nullptr);
}

absl::StatusOr<Body> make_body(const RunContext& run, Scan scan, const ScanOptions& options,
                               const Reconstructor& reconstruct) {
  absl::StatusOr<Person> person = scan.cloud.point_count() > 0 ? person_of_cloud(run, scan.cloud, options, reconstruct)
                                                               : person_of_mesh(run, scan.mesh, options, reconstruct);
  if (!person.ok()) return person.status();
  person->source.healed.insert(person->source.healed.begin(), scan.healed.begin(), scan.healed.end());
  return measured(run, options, *std::move(person));
}

}  // namespace tryon
