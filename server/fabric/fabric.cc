#include "server/fabric/fabric.h"

#include <algorithm>
#include <cmath>

#include "nlohmann/json.hpp"
#include "server/base/status.h"
#include "server/base/text.h"
#include "server/base/units.h"
#include "server/fabric/library.h"

namespace tryon {
namespace {

using Json = nlohmann::json;

struct NumberField {
  const char* name;
  double Fabric::*member;
  double low, high;
};

// Ranges hold every cloth from chiffon to felt with room; beyond them a unit is wrong.
constexpr NumberField kOptional[] = {
    {"bend_bias_n_m2_per_m", &Fabric::bend_bias, 1e-9, 1e-1},
    {"bend_hysteresis_2hb_n", &Fabric::bend_hysteresis, 0.0, 1.0},
    {"shear_hysteresis_2hg_n_m", &Fabric::shear_hysteresis, 0.0, 1e3},
    {"poisson", &Fabric::poisson, -0.9, 0.9},
};
constexpr NumberField kNumbers[] = {
    {"areal_density_kg_m2", &Fabric::areal_density, 0.01, 3.0},
    {"thickness_m", &Fabric::thickness, 1e-5, 2e-2},
    {"stretch_warp_n_m", &Fabric::stretch_warp, 1.0, 1e5},
    {"stretch_weft_n_m", &Fabric::stretch_weft, 1.0, 1e5},
    {"shear_n_m", &Fabric::shear, 0.1, 1e5},
    {"bend_warp_n_m2_per_m", &Fabric::bend_warp, 1e-9, 1e-1},
    {"bend_weft_n_m2_per_m", &Fabric::bend_weft, 1e-9, 1e-1},
    {"friction_static", &Fabric::friction_static, 0.0, 2.0},
    {"friction_kinetic", &Fabric::friction_kinetic, 0.0, 2.0},
};

absl::Status read_number(const Json& json, const NumberField& field, std::string_view file, Fabric* fabric) {
  const auto it = json.find(field.name);
  if (it == json.end() || !it->is_number()) {
    return invalid_input("FABRIC_FIELD_MISSING", cat(file, ": ", field.name),
                         cat("the fabric has no number ", field.name), cat("Give ", field.name, " as a number."));
  }
  const double value = it->get<double>();
  if (!(value >= field.low && value <= field.high)) {
    return invalid_input("FABRIC_OUT_OF_RANGE", cat(file, ": ", field.name),
                         cat(field.name, " is ", value, ", outside ", field.low, " .. ", field.high),
                         "Check the unit: SI, per unit width.");
  }
  fabric->*field.member = value;
  return absl::OkStatus();
}

struct StrainPart {
  const char* key;
  double* target;
};
// "NAME": {"warp": .., "weft": .., ..}, all parts or none, each within low .. high.
absl::Status read_strains(const Json& json, std::string_view file, std::string_view name, double low, double high,
                          const std::vector<StrainPart>& parts) {
  const auto it = json.find(name);
  if (it == json.end()) return absl::OkStatus();
  for (const auto& [key, target] : parts) {
    const std::string field = cat(file, ": ", name, ".", key);
    if (!it->is_object() || !it->contains(key) || !(*it)[key].is_number())
      return invalid_input("FABRIC_FIELD_MISSING", field, cat(name, " has no number ", key),
                           cat("Give ", name, parts.size() == 2 ? " as warp and weft" : " as warp, weft and bias",
                               ", or leave it out."));
    const double value = (*it)[key].get<double>();
    if (!(value >= low && value <= high))
      return invalid_input("FABRIC_OUT_OF_RANGE", field,
                           cat(name, ".", key, " is ", value, ", outside ", low, " .. ", high),
                           "Give a ratio, not a percentage: 0.05 is 5 %.");
    *target = value;
  }
  return absl::OkStatus();
}

absl::Status read_all_strains(const Json& json, std::string_view file, Fabric* fabric) {
  ComfortableStrain& comfort = fabric->comfortable_strain = comfortable_strain_of(*fabric);
  StrainLimit& limit = fabric->strain_limit;
  RETURN_IF_ERROR(read_strains(json, file, "comfortable_strain", 0, 1,
                               {{"warp", &comfort.warp}, {"weft", &comfort.weft}, {"bias", &comfort.bias}}));
  return read_strains(json, file, "strain_limit", 0.001, 2, {{"warp", &limit.warp}, {"weft", &limit.weft}});
}

// "drape_coefficient": {"value" or "low" and "high", "source"}: what was published, for the tables.
absl::Status read_drape(const Json& json, std::string_view file, Fabric* fabric) {
  const auto it = json.find("drape_coefficient");
  if (it == json.end()) return absl::OkStatus();
  const auto number = [&](const char* key) {
    return it->is_object() && it->contains(key) && (*it)[key].is_number() ? (*it)[key].get<double>() : -1.0;
  };
  fabric->drape_low = number("value") >= 0 ? number("value") : number("low");
  fabric->drape_high = number("value") >= 0 ? number("value") : number("high");
  if (it->is_object() && it->contains("source") && (*it)["source"].is_string())
    fabric->drape_source = (*it)["source"].get<std::string>();
  if (fabric->drape_low >= 0 && fabric->drape_high <= 1 && fabric->drape_low <= fabric->drape_high)
    return absl::OkStatus();
  return invalid_input("FABRIC_OUT_OF_RANGE", cat(file, ": drape_coefficient"),
                       "the drape coefficient is no ratio of 0 .. 1 and no band of two",
                       "Give value, or low and high, as ratios: 0.35 is 35 %.");
}

size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t above = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, diagonal + (a[i - 1] == b[j - 1] ? 0 : 1)});
      diagonal = above;
    }
  }
  return row[b.size()];
}

}  // namespace

