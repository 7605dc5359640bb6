#include "server/drape/limb_ends.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>
#include <utility>

#include "Eigen/Dense"
#include "server/base/text.h"
#include "server/garment/separate.h"
#include "server/sim/collision/tangle.h"

namespace tryon {
namespace {

constexpr double kHandShare = 0.9, kFootShare = 0.7,
                 kHeadShare = 0.9;                  // of the way from the joint to the skin's farthest
constexpr double kTubeRadius = 0.3;                 // m: what is farther from the limb in the mean is not round it
constexpr double kAlong = 0.15;                     // by how much a panel's length may differ from its way along
constexpr double kRoom = 0.012, kRound = 1.35;      // m and times, of the limb's least radius, round it
constexpr double kClosed = 1.9 * std::numbers::pi;  // the way round that a sleeve starts with at the most
constexpr double kBand = 0.02, kLongest = 2.0;      // m along a limb
constexpr double kBefore = 0.1;                     // m before elbow or knee, where pieces begin to be put round
constexpr double kAtOnce = 1e-9;                    // m
constexpr double kCap = 0.25;                       // of the upper arm, below which a sleeve can be wrapped closer
constexpr double kOverShoulder = 0.06;              // m that a sleeve may reach in over the shoulder
constexpr double kFarFromShoulder = 0.5;            // m
constexpr double kShortest = 0.4;                   // of its length

// Along the limb, from elbow or knee.
struct Axis {
  Axis(const Vec3& start, const Vec3& end)
      : from(start), along((end - start).normalized()), length((end - start).norm()) {}
  explicit Axis(const LimbEnd& end) : Axis(end.inner, end.joint) {}
  double at(const Vec3& p) const { return (p - from).dot(along); }
  double off(const Vec3& p) const { return (p - from - at(p) * along).norm(); }

