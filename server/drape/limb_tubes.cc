#include "server/drape/limb_tubes.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>
#include <utility>
#include <vector>

#include "Eigen/Dense"
#include "server/drape/limb_ends.h"
#include "server/garment/separate.h"

namespace tryon {
namespace {

constexpr double kTubeRadius = 0.3;                 // m: what is farther from the limb in the mean is not round it
constexpr double kAlong = 0.15;                     // by how much a panel's length may differ from its way along
constexpr double kRoom = 0.012, kRound = 1.35;      // m and times, of the limb's least radius, round it
constexpr double kClosed = 1.9 * std::numbers::pi;  // the way round that a sleeve starts with at the most
constexpr double kBand = 0.02, kLongest = 2.0;      // m along a limb
constexpr double kBefore = 0.1;                     // m before elbow or knee, where pieces begin to be put round
constexpr double kCap = 0.25;                       // of the upper arm, below which a sleeve can be wrapped closer
constexpr double kBesideLeg = 0.03;                 // m that a skirt's edge starts outside the leg's middle
constexpr double kBesideMiddle = 0.05;              // m beside the body's middle plane: no sleeve reaches so far
constexpr double kBesideArm = 0.07;                 // m that a skirt's edge starts within the arm's middle
constexpr double kAboveElbow = 0.05;                // m that the top of what hangs within the forearms may lie
constexpr double kNoMore = 1e-6;                    // m
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

// Metres from the elbow or knee, as a function of the place on a panel: start + slope times it.
struct Along {
  double start = 0.0;
  Vec2 slope = Vec2::Zero();
  double at(const Vec2& flat) const { return start + slope.dot(flat); }
};

// How near to the body's middle plane, from the limb's side of it.
double inmost(const GarmentMesh& garment, const std::vector<int>& vertices, const LimbEnd& limb) {
  double out = kLongest;
  for (const int v : vertices) out = std::min(out, std::copysign(1.0, limb.joint.x()) * garment.placed[v].x());
  return out;
}

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
  if (!reaches || (is_arm(end) && inmost(garment, beyond, end) < kBesideMiddle)) return std::nullopt;
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

// The rest coordinates of a sleeve of one piece as lengths along the arm, from the elbow, and across it, from the
// middle between the edges that are sewn to each other.
class Unrolled {
 public:
  Unrolled(const std::vector<Vec2>& flat, const std::vector<int>& panel, const Along& along)
      : flat_(flat), along_(along), across_(Vec2(-along.slope.y(), along.slope.x()).normalized()) {
    for (const int v : panel) first_ = std::min(first_, this->along(v));
    for (const int v : panel) {
      edges_.resize(std::max(edges_.size(), band(v) + 1), {kLongest, -kLongest});
      auto& [low, high] = edges_[band(v)];
      low = std::min(low, across_.dot(flat_[v])), high = std::max(high, across_.dot(flat_[v]));
    }
  }
  double along(int v) const { return along_.at(flat_[v]); }
  double across(int v) const {
    const auto [low, high] = edges_near(v);
    return across_.dot(flat_[v]) - 0.5 * (low + high);
  }
  double width(int v) const {
    const auto [low, high] = edges_near(v);
    return high - low;
  }

 private:
  size_t band(int v) const { return static_cast<size_t>(std::min(along(v) - first_, kLongest) / kBand); }
  // Of a band may be one edge's vertex alone.
  std::pair<double, double> edges_near(int v) const {
    const size_t at = band(v);
    std::pair<double, double> out = edges_[at];
    for (size_t k = at > 0 ? at - 1 : 0; k < std::min(at + 2, edges_.size()); ++k)
      out = {std::min(out.first, edges_[k].first), std::max(out.second, edges_[k].second)};
    return out;
  }

