// What it is: how a draped garment fits: girths along the cloth beside the body's, what each zone of the body feels,
// what seams bear, how the hem hangs. Definitions and thresholds: server/metrics/fit.md. Units and frame: metres, N,
// Pa, ratios; mm where a name says so. Shapes: zones from head to foot, those that the garment covers; girths in the
// order of the tailor's sheet. How it fails: what cannot be measured is absent. Thread rules: as RunContext.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "nlohmann/json_fwd.hpp"
#include "server/drape/assemble.h"
#include "server/drape/body_zones.h"
#include "server/drape/settle.h"
#include "server/fabric/fabric.h"
#include "server/metrics/fit.h"
#include "server/metrics/rim.h"

namespace tryon {

// One tape round body and cloth; of a paired item the mean of both sides.
struct GirthFit {
  std::string item;       // name in ISO 8559-1 style as in body.json, or "cuff", "leg_hem"
  double level_m = 0.0;   // of the cloth's cut: below the body's by the slip, and where a sleeve or a leg joins there
  double body_mm = 0.0;   // the body's girth
  double cloth_mm = 0.0;  // along the cloth as it lies
  double rest_mm = 0.0;   // the same line in the unstretched cloth
  double there_mm = 0.0;  // the body's where the tape lies: another one where it lies lower than the body's own
  double ease_mm() const { return cloth_mm - body_mm; }
  double room_mm() const { return cloth_mm - there_mm; }  // what could be pulled off the skin
  double rest_ease_mm() const { return rest_mm - body_mm; }
  double rest_ease_ratio() const { return rest_ease_mm() / body_mm; }
};

enum class OpeningKind { kNeckline, kArmhole, kCuff, kTop, kHem, kLegHem, kEdge };
std::string_view opening_kind_name(OpeningKind kind);  // "neckline", "armhole", ...
struct Opening {
  OpeningKind kind = OpeningKind::kEdge;
  Rim rim;
};

// How a garment without shoulders is held: by its upper edge, which lies where it was put on or has slipped.
struct Hang {
  const Opening* top = nullptr;  // none: it has shoulders
  bool from_waist = false;       // was put on there: the edge is the garment's waist
  double slipped_m = 0.0;        // >= 0
};

enum class Verdict { kTight, kFitted, kRegular, kLoose };
std::string_view verdict_name(Verdict verdict);  // "tight", ...

// Where one word ends and the next begins.
struct FitThresholds {
  bool by_ease = true;  // the three are ratios of rest ease to the body's girth; else mean distance over body height
  double tight_below = 0.0, fitted_below = 0.0, regular_below = 0.0;
  double tight_above_pressure_pa = 0.0;  // mean over what touches
  double tight_above_strain = 1.0;       // p95 over the comfortable strain, warp, weft or bias
};

struct ZoneReport {
  std::string name;  // of body_zones.h, or "cuff"
  double coverage = 0.0;
  ZoneFit fit;
  std::optional<GirthFit> girth;
  double strain_of_limit = 0.0;  // the largest of p95 over the comfortable strain
  FitThresholds thresholds;
  Verdict verdict = Verdict::kRegular;
  std::string because;  // "ease", "distance", "pressure" or "strain"
};

struct SeamFit {
  std::string name;      // "front:3 - back:1": panel and edge of both sides
  Distribution tension;  // N/m that would open it; its weight is the seam's length
};

struct HemFit {
  double level_m = 0.0, lowest_m = 0.0, highest_m = 0.0;
  double drop_m = 0.0;  // from the highest cloth to the level
  Folds folds;
};

struct FitReport {
  std::vector<GirthFit> girths;
  std::vector<Opening> openings;
  std::vector<ZoneReport> zones;
  std::vector<SeamFit> seams;
  Distribution seam_tension, warp, weft, bias;
  ComfortableStrain comfortable;
  PressureFit contact;
  double carried_n = 0.0, weight_n = 0.0;  // upward part of all reactions; the cloth's weight
  // The reactions' moment about the cloth's centroid over its weight times its height; none of cloth that was never
  // asked for its forces, or that the wind still pushes.
  std::optional<double> unbalanced_moment;
  double coverage = 0.0, area = 0.0, rest_area = 0.0;
  std::optional<HemFit> hem;
  std::optional<double> drape_coefficient;
  double height_m = 0.0;
  // Down from where it was put on, of what hangs from its upper edge; 0 below 1 % of the height. Tapes go with all of
  // it.
  double slipped_m = 0.0;
};

FitReport measure_fit(const RunContext& run, const FittedPerson& person, const GarmentMesh& garment,
                      const Settled& settled, const Fabric& fabric);

const GirthFit* find_girth(const std::vector<GirthFit>& girths, std::string_view item);  // or nullptr

// Parts of it (measure_girths.cc, measure_verdict.cc, measure_rims.cc).
std::vector<GirthFit> measure_girths(const Body& body, const WeldedMesh& cloth, const std::vector<Opening>& openings,
                                     const Hang& hang);
std::vector<Opening> find_openings(const WeldedMesh& cloth, const std::vector<BodyZone>& zone_of_vertex);
std::optional<HemFit> measure_hem(const WeldedMesh& cloth, const std::vector<Opening>& openings);
std::optional<double> measure_drape_coefficient(const WeldedMesh& cloth, const std::vector<Opening>& openings,
                                                const std::vector<double>& press);
void judge(const ComfortableStrain& comfortable, double height_m, bool hangs_from_here, ZoneReport* zone);

nlohmann::json fit_json(const FitReport& fit);  // keys of metrics.json, to be merged

}  // namespace tryon
