#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>

#include "server/base/units.h"
#include "server/body/measure_parts.h"

namespace tryon {
namespace {

// Shares of the way from the shoulder point to the fingertip and from the elbow to it, after Drillis and Contini 1966:
// upper arm 0.186, forearm 0.146, hand 0.108 of the height.
constexpr double kElbow = 0.186 / 0.440;
constexpr double kElbowPull = 2.0;     // of that share against what a bend shows
constexpr double kElbowWindow = 0.08;  // of that way: half of what a straight arm's elbow is smoothed over
constexpr double kWristFrom = 0.42, kWristTo = 0.72;
constexpr double kWristSlide = 0.05;
constexpr double kWristWidth = 2.0;     // of a tape's: between hand and forearm a coarse mesh spans the hollow
constexpr double kRaisedFlank = 0.070;  // of the height: so far below a raised arm's pit the flank is as it was
constexpr double kLoweredDeg = 45.0;

class Arm {
 public:
  Arm(int side, BodyRuler* ruler)
      : side_(side),
        ruler_(*ruler),
        triangles_(triangles_of_parts(ruler->body(), {side == 0 ? BodyPart::kLeftArm : BodyPart::kRightArm})) {
    place_ends();
  }

  bool has_hand() const { return (tip_ - root_).norm() > 0.15 * ruler_.height(); }
  double angle_deg() const {
    const Vec3 axis = tip_ - root_;
    return degrees(std::atan2(-axis.y(), side_sign(side_) * axis.x()));
  }

  void mark_shoulder() {
    const double raised = 1.0 - std::clamp(angle_deg() / kLoweredDeg, 0.0, 1.0);
    const Vec3 out = side_sign(side_) * Vec3::UnitX();
    const Vec3 flank = ruler_.furthest(pit_.y() - kRaisedFlank * ruler_.height(), out);
    if (raised > 0) {
      shoulder_.x() += raised * (flank.x() - shoulder_.x());
      shoulder_ = ruler_.on_top(shoulder_.x(), shoulder_.z(), shoulder_.y());
    }
    ruler_.mark(sided(side_, "shoulder"), shoulder_);
    ruler_.mark(sided(side_, "armpit"), pit_);
    const double y = pit_.y() + 0.012 * ruler_.height();
    ruler_.mark(sided(side_, "armpit_front"), ruler_.on_surface(pit_.x(), y, 1));
    ruler_.mark(sided(side_, "armpit_back"), ruler_.on_surface(pit_.x(), y, -1));
  }

  void measure() {
    find_elbow();
    const Along upper(*this, root_, elbow_), lower(*this, elbow_, tip_);
    const Extremum wrist = find_smallest(kWristFrom, kWristTo, 0.01, [&](double s) { return lower.girth(s); });
    wrist_ = lower.middle(wrist.at);
    const auto wide = [&](double s) { return lower.tape(s, kWristWidth); };
    const Extremum thinnest = find_smallest(wrist.at - kWristSlide, wrist.at + kWristSlide, 0.01,
                                            [&](double s) { return length_or(NAN, wide(s).length); });
    const Extremum biceps = find_largest(0.40, 0.70, 0.02, [&](double s) { return upper.girth(s); });
    ruler_.mark(sided(side_, "elbow"), elbow_), ruler_.mark(sided(side_, "wrist"), wrist_);
    ruler_.mark(sided(side_, "fingertip"), tip_);
    const Vec3 bend = (elbow_ - root_).normalized() + (tip_ - elbow_).normalized();
    const Tape elbow = tape_of_width(0.0, ruler_.tape_width(), [&](double along) {
      return tape_round_flesh(cut(elbow_ + along * bend.normalized(), bend), bend);
    });
    set_girth("upper_arm_girth", upper.tape(biceps.at));
    set_girth("elbow_girth", elbow);
    set_girth("wrist_girth", wide(thinnest.at));
    const Extremum forearm = find_largest(0.05, 0.40, 0.02, [&](double s) { return lower.girth(s); });
    set_girth("forearm_girth", lower.tape(forearm.at));
    lengths();
  }

 private:
  // Cuts across the straight line between two points, by the share of the way.
  class Along {
   public:
    Along(const Arm& arm, const Vec3& from, const Vec3& to)
        : arm_(arm),
          from_(from),
          axis_((to - from).normalized()),
          length_((to - from).norm()),
          slicer_(arm.ruler_.body().mesh, &arm.triangles_, axis_) {}
    Tape tape(double share, double widths = 1.0) const {
      return tape_of_width(share, widths * arm_.ruler_.tape_width() / length_,
                           [&](double s) { return tape_round_flesh(points(s), axis_); });
    }
    double girth(double share) const { return length_or(NAN, hull_perimeter(points(share), axis_)); }
    Vec3 middle(double share) const {
      const Vec3 at = from_ + share * length_ * axis_;
      const SliceLoop* best = nullptr;
      const auto loops = slicer_.at(at.dot(axis_));
      for (const SliceLoop& loop : loops) {
        if (loop.area < 0.15 * loops[0].area) continue;
        if (best == nullptr || (loop.centroid - at).norm() < (best->centroid - at).norm()) best = &loop;
      }
      return best == nullptr ? at : best->centroid;
    }

   private:
    // All of a cut that is arm here, so that a torn scan's open pieces count together.
    std::vector<Vec3> points(double share) const {
      const Vec3 at = from_ + share * length_ * axis_;
      return arm_.near_only(slicer_.at(at.dot(axis_)), at);
    }
    const Arm& arm_;
    Vec3 from_, axis_;
    double length_;
    LevelSlicer slicer_;
  };

