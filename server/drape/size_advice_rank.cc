// The ranking of sizes from what was measured of each. size_advice.md says why these numbers.
#include <algorithm>
#include <cmath>
#include <map>

#include "server/base/text.h"
#include "server/base/units.h"
#include "server/drape/size_advice.h"

namespace tryon {
namespace {

constexpr double kTighterCosts = 1.5;  // a zone that is too narrow by a size, over one that is too wide by a size
constexpr double kTightCost = 1.0;     // pressed or stretched beyond comfort where the garment means to be easy
constexpr double kFallCost = 25.0;     // five sizes off: a skirt on the floor fits nobody
constexpr double kLeastUnit = 20.0;    // mm
constexpr double kScanLarge = 4.6, kScanSmall = 2.0;  // mm, sigma: ISO 20685 allows 9 and 4 mm in 95 of 100 scans
constexpr double kSmallGirth = 450.0;                 // mm: limbs and neck
constexpr double kMaking = 0.01;                      // of the girth: sewing and shrinking
constexpr int kTrials = 41;

struct ChartRow {
  std::string_view zone, item;
  double DraftMeasurements::*chart;
};
constexpr ChartRow kChart[] = {{"bust", "bust_girth", &DraftMeasurements::bust_girth},
                               {"waist", "waist_girth", &DraftMeasurements::waist_girth},
                               {"hip", "hip_girth", &DraftMeasurements::hip_girth},
                               {"upper_arm", "upper_arm_girth", &DraftMeasurements::upper_arm_girth}};

const ChartRow* chart_row(std::string_view zone) {
  for (const ChartRow& row : kChart) {
    if (row.zone == zone) return &row;
  }
  return nullptr;
}

const Opening* top_of(const FitReport& fit) {
  for (const Opening& o : fit.openings) {
    if (o.kind == OpeningKind::kTop) return &o;
  }
  return nullptr;
}

double body_girth(const Body& body, const std::string& item) {
  const auto found = body.measurements_mm.find(item);
  return found == body.measurements_mm.end() ? 0.0 : found->second;
}

// The tape by which all sizes are compared in a zone: the chart's where the size nearest to the person has it, else
// the one that its report took.
std::string item_of(const TriedSize& nearest, const std::string& zone) {
  const ChartRow* row = chart_row(zone);
  for (const GirthFit& g : nearest.fit.girths) {
    if (row != nullptr && g.item == row->item) return g.item;
  }
  for (const ZoneReport& z : nearest.fit.zones) {
    if (z.name == zone && z.girth) return z.girth->item;
  }
  return "";
}

// The upper edge lies below the hip: nothing holds it there.
bool top_below_hip(const TriedSize& tried, const Body& body) {
  const Opening* top = top_of(tried.fit);
  const auto hip = body.curves.find("hip_girth");
  return top != nullptr && hip != body.curves.end() && top->rim.middle.y() < hip->second.height_m;
}

double weight_of(const std::string& zone, bool has_bust) {
  if (zone == "bust") return 4.0;
  if (zone == "waist") return has_bust ? 1.0 : 4.0;
  if (zone == "hip") return has_bust ? 1.0 : 3.0;
  return zone == "upper_arm" ? 0.5 : 0.25;
}

struct Intent {
  double ease_mm = 0.0, unit_mm = kLeastUnit;
  std::string item;
};

// What the garment means to be in a zone: by the chart, its own girth in the size that is nearest to the person (which
// hangs where it should) over that of the size's figure, for the zones that the chart knows. At another tape than the
// chart's, the figure is taken to differ from the person as it does at the chart's.
std::optional<Intent> intent_by_chart(const Body& body, const std::vector<TriedSize>& tried, const std::string& zone,
                                      const TriedSize& nearest) {
  const ChartRow* row = chart_row(zone);
  const std::string item = item_of(nearest, zone);
  const GirthFit* tape = find_girth(nearest.fit.girths, item);
  if (row == nullptr || tape == nullptr) return std::nullopt;
  const double beside = tape->item == row->item ? 0.0 : tape->body_mm - body_girth(body, std::string(row->item));
  const auto figure = [&](const TriedSize& t) { return *t.chart.*row->chart; };
  Intent out{tape->rest_mm - (figure(nearest) + beside), kLeastUnit, item};
  double low = 1e30, high = -1e30;
  for (const TriedSize& t : tried) low = std::min(low, figure(t)), high = std::max(high, figure(t));
  if (tried.size() > 1) out.unit_mm = std::max(kLeastUnit, (high - low) / static_cast<double>(tried.size() - 1));
  return out;
}

// Without a chart: the middle of what is called regular there.
std::optional<Intent> intent_by_words(const std::vector<TriedSize>& tried, const std::string& zone) {
  Intent out;
  double low = 1e30, high = -1e30, girth = 0.0;
  int count = 0;
  const FitThresholds* thresholds = nullptr;
  for (const TriedSize& t : tried) {
    for (const ZoneReport& z : t.fit.zones) {
      if (z.name == zone && z.thresholds.by_ease) thresholds = &z.thresholds;
    }
    if (out.item.empty()) out.item = item_of(t, zone);
    const GirthFit* tape = find_girth(t.fit.girths, out.item);
    if (tape == nullptr) continue;
    ++count;
    girth = tape->body_mm;
    low = std::min(low, tape->rest_mm), high = std::max(high, tape->rest_mm);
  }
  if (thresholds == nullptr || count == 0) return std::nullopt;
  if (count > 1) out.unit_mm = std::max(kLeastUnit, (high - low) / (count - 1));
  out.ease_mm = 0.5 * (thresholds->fitted_below + thresholds->regular_below) * girth;
  return out;
}

// By the chart's one girth, the bust where it is covered, else the waist.
const TriedSize& nearest_by_chart(const Body& body, const std::vector<TriedSize>& tried, bool has_bust) {
  const ChartRow& row = has_bust ? kChart[0] : kChart[1];
  const double girth = body_girth(body, std::string(row.item));
  const TriedSize* best = &tried.front();
  for (const TriedSize& t : tried) {
    if (std::abs(*t.chart.*row.chart - girth) < std::abs(*best->chart.*row.chart - girth)) best = &t;
  }
  return *best;
}

double ease_cost(const ZoneTrial& z, double body_shift_mm) {
  if (z.unit_mm <= 0) return 0.0;
  const double off = (z.difference_mm() - body_shift_mm) / z.unit_mm;
  return z.weight * (off < 0 ? kTighterCosts : 1.0) * off * off;
}

bool tight_unmeant(const ZoneTrial& z) {
  const bool felt = z.because == "pressure" || z.because == "strain";
  return z.verdict == Verdict::kTight && felt && z.intended_ease_mm >= 0.0;
}

// A zone that this size leaves bare, compared by its tape all the same: a waistband that lies lower.
ZoneTrial uncovered_zone(const std::string& name, const GirthFit& tape, const Intent& intent) {
  ZoneTrial out;
  out.zone = name, out.because = "ease";
  const double off = tape.rest_ease_mm() - intent.ease_mm;
  out.verdict = off > 0.5 * intent.unit_mm    ? Verdict::kLoose
                : off < -0.5 * intent.unit_mm ? Verdict::kTight
                                              : Verdict::kRegular;
  return out;
}

void fall(double cost, SizeTrial* size) {
  size->fall_cost = cost;
  size->misfit += cost;
}

SizeTrial trial_of(const Body& body, const TriedSize& tried, const std::map<std::string, Intent>& intents,
                   bool has_bust) {
  SizeTrial out;
  out.size = tried.size, out.grade = tried.grade, out.carried = tried.carried;
  double weights = 0.0;
  for (const ZoneReport& z : tried.fit.zones) {
    ZoneTrial zone;
    zone.zone = z.name, zone.because = z.because, zone.verdict = z.verdict;
    zone.strain_of_limit = z.strain_of_limit;
    zone.pressure_mean_pa = z.fit.contact.pressure.mean;
    out.zones.push_back(std::move(zone));
  }
  for (const auto& [name, intent] : intents) {
    const GirthFit* tape = find_girth(tried.fit.girths, intent.item);
    if (tape == nullptr) continue;
    auto at =
        std::find_if(out.zones.begin(), out.zones.end(), [&zone = name](const ZoneTrial& z) { return z.zone == zone; });
    if (at == out.zones.end()) at = out.zones.insert(at, uncovered_zone(name, *tape, intent));
    at->weight = weight_of(name, has_bust);
    at->body_mm = tape->body_mm, at->rest_ease_mm = tape->rest_ease_mm();
    at->intended_ease_mm = intent.ease_mm, at->unit_mm = intent.unit_mm;
    at->cost = ease_cost(*at, 0.0);
    weights += at->weight;
  }
  for (ZoneTrial& z : out.zones) {
    if (tight_unmeant(z)) z.cost += kTightCost * std::max(z.weight, 0.25);
    out.misfit += z.cost;
  }
  out.misfit /= std::max(weights, 1.0);
  if (top_below_hip(tried, body)) fall(kFallCost, &out);
  return out;
}

// Where something is known of other sizes, one of which nothing is, not even its upper edge, has fallen farther.
void mark_unknown(std::vector<SizeTrial>* sizes) {
  const auto unknown = [](const SizeTrial& s) {
    return !s.falls_off() &&
           std::none_of(s.zones.begin(), s.zones.end(), [](const ZoneTrial& z) { return z.weight > 0; });
  };
  if (std::all_of(sizes->begin(), sizes->end(), unknown)) return;
  for (SizeTrial& size : *sizes) {
    if (unknown(size)) fall(2 * kFallCost, &size);
  }
}

ZoneTolerance tolerance_of(const FittedPerson& person, const Fabric& fabric, const std::string& item, double girth) {
  ZoneTolerance out;
  out.scan_mm = girth < kSmallGirth ? kScanSmall : kScanLarge;
  const auto predicted = person.outcome.find(item);
  if (predicted != person.outcome.end() && predicted->second.predicted)
    out.scan_mm = std::max(out.scan_mm, predicted->second.deviation_mm);
  out.scan_mm += 0.05 * person.body.source.filled_ratio * girth;
  const double gives = std::min(0.02, 0.1 * std::min(fabric.comfortable_strain.warp, fabric.comfortable_strain.weft));
  out.cloth_mm = girth * std::hypot(kMaking, gives);
  return out;
}

// Share of the likely true girths for which the first size stays first.
double confidence_of(const std::vector<SizeTrial>& sizes, const std::map<std::string, ZoneTolerance>& tolerance) {
  int stays = 0;
  for (int k = 0; k < kTrials; ++k) {
    const double share = (k + 0.5) / kTrials;
    double z = 0.0;  // the normal quantile, by bisection of erfc
    for (double low = -6, high = 6; high - low > 1e-9;) {
      z = 0.5 * (low + high);
      (0.5 * std::erfc(-z / std::sqrt(2.0)) < share ? low : high) = z;
    }
    size_t best = 0;
    double least = 1e300;
    for (size_t s = 0; s < sizes.size(); ++s) {
      double sum = 0, weights = 0;
      for (const ZoneTrial& zone : sizes[s].zones) {
        const auto t = tolerance.find(zone.zone);
        const double sigma = t == tolerance.end() ? 0.0 : std::hypot(t->second.scan_mm, t->second.cloth_mm);
        sum += zone.cost - ease_cost(zone, 0.0) + ease_cost(zone, z * sigma);
        weights += zone.weight;
      }
      sum = sum / std::max(weights, 1.0) + sizes[s].fall_cost;
      if (sum < least) least = sum, best = s;
    }
    stays += best == 0;
  }
  return static_cast<double>(stays) / kTrials;
}

std::string words_of(const ZoneTrial& z) {
  const long off = std::lround(std::abs(z.difference_mm()));
  std::string text = cat(z.zone, ": ", verdict_name(z.verdict));
  if (z.weight > 0 && off > 0)
    text = cat(text, ", ", off, " mm ", z.difference_mm() < 0 ? "narrower" : "wider", " than meant");
  if (z.because == "pressure") text = cat(text, ", presses with ", std::lround(z.pressure_mean_pa), " Pa");
  if (z.because == "strain")
    text = cat(text, ", stretched to ", std::lround(100 * z.strain_of_limit), " % of what is comfortable");
  return text;
}

void explain(SizeTrial* size) {
  std::vector<const ZoneTrial*> order;
  for (const ZoneTrial& z : size->zones) order.push_back(&z);
  std::stable_sort(order.begin(), order.end(),
                   [](const ZoneTrial* a, const ZoneTrial* b) { return a->cost > b->cost; });
  if (size->falls_off()) size->says.emplace_back("does not stay on: it slides down to where nothing holds it");
  for (const ZoneTrial* z : order) {
    if (size->says.size() < 3 && z->weight > 0) size->says.push_back(words_of(*z));
  }
  if (size->grade == "none") size->says.emplace_back("the cloth did not come to rest: less is known of this size");
}

// By the primary dimension of EN 13402-2 alone.
std::optional<ChartSize> chart_size(const Body& body, const std::vector<TriedSize>& tried, bool has_bust,
                                    const SizeAdvice& advice) {
  const ChartRow& row = has_bust ? kChart[0] : kChart[1];
  const double girth = body_girth(body, std::string(row.item));
  if (!advice.from_chart || girth <= 0) return std::nullopt;
  const auto off = [&](const TriedSize& t) { return std::abs(*t.chart.*row.chart - girth); };
  const TriedSize& nearest = nearest_by_chart(body, tried, has_bust);
  ChartSize out;
  out.size = nearest.size, out.by = std::string(row.item);
  out.agrees = out.size == advice.sizes.front().size;
  if (out.agrees) return out;
  double border = 1e30;  // how far the girth would have to move for another size to be nearest
  for (const TriedSize& t : tried) {
    if (t.size != nearest.size) border = std::min(border, 0.5 * (off(t) - off(nearest)));
  }
  out.why = cat("by ", out.by, " alone (", std::lround(girth), " mm) the chart says ", out.size);
  if (border < 5.0) out.why = cat(out.why, ", ", std::lround(border), " mm from its border");
  const auto listed =
      std::find_if(advice.sizes.begin(), advice.sizes.end(), [&](const SizeTrial& s) { return s.size == out.size; });
  if (listed != advice.sizes.end() && !listed->says.empty()) out.why = cat(out.why, "; there ", listed->says.front());
  return out;
}

}  // namespace

SizeAdvice rank_sizes(const FittedPerson& person, const Fabric& fabric, const std::vector<TriedSize>& tried) {
  SizeAdvice out;
  out.from_chart = std::all_of(tried.begin(), tried.end(), [](const TriedSize& t) { return t.chart.has_value(); });
  bool has_bust = false;
  for (const TriedSize& t : tried) {
    for (const ZoneReport& z : t.fit.zones)
      has_bust |= z.name == "bust" && z.coverage > 0.5 && top_of(t.fit) == nullptr;
  }
  const TriedSize* nearest = out.from_chart ? &nearest_by_chart(person.body, tried, has_bust) : nullptr;
  std::map<std::string, Intent> intents;
  for (const TriedSize& t : tried) {
    for (const ZoneReport& z : t.fit.zones) {
      if (intents.count(z.name)) continue;
      const auto intent =
          nearest != nullptr ? intent_by_chart(person.body, tried, z.name, *nearest) : intent_by_words(tried, z.name);
      if (intent) intents[z.name] = *intent;
    }
  }
  for (const auto& [zone, intent] : intents) {
    out.intended_mm[zone] = intent.ease_mm;
    const GirthFit* tape = find_girth(tried.front().fit.girths, intent.item);
    if (tape != nullptr) out.tolerance[zone] = tolerance_of(person, fabric, tape->item, tape->body_mm);
  }
  for (const TriedSize& t : tried) out.sizes.push_back(trial_of(person.body, t, intents, has_bust));
  mark_unknown(&out.sizes);
  for (SizeTrial& size : out.sizes) explain(&size);
  std::stable_sort(out.sizes.begin(), out.sizes.end(), [](const SizeTrial& a, const SizeTrial& b) {
    if (a.falls_off() != b.falls_off()) return b.falls_off();
    return !a.falls_off() && a.misfit < b.misfit;  // of those that fall off the narrowest came nearest to staying on
  });
  out.confidence = out.sizes.front().falls_off() ? 0.0 : confidence_of(out.sizes, out.tolerance);
  out.chart = chart_size(person.body, tried, has_bust, out);
  const SizeTrial& best = out.sizes.front();
  out.says.push_back(best.falls_off()
                         ? cat("no size stays on this body; size ", best.size, " is nearest to it")
                         : cat("size ", best.size, " is nearest to what the garment is meant to be on this body"));
  for (const std::string& text : best.says) out.says.push_back(text);
  if (out.confidence < 0.8 && out.sizes.size() > 1 && !best.falls_off())
    out.says.push_back(
        cat("size ", out.sizes[1].size, " is close: what is uncertain of scan and cloth could decide for it"));
  return out;
}

}  // namespace tryon
