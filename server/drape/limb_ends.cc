#include "server/drape/limb_ends.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numbers>
#include <utility>

#include "server/base/text.h"
#include "server/garment/separate.h"
#include "server/sim/collision/bone_contact.h"
#include "server/sim/collision/collider.h"

namespace tryon {
namespace {

constexpr double kHandShare = 0.6, kFootShare = 0.7, kHeadShare = 0.9,
                 kNoseShare = 0.9;                    // of the way from the joint to the skin's farthest
constexpr double kOverShoulder = 0.06;                // m that a sleeve may reach in over the shoulder
constexpr double kFarFromShoulder = 0.5;              // m
constexpr double kSleeveFrom = 0.4, kSleeveTo = 1.2;  // of the upper arm, where a sleeve goes round it
constexpr int kAllRound = 24, kOneSided = 15;         // parts of the way round; those without cloth beside an arm
constexpr size_t kFewOfASleeve = 12;

// Where the hand was cut off, the end of the arm.
std::optional<LimbEnd> hand(const ProxyAnatomy& anatomy, BodyPart part) {
  const ArmJoints arm = anatomy.arm(part);
  if (!arm.found) return std::nullopt;
  const char* side = part == BodyPart::kLeftArm ? "left " : "right ";
  return LimbEnd{cat(side, arm.has_hand ? "hand" : "wrist"),       arm.elbow,   arm.elbow, arm.wrist,
                 {arm.wrist + kHandShare * (arm.tip - arm.wrist)}, arm.has_hand};
}

std::optional<LimbEnd> foot(const ProxyAnatomy& anatomy, BodyPart part) {
  const LegJoints leg = anatomy.leg(part);
  if (!leg.found) return std::nullopt;
  LimbEnd out{part == BodyPart::kLeftLeg ? "left foot" : "right foot", leg.hip, leg.knee, leg.ankle, {}};
  for (const Vec3& end : {leg.toe, leg.heel}) out.tips.push_back(leg.ankle + kFootShare * (end - leg.ankle));
  return out;
}

bool go_through(const std::vector<sim::Bone>& middles, const TriangleMesh& cloth) {
  std::vector<sim::RVec3> x;
  x.reserve(cloth.positions.size());
  for (const Vec3& p : cloth.positions) x.push_back(p.cast<sim::Real>());
  return sim::bones_through(middles, cloth.triangles, x) > 0;
}

std::vector<sim::Bone> middles_of(const LimbEnd& end, const std::vector<Vec3>& tips) {
  std::vector<sim::Bone> out;
  if (end.root != end.inner) out.push_back({end.root, end.inner});
  out.push_back({end.inner, end.joint});
  for (const Vec3& tip : tips) out.push_back({end.joint, tip});
  return out;
}

std::vector<sim::Bone> middles_of(const std::vector<Vec3>& head) {
  std::vector<sim::Bone> out;
  for (size_t k = 1; k < head.size(); ++k) out.push_back({head[k - 1], head[k]});
  return out;
}

Finding finding(const char* code, std::string message, const char* remedy) {
  Finding out;
  out.code = code, out.message = std::move(message), out.remedy = remedy;
  return out;
}

Finding comes_out(const std::string& limb, const char* where, const char* remedy) {
  return finding("LIMB_BESIDE_CLOTH",
                 cat("the ", limb, " comes out of the side of the cloth that is round the ", where), remedy);
}

}  // namespace

std::vector<LimbEnd> limb_ends(const ProxyAnatomy& anatomy) {
  std::vector<LimbEnd> out;
  for (const auto& end : {hand(anatomy, BodyPart::kLeftArm), hand(anatomy, BodyPart::kRightArm),
                          foot(anatomy, BodyPart::kLeftLeg), foot(anatomy, BodyPart::kRightLeg)}) {
    if (end) out.push_back(*end);
  }
  return out;
}

void keep_inside(const SurfaceQuery& skin, std::vector<LimbEnd>* ends) {
  constexpr double kBack = 0.1, kLeast = 0.3;  // of the way
  for (LimbEnd& end : *ends) {
    for (Vec3& tip : end.tips) {
      const Vec3 way = tip - end.joint;
      for (double share = 1.0; share > kLeast && skin.surface(tip, sim::kDeepestInside).distance > 0.0;) {
        share -= kBack;
        tip = end.joint + share * way;
      }
    }
  }
}

bool is_arm(const LimbEnd& end) { return end.tips.size() == 1; }

bool is_beside(const LimbEnd& end, const TriangleMesh& cloth) { return go_through(middles_of(end, end.tips), cloth); }

bool stays_beside(const LimbEnd& end, const TriangleMesh& cloth) {
  return go_through(middles_of(end, is_arm(end) ? end.tips : std::vector<Vec3>()), cloth);
}

std::vector<LimbEnd> beside(const std::vector<LimbEnd>& ends, const TriangleMesh& cloth) {
  std::vector<LimbEnd> out;
  std::copy_if(ends.begin(), ends.end(), std::back_inserter(out),
               [&](const LimbEnd& end) { return is_beside(end, cloth); });
  return out;
}

std::vector<UpperArm> upper_arms(const ProxyAnatomy& anatomy) {
  std::vector<UpperArm> out;
  for (const auto& [part, name] : {std::pair(BodyPart::kLeftArm, "left arm"), {BodyPart::kRightArm, "right arm"}}) {
    if (const ArmJoints arm = anatomy.arm(part); arm.found) out.push_back({name, arm.shoulder, arm.elbow});
  }
  return out;
}

std::vector<UpperArm> beside(const std::vector<UpperArm>& arms, const TriangleMesh& cloth) {
  std::vector<UpperArm> out;
  std::copy_if(arms.begin(), arms.end(), std::back_inserter(out), [&](const UpperArm& arm) {
    return go_through({{arm.shoulder, arm.elbow}}, cloth);
  });
  return out;
}

std::vector<int> sleeves_of(const UpperArm& arm, const GarmentMesh& garment) {
  const Vec3 way = arm.elbow - arm.shoulder, out = Vec3(way.x(), 0.0, way.z()).normalized();
  std::vector<int> sleeves;
  for (const std::vector<int>& panel : panel_vertices(garment)) {
    Vec3 sum = Vec3::Zero();
    double inmost = kFarFromShoulder;
    for (const int v : panel) {
      const Vec3 from = garment.placed[v] - arm.shoulder;
      inmost = std::min(inmost, from.dot(out));
      sum += from;
    }
    const Vec3 mean = sum / static_cast<double>(panel.size());
    if (inmost < -kOverShoulder || mean.dot(out) < kOverShoulder || mean.norm() > kFarFromShoulder) continue;
    sleeves.insert(sleeves.end(), panel.begin(), panel.end());
  }
  return sleeves;
}

bool hang_beside(const UpperArm& arm, const std::vector<int>& sleeves, const std::vector<Vec3>& at) {
  const Vec3 way = arm.elbow - arm.shoulder, along = way.normalized();
  const Vec3 side = along.unitOrthogonal(), front = along.cross(side);
  std::vector<bool> has_cloth(kAllRound);
  size_t count = 0;
  for (const int v : sleeves) {
    const Vec3 from = at[v] - arm.shoulder;
    const double share = from.dot(along) / way.norm();
    if (share < kSleeveFrom || share > kSleeveTo) continue;
    const double turn = std::atan2(from.dot(front), from.dot(side)) / (2.0 * std::numbers::pi) + 0.5;
    has_cloth[std::min(static_cast<size_t>(turn * kAllRound), has_cloth.size() - 1)] = true;
    ++count;
  }
  if (count < kFewOfASleeve) return false;
  int without = 0, most = 0;
  for (size_t part = 0; part < 2 * has_cloth.size(); ++part) {
    without = has_cloth[part % has_cloth.size()] ? 0 : without + 1;
    most = std::max(most, without);
  }
  return most >= kOneSided;
}

std::vector<Vec3> head_middle(const ProxyAnatomy& anatomy) {
  const std::vector<int>& head = anatomy.vertices(BodyPart::kHead);
  if (head.empty()) return {};
  std::vector<Vec3> out;
  for (const auto& [below, above] :
       {std::pair(BodyPart::kTorso, BodyPart::kNeck), {BodyPart::kNeck, BodyPart::kHead}}) {
    const PartBorder border = anatomy.border(below, above);
    if (border.vertex_count > 0) out.push_back(border.center);
  }
  if (out.empty()) return {};
  Vec3 crown = Vec3::Zero();
  double top = out.back().y();
  for (const int v : head) {
    const Vec3& p = anatomy.body().mesh.positions[v];
    crown += p / static_cast<double>(head.size());
    top = std::max(top, p.y());
  }
  crown.y() = top;
  out.push_back(out.back() + kHeadShare * (crown - out.back()));
  return out;
}

std::optional<Vec3> nose(const ProxyAnatomy& anatomy) {
  const std::vector<Vec3> middle = head_middle(anatomy);
  if (middle.size() < 2) return std::nullopt;
  Vec3 tip = middle.back();
  for (const int v : anatomy.vertices(BodyPart::kHead)) {
    const Vec3& p = anatomy.body().mesh.positions[v];
    if (p.z() > tip.z()) tip = p;
  }
  const Vec3 behind(middle.back().x(), tip.y(), middle.back().z());
  return Vec3(behind + kNoseShare * (tip - behind));
}

bool is_beside(const std::vector<Vec3>& head, const TriangleMesh& cloth) { return go_through(middles_of(head), cloth); }

std::vector<sim::Bone> bones(const GarmentMesh& garment) {
  std::vector<sim::Bone> out;
  const auto append = [&out](const std::vector<sim::Bone>& more) { out.insert(out.end(), more.begin(), more.end()); };
  for (const UpperArm& arm : garment.upper_arms) out.push_back({arm.shoulder, arm.elbow});
  append(middles_of(garment.head));
  if (garment.nose)
    out.push_back({Vec3(garment.head.back().x(), garment.nose->y(), garment.head.back().z()), *garment.nose});
  for (const LimbEnd& end : garment.limb_ends) append(middles_of(end, end.tips));
  return out;
}

std::vector<Finding> limb_findings(const GarmentMesh& garment, const WeldedMesh& cloth) {
  constexpr char kArmholes[] = "Take a size whose armholes are wider or lie where its shoulders do.";
  std::vector<Finding> out;
  for (const UpperArm& arm : beside(garment.upper_arms, cloth.mesh))
    out.push_back(comes_out(arm.name, "shoulder", kArmholes));
  for (const LimbEnd& end : beside(garment.limb_ends, cloth.mesh))
    out.push_back(comes_out(end.name, "limb", "Take a size whose sleeves or legs are shorter or wider there."));
  if (is_beside(garment.head, cloth.mesh))
    out.push_back(comes_out("head", "neck", "Take a size whose neckline or hood is wider."));
  std::vector<Vec3> at(garment.placed.size());
  for (size_t v = 0; v < at.size(); ++v) at[v] = cloth.mesh.positions[cloth.source[v]];
  for (const UpperArm& arm : garment.upper_arms) {
    if (!hang_beside(arm, sleeves_of(arm, garment), at)) continue;
    out.push_back(
        finding("SLEEVE_EMPTY", cat("the ", arm.name, " is outside its sleeve, which hangs empty"), kArmholes));
  }
  return out;
}

}  // namespace tryon
