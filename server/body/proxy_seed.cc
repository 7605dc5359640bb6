#include "server/body/proxy_seed.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <initializer_list>
#include <limits>

namespace tryon {
namespace {

constexpr double kFar = std::numeric_limits<double>::infinity();
constexpr double kSpacing = 0.018;  // metres between dense levels
constexpr double kLobe = 0.42;      // where a side strand of the trunk begins, in half widths
constexpr double kTwin = 0.12;      // and one of a limb's two
// A millimetre on an arm is a larger share of its girth than on the trunk; heads and hands are not draped.
constexpr double kTrunkWeight = 1.0, kArmWeight = 6.0, kLegWeight = 3.0, kEndWeight = 0.3;

enum Group { kTrunk, kLobes, kNeck, kHead, kHands, kFeet, kLimbs };  // limbs: two a bone from here on

// An ellipse of the points' box proportions that holds them.
StrandLevel box_ellipse(const std::vector<Vec2>& points, double height) {
  Eigen::AlignedBox2d box;
  for (const Vec2& p : points) box.extend(p);
  StrandLevel level{height, box.center(), (0.5 * box.sizes()).cwiseMax(0.004)};
  double most = 0.25;
  for (const Vec2& p : points) most = std::max(most, (p - level.center).cwiseQuotient(level.radii).squaredNorm());
  level.radii *= std::sqrt(most);
  return level;
}

// What a level is first fitted to, from the points of its band.
using Shaper = std::function<void(std::vector<Vec2>* points)>;

void whole_section(std::vector<Vec2>*) {}

// Keeps what lies within `share` of the half width of the middle.
Shaper middle_section(double share) {
  return [=](std::vector<Vec2>* points) {
    double low = kFar, high = -kFar;
    for (const Vec2& p : *points) low = std::min(low, p.x()), high = std::max(high, p.x());
    const double middle = 0.5 * (low + high), half = 0.5 * (high - low);
    std::erase_if(*points, [&](const Vec2& p) { return std::abs(p.x() - middle) > share * half; });
  };
}

// Keeps what lies beyond `share` of the half width on one side of the middle, along u (0) or v (1), and mirrors it.
Shaper side_section(int along, double side, double share) {
  return [=](std::vector<Vec2>* points) {
    double low = kFar, high = -kFar;
    for (const Vec2& p : *points) low = std::min(low, p[along]), high = std::max(high, p[along]);
    const double middle = 0.5 * (low + high) + side * share * 0.5 * (high - low);
    std::erase_if(*points, [&](const Vec2& p) { return side * (p[along] - middle) < 0.0; });
    const size_t count = points->size();
    for (size_t i = 0; i < count; ++i) {
      Vec2 mirrored = (*points)[i];
      mirrored[along] = 2.0 * middle - mirrored[along];
      points->push_back(mirrored);
    }
  };
}

// Dense levels from low to high; bands without points take after their neighbours.
void seed_levels(const std::vector<Vec3>& local, double low, double high, const Shaper& shape, Strand* strand) {
  if (!(high - low > kSpacing)) return;
  const int count = std::max(3, static_cast<int>((high - low) / kSpacing) + 1);
  const double step = (high - low) / (count - 1);
  std::vector<std::vector<Vec2>> band(count);
  for (const Vec3& p : local) {
    const double place = (p.z() - low) / step;
    const int below = static_cast<int>(std::floor(place));
    for (const int i : {below, below + 1}) {
      if (i >= 0 && i < count && std::abs(place - i) < 0.75) band[i].push_back(p.head<2>());
    }
  }
  for (int i = 0; i < count; ++i) {
    if (band[i].size() >= 3) shape(&band[i]);
    if (band[i].size() >= 3) strand->levels.push_back(box_ellipse(band[i], low + step * i));
  }
  if (strand->levels.empty()) return;
  StrandLevel first = strand->levels.front(), last = strand->levels.back();
  if (first.height > low + 1e-9) first.height = low, strand->levels.insert(strand->levels.begin(), first);
  if (last.height < high - 1e-9) last.height = high, strand->levels.push_back(last);
}

// Where a part was cut off its end is a dome: its last ellipse goes on straight to the top.
void seed_blunt(const std::vector<Vec3>& local, double low, double dome, const Shaper& shape, Strand* strand) {
  double high = low;
  for (const Vec3& p : local) high = std::max(high, p.z());
  seed_levels(local, low, high - dome, shape, strand);
  if (!strand->levels.empty()) strand->levels.push_back(strand->levels.back()), strand->levels.back().height = high;
}

class Seeder {
 public:
  Seeder(const ProxyAnatomy& anatomy, const Skin& skin) : anatomy_(anatomy), skin_(skin) {}
  void add_trunk();
  void add_head();
  void add_arm(BodyPart part);
  void add_leg(BodyPart part);
  void add_foot(BodyPart part);
  SeededStrands result() { return std::move(out_); }

