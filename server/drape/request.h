// What it is: what the caller wants, as plain values: body, garment and drape requests, and their canonical JSON, whose
// digest (with the engine version) is their identity. Units: SI unless the name says otherwise.
// How it fails: from_json and validate() name the offending field and its range. Thread rules: plain values.
#pragma once

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "server/body/body.h"
#include "server/body/body_from_measurements.h"
#include "server/drape/export_kind.h"
#include "server/drape/grade.h"
#include "server/sim/forces/wind.h"

namespace tryon {

struct BodyRequest {
  std::string blob;                 // SHA-256 of the scan's file; empty with a figure or the sample
  std::string file_name;            // for errors and the format, e.g. "anna.obj"
  bool sample = false;              // the project's own mannequin
  std::optional<BodyTable> figure;  // a person without a scan
  ScanOptions scan;
  ProxyShape proxy_shape = ProxyShape::kElliptic;
  bool keep_head_and_hands = false;  // false: cut off before anything is stored
  bool keep_scan = false;            // false: the scan's file is erased once the body is made
};
// Ranges of what is declared; fields as "scan.facing" or "figure.height_mm".
absl::Status validate(const BodyRequest& request);

// A template of the service's own: for a size, for a body (its id), or, with neither, for whoever wears it.
struct TemplateRequest {
  std::string name, size, body;
  FigureType figure = FigureType::kNeutral;
  std::map<std::string, double> parameters;
};

struct GarmentRequest {
  std::string blob;  // SHA-256 of the pattern file; empty with a template
  std::string file_name;
  std::string seams_blob;        // SHA-256 of its seam sidecar, or empty
  std::string grading_blob;      // SHA-256 of its RUL file, or empty
  double metres_per_unit = 0.0;  // 0: as the format says
  std::string size;              // one of the file's sizes; empty: its base size
  std::optional<TemplateRequest> draft;
  bool check_only = false;  // say all that is wrong; make nothing
};
absl::Status validate(const GarmentRequest& request);

// How the cloth resists stretch and shear: a triangle's four threads, a continuum, or springs along the mesh's edges.
enum class MembraneModel { kThreads, kContinuum, kSprings };
// And bending: the quadratic form edge by edge, each edge's angle, the shape operator (warp, weft and twist apart), or
// that made quadratic, which is usual with the solvers that take it.
enum class BendingModel { kUsual, kQuadratic, kHinge, kShape, kIsometric };

// Whether layers of the cloth (sleeves, tiers, folds) may pass through each other: kept apart from where they would
// cross, always, or not at all. Only the solvers drape and lbfgs keep layers apart; the others never do.
enum class LayerContact { kWhereNeeded, kAlways, kNever };
bool keeps_layers_apart(std::string_view solver);

// The cloth in time, after it has come to rest. Where the air is still at the end it comes to rest again.
struct Motion {
  double seconds = 3.0;             // simulated, 0.1 .. 20
  double frames_per_second = 10.0;  // 1 .. 60; at most kMostFrames in all
  double wind_seconds = 0.0;        // then the wind stops; 0: it blows to the end
  bool from_sewn = false;           // the garment is let go as it was sewn, instead of at rest
  int frame_count() const { return std::max(1, static_cast<int>(std::lround(seconds * frames_per_second))); }
};
inline constexpr int kMostFrames = 300;

inline constexpr double kFinestMm = 5.0, kCoarsestMm = 50.0;  // of the cloth's triangles
inline constexpr double kMostWindMps = 60.0;                  // gusts included

enum class Pictures { kFourViews, kFront, kNone };

struct DrapeSettings {
  // Changes the answer.
  std::string fabric = "cotton_jersey";  // a library name
  std::string solver = "drape";
  double resolution_mm = 15.0;  // 5 .. 50: edge length of the cloth's triangles
  bool contact_scan = true;     // true: the scan's surface; false: the proxies
  LayerContact layer_contact = LayerContact::kWhereNeeded;
  ProxyShape proxy_shape = ProxyShape::kElliptic;
  Vec3 wind_mps = Vec3::Zero();  // |wind| <= 60
  sim::Wind air;                 // gusts, turbulence and the model; ranges there. Its velocity, drag and lift stay
  std::optional<Motion> motion;  // none: three seconds where the wind blows, else nothing moves
  MembraneModel membrane = MembraneModel::kThreads;
  BendingModel bending = BendingModel::kUsual;
  TargetGrade target_grade = TargetGrade::kFinal;  // at which it counts as at rest
  // Changes which files there are.
  std::vector<Export> exports;  // beyond the usual ones; in rising order, none twice
  bool draco = false;           // the GLBs for web and desktop are compressed
  Pictures pictures = Pictures::kFourViews;
  // Changes speed only.
  int threads = 1;  // 1 .. 64; the result's bytes do not depend on it
  // Changes what is shown before it is done.
  double preview_seconds = 0.0;  // least time between two previews of the cloth; 0: none
};
absl::Status validate(const DrapeSettings& settings);
// What they ask for: their bending, where it is the usual one that of the solver and the membrane.
BendingModel bending_of(const DrapeSettings& settings);
// Whether solver and membrane take all that a fabric says, its strain limits and bending free of the mesh's bias too:
// the solver descends an energy, and the cloth is not springs along edges.
bool takes_whole_fabric(const DrapeSettings& settings);
// Their motion, the usual one where the wind blows, or none.
std::optional<Motion> motion_of(const DrapeSettings& settings);

struct DrapeRequest {
  BodyRequest body;
  GarmentRequest garment;
  DrapeSettings settings;
  std::string over;  // SHA-256 of the worn.tryon of the drape that this one goes over; empty: over nothing
  // The same of the drape, of this garment in another size or fabric, that this one begins from; empty: it is sewn.
  std::string starts_from = {};
};
// Of the settings of a drape over another, and of one that begins from another.
absl::Status validate_over(const DrapeSettings& settings);
absl::Status validate_start(const DrapeSettings& settings, bool over);
// What a drape cannot start from.
absl::Status start_of_another_body();
absl::Status start_of_another_garment();

std::string to_json(const BodyRequest& request);
std::string to_json(const GarmentRequest& request);
std::string to_json(const DrapeRequest& request);
absl::StatusOr<BodyRequest> body_request_from_json(std::string_view json);
absl::StatusOr<GarmentRequest> garment_request_from_json(std::string_view json);
absl::StatusOr<DrapeRequest> drape_request_from_json(std::string_view json);

// SHA-256 over the canonical JSON (without `threads` and `preview_seconds`) and the engine version.
std::string digest(const BodyRequest& request);
std::string digest(const GarmentRequest& request);
const std::string& size_of(const GarmentRequest& request);
GarmentRequest in_size(GarmentRequest request, const std::string& size);  // empty: as the garment was created
std::string digest(const DrapeRequest& request);

}  // namespace tryon
