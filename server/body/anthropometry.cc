#include "server/body/anthropometry.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "Eigen/Cholesky"
#include "Eigen/Eigenvalues"

namespace tryon {
namespace {

constexpr int kSurveyed = 12;  // the first items
constexpr double kChildBelow = 3.0;
constexpr double kFullerVariance = 1.5;    // added, over what the survey has in its fullest direction
constexpr double kHeightVariance = 2.0;    // of the survey's own, which holds no giants
constexpr double kTapeDeviation = 0.03;    // of a logarithm
constexpr double kPointsToCaliper = 0.90;  // between the shoulder points of measure_body, over the biacromial breadth

constexpr std::string_view kNames[kItemCount] = {
    "height",          "shoulder_width", "bust_girth",        "waist_girth",      "high_hip_girth",
    "hip_girth",       "thigh_girth",    "knee_girth",        "calf_girth",       "ankle_girth",
    "upper_arm_girth", "wrist_girth",    "neck_girth",        "under_bust_girth", "elbow_girth",
    "head_girth",      "arm_length",     "inside_leg_height", "back_length"};

struct Survey {
  double mean_mm[kSurveyed];                            // geometric
  double deviation[kSurveyed];                          // of the logarithm
  double correlation[kSurveyed * (kSurveyed + 1) / 2];  // lower triangle by rows
};
// Heinz et al. 2003.
constexpr Survey kWomen = {
    {1647.4, 364.6, 858.5, 694.2, 831.8, 954.1, 570.1, 351.7, 349.1, 211.6, 279.7, 150.4},
    {0.0397, 0.0487, 0.0703, 0.1034, 0.1161, 0.0714, 0.0792, 0.0713, 0.0738, 0.0675, 0.0939, 0.0561},
    {1.000, 0.474, 1.000, 0.205, 0.418, 1.000, 0.148, 0.381, 0.852, 1.000, 0.242, 0.292, 0.759, 0.827, 1.000, 0.310,
     0.392, 0.742, 0.814, 0.824, 1.000, 0.245, 0.334, 0.681, 0.739, 0.702, 0.905, 1.000, 0.413, 0.437, 0.616, 0.624,
     0.605, 0.757, 0.761, 1.000, 0.323, 0.430, 0.571, 0.566, 0.509, 0.685, 0.726, 0.784, 1.000, 0.310, 0.413, 0.520,
     0.491, 0.487, 0.604, 0.584, 0.703, 0.740, 1.000, 0.124, 0.311, 0.813, 0.786, 0.744, 0.767, 0.754, 0.676, 0.660,
     0.571, 1.000, 0.367, 0.527, 0.639, 0.536, 0.489, 0.612, 0.565, 0.696, 0.646, 0.664, 0.680, 1.000}};
constexpr Survey kMen = {
    {1776.0, 411.9, 1007.3, 840.9, 872.7, 975.7, 563.4, 371.3, 371.1, 231.0, 342.7, 171.7},
    {0.0404, 0.0511, 0.0722, 0.1018, 0.0949, 0.0632, 0.0743, 0.0608, 0.0713, 0.0746, 0.0876, 0.0528},
    {1.000, 0.474, 1.000, 0.252, 0.296, 1.000, 0.213, 0.183, 0.717, 1.000, 0.266, 0.198, 0.684, 0.881, 1.000, 0.356,
     0.320, 0.683, 0.807, 0.807, 1.000, 0.240, 0.255, 0.604, 0.574, 0.544, 0.788, 1.000, 0.411, 0.330, 0.479, 0.575,
     0.552, 0.706, 0.669, 1.000, 0.244, 0.300, 0.473, 0.524, 0.458, 0.649, 0.704, 0.728, 1.000, 0.360, 0.327, 0.477,
     0.491, 0.519, 0.592, 0.528, 0.693, 0.693, 1.000, 0.211, 0.272, 0.783, 0.489, 0.490, 0.586, 0.669, 0.436, 0.478,
     0.440, 1.000, 0.342, 0.356, 0.558, 0.381, 0.401, 0.465, 0.397, 0.506, 0.540, 0.634, 0.619, 1.000}};

// An item that the survey does not have: its mean, powers of two surveyed items that it follows, and what is left.
struct Proportion {
  double women_mm, men_mm;
  Item first;
  double first_power;
  Item second;
  double second_power;
  double rest;  // standard deviation of the logarithm
};
constexpr Proportion kProportions[kItemCount - kSurveyed] = {
    {322, 382, Item::kBust, 0.5, Item::kWrist, 0.4, 0.035},            // neck
    {744, 930, Item::kBust, 0.75, Item::kWaist, 0.25, 0.025},          // under-bust
    {236, 277, Item::kUpperArm, 0.5, Item::kWrist, 0.5, 0.030},        // elbow
    {548, 572, Item::kHeight, 0.3, Item::kWrist, 0.15, 0.025},         // head
    {547, 590, Item::kHeight, 1.0, Item::kShoulderWidth, 0.0, 0.035},  // arm length
    {752, 815, Item::kHeight, 1.05, Item::kHip, 0.0, 0.025},           // inside leg
    {383, 424, Item::kHeight, 0.9, Item::kBust, 0.1, 0.035}};          // back length

struct Normal {
  Eigen::VectorXd mean;
  Eigen::MatrixXd covariance;
};

Normal normal_of(const Survey& survey, bool men) {
  Normal out{Eigen::VectorXd::Zero(kItemCount), Eigen::MatrixXd::Zero(kItemCount, kItemCount)};
  int k = 0;
  for (int i = 0; i < kSurveyed; ++i) {
    out.mean[i] = std::log(survey.mean_mm[i] * (i == index_of(Item::kShoulderWidth) ? kPointsToCaliper : 1.0));
    for (int j = 0; j <= i; ++j, ++k) {
      out.covariance(i, j) = out.covariance(j, i) = survey.correlation[k] * survey.deviation[i] * survey.deviation[j];
    }
  }
  for (int i = kSurveyed; i < kItemCount; ++i) {
    const Proportion& p = kProportions[i - kSurveyed];
    out.mean[i] = std::log(men ? p.men_mm : p.women_mm);
    const int a = index_of(p.first), b = index_of(p.second);
    const Eigen::VectorXd with = p.first_power * out.covariance.col(a) + p.second_power * out.covariance.col(b);
    const double own = p.first_power * with[a] + p.second_power * with[b] + p.rest * p.rest;
    out.covariance.col(i) = with;
    out.covariance.row(i) = with.transpose();
    out.covariance(i, i) = own;
  }
  return out;
}

// Both together, as many women as men.
Normal mixed(const Normal& women, const Normal& men) {
  const Eigen::VectorXd apart = 0.5 * (men.mean - women.mean);
  return {0.5 * (women.mean + men.mean), 0.5 * (women.covariance + men.covariance) + apart * apart.transpose()};
}

std::vector<int> known_items(const ItemValues& known, int except) {
  std::vector<int> out;
  for (int i = 0; i < kItemCount; ++i) {
    if (known[i] && i != except) out.push_back(i);
  }
  return out;
}

}  // namespace

std::string_view item_name(Item item) { return kNames[index_of(item)]; }

std::optional<Item> find_item(std::string_view name) {
  if (name == "crotch_height" || name == "inside_leg") return Item::kInsideLeg;
  for (int i = 0; i < kItemCount; ++i) {
    if (kNames[i] == name) return static_cast<Item>(i);
  }
  return std::nullopt;
}

Anthropometry::Anthropometry(FigureType type) {
  const Normal women = normal_of(kWomen, false), men = normal_of(kMen, true);
  const Normal chosen = type == FigureType::kFemale ? women : type == FigureType::kMale ? men : mixed(women, men);
  mean_ = chosen.mean, covariance_ = chosen.covariance;
}

Anthropometry Anthropometry::loosened() const {
  const int girths = kItemCount - 1;  // all but the height
  const Eigen::VectorXd with_height = covariance_.col(0).tail(girths);
  const Eigen::MatrixXd rest = covariance_.bottomRightCorner(girths, girths) -
                               with_height * with_height.transpose() / covariance_(0, 0);  // at one height
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> spectrum(rest);
  const Eigen::VectorXd fuller = spectrum.eigenvectors().col(girths - 1);
  Anthropometry out = *this;
  out.covariance_.bottomRightCorner(girths, girths) +=
      kFullerVariance * spectrum.eigenvalues()[girths - 1] * fuller * fuller.transpose();
  out.covariance_(0, 0) *= kHeightVariance;
  out.covariance_.diagonal().tail(girths).array() += kTapeDeviation * kTapeDeviation;
  return out;
}

double Anthropometry::scale_of(const ItemValues& known) const {
  if (!known[0]) return 1.0;
  const double smallest = std::exp(mean_[0] - kChildBelow * std::sqrt(covariance_(0, 0)));
  return std::min(1.0, *known[0] / smallest);
}

ItemPrediction Anthropometry::predict(Item item, const ItemValues& known) const {
  const int of = index_of(item);
  const std::vector<int> given = known_items(known, of);
  const double scale = scale_of(known), variance = covariance_(of, of);
  const auto n = static_cast<int>(given.size());
  if (n == 0) return {std::exp(mean_[of]), std::sqrt(variance)};
  Eigen::MatrixXd among(n, n);
  Eigen::VectorXd with(n), off(n);
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) among(i, j) = covariance_(given[i], given[j]);
    with[i] = covariance_(of, given[i]);
    off[i] = std::log(*known[given[i]] / scale) - mean_[given[i]];
  }
  const Eigen::VectorXd weight = among.ldlt().solve(with);
  const double left = std::max(variance - weight.dot(with), 1e-8);
  const double own_scale = item == Item::kHeight ? 1.0 : scale;
  return {own_scale * std::exp(mean_[of] + weight.dot(off)), std::sqrt(left)};
}

ItemPrediction Anthropometry::typical(Item item) const { return predict(item, ItemValues()); }

double Anthropometry::surprise(Item item, double value_mm, const ItemValues& known) const {
  const ItemPrediction p = predict(item, known);
  return std::abs(std::log(value_mm / p.value_mm)) / p.spread;
}

double Anthropometry::distance(const ItemValues& known) const {
  const std::vector<int> given = known_items(known, -1);
  const auto n = static_cast<int>(given.size());
  if (n == 0) return 0.0;
  const double scale = scale_of(known);
  Eigen::MatrixXd among(n, n);
  Eigen::VectorXd off(n);
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) among(i, j) = covariance_(given[i], given[j]);
    off[i] = std::log(*known[given[i]] / scale) - mean_[given[i]];
  }
  return std::sqrt(std::max(0.0, off.dot(among.ldlt().solve(off))));
}

}  // namespace tryon