 private:
  std::vector<Vec3> local_points(std::initializer_list<BodyPart> parts, const Strand& strand) const;
  void add_arm_bone(BodyPart part, const ArmJoints& joints, int bone, double side);

  const ProxyAnatomy& anatomy_;
  const Skin& skin_;
  SeededStrands out_;
};

std::vector<Vec3> Seeder::local_points(std::initializer_list<BodyPart> parts, const Strand& strand) const {
  std::vector<Vec3> out;
  for (size_t i = 0; i < skin_.points.size(); ++i) {
    if (std::find(parts.begin(), parts.end(), skin_.part[i]) != parts.end())
      out.push_back(strand.local(skin_.points[i]));
  }
  return out;
}

void Seeder::add_trunk() {
  Strand trunk;
  trunk.claims = part_bit(BodyPart::kTorso) | part_bit(BodyPart::kNeck);
  trunk.open_high = true;
  const std::vector<Vec3> points = local_points({BodyPart::kTorso}, trunk);
  const double low = anatomy_.crotch(), high = anatomy_.neck_base();
  seed_levels(points, low, high + 0.01, middle_section(0.6), &trunk);
  out_.add(std::move(trunk), kTrunk, kTrunkWeight);
  for (const double side : {1.0, -1.0}) {
    Strand lobe;
    lobe.claims = part_bit(BodyPart::kTorso);
    lobe.open_low = lobe.open_high = true;
    seed_levels(points, low, high - 0.03, side_section(0, side, kLobe), &lobe);
    out_.add(std::move(lobe), kLobes, kTrunkWeight);
  }
}

void Seeder::add_head() {
  Strand neck;
  neck.part = BodyPart::kNeck;
  neck.claims = part_bit(BodyPart::kNeck) | part_bit(BodyPart::kHead);
  neck.open_low = neck.open_high = true;
  const PartBorder jaw = anatomy_.border(BodyPart::kNeck, BodyPart::kHead);
  const PartBorder base = anatomy_.border(BodyPart::kTorso, BodyPart::kNeck);
  const Vec3 from = base.vertex_count > 0 ? base.center : Vec3(0, anatomy_.neck_base(), 0);
  aim_strand(from, from + anatomy_.neck_axis(), Vec3::UnitX(), &neck);
  const std::vector<Vec3> points = local_points({BodyPart::kNeck}, neck);
  neck.open_high = jaw.vertex_count > 0;
  const double low_end = -0.03;
  neck.open_high ? seed_levels(points, low_end, neck.local(jaw.center).z() + 0.03, whole_section, &neck)
                 : seed_blunt(points, low_end, 0.012, whole_section, &neck);
  out_.add(std::move(neck), kNeck, kTrunkWeight);
  Strand head;
  head.part = BodyPart::kHead;
  head.claims = part_bit(BodyPart::kHead);
  double low = kFar, high = -kFar;
  for (const int v : anatomy_.vertices(BodyPart::kHead)) {
    low = std::min(low, anatomy_.body().mesh.positions[v].y());
    high = std::max(high, anatomy_.body().mesh.positions[v].y());
  }
  seed_levels(local_points({BodyPart::kHead}, head), low, high, whole_section, &head);
  out_.add(std::move(head), kHead, kEndWeight);
}

void Seeder::add_arm(BodyPart part) {
  const ArmJoints joints = anatomy_.arm(part);
  if (!joints.found) return;
  for (int bone = 0; bone < 2; ++bone) {
    for (const double side : {-1.0, 1.0}) add_arm_bone(part, joints, bone, side);
  }
  if (!joints.has_hand) return;
  Strand hand;
  hand.part = part;
  hand.claims = part_bit(part);
  hand.open_low = hand.compact = true;
  aim_strand(joints.wrist, joints.tip, Vec3::UnitZ(), &hand);
  const std::vector<Vec3> local = local_points({part}, hand);
  double high = -kFar;
  for (const Vec3& p : local) high = std::max(high, p.z());
  seed_levels(local, -0.01, high, whole_section, &hand);
  out_.add(std::move(hand), kHands, kEndWeight);
}

// u is forward in the arm's section, on either side of the body.
void Seeder::add_arm_bone(BodyPart part, const ArmJoints& joints, int bone, double side) {
  const bool upper = bone == 0;
  Strand arm;
  arm.part = part;
  arm.claims = part_bit(part) | (upper ? part_bit(BodyPart::kTorso) : 0u);
  arm.open_low = arm.open_high = true;
  const Vec3 &from = upper ? joints.shoulder : joints.elbow, &to = upper ? joints.elbow : joints.wrist;
  aim_strand(from, to, Vec3::UnitZ(), &arm);
  const std::vector<Vec3> local = local_points({part}, arm);
  double low = upper ? joints.pit : -0.01, high = (to - from).norm() + 0.01;
  const bool blunt = !upper && !joints.has_hand;
  arm.open_high = !blunt;
  const Shaper shape = side_section(0, side, kTwin);
  blunt ? seed_blunt(local, low, 0.012, shape, &arm) : seed_levels(local, low, high, shape, &arm);
  if (upper && !arm.levels.empty()) {  // up to the joint, where the section is not whole
    const StrandLevel whole = arm.levels.front();
    double first = 0.0;
    for (const Vec3& p : local) first = std::min(first, p.z());
    for (double h = low - kSpacing; h > first - kSpacing; h -= kSpacing) {
      arm.levels.insert(arm.levels.begin(), {h, whole.center, 0.9 * whole.radii});
    }
  }
  out_.add(std::move(arm), kLimbs + 2 * bone + (side > 0 ? 1 : 0), kArmWeight);
}

// Thigh and shank, each with a strand before and one behind; the thigh goes on into the trunk.
void Seeder::add_leg(BodyPart part) {
  const LegJoints joints = anatomy_.leg(part);
  if (!joints.found) return;
  for (const bool upper : {true, false}) {
    for (const double side : {-1.0, 1.0}) {
      Strand leg;
      leg.part = part;
      leg.claims = part_bit(part) | (upper ? part_bit(BodyPart::kTorso) : 0u);
      leg.open_low = leg.open_high = true;
      const Vec3 &from = upper ? joints.knee : joints.ankle, &to = upper ? joints.hip : joints.knee;
      aim_strand(from, to, Vec3::UnitX(), &leg);
      const double low = upper ? -0.01 : -0.2 * joints.ankle.y(), high = (to - from).norm() + (upper ? 0.05 : 0.01);
      seed_levels(local_points({part}, leg), low, high, side_section(1, side, kTwin), &leg);
      out_.add(std::move(leg), kLimbs + (upper ? 4 : 6) + (side > 0 ? 1 : 0), kLegWeight);
    }
  }
}

void Seeder::add_foot(BodyPart part) {
  const LegJoints joints = anatomy_.leg(part);
  if (!joints.found) return;
  Strand foot;
  foot.part = part;
  foot.claims = part_bit(part);

  const Vec3 from(joints.ankle.x(), 0, joints.ankle.z()), to(joints.toe.x(), 0, joints.toe.z());
  aim_strand(from, to, Vec3::UnitY(), &foot);
  std::vector<Vec3> local = local_points({part}, foot);
  std::erase_if(local, [&](const Vec3& p) { return p.x() > joints.ankle.y(); });
  double low = kFar, high = -kFar;
  for (const Vec3& p : local) low = std::min(low, p.z()), high = std::max(high, p.z());
  seed_levels(local, low, high, whole_section, &foot);
  out_.add(std::move(foot), kFeet, kEndWeight);
}

}  // namespace

void SeededStrands::add(Strand strand, int group_index, double weight) {
  if (strand.levels.size() < 3) return;
  strands.push_back(std::move(strand)), group.push_back(group_index), importance.push_back(weight);
}

SeededStrands seed_strands(const ProxyAnatomy& anatomy, const Skin& skin) {
  Seeder seeder(anatomy, skin);
  seeder.add_trunk();
  seeder.add_head();
  for (const BodyPart arm : {BodyPart::kLeftArm, BodyPart::kRightArm}) seeder.add_arm(arm);
  for (const BodyPart leg : {BodyPart::kLeftLeg, BodyPart::kRightLeg}) seeder.add_leg(leg), seeder.add_foot(leg);
  return seeder.result();
}

}  // namespace tryon