  const std::vector<Vec2>& flat_;
  const Along along_;
  const Vec2 across_;
  double first_ = kLongest;
  std::vector<std::pair<double, double>> edges_;  // [band along the arm] across it
};

// A part of the arm and the side of it on which the sleeve's middle lies.
struct Section {
  Section(const Axis& part, const Vec3& middle)
      : axis(part), front((middle - middle.dot(part.along) * part.along).normalized()), side(part.along.cross(front)) {}
  Axis axis;
  Vec3 front, side;
};

// A sleeve of one piece starts half round the arm, as wide as it is at its widest: what is narrower at its end, or
// beside an arm that bends, would meet through it. So it goes round the arm's own middle, as near as that allows,
// beyond the elbow; with `whole`, the upper arm too, below the cap.
void wrap_round(const std::vector<int>& panel, const Along& fit, const LimbEnd& end, bool whole,
                const sim::Collider& body, GarmentMesh* garment) {
  const auto arm = std::find_if(garment->upper_arms.begin(), garment->upper_arms.end(),
                                [&](const UpperArm& other) { return other.elbow == end.inner; });
  if (arm == garment->upper_arms.end()) return;
  const Unrolled sleeve(garment->flat, panel, fit);
  const Axis upper(arm->shoulder, arm->elbow), fore(end);
  Vec3 middle = Vec3::Zero();
  for (const int v : panel) {
    const Axis& axis = sleeve.along(v) > 0.0 ? fore : upper;
    const Vec3& p = garment->placed[v];
    middle += p - axis.from - axis.at(p) * axis.along;
  }
  const Section above(upper, middle), below(fore, middle);
  double turning = 0.0;  // whether across goes with the turn or against it
  for (const int v : panel) turning += sleeve.across(v) * (garment->placed[v] - below.axis.from).dot(below.side);
  const double sense = turning < 0.0 ? -1.0 : 1.0, cap = kCap * upper.length - upper.length;
  for (const int v : panel) {
    const double t = sleeve.along(v);
    const double share = std::clamp(whole ? (t - cap) / (kCap * upper.length) : t / kBefore + 1.0, 0.0, 1.0);
    const Section& part = t > 0.0 ? below : above;
    const Vec3 on_axis = part.axis.from + (t > 0.0 ? t : upper.length + t) * part.axis.along;
    const double limb = std::max(0.0, -body.query(on_axis, sim::kDeepestInside).distance);
    const double radius = std::max(kRound * limb + kRoom, sleeve.width(v) / kClosed);
    const double turn = sense * sleeve.across(v) / radius;
    const Vec3 round = on_axis + radius * (std::cos(turn) * part.front + std::sin(turn) * part.side);
    garment->placed[v] = (1.0 - share) * garment->placed[v] + share * round;
  }
}

// Of a way that bends once on its way down, the place at this height.
Vec3 at_height(double y, const Vec3& top, const Vec3& bend, const Vec3& bottom) {
  const auto [above, below] = y > bend.y() ? std::pair(top, bend) : std::pair(bend, bottom);
  const double share = (above.y() - y) / std::max(above.y() - below.y(), 1e-6);
  return above + std::clamp(share, 0.0, 1.0) * (below - above);
}

// Bands of height from `top` down.
struct Bands {
  double top;
  size_t of(const Vec3& p) const { return static_cast<size_t>(std::clamp(top - p.y(), 0.0, kLongest) / kBand); }
  // [band] how far out a panel goes there, where out(p) is how far p lies.
  template <typename Out>
  std::vector<double> edge(const GarmentMesh& garment, const std::vector<int>& panel, const Out& out) const {
    std::vector<double> edge(1, 0.0);
    for (const int v : panel) {
      const Vec3& p = garment.placed[v];
      edge.resize(std::max(edge.size(), of(p) + 1), 0.0);
      edge[of(p)] = std::max(edge[of(p)], out(p));
    }
    return edge;
  }
};

}  // namespace

void turn_sleeves_to(const UpperArm& arm, GarmentMesh* garment) {
  const std::vector<int> sleeves = sleeves_of(arm, *garment);
  if (sleeves.empty()) return;
  Vec3 middle = Vec3::Zero();
  for (const int v : sleeves) middle += garment->placed[v] - arm.shoulder;
  const Eigen::Quaterniond turn = Eigen::Quaterniond::FromTwoVectors(middle, arm.elbow - arm.shoulder);
  for (const int v : sleeves) garment->placed[v] = arm.shoulder + turn * (garment->placed[v] - arm.shoulder);
}

bool spread_over(const LimbEnd& leg, GarmentMesh* garment) {
  const auto other = std::find_if(garment->limb_ends.begin(), garment->limb_ends.end(),
                                  [&](const LimbEnd& end) { return !is_arm(end) && end.name != leg.name; });
  if (other == garment->limb_ends.end()) return false;
  const double middle = 0.5 * (leg.root.x() + other->root.x()), side = leg.root.x() > middle ? 1.0 : -1.0;
  const auto out = [&](const Vec3& p) { return side * (p.x() - middle); };
  const Bands bands{leg.root.y()};
  bool any = false;
  for (const std::vector<int>& panel : panel_vertices(*garment)) {
    double inmost = kLongest;
    for (const int v : panel) inmost = std::min(inmost, out(garment->placed[v]));
    if (inmost > -kBesideLeg) continue;  // it is round one leg, or none
    const std::vector<double> edge = bands.edge(*garment, panel, out);
    for (const int v : panel) {
      Vec3& p = garment->placed[v];
      const double at = out(p), now = edge[bands.of(p)];
      const double least = out(at_height(p.y(), leg.root, leg.inner, leg.joint)) + kBesideLeg;
      if (p.y() > leg.root.y() || at <= 0.0 || now <= 0.0 || now >= least) continue;
      p.x() = middle + side * at * least / now;
      any = true;
    }
  }
  return any;
}

bool draw_in_from(const LimbEnd& arm, GarmentMesh* garment) {
  const double side = std::copysign(1.0, arm.joint.x());
  const Vec3& tip = arm.tips.front();
  const auto out = [&](const Vec3& p) { return side * p.x(); };
  const auto within = [&](double y) {  // how far out a panel may go
    return out(at_height(y, arm.inner, arm.joint, tip)) - kBesideArm + std::max(0.0, tip.y() - y);
  };
  const Bands bands{arm.inner.y()};
  bool any = false;
  for (const std::vector<int>& panel : panel_vertices(*garment)) {
    double top = 0.0;
    for (const int v : panel) top = std::max(top, garment->placed[v].y());
    if (top > bands.top + kAboveElbow || inmost(*garment, panel, arm) > kBesideMiddle) continue;
    const std::vector<double> edge = bands.edge(*garment, panel, out);
    for (const int v : panel) {
      Vec3& p = garment->placed[v];
      const size_t band = bands.of(p);
      const double most = within(bands.top - kBand * static_cast<double>(band)), now = edge[band];
      if (out(p) <= 0.0 || most <= kBesideMiddle || now <= most + kNoMore) continue;
      p.x() *= most / now;
      any = true;
    }
  }
  return any;
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
  const double wanted = push.above > 0.0 ? axis.length - push.above : farthest;
  if (tube.empty() || (push.above > 0.0 && farthest <= wanted)) return false;
  const double less = 1.0 - std::max(kShortest, wanted / farthest);
  for (const auto& [panel, fit] : tube) {
    for (const int v : panel) {
      const double flat = std::max(0.0, fit.at(garment->flat[v])), placed = std::max(0.0, axis.at(garment->placed[v]));
      garment->flat[v] -= less * flat / fit.slope.squaredNorm() * fit.slope;
      garment->placed[v] -= less * placed * axis.along;
    }
  }
  if (tube.size() == 1) {
    wrap_round(tube.front().first, tube.front().second, end, push.whole, body, garment);
  } else {
    std::vector<int> pieces;
    for (const auto& [panel, fit] : tube) pieces.insert(pieces.end(), panel.begin(), panel.end());
    put_round(pieces, axis, garment);
  }
  return true;
}

}  // namespace tryon
