#include <cstdlib>
#include <optional>

#include "server/base/status.h"
#include "server/base/text.h"
#include "server/base/units.h"
#include "server/io/fabric_numbers.h"

namespace tryon {
namespace {

using Json = nlohmann::json;

constexpr double kGramForce = 1e-3 * kGravity;  // N
constexpr size_t kMaxSamples = 20000;           // of one curve

// Numbers stand there as numbers or as text.
std::optional<double> number_at(const Json& json, const char* pointer) {
  const Json::json_pointer p(pointer);
  if (!json.contains(p)) return std::nullopt;
  if (json[p].is_number()) return json[p].get<double>();
  if (!json[p].is_string()) return std::nullopt;
  const std::string text = json[p].get<std::string>();
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  return text.empty() || *end != 0 ? std::nullopt : std::optional<double>(value);
}

const Json* block(const Json& json, const char* pointer) {
  const Json::json_pointer p(pointer);
  return json.contains(p) && json[p].is_object() ? &json[p] : nullptr;
}

const Json* physics_of(const Json& json) {
  for (const char* at : {"/raw_data", "/custom/browzwear"})
    if (block(json, at) != nullptr) return &json;
  for (const char* at : {"/material/physics", "/physics"}) {
    const Json* inner = block(json, at);
    if (inner != nullptr && (block(*inner, "/raw_data") != nullptr || block(*inner, "/custom/browzwear") != nullptr))
      return inner;
  }
  return nullptr;
}

// The first pull of a stretch measurement: pairs of clamp distance (cm) and force (gf) on a strip `width` cm wide.
absl::StatusOr<double> stretch_of(const Json& part, std::string_view file, const std::string& name) {
  const auto missing = [&](const char* what) {
    return invalid_input("FABRIC_FIELD_MISSING", cat(file, ": ", name), cat("the measurement ", name, " has no ", what),
                         "Export the U3M again with whole raw data, or with the values that were fitted to it.");
  };
  const auto length = number_at(part, "/length"), width = number_at(part, "/width");
  if (!length || !width || !(*length > 0.1) || !(*width > 0.1)) return missing("length and width in cm");
  const auto tree = part.find("samplesTree");
  if (tree == part.end() || !tree->is_array() || tree->empty() || !(*tree)[0].is_array()) return missing("samplesTree");
  const Json& pull = (*tree)[0];
  if (pull.size() > 2 * kMaxSamples) return missing("curve of at most 20000 points");
  Curve curve;
  for (size_t i = 0; i + 1 < pull.size(); i += 2) {
    if (!pull[i].is_number() || !pull[i + 1].is_number()) return missing("numbers in its samplesTree");
    curve.emplace_back(pull[i].get<double>() / *length, pull[i + 1].get<double>() * kGramForce / (*width * 1e-2));
  }
  return stiffness_of(curve, file, name);
}

// What the maker's software fitted: mass g/m2, thickness mm, bend 1e-7 N m (dyn cm), stretch and shear N/m. Length runs
// along the warp.
absl::Status read_fitted(const Json& fitted, FabricNumbers* out) {
  static constexpr struct {
    const char *from, *to;
    double unit;
  } kFields[] = {{"/mass", "areal_density_kg_m2", 1e-3},
                 {"/thickness", "thickness_m", 1e-3},
                 {"/stretch/length", "stretch_warp_n_m", 1},
                 {"/stretch/width", "stretch_weft_n_m", 1},
                 {"/shear", "shear_n_m", 1},
                 {"/bend/length", "bend_warp_n_m2_per_m", 1e-7},
                 {"/bend/width", "bend_weft_n_m2_per_m", 1e-7},
                 {"/friction", "friction_static", 1}};
  for (const auto& field : kFields) {
    const auto value = number_at(fitted, field.from);
    if (value) out->document[field.to] = *value * field.unit;
  }
  if (fitted.contains("name") && fitted["name"].is_string()) out->document["title"] = fitted["name"];
  return absl::OkStatus();
}

// Raw curves give stretch where nothing was fitted; bending and shear are not read from them.
absl::Status read_raw(const Json& raw, std::string_view file, FabricNumbers* out) {
  const auto mass = number_at(raw, "/M");
  if (mass && !out->document.contains("areal_density_kg_m2")) out->document["areal_density_kg_m2"] = *mass * 1e-3;
  for (const auto& [grain, key] : {std::pair("L", "stretch_warp_n_m"), std::pair("W", "stretch_weft_n_m")}) {
    const std::string path = cat("/", grain, "/S2");
    const Json* part = block(raw, path.c_str());
    if (part == nullptr) continue;
    ASSIGN_OR_RETURN(const double stiffness, stretch_of(*part, file, cat("raw_data.", grain, ".S2")));
    if (out->document.contains(key)) continue;
    out->document[key] = stiffness;
    out->notes.push_back(cat(key, " was taken from the raw curve raw_data.", grain, ".S2"));
  }
  return absl::OkStatus();
}

}  // namespace

bool looks_like_u3m(const Json& json) { return json.is_object() && physics_of(json) != nullptr; }

absl::StatusOr<FabricNumbers> read_u3m(const Json& json, std::string_view file) {
  FabricNumbers out;
  out.document = Json::object();
  const Json& physics = *physics_of(json);
  if (const Json* fitted = block(physics, "/custom/browzwear")) RETURN_IF_ERROR(read_fitted(*fitted, &out));
  if (const Json* raw = block(physics, "/raw_data")) RETURN_IF_ERROR(read_raw(*raw, file, &out));
  return out;
}

}  // namespace tryon
