#include "server/body/segment_crotch.h"

#include <algorithm>
#include <cmath>

#include "server/base/status.h"
#include "server/body/tape.h"

namespace tryon {
namespace {

// Shares of the height.
constexpr double kLowest = 0.35, kHighest = 0.58;  // where sections join
constexpr double kFreeLegs = 0.42;                 // joined lower than this: legs that touch
constexpr double kReach = 0.045;                   // a trunk goes so far to either side of the middle
constexpr double kNearMiddle = 0.06;               // sections that reach nearer are trunk or legs, not hands
constexpr double kRise = 0.006;                    // half the difference that gives the area's growth
constexpr double kSearch = 0.030, kFine = 0.015;   // about the level where sections join
constexpr double kGrowthSoftness = 1.0;            // of the growth, in sections' areas a height
constexpr double kOnset = 0.88;                    // of the fastest growth: here the sections join
constexpr double kDeep = 0.70;                     // of a trunk's greatest depth: in the middle it is deeper
constexpr double kCleftLow = 0.40, kCleftHigh = 0.53;
constexpr int kCleftSteps = 52;

struct Across {
  double low = 1e300, high = -1e300;
};

Across across(const SliceLoop& loop) {
  Across out;
  for (const Vec3& p : loop.points) out.low = std::min(out.low, p.x()), out.high = std::max(out.high, p.x());
  return out;
}

class Legs {
 public:
  Legs(const LevelSlicer& slicer, double height, double middle) : slicer_(slicer), height_(height), middle_(middle) {}

  // Does one loop cover both sides of the middle?
  bool joined(double y) const {
    for (const SliceLoop& loop : slicer_.at(y)) {
      const Across s = across(loop);
      const bool both = s.low < middle_ - kReach * height_ && s.high > middle_ + kReach * height_;
      if (both && s.high - s.low > 0.12 * height_) return true;
    }
    return false;
  }

  // Of all that is near the middle.
  double area(double y) const {
    double sum = 0.0;
    for (const SliceLoop& loop : slicer_.at(y)) {
      const Across s = across(loop);
      if (s.low < middle_ + kNearMiddle * height_ && s.high > middle_ - kNearMiddle * height_) sum += loop.area;
    }
    return sum;
  }

  // From where the area grows fastest down to where it begins to.
  double onset_of_growth(double about) const {
    const double scale = area(about), rise = kRise * height_;
    auto growth = [&](double y) { return (area(y + rise) - area(y - rise)) / (2 * rise) * height_ / scale; };
    double fastest = about;
    for (const double reach : {kSearch * height_, kFine * height_}) {
      fastest = find_blended(fastest - reach, fastest + reach, kGrowthSoftness, growth).at;
    }
    const double onset = kOnset * growth(fastest);
    return find_change(fastest, fastest - kFine * height_, 0.001 * height_,
                       [&](double y) { return growth(y) < onset; });
  }

  // How deep the trunk is in its middle, as a share of its greatest depth.
  double depth_in_the_middle(double y) const {
    double low = 1e300, high = -1e300, deepest[2] = {1e300, -1e300};
    for (const SliceLoop& loop : slicer_.at(y)) {
      const Across s = across(loop);
      if (s.low > middle_ || s.high < middle_) continue;
      for (size_t i = 0; i < loop.points.size(); ++i) {
        const Vec3 &a = loop.points[i], &b = loop.points[(i + 1) % loop.points.size()];
        deepest[0] = std::min(deepest[0], a.z()), deepest[1] = std::max(deepest[1], a.z());
        if ((a.x() > middle_) == (b.x() > middle_)) continue;
        const double z = a.z() + (middle_ - a.x()) / (b.x() - a.x()) * (b.z() - a.z());
        low = std::min(low, z), high = std::max(high, z);
      }
    }
    return high > low && deepest[1] > deepest[0] ? (high - low) / (deepest[1] - deepest[0]) : 0.0;
  }

 private:
  const LevelSlicer& slicer_;
  double height_, middle_;
};

absl::Status no_legs() {
  return invalid_input("BODY_NOT_HUMAN", "body",
                       "the crotch was not found: nothing below the waist parts into two legs",
                       "Send a scan of one standing person in A-pose, T-pose or with the arms down, arms clear of the "
                       "body and legs apart.");
}

absl::Status legs_hidden() {
  return invalid_input("BODY_LEGS_HIDDEN", "body",
                       "the legs cannot be told apart: from the hip to the knee the scan is one piece without a cleft, "
                       "as under a skirt or a coat",
                       "Scan the person in tight clothing, standing with the feet a hand's breadth apart.");
}

// The highest level below which the middle is no longer as deep as a trunk's.
absl::StatusOr<Crotch> crotch_of_closed_legs(const Legs& legs, double height) {
  const double step = (kCleftHigh - kCleftLow) / kCleftSteps * height;
  for (double y = kCleftHigh * height; y > kCleftLow * height; y -= step) {
    if (legs.depth_in_the_middle(y) >= kDeep) continue;
    if (y + step > kCleftHigh * height) break;  // no trunk above it either
    return Crotch{find_change(y + step, y, step, [&](double level) { return legs.depth_in_the_middle(level) < kDeep; }),
                  true};
  }
  return legs_hidden();
}

}  // namespace

absl::StatusOr<Crotch> find_crotch(const LevelSlicer& slicer, double height, double middle_x) {
  const Legs legs(slicer, height, middle_x);
  double ratio = kLowest;
  while (ratio < kHighest && !legs.joined(ratio * height)) ratio += 0.01;
  if (ratio >= kHighest) return no_legs();
  if (ratio < kFreeLegs) return crotch_of_closed_legs(legs, height);
  double low = (ratio - 0.01) * height, high = ratio * height;
  for (int i = 0; i < 8; ++i) {
    const double y = 0.5 * (low + high);
    (legs.joined(y) ? high : low) = y;
  }
  return Crotch{legs.onset_of_growth(high), false};
}

}  // namespace tryon
