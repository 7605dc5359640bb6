// What it is: a person as the simulator knows one: canonical mesh, parts, landmarks, measurements.
// Units and frame: metres, +Y up, facing +Z, floor at y = 0, +X is the person's left side.
// Shapes: part [vertex_count]. How it fails: make_body names what is not a standing person and how to mend it.
// Thread rules: plain values.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "server/base/run_context.h"
#include "server/mesh/point_cloud.h"
#include "server/mesh/triangle_mesh.h"
#include "server/shape/solids.h"

namespace tryon {

enum class BodyPart { kHead, kNeck, kTorso, kLeftArm, kRightArm, kLeftLeg, kRightLeg };
inline constexpr int kBodyPartCount = 7;
std::string_view body_part_name(BodyPart part);  // "head", "neck", "torso", "left_arm", ...

// The parts cut at their joints; a part is how a limb hangs on the trunk, a segment is what a tailor names.
enum class BodySegment {
  kHead,
  kNeck,
  kTorso,
  kLeftUpperArm,
  kRightUpperArm,
  kLeftLowerArm,
  kRightLowerArm,
  kLeftHand,
  kRightHand,
  kLeftUpperLeg,
  kRightUpperLeg,
  kLeftLowerLeg,
  kRightLowerLeg,
  kLeftFoot,
  kRightFoot
};
inline constexpr int kBodySegmentCount = 15;
std::string_view body_segment_name(BodySegment segment);  // "head", ..., "left_upper_arm", ...

enum class Pose { kA, kT, kArmsDown };
std::string_view pose_name(Pose pose);  // "A", "T", "arms_down"

enum class UpAxis { kX, kY, kZ };

// What the caller declares about a scan; whatever is absent is found and reported.
struct ScanOptions {
  std::optional<double> metres_per_unit;  // 0.001, 0.01, 0.1 or 1 (or any in 1e-4 .. 10)
  std::optional<UpAxis> up_axis;
  std::optional<std::string> facing;  // where the person looks in the file's frame: "+x", "-x", "+y", ...
  std::optional<Pose> pose;           // how the arms are held; refused where they are plainly held otherwise
};

// What came out of a file: a mesh, or a cloud if `cloud` has points.
struct Scan {
  TriangleMesh mesh;
  PointCloud cloud;
  std::vector<std::string> healed;  // what reading already mended
};

// How the scan was read.
struct ScanSource {
  std::string unit;             // "mm", "cm", "dm", "m" or "custom"
  std::string up_axis;          // "+x", "-x", "+y", ... in the file's frame
  std::string facing;           // where the person looks in the file's frame, likewise
  double scale_m = 1.0;         // metres a file unit
  Vec3 shift_m = Vec3::Zero();  // added after scaling and turning: floor to y = 0, and x, z where the file is off axis
  bool declared_unit = false, declared_up = false, declared_facing = false, declared_pose = false;
  int64_t point_count = 0;             // of a cloud; 0 for a mesh
  double filled_ratio = 0.0;           // share of the body's area that was not measured but filled or mirrored
  std::vector<std::string> healed;     // what was mended, in words
  std::vector<std::string> completed;  // regions that the scan did not show and how they were made, in words
};

// How a measurement was taken, for drawing on the body.
struct MeasureCurve {
  std::vector<Vec3> points;  // in walking order; the tape itself, hollows spanned
  bool closed = true;        // a girth; otherwise a path from first to last point
  double height_m = 0.0;     // of its level above the floor
};

struct Body {
  TriangleMesh mesh;                 // the largest human component, welded, outward
  std::vector<BodyPart> part;        // [vertex_count]
  std::vector<BodySegment> segment;  // [vertex_count]
  Pose pose = Pose::kA;
  ScanSource source;
  double height_m = 0.0;
  double arm_angle_deg = 45.0;                    // of the arms below the horizontal, mean of both
  std::map<std::string, double> measurements_mm;  // ISO 8559-1 name -> mm
  std::map<std::string, MeasureCurve> curves;     // of those measurements that a tape draws
  std::map<std::string, Vec3> landmarks;          // name -> metres; left_/right_ by the person's own sides
};

// From a raw mesh in any unit and orientation to a Body. Heals nothing silently: see source.healed.
absl::StatusOr<Body> make_body(const RunContext& run, TriangleMesh scan, const ScanOptions& options);
// The same from whatever a file held; `reconstruct` turns points into a surface (clouds, and meshes too broken to
// mend).
absl::StatusOr<Body> make_body(const RunContext& run, Scan scan, const ScanOptions& options,
                               const Reconstructor& reconstruct);

enum class ProxyShape { kCircular, kElliptic };

struct Proxy {
  enum class Kind { kSphere, kCylinder, kFrustum } kind = Kind::kSphere;
  BodyPart part = BodyPart::kTorso;
  Solid solid;
  // Of the union at the slice nearest to its middle: perimeter of the convex hull over that of the body's, minus 1;
  // -1 where there is none (spheres, hands, feet, head).
  double girth_error_ratio = -1.0;
  double mean_gap_mm = -1.0, max_gap_mm = -1.0;  // of the skin that it answers for; negative: of none
};

// Absolute girth errors (ratios) over cuts every 20 mm across trunk or limbs: see proxy_audit.h.
struct GirthErrors {
  int cuts = 0;
  double median = 0.0, p95 = 0.0, largest = 0.0;
};

struct ProxySet {
  ProxyShape shape = ProxyShape::kElliptic;
  std::vector<Proxy> proxies;
  GirthErrors torso_girth, limb_girth;
  double girth_error_p95 = 0.0;                // the larger of both
  double mean_gap_mm = 0.0, max_gap_mm = 0.0;  // of the skin to the union's surface, by area
  double largest_step_mm = 0.0;                // outward, where a solid ends on its neighbour
  int uncovered_vertices = 0;                  // body vertices more than 0.5 mm outside the union
  std::vector<Solid> solids() const;
};

// Ji 2004, section 2.1: slices across each part's axis, a bounding cylinder each, oblique frusta between facing
// discs, spheres at joints and protrusions. kCircular is the paper's; kElliptic bounds each slice by an ellipse.
absl::StatusOr<ProxySet> fit_proxies(const RunContext& run, const Body& body, ProxyShape shape);

}  // namespace tryon
