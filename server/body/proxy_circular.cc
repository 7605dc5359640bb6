#include "server/body/proxy_circular.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "server/body/bounding.h"
#include "server/body/proxy_strand.h"

namespace tryon {
namespace {

constexpr double kFar = std::numeric_limits<double>::infinity();
constexpr double kHalfBand = 0.002;  // metres: half the height of a slice
constexpr double kBulge = 12.0;      // of an outline outside the straight line between two slices against one inside

// One part, or one bone of a part, to be cut into slices. Heights count along the frame's axis.
struct Run {
  Strand frame;
  std::vector<int> triangles;
  double low = -kFar, high = kFar;
  int slice_count = 2;
};

// The corners of a triangle within the band, and where its edges cross the band's walls.
void append_band(const std::array<Vec3, 3>& corner, double middle, std::vector<Vec2>* out) {
  for (int k = 0; k < 3; ++k) {
    const Vec3 &a = corner[k], &b = corner[(k + 1) % 3];
    if (std::abs(a.z() - middle) <= kHalfBand) out->push_back(a.head<2>());
    for (const double wall : {middle - kHalfBand, middle + kHalfBand}) {
      if ((a.z() < wall) != (b.z() < wall)) {
        out->push_back(a.head<2>() + (wall - a.z()) / (b.z() - a.z()) * (b.head<2>() - a.head<2>()));
      }
    }
  }
}

// The smallest circles of bands at equal steps from end to end.
std::vector<StrandLevel> candidate_slices(const TriangleMesh& mesh, const Run& run, int count) {
  const double first = run.low + kHalfBand, step = (run.high - run.low - 2.0 * kHalfBand) / (count - 1);
  std::vector<std::vector<Vec2>> bands(count);
  for (const int t : run.triangles) {
    std::array<Vec3, 3> corner;
    for (int k = 0; k < 3; ++k) corner[k] = run.frame.local(mesh.positions[mesh.triangles[t][k]]);
    const auto [low, high] = std::minmax({corner[0].z(), corner[1].z(), corner[2].z()});
    const int begin = std::max(0, static_cast<int>(std::ceil((low - kHalfBand - first) / step)));
    const int end = std::min(count - 1, static_cast<int>(std::floor((high + kHalfBand - first) / step)));
    for (int i = begin; i <= end; ++i) append_band(corner, first + step * i, &bands[i]);
  }
  std::vector<StrandLevel> slices;
  for (int i = 0; i < count; ++i) {
    const BoundingCircle circle = smallest_circle(bands[i]);
    if (circle.radius > 0.0) slices.push_back({first + step * i, circle.center, Vec2(circle.radius, circle.radius)});
  }
  return slices;
}

void append_solids(const Run& run, const std::vector<StrandLevel>& slices, bool open_low, bool open_high,
                   std::vector<Proxy>* out) {
  const auto add = [&](const StrandLevel& low, double from, const StrandLevel& high, double to, Proxy::Kind kind) {
    Frustum f;
    f.axis = run.frame.axis, f.u = run.frame.u, f.v = run.frame.v;
    f.bottom = run.frame.world(low.center, from), f.top = run.frame.world(high.center, to);
    f.bottom_radii = low.radii, f.top_radii = high.radii;
    f.open_bottom = f.open_top = true;
    out->push_back({kind, run.frame.part, f});
  };
  const size_t first = out->size();
  for (size_t i = 0; i < slices.size(); ++i) {
    const StrandLevel& s = slices[i];
    add(s, s.height - kHalfBand, s, s.height + kHalfBand, Proxy::Kind::kCylinder);
    if (i + 1 < slices.size()) {
      const StrandLevel& next = slices[i + 1];
      add(s, s.height + kHalfBand, next, next.height - kHalfBand, Proxy::Kind::kFrustum);
    }
  }
  std::get_if<Frustum>(&(*out)[first].solid)->open_bottom = open_low;
  std::get_if<Frustum>(&out->back().solid)->open_top = open_high;
}

void append_run(const TriangleMesh& mesh, Run run, bool open_low, bool open_high, std::vector<Proxy>* out) {
  double low = kFar, high = -kFar;
  for (const int t : run.triangles) {
    for (const int v : mesh.triangles[t]) {
      const double h = (mesh.positions[v] - run.frame.origin).dot(run.frame.axis);
      low = std::min(low, h), high = std::max(high, h);
    }
  }
  run.low = std::max(run.low, low), run.high = std::min(run.high, high);
  const int room = static_cast<int>((run.high - run.low) / (3.0 * kHalfBand));
  if (!(run.high > run.low) || room < 2) return;
  const std::vector<StrandLevel> all = candidate_slices(mesh, run, std::min(room, 6 * run.slice_count));
  if (all.size() < 2) return;
  std::vector<LevelShares> shares;
  for (const StrandLevel& slice : all) shares.push_back(LevelShares::Constant(slice.radii.x()));
  append_solids(run, choose_levels(all, shares, kBulge, run.slice_count).back().levels, open_low, open_high, out);
}

void append_arm(const ProxyAnatomy& anatomy, BodyPart part, std::vector<Proxy>* out) {
  const ArmJoints joints = anatomy.arm(part);
  if (!joints.found) return;
  const std::array<Vec3, 4> joint = {joints.shoulder, joints.elbow, joints.wrist, joints.tip};
  const int last = joints.has_hand ? 2 : 1;  // the bone that ends the arm
  for (int bone = 0; bone <= last; ++bone) {
    Run run;
    run.frame.part = part;
    run.triangles = anatomy.triangles(part);
    run.slice_count = 5;
    aim_strand(joint[bone], joint[bone + 1], Vec3::UnitZ(), &run.frame);
    run.low = bone == 0 ? 0.3 * joints.pit : 0.0;
    if (bone < last) run.high = (joint[bone + 1] - joint[bone]).norm();
    append_run(anatomy.body().mesh, run, true, bone < last, out);
  }
}

void append_leg(const ProxyAnatomy& anatomy, BodyPart part, std::vector<Proxy>* out) {
  const LegJoints joints = anatomy.leg(part);
  if (!joints.found) return;
  Run run;
  run.frame.part = part;
  run.triangles = anatomy.triangles(part);
  run.slice_count = 12;
  aim_strand(joints.ankle, joints.hip, Vec3::UnitX(), &run.frame);
  run.low = 0.0;
  append_run(anatomy.body().mesh, run, true, true, out);
  Run foot;
  foot.frame.part = part;
  foot.slice_count = 5;
  aim_strand(Vec3(joints.ankle.x(), 0, joints.ankle.z()), Vec3(joints.toe.x(), 0, joints.toe.z()), Vec3::UnitY(),
             &foot.frame);
  const std::vector<Vec3>& positions = anatomy.body().mesh.positions;
  for (const int t : anatomy.triangles(part)) {
    const Triangle& corner = anatomy.body().mesh.triangles[t];
    const auto low = [&](int v) { return positions[v].y() < joints.ankle.y(); };
    if (low(corner[0]) && low(corner[1]) && low(corner[2])) foot.triangles.push_back(t);
  }
  append_run(anatomy.body().mesh, foot, false, false, out);
}

}  // namespace

std::vector<Proxy> fit_circular(const ProxyAnatomy& anatomy) {
  const TriangleMesh& mesh = anatomy.body().mesh;
  std::vector<Proxy> out;
  const std::array<BodyPart, 3> upright = {BodyPart::kHead, BodyPart::kNeck, BodyPart::kTorso};
  const std::array<int, 3> count = {7, 4, 18};
  for (size_t i = 0; i < upright.size(); ++i) {
    Run run;
    run.frame.part = upright[i];
    run.triangles = anatomy.triangles(upright[i]);
    run.slice_count = count[i];
    append_run(mesh, run, upright[i] == BodyPart::kNeck, upright[i] != BodyPart::kHead, &out);
  }
  for (const BodyPart arm : {BodyPart::kLeftArm, BodyPart::kRightArm}) append_arm(anatomy, arm, &out);
  for (const BodyPart leg : {BodyPart::kLeftLeg, BodyPart::kRightLeg}) append_leg(anatomy, leg, &out);
  return out;
}

}  // namespace tryon
