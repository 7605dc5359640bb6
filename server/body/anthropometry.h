// What it is: how the measurements of people go together: a multivariate normal of their logarithms for women, men and
// both, and the regression of what is not known on what is. Logarithms, because people's girths are skewed to the right
// and because a regression between them then keeps proportions.
// Units: mm. Sources: means, deviations and correlations of height, shoulder, bust, waist, high hip, hip, thigh, knee,
// calf, ankle, upper arm and wrist are those of 260 women and 247 men in G. Heinz, L. J. Peterson, R. W. Johnson, C. J.
// Kerk, "Exploring Relationships in Body Dimensions", Journal of Statistics Education 11(2), 2003 (0.9 of the
// biacromial breadth for the shoulder, girth at the navel for the high hip, flexed biceps for the upper arm, as that
// survey takes them). Arm length is 0.332 of the height (R. Drillis, R. Contini, "Body Segment Parameters", New York
// University, 1966). Neck, under-bust, elbow, head, inside leg and back length are this project's own proportions, not
// a survey's. Below three deviations under the survey's mean height all sizes shrink in proportion: a rule for
// children, not data. How it fails: it does not. Thread rules: immutable after construction.
#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "Eigen/Core"

namespace tryon {

enum class FigureType { kNeutral, kFemale, kMale };  // whose statistics and whose chest

enum class Item {
  kHeight,
  kShoulderWidth,
  kBust,
  kWaist,
  kHighHip,
  kHip,
  kThigh,
  kKnee,
  kCalf,
  kAnkle,
  kUpperArm,
  kWrist,
  kNeck,
  kUnderBust,
  kElbow,
  kHead,
  kArmLength,
  kInsideLeg,
  kBackLength
};
inline constexpr int kItemCount = 19;
std::string_view item_name(Item item);  // "hip_girth", as measure_body names it
std::optional<Item> find_item(std::string_view name);
inline int index_of(Item item) { return static_cast<int>(item); }

using ItemValues = std::array<std::optional<double>, kItemCount>;  // mm

struct ItemPrediction {
  double value_mm = 0.0;
  double spread = 0.0;  // standard deviation of its logarithm: about a ratio
};

class Anthropometry {
 public:
  explicit Anthropometry(FigureType type);
  // Of `item` given what is known of the others (its own value is left out).
  ItemPrediction predict(Item item, const ItemValues& known) const;
  ItemPrediction typical(Item item) const;
  // For judging what is plausible rather than likely: wider along the direction in which people are fuller, which a
  // survey of the fit hardly shows, and by what two hands with a tape differ.
  Anthropometry loosened() const;
  // How many deviations a value lies from its prediction.
  double surprise(Item item, double value_mm, const ItemValues& known) const;
  // Of all known values together: their Mahalanobis distance, and how many they are.
  double distance(const ItemValues& known) const;

 private:
  double scale_of(const ItemValues& known) const;  // below 1 for children
  Eigen::VectorXd mean_;
  Eigen::MatrixXd covariance_;
};

}  // namespace tryon
