// One word for each zone, with the numbers that decide it. The thresholds are this project's reading of common tables
// of ease and of what is known of comfortable garment pressure; fit.md says which. They are ratios, so that a scaled
// body in scaled cloth gets the same words.
#include <algorithm>

#include "server/drape/measure_fit.h"

namespace tryon {
namespace {

constexpr double kTightPressure = 2000.0;  // Pa, mean over what touches: light compression hosiery begins here

struct EaseRow {
  std::string_view zone;
  double tight, fitted, regular;  // ratios of rest ease to the body's girth
};
constexpr EaseRow kRows[] = {
    {"neck", 0.0, 0.05, 0.30},     {"bust", 0.0, 0.06, 0.14},    {"waist", 0.0, 0.08, 0.22},
    {"high_hip", 0.0, 0.05, 0.14}, {"hip", 0.0, 0.04, 0.12},     {"upper_arm", 0.0, 0.08, 0.28},
    {"elbow", 0.0, 0.12, 0.35},    {"forearm", 0.0, 0.12, 0.35}, {"wrist", 0.0, 0.10, 0.40},
    {"thigh", 0.0, 0.06, 0.18},    {"knee", 0.0, 0.10, 0.35},    {"calf", 0.0, 0.10, 0.40},
    {"ankle", 0.0, 0.15, 0.90},    {"cuff", 0.0, 0.08, 0.35},    {"leg_hem", 0.0, 0.15, 0.90}};
constexpr EaseRow kBand = {"", -0.01, 0.01, 0.06};                  // a band that holds the garment up
constexpr double kDistanceFitted = 0.005, kDistanceRegular = 0.02;  // of the height: 8 and 34 mm of 1.68 m

FitThresholds thresholds_of(const ZoneReport& zone, bool hangs_from_here) {
  FitThresholds out;
  out.tight_above_pressure_pa = kTightPressure;
  for (const EaseRow& row : kRows) {
    if (!zone.girth || row.zone != zone.name) continue;
    const EaseRow& used = hangs_from_here ? kBand : row;
    out.tight_below = used.tight, out.fitted_below = used.fitted, out.regular_below = used.regular;
    return out;
  }
  out.by_ease = false;
  out.fitted_below = kDistanceFitted, out.regular_below = kDistanceRegular;
  return out;
}

Verdict word_for(double value, const FitThresholds& t) {
  if (value < t.tight_below) return Verdict::kTight;
  if (value < t.fitted_below) return Verdict::kFitted;
  return value < t.regular_below ? Verdict::kRegular : Verdict::kLoose;
}

}  // namespace

std::string_view verdict_name(Verdict verdict) {
  static constexpr std::string_view kNames[] = {"tight", "fitted", "regular", "loose"};
  return kNames[static_cast<size_t>(verdict)];
}

void judge(const ComfortableStrain& comfortable, double height_m, bool hangs_from_here, ZoneReport* zone) {
  zone->strain_of_limit = std::max({zone->fit.warp.p95 / comfortable.warp, zone->fit.weft.p95 / comfortable.weft,
                                    zone->fit.bias.p95 / comfortable.bias});
  zone->thresholds = thresholds_of(*zone, hangs_from_here);
  const FitThresholds& t = zone->thresholds;
  zone->because = t.by_ease ? "ease" : "distance";
  zone->verdict = word_for(t.by_ease ? zone->girth->rest_ease_ratio() : zone->fit.distance.mean / height_m, t);
  if (zone->verdict == Verdict::kTight) return;
  const bool pressed = zone->fit.contact.pressure.mean > t.tight_above_pressure_pa;
  const bool stretched = zone->strain_of_limit > t.tight_above_strain;
  if (!pressed && !stretched) return;
  zone->verdict = Verdict::kTight;
  zone->because = pressed ? "pressure" : "strain";
}

}  // namespace tryon
