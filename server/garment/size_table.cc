#include "server/garment/size_table.h"

#include <array>

#include "server/base/status.h"
#include "server/base/text.h"

namespace tryon {
namespace {

struct Girths {
  std::string_view name;
  double bust, waist, hip, height;  // mm
};

// Women: EN 13402-3 bust ranges 74-82, 82-90, 90-98, 98-107, 107-119, 119-131 cm.
constexpr std::array kWomen = {Girths{"XS", 780, 620, 860, 1680},   Girths{"S", 860, 700, 940, 1680},
                               Girths{"M", 940, 780, 1020, 1680},   Girths{"L", 1025, 865, 1103, 1680},
                               Girths{"XL", 1130, 970, 1195, 1680}, Girths{"XXL", 1250, 1090, 1295, 1680}};
// Men: chest ranges 78-86, 86-94, 94-102, 102-110, 110-118, 118-129 cm; hip: this project's, chest and waist halved.
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