ComfortableStrain comfortable_strain_of(const Fabric& f) {
  constexpr double kPull = 10;  // N/m
  const auto at_pull = [](double stiffness) { return std::clamp(kPull / stiffness, 0.01, 0.35); };
  const double bias = 4 / (1 / f.stretch_warp + 1 / f.stretch_weft + 1 / f.shear);  // pulled at 45 degrees
  return {at_pull(f.stretch_warp), at_pull(f.stretch_weft), at_pull(bias)};
}

double bend_damping_of(const Fabric& f) {
  constexpr double kCurvature = 1 / 0.03, kSwing = 2 * kPi, kTypical = 50;  // 1/m, 1/s, 2HB over B in 1/m
  const double stiffness = std::sqrt(f.bend_warp * f.bend_weft);
  const double hysteresis = f.bend_hysteresis > 0 ? f.bend_hysteresis : kTypical * stiffness;
  return std::min(2 * hysteresis / (kPi * stiffness * kCurvature * kSwing), 1.0);
}

double shear_damping_of(const Fabric& f) {
  constexpr double kAngle = 5 * kPi / 180, kSwing = 2 * kPi, kTypical = 1.5 * kPi / 180;
  const double hysteresis = f.shear_hysteresis > 0 ? f.shear_hysteresis : kTypical * f.shear;
  return std::min(2 * hysteresis / (kPi * f.shear * kAngle * kSwing), 1.0);
}

absl::StatusOr<Fabric> fabric_from_json(std::string_view text, std::string_view file_name) {
  const Json json = Json::parse(text, nullptr, false);
  if (!json.is_object()) {
    return invalid_input("FABRIC_UNREADABLE", file_name, "the fabric file is not a JSON object",
                         "Send a tryon.fabric.v1 file.");
  }
  Fabric fabric;
  for (const NumberField& field : kNumbers) RETURN_IF_ERROR(read_number(json, field, file_name, &fabric));
  for (const NumberField& field : kOptional)
    if (json.contains(field.name)) RETURN_IF_ERROR(read_number(json, field, file_name, &fabric));
  RETURN_IF_ERROR(read_all_strains(json, file_name, &fabric));
  RETURN_IF_ERROR(read_drape(json, file_name, &fabric));
  auto word = [&](const char* key) {
    const auto it = json.find(key);
    return it != json.end() && it->is_string() ? it->get<std::string>() : std::string();
  };
  fabric.name = word("name");
  fabric.title = word("title");
  fabric.source = word("source");
  const auto colour = json.find("colour_linear_rgb");
  if (colour != json.end() && colour->is_array() && colour->size() == 3) {
    for (size_t k = 0; k < 3; ++k) {
      if ((*colour)[k].is_number())
        fabric.colour[static_cast<int>(k)] = std::clamp((*colour)[k].get<double>(), 0.0, 1.0);
    }
  }
  return fabric;
}

absl::StatusOr<Fabric> fabric_by_name(std::string_view name) {
  constexpr size_t kMaxDocument = 64 << 10;
  if (!name.empty() && name[0] == '{' && name.size() <= kMaxDocument) return fabric_from_json(name, "settings.fabric");
  std::vector<std::pair<size_t, std::string>> near;
  for (const FabricFile& file : fabric_library()) {
    if (file.name == name) return fabric_from_json(file.json, file.name);
    near.emplace_back(edit_distance(name.substr(0, 64), file.name), file.name);
  }
  std::sort(near.begin(), near.end());
  std::string nearest;
  for (size_t i = 0; i < std::min<size_t>(3, near.size()); ++i) nearest += (i > 0 ? ", " : "") + near[i].second;
  return invalid_input("FABRIC_UNKNOWN", "settings.fabric",
                       cat("there is no fabric named \"", name.substr(0, 64), "\""),
                       cat("The nearest names are: ", nearest, "."));
}

std::vector<std::string> fabric_names() {
  std::vector<std::string> names;
  for (const FabricFile& file : fabric_library()) names.push_back(file.name);
  return names;
}

}  // namespace tryon
