#include "server/body/proxy_cuts.h"

#include <algorithm>
#include <numeric>

#include "server/body/proxy_strand.h"

namespace tryon {
namespace {

constexpr double kAboveAnkle = 0.02;  // heights above the joint: where a tape goes round the ankle
constexpr double kMargin = 0.01;      // metres between a part's ends and its first and last cut

PartCuts trunk_cuts(const ProxyAnatomy& anatomy) {
  PartCuts cuts;
  cuts.first = anatomy.crotch() + kMargin, cuts.last = anatomy.neck_base() - kMargin;
  for (const BodyPart part : {BodyPart::kTorso, BodyPart::kLeftLeg, BodyPart::kRightLeg}) {
    cuts.triangles.insert(cuts.triangles.end(), anatomy.triangles(part).begin(), anatomy.triangles(part).end());
  }
  cuts.all_triangles.resize(anatomy.body().mesh.triangles.size());
  std::iota(cuts.all_triangles.begin(), cuts.all_triangles.end(), 0);
  for (const BodyPart arm : {BodyPart::kLeftArm, BodyPart::kRightArm}) {
    const PartBorder pit = anatomy.border(BodyPart::kTorso, arm);
    if (pit.vertex_count > 0) cuts.clip_above = std::min(cuts.clip_above, pit.lowest.y() - kMargin);
  }
  return cuts;
}

PartCuts leg_cuts(const ProxyAnatomy& anatomy, BodyPart part) {
  PartCuts cuts;
  const LegJoints joints = anatomy.leg(part);
  cuts.part = part;
  if (!joints.found) return cuts;
  cuts.first = joints.ankle.y() + kAboveAnkle * anatomy.body().height_m, cuts.last = anatomy.crotch() - kMargin;
  cuts.triangles = anatomy.triangles(part);
  return cuts;
}

PartCuts arm_cuts(const ProxyAnatomy& anatomy, BodyPart part, bool upper) {
  PartCuts cuts;
  const ArmJoints joints = anatomy.arm(part);
  cuts.part = part;
  if (!joints.found) return cuts;
  const Vec3 &from = upper ? joints.shoulder : joints.elbow, &to = upper ? joints.elbow : joints.wrist;
  Strand frame;
  aim_strand(from, to, Vec3::UnitZ(), &frame);
  cuts.plane = {from, frame.axis, frame.u, frame.v};
  cuts.first = (upper ? joints.pit : 0.0) + kMargin, cuts.last = (to - from).norm() - kMargin;
  cuts.triangles = anatomy.triangles(part);
  return cuts;
}

}  // namespace

bool is_arm(BodyPart part) { return part == BodyPart::kLeftArm || part == BodyPart::kRightArm; }
bool is_leg(BodyPart part) { return part == BodyPart::kLeftLeg || part == BodyPart::kRightLeg; }

void append_between(double low, double high, Vec2 a, Vec2 b, std::vector<Vec2>* out) {
  if (a.x() > b.x()) std::swap(a, b);
  if (b.x() < low || a.x() > high) return;
  const auto at = [&](double x) -> Vec2 { return a + (b - a) * ((x - a.x()) / (b.x() - a.x())); };
  out->push_back(a.x() < low ? at(low) : a);
  out->push_back(b.x() > high ? at(high) : b);
}

std::vector<PartCuts> girth_cuts(const ProxyAnatomy& anatomy) {
  std::vector<PartCuts> out = {trunk_cuts(anatomy)};
  for (const BodyPart leg : {BodyPart::kLeftLeg, BodyPart::kRightLeg}) out.push_back(leg_cuts(anatomy, leg));
  for (const BodyPart arm : {BodyPart::kLeftArm, BodyPart::kRightArm}) {
    for (const bool upper : {true, false}) out.push_back(arm_cuts(anatomy, arm, upper));
  }
  return out;
}

}  // namespace tryon
