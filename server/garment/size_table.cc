#include "server/garment/size_table.h"

#include <array>

#include "server/base/status.h"
#include "server/base/text.h"

namespace tryon {
namespace {

struct Girths {
  std::string_view name;
  double bust = 0.0, waist = 0.0, hip = 0.0, height = 0.0;  // mm
};

// EN 13402-3, women: the edges of the twelve sizes' intervals, cm; each row's sizes belong together.
constexpr std::array kBust = {74, 78, 82, 86, 90, 94, 98, 102, 107, 113, 119, 125, 131};
constexpr std::array kWaist = {58, 62, 66, 70, 74, 78, 82, 86, 91, 97, 103, 109, 115};
constexpr std::array kHip = {82, 86, 90, 94, 98, 102, 106, 110, 115, 120, 125, 130, 135};
constexpr std::array<std::string_view, 6> kLetters = {"XS", "S", "M", "L", "XL", "XXL"};

// A letter takes two of the sizes; the figure stands at their middle.
constexpr double middle(const std::array<int, 13>& edges, size_t letter) {
  return 5.0 * (edges[2 * letter] + edges[2 * letter + 2]);
}

constexpr std::array<Girths, 6> women() {
  std::array<Girths, 6> out;
  for (size_t i = 0; i < out.size(); ++i) {
    out[i] = {kLetters[i], middle(kBust, i), middle(kWaist, i), middle(kHip, i), 1680};
  }
  return out;
}
constexpr std::array<Girths, 6> kWomen = women();
// EN 13402-3, men: chest 78-86, 86-94, 94-102, 102-110, 110-118, 118-129 cm. Waist: this project's, the tailor's drop 6
// (half the chest less half the waist), 5.5 for XXL. Hip: this project's, 75 mm a letter.
constexpr std::array kMen = {Girths{"XS", 820, 700, 860, 1780},    Girths{"S", 900, 780, 935, 1780},
                             Girths{"M", 980, 860, 1010, 1780},    Girths{"L", 1060, 940, 1085, 1780},
                             Girths{"XL", 1140, 1020, 1160, 1780}, Girths{"XXL", 1235, 1125, 1255, 1780}};

DraftMeasurements measurements_of(Figure figure, const Girths& g) {
  const bool man = figure == Figure::kMen;
  DraftMeasurements m;
  m.bust_girth = g.bust, m.waist_girth = g.waist, m.hip_girth = g.hip;
  m.shoulder_width = (man ? 425.0 : 385.0) + 0.10 * (g.bust - (man ? 980.0 : 940.0));
  m.neck_girth = (man ? 385.0 : 350.0) + 0.18 * (g.bust - (man ? 980.0 : 940.0));
  m.upper_arm_girth = (man ? 310.0 : 295.0) + 0.28 * (g.bust - (man ? 980.0 : 940.0));
  m.neck_height = 0.855 * g.height, m.shoulder_height = 0.820 * g.height;
  m.waist_height = (man ? 0.610 : 0.622) * g.height, m.hip_height = (man ? 0.515 : 0.508) * g.height;
  m.crotch_height = (man ? 0.465 : 0.458) * g.height;
  return m;
}

}  // namespace

std::vector<std::string> size_names() {
  std::vector<std::string> names;
  for (const Girths& g : kWomen) names.emplace_back(g.name);
  return names;
}

absl::StatusOr<DraftMeasurements> size_measurements(Figure figure, std::string_view size) {
  for (const Girths& g : figure == Figure::kMen ? kMen : kWomen) {
    if (g.name == size) return measurements_of(figure, g);
  }
  return invalid_input("SIZE_UNKNOWN", "garment.size", cat("there is no size \"", size.substr(0, 32), "\""),
                       "The sizes are: XS, S, M, L, XL, XXL.");
}

}  // namespace tryon
