#include "server/drape/request.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>

#include "nlohmann/json.hpp"
#include "server/base/hash.h"
#include "server/base/status.h"
#include "server/base/text.h"
#include "server/base/version.h"
#include "server/sim/solvers/solver.h"

namespace tryon {
namespace {

using Json = nlohmann::json;  // an object keeps its keys sorted: dump() is canonical

constexpr std::array<std::string_view, 3> kLayerNames = {"where_needed", "always", "never"};
constexpr std::array<std::string_view, 3> kPictureNames = {"four", "front", "none"};
constexpr std::array<std::string_view, 3> kUpNames = {"x", "y", "z"};
constexpr std::array<std::string_view, 3> kFigureNames = {"neutral", "female", "male"};
constexpr std::array<std::string_view, 3> kMembraneNames = {"threads", "continuum", "springs"};
constexpr std::array<std::string_view, 5> kBendingNames = {"usual", "quadratic", "hinge", "shape", "isometric"};
constexpr std::array<std::string_view, 4> kMinimisers = {"drape", "lbfgs", "newton", "baraff_witkin"};

Json scan_json(const ScanOptions& scan) {
  Json out = Json::object();
  if (scan.metres_per_unit) out["metres_per_unit"] = *scan.metres_per_unit;
  if (scan.up_axis) out["up_axis"] = kUpNames[static_cast<size_t>(*scan.up_axis)];
  if (scan.facing) out["facing"] = *scan.facing;
  if (scan.pose) out["pose"] = pose_name(*scan.pose);
  return out;
}

Json figure_json(const BodyTable& table) {
  return Json{{"figure", kFigureNames[static_cast<size_t>(table.figure)]},
              {"height_mm", table.height_mm},
              {"measurements_mm", table.measurements_mm},
              {"arm_angle_deg", table.arm_angle_deg}};
}

std::string_view shape_name(ProxyShape shape) { return shape == ProxyShape::kCircular ? "circular" : "elliptic"; }

Json json_of(const BodyRequest& r) {
  Json out{{"blob", r.blob},
           {"file_name", r.file_name},
           {"sample", r.sample},
           {"scan", scan_json(r.scan)},
           {"proxy_shape", shape_name(r.proxy_shape)},
           {"keep_head_and_hands", r.keep_head_and_hands},
           {"keep_scan", r.keep_scan}};
  if (r.figure) out["figure"] = figure_json(*r.figure);
  return out;
}

Json json_of(const GarmentRequest& r) {
  Json out{{"blob", r.blob},
           {"file_name", r.file_name},
           {"seams_blob", r.seams_blob},
           {"grading_blob", r.grading_blob},
           {"metres_per_unit", r.metres_per_unit},
           {"size", r.size},
           {"check_only", r.check_only}};
  if (r.draft) {
    out["draft"] = Json{{"name", r.draft->name},
                        {"size", r.draft->size},
                        {"body", r.draft->body},
                        {"figure", kFigureNames[static_cast<size_t>(r.draft->figure)]},
                        {"parameters", r.draft->parameters}};
  }
  return out;
}

Json json_of(const sim::Wind& air) {
  return Json{{"model", air.model == sim::WindModel::kTriangle ? "triangle" : "vertex"},
              {"gust_ratio", air.gust_ratio},
              {"gust_period_s", air.gust_period},
              {"turbulence_ratio", air.turbulence},
              {"turbulence_length_m", air.turbulence_length},
              {"seed", air.seed}};
}

Json json_of(const Motion& m) {
  return Json{{"seconds", m.seconds},
              {"frames_per_second", m.frames_per_second},
              {"wind_seconds", m.wind_seconds},
              {"from_sewn", m.from_sewn}};
}

Json json_of(const DrapeSettings& s) {
  Json out{{"fabric", s.fabric},
           {"solver", s.solver},
           {"resolution_mm", s.resolution_mm},
           {"contact_scan", s.contact_scan},
           {"layer_contact", kLayerNames[static_cast<size_t>(s.layer_contact)]},
           {"proxy_shape", shape_name(s.proxy_shape)},
           {"wind_mps", {s.wind_mps.x(), s.wind_mps.y(), s.wind_mps.z()}},
           {"air", json_of(s.air)},
           {"membrane", kMembraneNames[static_cast<size_t>(s.membrane)]},
           {"bending", kBendingNames[static_cast<size_t>(bending_of(s))]},
           {"threads", s.threads}};
  for (const Export what : s.exports) out["exports"].push_back(kExportNames[static_cast<size_t>(what)]);
  if (s.draco) out["draco"] = true;
  if (s.pictures != Pictures::kFourViews) out["pictures"] = kPictureNames[static_cast<size_t>(s.pictures)];
  if (s.target_grade != TargetGrade::kFinal) out["target_grade"] = kTargetNames[static_cast<size_t>(s.target_grade)];
  if (s.motion) out["motion"] = json_of(*s.motion);
  if (s.preview_seconds > 0) out["preview_seconds"] = s.preview_seconds;
  return out;
}

Json json_of(const DrapeRequest& r) {
  Json out{{"body", json_of(r.body)}, {"garment", json_of(r.garment)}, {"settings", json_of(r.settings)}};
  if (!r.over.empty()) out["over"] = r.over;
  if (!r.starts_from.empty()) out["starts_from"] = r.starts_from;
  return out;
}

// The stored JSON is ours; a mismatch is a broken store or another version, never the caller's doing.
template <typename T, typename Reader>
absl::StatusOr<T> parse(std::string_view json, std::string_view what, Reader reader) {
  try {
    return reader(Json::parse(json));
  } catch (const std::exception& error) {
    return internal_fault(cat("stored ", what, " request is unreadable: ", error.what()));
  }
}

ProxyShape shape_of(const Json& j) {
  return j.at("proxy_shape") == "circular" ? ProxyShape::kCircular : ProxyShape::kElliptic;
}

FigureType figure_type_of(const Json& j) {
  const auto it = std::find(kFigureNames.begin(), kFigureNames.end(), j.at("figure").get<std::string>());
  return it == kFigureNames.end() ? FigureType::kNeutral : static_cast<FigureType>(it - kFigureNames.begin());
}

BodyTable figure_of(const Json& j) {
  BodyTable table;
  table.figure = figure_type_of(j);
  table.height_mm = j.at("height_mm");
  table.measurements_mm = j.at("measurements_mm").get<std::map<std::string, double>>();
  table.arm_angle_deg = j.at("arm_angle_deg");
  return table;
}

BodyRequest body_of(const Json& j) {
  BodyRequest r;
  r.blob = j.at("blob");
  r.file_name = j.at("file_name");
  r.sample = j.at("sample");
  r.proxy_shape = shape_of(j);
  r.keep_head_and_hands = j.at("keep_head_and_hands");
  r.keep_scan = j.at("keep_scan");
  if (j.contains("figure")) r.figure = figure_of(j["figure"]);
  const Json& scan = j.at("scan");
  if (scan.contains("facing")) r.scan.facing = scan["facing"].get<std::string>();
  if (scan.contains("metres_per_unit")) r.scan.metres_per_unit = scan["metres_per_unit"].get<double>();
  for (const Pose pose : {Pose::kA, Pose::kT, Pose::kArmsDown}) {
    if (scan.contains("pose") && scan["pose"] == pose_name(pose)) r.scan.pose = pose;
  }
  for (size_t k = 0; k < kUpNames.size(); ++k) {
    if (scan.contains("up_axis") && scan["up_axis"] == kUpNames[k]) r.scan.up_axis = static_cast<UpAxis>(k);
  }
  return r;
}

GarmentRequest garment_of(const Json& j) {
  GarmentRequest r;
  r.blob = j.at("blob");
  r.file_name = j.at("file_name");
  r.seams_blob = j.at("seams_blob");
  r.grading_blob = j.at("grading_blob");
  r.metres_per_unit = j.at("metres_per_unit");
  r.size = j.at("size");
  r.check_only = j.at("check_only");
  if (!j.contains("draft")) return r;
  const Json& draft = j["draft"];
  r.draft.emplace();
  r.draft->name = draft.at("name");
  r.draft->size = draft.at("size");
  r.draft->body = draft.at("body");
  r.draft->figure = figure_type_of(draft);
  r.draft->parameters = draft.at("parameters").get<std::map<std::string, double>>();
  return r;
}

sim::Wind air_of(const Json& j) {
  sim::Wind air;
  if (j.at("model") == "triangle") air.model = sim::WindModel::kTriangle;
  air.gust_ratio = j.at("gust_ratio");
  air.gust_period = j.at("gust_period_s");
  air.turbulence = j.at("turbulence_ratio");
  air.turbulence_length = j.at("turbulence_length_m");
  air.seed = j.at("seed");
  return air;
}

template <typename Enum, size_t count>
Enum named(const Json& j, const std::array<std::string_view, count>& names) {
  const auto it = std::find(names.begin(), names.end(), j.get<std::string>());
  return static_cast<Enum>(it == names.end() ? 0 : it - names.begin());
}

DrapeSettings settings_of(const Json& j) {
  DrapeSettings s;
  s.fabric = j.at("fabric");
  s.solver = j.at("solver");
  s.resolution_mm = j.at("resolution_mm");
  s.contact_scan = j.at("contact_scan");
  s.layer_contact = named<LayerContact>(j.at("layer_contact"), kLayerNames);
  s.proxy_shape = shape_of(j);
  for (int k = 0; k < 3; ++k) s.wind_mps[k] = j.at("wind_mps").at(static_cast<size_t>(k));
  s.air = air_of(j.at("air"));
  s.membrane = named<MembraneModel>(j.at("membrane"), kMembraneNames);
  s.bending = named<BendingModel>(j.at("bending"), kBendingNames);
  for (const Json& name : j.value("exports", Json::array())) {
    if (const auto what = export_named(name.get<std::string>())) s.exports.push_back(*what);
  }
  s.draco = j.value("draco", false);
  if (j.contains("target_grade")) s.target_grade = named<TargetGrade>(j["target_grade"], kTargetNames);
  if (j.contains("pictures")) s.pictures = named<Pictures>(j["pictures"], kPictureNames);
  if (j.contains("motion")) {
    const Json& m = j["motion"];
    s.motion = Motion{m.at("seconds"), m.at("frames_per_second"), m.at("wind_seconds"), m.at("from_sewn")};
  }
  s.preview_seconds = j.value("preview_seconds", 0.0);
  s.threads = j.at("threads");
  return s;
}

std::string identity(Json json) { return sha256_hex(cat(kEngineVersion, "\n", json.dump())); }

absl::Status out_of_range(std::string_view field, double value, std::string_view range) {
  return invalid_input("SETTING_OUT_OF_RANGE", field, cat(field, " is ", value, ", outside ", range),
                       cat("Choose a value in ", range, "."));
}

struct RangedField {
  std::string_view name, range;
  double value, low, high;
};
absl::Status check_ranges(std::initializer_list<RangedField> fields) {
  for (const RangedField& f : fields) {
    if (!(f.value >= f.low && f.value <= f.high)) return out_of_range(f.name, f.value, f.range);
  }
  return absl::OkStatus();
}

absl::Status check_air(const sim::Wind& air, double speed) {
  RETURN_IF_ERROR(
      check_ranges({{"settings.wind.gust_ratio", "0 .. 5", air.gust_ratio, 0, 5},
                    {"settings.wind.gust_period_seconds", "0.1 .. 60 s", air.gust_period, 0.1, 60},
                    {"settings.wind.turbulence_ratio", "0 .. 1", air.turbulence, 0, 1},
                    {"settings.wind.turbulence_length_m", "0.05 .. 10 m", air.turbulence_length, 0.05, 10}}));
  const double gusts = speed * (1 + air.gust_ratio);
  if (gusts > kMostWindMps) {
    return invalid_input("SETTING_OUT_OF_RANGE", "settings.wind.gust_ratio",
                         cat("the gusts blow at ", gusts, " m/s, more than ", kMostWindMps),
                         "Choose less wind, or a lower gust_ratio.");
  }
  if (speed > 0 || (air.gust_ratio == 0 && air.turbulence == 0)) return absl::OkStatus();
  return invalid_input("SETTINGS_CONFLICT",
                       air.gust_ratio > 0 ? "settings.wind.gust_ratio" : "settings.wind.turbulence_ratio",
                       "gusts and turbulence are shares of the wind's speed, and the air stands still",
                       "Set wind_mps, or leave gusts and turbulence at 0.");
}

bool minimises(const DrapeSettings& s) {
  return std::find(kMinimisers.begin(), kMinimisers.end(), s.solver) != kMinimisers.end();
}

bool descends_energy(const DrapeSettings& s) { return minimises(s) || s.solver == "spring_projection"; }

absl::Status check_models(const DrapeSettings& s) {
  const bool minimiser = minimises(s);
  if (s.membrane == MembraneModel::kContinuum && !minimiser)
    return invalid_input("SETTINGS_CONFLICT", "settings.membrane",
                         cat("the solver ", s.solver, " works on springs alone"),
                         "Use drape, lbfgs, newton or baraff_witkin, or another membrane.");
  const BendingModel bending = bending_of(s);
  if (bending == BendingModel::kQuadratic) return absl::OkStatus();
  if (!minimiser && !(bending == BendingModel::kIsometric && descends_energy(s)))
    return invalid_input("SETTINGS_CONFLICT", "settings.bending",
                         cat("the solver ", s.solver, " knows no bending by angles"),
                         "Use drape, lbfgs, newton or baraff_witkin, or quadratic bending.");
  if (s.membrane == MembraneModel::kSprings)
    return invalid_input("SETTINGS_CONFLICT", "settings.bending",
                         "springs along edges bend by springs across them, not by angles",
                         "Use the membrane threads or continuum, or leave bending out.");
  return absl::OkStatus();
}

absl::Status check_exports(const DrapeSettings& s) {
  const auto wants = [&](Export what) {
    return std::find(s.exports.begin(), s.exports.end(), what) != s.exports.end();
  };
  if ((wants(Export::kWind) || wants(Export::kFrames)) && s.wind_mps.isZero(0.0) && !s.motion) {
    return invalid_input("SETTINGS_CONFLICT", "settings.exports", "nothing moves: there is nothing to animate",
                         "Set wind_mps or motion, or leave the wind and the frames out of the exports.");
  }
  if (wants(Export::kViews) && s.pictures != Pictures::kFourViews) {
    return invalid_input("SETTINGS_CONFLICT", "settings.exports", "views.png is made of all four pictures",
                         "Leave views out of the exports, or pictures at its default.");
  }
  if (s.draco && !wants(Export::kWeb) && !wants(Export::kDesktop)) {
    return invalid_input("SETTINGS_CONFLICT", "settings.draco", "Draco compresses the exports web and desktop only",
                         "Ask for one of them, or leave draco out.");
  }
  return absl::OkStatus();
}

absl::Status check_scan(const ScanOptions& scan) {
  if (scan.metres_per_unit && !(*scan.metres_per_unit >= 1e-4 && *scan.metres_per_unit <= 10.0)) {
    return invalid_input("SETTING_OUT_OF_RANGE", "scan.metres_per_unit",
                         cat("metres_per_unit is ", *scan.metres_per_unit, ", outside 1e-4 .. 10"),
                         "Use 0.001 for mm, 0.01 for cm, 0.0254 for inches, 0.1 for dm, 1 for m.");
  }
  if (!scan.facing) return absl::OkStatus();
  const std::string& f = *scan.facing;
  const bool is_axis = f.size() == 2 && (f[0] == '+' || f[0] == '-') && f[1] >= 'x' && f[1] <= 'z';
  if (!is_axis) {
    return invalid_input("SETTING_OUT_OF_RANGE", "scan.facing", "the facing is not one of +x, -x, +y, -y, +z, -z",
                         "Name the axis of the file that the person looks along.");
  }
  if (scan.up_axis && f[1] - 'x' == static_cast<int>(*scan.up_axis)) {
    return invalid_input("SETTING_OUT_OF_RANGE", "scan.facing", cat("the person cannot look along the up axis ", f[1]),
                         "Declare an axis of the floor.");
  }
  return absl::OkStatus();
}

// Numbers at all: whether they go together, and whether there are such people, the figure itself says.
absl::Status check_figure(const BodyTable& table) {
  if (!std::isfinite(table.height_mm)) return out_of_range("figure.height_mm", table.height_mm, "millimetres");
  if (!std::isfinite(table.arm_angle_deg)) return out_of_range("figure.arm_angle_deg", table.arm_angle_deg, "degrees");
  for (const auto& [name, mm] : table.measurements_mm) {
    if (!std::isfinite(mm)) return out_of_range(cat("figure.measurements_mm.", name), mm, "millimetres");
  }
  return absl::OkStatus();
}

absl::Status check_motion(const Motion& m) {
  RETURN_IF_ERROR(check_ranges({{"settings.motion.duration", "0.1 .. 20 s", m.seconds, 0.1, 20},
                                {"settings.motion.frames_per_second", "1 .. 60", m.frames_per_second, 1, 60},
                                {"settings.motion.wind_duration", "0 .. 20 s", m.wind_seconds, 0, 20}}));
  if (m.frame_count() <= kMostFrames) return absl::OkStatus();
  return out_of_range("settings.motion.duration", m.seconds, cat("what gives at most ", kMostFrames, " frames"));
}

}  // namespace

absl::Status validate(const BodyRequest& request) {
  RETURN_IF_ERROR(check_scan(request.scan));
  return request.figure ? check_figure(*request.figure) : absl::OkStatus();
}

absl::Status validate(const GarmentRequest& request) {
  const double unit = request.metres_per_unit;
  if (unit != 0.0 && !(unit >= 1e-4 && unit <= 10.0)) {
    return invalid_input("SETTING_OUT_OF_RANGE", "garment.metres_per_unit",
                         cat("metres_per_unit is ", unit, ", outside 1e-4 .. 10"),
                         "Use 0.001 for mm, 0.01 for cm, 0.0254 for inches, 1 for m.");
  }
  if (!request.draft) return absl::OkStatus();
  for (const auto& [name, value] : request.draft->parameters) {
    if (!std::isfinite(value)) return out_of_range(cat("garment.template.parameters.", name), value, "finite numbers");
  }
  return absl::OkStatus();
}

bool keeps_layers_apart(std::string_view solver) { return solver == sim::kDefaultSolver || solver == "lbfgs"; }

BendingModel bending_of(const DrapeSettings& s) {
  if (s.bending != BendingModel::kUsual) return s.bending;
  return takes_whole_fabric(s) ? BendingModel::kIsometric : BendingModel::kQuadratic;
}

bool takes_whole_fabric(const DrapeSettings& s) { return descends_energy(s) && s.membrane != MembraneModel::kSprings; }

absl::Status validate(const DrapeSettings& s) {
  if (!(s.resolution_mm >= kFinestMm && s.resolution_mm <= kCoarsestMm)) {
    return out_of_range("settings.resolution_mm", s.resolution_mm, cat(kFinestMm, " .. ", kCoarsestMm, " mm"));
  }
  if (!s.wind_mps.allFinite() || s.wind_mps.norm() > kMostWindMps) {
    return out_of_range("settings.wind_mps", s.wind_mps.norm(), cat("0 .. ", kMostWindMps, " m/s"));
  }
  RETURN_IF_ERROR(check_air(s.air, s.wind_mps.norm()));
  if (s.motion) RETURN_IF_ERROR(check_motion(*s.motion));
  RETURN_IF_ERROR(check_models(s));
  RETURN_IF_ERROR(check_exports(s));
  if (s.layer_contact == LayerContact::kAlways && !keeps_layers_apart(s.solver)) {
    return invalid_input("SETTINGS_CONFLICT", "settings.layer_contact",
                         cat("the solver ", s.solver, " does not keep layers apart"),
                         cat("Use the solver ", sim::kDefaultSolver, ", or leave layer_contact out."));
  }
  if (!(s.preview_seconds >= 0.0 && s.preview_seconds <= 3600.0)) {
    return out_of_range("settings.preview_interval", s.preview_seconds, "0.1 .. 3600 s");
  }
  if (s.threads < 1 || s.threads > 64) return out_of_range("settings.threads", s.threads, "1 .. 64");
  return absl::OkStatus();
}

std::optional<Motion> motion_of(const DrapeSettings& s) {
  if (s.motion || s.wind_mps.isZero(0.0)) return s.motion;
  return Motion();
}

absl::Status validate_over(const DrapeSettings& s) {
  if (s.motion && s.motion->from_sewn) {
    return invalid_input("SETTINGS_CONFLICT", "settings.motion.from_sewn",
                         "a garment that goes over another must come to rest on it first", "Leave from_sewn out.");
  }
  if (keeps_layers_apart(s.solver) && s.layer_contact != LayerContact::kNever) return absl::OkStatus();
  return invalid_input("SETTINGS_CONFLICT", "settings.over", "garments worn over each other must be kept apart",
                       cat("Use the solver ", sim::kDefaultSolver, " or lbfgs, and leave layer_contact out."));
}

absl::Status validate_start(const DrapeSettings& s, bool over) {
  if (over) {
    return invalid_input("SETTINGS_CONFLICT", "starts_from", "a garment that goes over another is dressed anew",
                         "Leave out either `over` or `starts_from`.");
  }
  if (!s.motion || !s.motion->from_sewn) return absl::OkStatus();
  return invalid_input("SETTINGS_CONFLICT", "settings.motion.from_sewn",
                       "what begins from another drape is not sewn, so it cannot be let go as sewn",
                       "Leave from_sewn out, or starts_from.");
}

absl::Status start_of_another_body() {
  return invalid_input("START_OF_ANOTHER_BODY", "starts_from", "the drape to start from lies on another body",
                       "Start from a drape on the same body.");
}

absl::Status start_of_another_garment() {
  return invalid_input("START_OF_ANOTHER_GARMENT", "starts_from", "the drape to start from is of another garment",
                       "Start from a drape of the same garment, in any size and fabric, by this engine.");
}

std::string to_json(const BodyRequest& request) { return json_of(request).dump(); }
std::string to_json(const GarmentRequest& request) { return json_of(request).dump(); }
std::string to_json(const DrapeRequest& request) { return json_of(request).dump(); }

absl::StatusOr<BodyRequest> body_request_from_json(std::string_view json) {
  return parse<BodyRequest>(json, "body", body_of);
}

absl::StatusOr<GarmentRequest> garment_request_from_json(std::string_view json) {
  return parse<GarmentRequest>(json, "garment", garment_of);
}

absl::StatusOr<DrapeRequest> drape_request_from_json(std::string_view json) {
  return parse<DrapeRequest>(json, "drape", [](const Json& j) {
    return DrapeRequest{body_of(j.at("body")), garment_of(j.at("garment")), settings_of(j.at("settings")),
                        j.value("over", std::string()), j.value("starts_from", std::string())};
  });
}

std::string digest(const BodyRequest& request) { return identity(json_of(request)); }
std::string digest(const GarmentRequest& request) { return identity(json_of(request)); }

const std::string& size_of(const GarmentRequest& request) { return request.draft ? request.draft->size : request.size; }

GarmentRequest in_size(GarmentRequest request, const std::string& size) {
  (request.draft ? request.draft->size : request.size) = size;
  return request;
}

std::string digest(const DrapeRequest& request) {
  Json json = json_of(request);
  for (const char* hint : {"threads", "preview_seconds"}) json["settings"].erase(hint);
  return identity(json);
}

}  // namespace tryon