  Vec3 from, along;
  double length;  // to the joint
};

std::optional<LimbEnd> hand(const ProxyAnatomy& anatomy, BodyPart part) {
  const ArmJoints arm = anatomy.arm(part);
  if (!arm.found || !arm.has_hand) return std::nullopt;
  return LimbEnd{part == BodyPart::kLeftArm ? "left hand" : "right hand",
                 arm.elbow,
                 arm.wrist,
                 {arm.wrist + kHandShare * (arm.tip - arm.wrist)}};
}

std::optional<LimbEnd> foot(const ProxyAnatomy& anatomy, BodyPart part) {
  const LegJoints leg = anatomy.leg(part);
  if (!leg.found) return std::nullopt;
  LimbEnd out{part == BodyPart::kLeftLeg ? "left foot" : "right foot", leg.knee, leg.ankle, {}};
  for (const Vec3& end : {leg.toe, leg.heel}) out.tips.push_back(leg.ankle + kFootShare * (end - leg.ankle));
  return out;
}

using Middles = std::vector<std::pair<Vec3, Vec3>>;

bool go_through(const Middles& middles, const TriangleMesh& cloth) {
  const auto corner = [&](const Triangle& t, int k) { return sim::RVec3(cloth.positions[t[k]].cast<sim::Real>()); };
  return std::any_of(cloth.triangles.begin(), cloth.triangles.end(), [&](const Triangle& t) {
    const sim::RVec3 p = corner(t, 0), q = corner(t, 1), r = corner(t, 2);
    return std::any_of(middles.begin(), middles.end(), [&](const auto& m) {
      return sim::crossing_of(m.first.template cast<sim::Real>(), m.second.template cast<sim::Real>(), p, q, r)
          .has_value();
    });
  });
}

bool goes_through(const LimbEnd& end, const std::vector<Vec3>& tips, const TriangleMesh& cloth) {
  Middles middles = {{end.inner, end.joint}};
  for (const Vec3& tip : tips) middles.emplace_back(end.joint, tip);
  return go_through(middles, cloth);
}

Finding comes_out(const std::string& limb, const char* where, const char* remedy) {
  Finding finding;
  finding.code = "LIMB_BESIDE_CLOTH";
  finding.message = cat("the ", limb, " comes out of the side of the cloth that is round the ", where);
  finding.remedy = remedy;
  return finding;
}

// Metres from the elbow or knee, as a function of the place on a panel: start + slope times it.
struct Along {
  double start = 0.0;
  Vec2 slope = Vec2::Zero();
  double at(const Vec2& flat) const { return start + slope.dot(flat); }
};

// Of a panel that reaches beyond the joint and is round this limb.
std::optional<Along> along(const GarmentMesh& garment, const std::vector<int>& panel, const LimbEnd& end) {
  const Axis axis(end);
  std::vector<int> beyond;  // elbow or knee
  bool reaches = false;
  for (const int v : panel) {
    const double t = axis.at(garment.placed[v]);
    reaches = reaches || t > axis.length;
    if (t > 0.0) beyond.push_back(v);
  }
  if (!reaches) return std::nullopt;
  const auto mean_off = [&](const LimbEnd& from) {
    const Axis its(from);
    double sum = 0.0;
    for (const int v : beyond) sum += its.off(garment.placed[v]);
    return sum / static_cast<double>(beyond.size());
  };
  const double off = mean_off(end);
  const auto nearer = [&](const LimbEnd& other) { return mean_off(other) < off; };
  if (off > kTubeRadius || std::any_of(garment.limb_ends.begin(), garment.limb_ends.end(), nearer)) return std::nullopt;
  Eigen::MatrixX3d place(beyond.size(), 3);
  Eigen::VectorXd way(beyond.size());
  for (size_t k = 0; k < beyond.size(); ++k) {
    const auto row = static_cast<Eigen::Index>(k);
    place.row(row) << 1.0, garment.flat[beyond[k]].transpose();
    way[row] = axis.at(garment.placed[beyond[k]]);
  }
  const auto solver = place.colPivHouseholderQr();
  if (solver.rank() < 3) return std::nullopt;
  const Vec3 fit = solver.solve(way);
  if (std::abs(fit.tail<2>().norm() - 1.0) > kAlong) return std::nullopt;
  return Along{fit[0], fit.tail<2>()};
}

// Pieces before and behind a limb that is not in their middle would meet through it, or beside.
void put_round(const std::vector<int>& pieces, const Axis& axis, GarmentMesh* garment) {
  Eigen::MatrixX2d way(pieces.size(), 2);
  Eigen::MatrixX3d off(pieces.size(), 3);
  for (size_t k = 0; k < pieces.size(); ++k) {
    const Vec3& p = garment->placed[pieces[k]];
    const double t = axis.at(p), counts = t > 0.0 ? 1.0 : 0.0;
    way.row(static_cast<Eigen::Index>(k)) << counts, counts * t;
    off.row(static_cast<Eigen::Index>(k)) = counts * (p - axis.from - t * axis.along).transpose();
  }
  const Eigen::Matrix<double, 2, 3> middle = way.colPivHouseholderQr().solve(off);
  for (const int v : pieces) {
    const double t = axis.at(garment->placed[v]), share = std::clamp(t / kBefore + 1.0, 0.0, 1.0);
    garment->placed[v] -= share * (middle.row(0) + std::max(t, 0.0) * middle.row(1)).transpose();
  }
}

// A sleeve of one piece is as wide round as it is at its widest: what is narrower at its end would meet through the
// arm.
// So it is beyond `from`, m along the limb, and wholly so `over` metres farther.
void wrap_closer(const std::vector<int>& vertices, const Axis& axis, double from, double over,
                 const sim::Collider& body, GarmentMesh* garment) {
  struct Place {
    int vertex;
    double along;
    Vec3 beside;  // the axis
  };
  std::vector<Place> places;
  Vec3 middle = Vec3::Zero();
  for (const int v : vertices) {
    const Vec3& p = garment->placed[v];
    const double t = axis.at(p);
    if (t <= from) continue;
    places.push_back({v, t, p - axis.from - t * axis.along});
    middle += places.back().beside;
  }
  const Vec3 front = middle.normalized(), side = axis.along.cross(front);
  const auto angle = [&](const Place& p) { return std::atan2(p.beside.dot(side), p.beside.dot(front)); };
  const auto band = [](const Place& p) { return static_cast<size_t>(std::min(p.along, kLongest) / kBand); };
  std::vector<double> width;  // round the limb, in each band along it
  for (const Place& p : places) {
    width.resize(std::max(width.size(), band(p) + 1), 0.0);
    width[band(p)] = std::max(width[band(p)], 2.0 * std::abs(angle(p)) * p.beside.norm());
  }
  for (const Place& p : places) {
    const double before = p.beside.norm();
    if (before < kRoom) continue;
    const Vec3 on_axis = axis.from + p.along * axis.along;
    const double limb = std::max(0.0, -body.query(on_axis, sim::kDeepestInside).distance);
    const double radius = std::min(before, std::max(kRound * limb + kRoom, width[band(p)] / kClosed));
    const double turn = angle(p) * before / radius;
    const Vec3 closer = on_axis + radius * (std::cos(turn) * front + std::sin(turn) * side);
    const double share = std::min(1.0, (p.along - from) / over);
    garment->placed[p.vertex] = (1.0 - share) * garment->placed[p.vertex] + share * closer;
  }
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

bool is_hand(const LimbEnd& end) { return end.tips.size() == 1; }

bool is_beside(const LimbEnd& end, const TriangleMesh& cloth) { return goes_through(end, end.tips, cloth); }

bool stays_beside(const LimbEnd& end, const TriangleMesh& cloth) {
  return goes_through(end, is_hand(end) ? end.tips : std::vector<Vec3>(), cloth);
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

bool is_beside(const std::vector<Vec3>& head, const TriangleMesh& cloth) {
  Middles middles;
  for (size_t k = 1; k < head.size(); ++k) middles.emplace_back(head[k - 1], head[k]);
  return go_through(middles, cloth);
}

void turn_sleeves_to(const UpperArm& arm, GarmentMesh* garment) {
  const Vec3 way = arm.elbow - arm.shoulder, out = Vec3(way.x(), 0.0, way.z()).normalized();
  std::vector<int> sleeves;
  Vec3 middle = Vec3::Zero();
  for (const std::vector<int>& panel : panel_vertices(*garment)) {
    double inmost = kLongest;
    Vec3 sum = Vec3::Zero();
    for (const int v : panel) {
      inmost = std::min(inmost, (garment->placed[v] - arm.shoulder).dot(out));
      sum += garment->placed[v] - arm.shoulder;
    }
    const Vec3 mean = sum / static_cast<double>(panel.size());
    if (inmost < -kOverShoulder || mean.dot(out) < kOverShoulder || mean.norm() > kFarFromShoulder) continue;
    sleeves.insert(sleeves.end(), panel.begin(), panel.end());
    middle += sum;
  }
  if (sleeves.empty()) return;
  const Eigen::Quaterniond turn = Eigen::Quaterniond::FromTwoVectors(middle, way);
  for (const int v : sleeves) garment->placed[v] = arm.shoulder + turn * (garment->placed[v] - arm.shoulder);
}

std::vector<Finding> limb_findings(const GarmentMesh& garment, const TriangleMesh& cloth) {
  std::vector<Finding> out;
  for (const UpperArm& arm : beside(garment.upper_arms, cloth))
    out.push_back(
        comes_out(arm.name, "shoulder", "Take a size whose armholes are wider or lie where its shoulders do."));
  for (const LimbEnd& end : beside(garment.limb_ends, cloth))
    out.push_back(comes_out(end.name, "limb", "Take a size whose sleeves or legs are shorter or wider there."));
  if (is_beside(garment.head, cloth))
    out.push_back(comes_out("head", "neck", "Take a size whose neckline or hood is wider."));
  return out;
}

bool push_up(const LimbEnd& end, const PushUp& push, const sim::Collider& body, GarmentMesh* garment) {
  const Axis axis(end);
  std::vector<std::pair<std::vector<int>, Along>> tube;
  double farthest = 0.0;
  for (std::vector<int>& panel : panel_vertices(*garment)) {
    const std::optional<Along> fit = along(*garment, panel, end);
    if (!fit) continue;
    for (const int v : panel) farthest = std::max(farthest, fit->at(garment->flat[v]));
    tube.emplace_back(std::move(panel), *fit);
  }
  const double wanted = axis.length - push.above;
  if (farthest <= wanted) return false;
  const double less = 1.0 - std::max(kShortest, wanted / farthest);
  for (const auto& [panel, fit] : tube) {
    for (const int v : panel) {
      const double flat = std::max(0.0, fit.at(garment->flat[v])), placed = std::max(0.0, axis.at(garment->placed[v]));
      garment->flat[v] -= less * flat / fit.slope.squaredNorm() * fit.slope;
      garment->placed[v] -= less * placed * axis.along;
    }
  }
  if (tube.size() == 1) {
    std::vector<int> above, below;  // the elbow or knee
    for (const int v : tube.front().first) (axis.at(garment->placed[v]) > 0.0 ? below : above).push_back(v);
    for (const UpperArm& arm : garment->upper_arms) {
      if (!push.whole || arm.elbow != end.inner) continue;
      const Axis upper(arm.shoulder, arm.elbow);
      wrap_closer(above, upper, kCap * upper.length, kCap * upper.length, body, garment);
    }
    wrap_closer(below, axis, 0.0, kAtOnce, body, garment);
  } else {
    std::vector<int> pieces;
    for (const auto& [panel, fit] : tube) pieces.insert(pieces.end(), panel.begin(), panel.end());
    put_round(pieces, axis, garment);
  }
  return true;
}

}  // namespace tryon
