// What it is: the mannequin's proportions: where the cross-sections of trunk, head, leg, foot, arm and hand lie and how
// they are shaped, before the thin plate smooths the joints. A level is a height as a share of the default figure's.
// Units and frame: metres, +Y up, facing +Z; angle 0 = the person's left (+X), 90 degrees = front. Limbs: left ones.
// How it fails: it does not. Thread rules: const after construction.
#pragma once

#include "server/body/mannequin_curve.h"
#include "server/body/mannequin_figure.h"

namespace tryon {

// Levels of the default figure, as shares of its height.
namespace level {
inline constexpr double kCrotch = 0.4583, kTrunkStart = 0.470, kHip = 0.503, kWaist = 0.622, kUnderBust = 0.685,
                        kBust = 0.722, kHoleBottom = 0.756, kHoleTop = 0.812, kShoulder = 0.818, kNeckBase = 0.848,
                        kNeck = 0.864, kChin = 0.886, kBrow = 0.945;
}  // namespace level

// Shares of the leg (crotch = 1), of the arm (wrist = 1; the hand goes on to 2) and of the foot (ankle = 0, toe = 1).
namespace leg {
inline constexpr double kKnee = 0.575, kCalf = 0.42, kAnkle = 0.125;
inline constexpr double kThighBelowCrotch = 0.030;  // metres
}  // namespace leg
namespace arm {
inline constexpr double kUpper = 0.30, kElbow = 0.57, kWrist = 1.0;
}  // namespace arm

class Sections {
 public:
  Sections(const MannequinTable& table, const FigureKnobs& knobs);

  double unit() const { return unit_; }  // this figure's height over the default's
  double height_of(double trunk_level) const;
  Vec3 trunk(double trunk_level, double angle) const;
  Vec3 shoulder_tip() const;
  Vec3 head_top() const;
  Vec3 crotch_point() const;

  Vec3 leg(double y, double angle) const;  // y from the ankle to above the crotch
  Vec3 foot(double share, double angle) const;
  Vec3 toe_tip() const;

  Vec3 arm(double share, double angle) const;  // angle 0 = up and away from the body, 90 degrees = front
  Vec3 finger_tip() const;
  Vec3 arm_center(double share) const;
  Vec3 arm_direction() const;
  double arm_leaves_trunk() const;  // share at which its underside is clear of the chest

 private:
  Vec2 face(double at, double angle) const;  // metres aside and ahead
  MannequinTable table_;
  FigureKnobs knobs_;
  double unit_;   // height over the default height
  double belly_;  // 0: none
  double height_, inside_leg_;
  MonotoneCurve trunk_scale_, trunk_width_scale_, leg_scale_, arm_scale_;
};

}  // namespace tryon