  std::vector<Vec3> near_only(const std::vector<SliceLoop>& loops, const Vec3& at) const {
    std::vector<Vec3> points;
    for (const SliceLoop& loop : loops) {
      if ((loop.centroid - at).norm() > 0.07 * ruler_.height()) continue;
      points.insert(points.end(), loop.points.begin(), loop.points.end());
    }
    return points;
  }
  std::vector<Vec3> cut(const Vec3& at, const Vec3& axis) const {
    return near_only(slice_mesh(ruler_.body().mesh, &triangles_, at, axis), at);
  }

  // Shoulder point, armpit, middle of the cut between them, fingertip.
  void place_ends() {
    const BodyLevels& levels = ruler_.levels();
    const ArmCut& arm_cut = levels.arm[side_];
    shoulder_ = levels.cut_point(side_, arm_cut.top_across, arm_cut.top_y, 0);
    pit_ = levels.cut_point(side_, arm_cut.pit_across, arm_cut.pit_y, 0);
    root_ = 0.5 * (shoulder_ + pit_);
    const Vec3 up = (shoulder_ - pit_).normalized();
    const auto loops = slice_mesh(ruler_.body().mesh, nullptr, root_, Vec3(up.y(), -up.x(), 0));
    const SliceLoop* nearest = nullptr;
    for (const SliceLoop& loop : loops) {
      if (loop.area < 0.15 * loops[0].area) continue;
      if (nearest == nullptr || (loop.centroid - root_).norm() < (nearest->centroid - root_).norm()) nearest = &loop;
    }
    if (nearest != nullptr) {
      root_.z() = pit_.z() = nearest->centroid.z();
      shoulder_.z() =
          std::max_element(nearest->points.begin(), nearest->points.end(), [](const Vec3& a, const Vec3& b) {
            return a.y() < b.y();
          })->z();
    }
    const BodyPart part = side_ == 0 ? BodyPart::kLeftArm : BodyPart::kRightArm;
    tip_ = root_;
    for (int v = 0; v < ruler_.body().mesh.vertex_count(); ++v) {
      const Vec3& p = ruler_.body().mesh.positions[v];
      if (ruler_.body().part[v] == part && (p - root_).norm() > (tip_ - root_).norm()) tip_ = p;
    }
  }

  // A bent arm's elbow is where its middle line is furthest from the chord; a straight one's stands at its usual share.
  void find_elbow() {
    const Along chord(*this, root_, tip_);
    const double reach = (tip_ - root_).norm();
    const double ahead = (root_ - shoulder_).dot(tip_ - root_) / (reach * reach);
    const double usual = kElbow * (1.0 + ahead) - ahead;  // as a share of the way from the root
    auto score = [&](double share) {
      const Vec3 off = chord.middle(share) - (root_ + share * (tip_ - root_));
      return off.norm() / reach - kElbowPull * (share - usual) * (share - usual);
    };
    elbow_ = chord.middle(find_peak(usual - 0.12, usual + 0.12, 0.02, kElbowWindow, score).at);
  }

  // Away from the body for a straight arm, away from the inside of the elbow for a bent one.
  Vec3 outward() const {
    const Vec3 axis = (wrist_ - root_).normalized();
    const Vec3 across = side_sign(side_) * Vec3::UnitZ().cross(axis);
    const Vec3 bend = (elbow_ - 0.5 * (root_ + wrist_)) / (wrist_ - root_).norm();
    const Vec3 out = across + 8.0 * bend;
    return (out - out.dot(axis) * axis).normalized();
  }

  Vec3 outermost(const Vec3& at, const Vec3& axis, const Vec3& out) const {
    Vec3 best = at;
    for (const Vec3& p : cut(at, axis)) {
      if (p.dot(out) > best.dot(out)) best = p;
    }
    return best;
  }

  void lengths() {
    const Vec3 out = outward();
    const Vec3 elbow = outermost(elbow_, (elbow_ - root_).normalized() + (wrist_ - elbow_).normalized(), out);
    const Vec3 wrist = outermost(wrist_, wrist_ - elbow_, out);
    const double reach = 0.06 * ruler_.height();
    const Tape upper = ruler_.tape_on_body(shoulder_, elbow, out, reach);
    const Tape lower = ruler_.tape_on_body(elbow, wrist, out, reach);
    const Tape whole = joined_tapes(upper, lower);
    ruler_.set_side(side_, "upper_arm_length", upper, shoulder_.y());
    ruler_.set_side(side_, "lower_arm_length", lower, elbow.y());
    ruler_.set_side(side_, "arm_length", whole, shoulder_.y());
    ruler_.set_side(side_, "hand_length", tape_through({wrist_, tip_}), wrist_.y());
  }

  void set_girth(const std::string& name, const Tape& tape) {
    Vec3 middle = Vec3::Zero();
    for (const Vec3& p : tape.points) middle += p / static_cast<double>(tape.points.size());
    ruler_.set_side(side_, name, tape, middle.y());
  }

  int side_;
  BodyRuler& ruler_;
  std::vector<int> triangles_;
  Vec3 shoulder_, pit_, root_, elbow_, wrist_, tip_;
};

}  // namespace

std::optional<double> measure_arm(int side, BodyRuler* ruler) {
  Arm arm(side, ruler);
  arm.mark_shoulder();
  if (!arm.has_hand()) return std::nullopt;
  arm.measure();
  return arm.angle_deg();
}

}  // namespace tryon
