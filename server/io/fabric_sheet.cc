#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <map>
#include <optional>

#include "server/base/status.h"
#include "server/base/text.h"
#include "server/base/units.h"
#include "server/io/fabric_numbers.h"

namespace tryon {
namespace {

using Json = nlohmann::json;

constexpr size_t kMaxLines = 2000;
constexpr double kGfPerCm = 1e-3 * kGravity / 1e-2;  // N/m

struct Sheet {
  std::string_view file;
  std::map<std::string, std::array<double, 2>> values;  // upper case key -> warp, weft (equal where one was given)
  std::string title;
  bool has(const std::string& key) const { return values.count(key) > 0; }
};

std::string trimmed(std::string_view text) {
  const size_t a = text.find_first_not_of(" \t\r\""), b = text.find_last_not_of(" \t\r\"");
  return a == std::string_view::npos ? std::string() : std::string(text.substr(a, b - a + 1));
}

std::string upper(std::string text) {
  for (char& c : text)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  return text;
}

std::optional<double> number_of(const std::string& text) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  return text.empty() || *end != 0 || !std::isfinite(value) ? std::nullopt : std::optional<double>(value);
}

absl::Status no_number(std::string_view file, const std::string& key) {
  return invalid_input("FABRIC_UNREADABLE", cat(file, ": ", key), cat(key, " is not followed by one or two numbers"),
                       "Write KEY,VALUE or KEY,WARP,WEFT with a decimal point.");
}

absl::StatusOr<Sheet> sheet_of_csv(std::string_view bytes, std::string_view file) {
  Sheet out{file, {}, ""};
  size_t lines = 0;
  for (const std::string& line : split(bytes, '\n')) {
    if (++lines > kMaxLines) return no_number(file, "the 2001st line");
    const std::vector<std::string> cells = split(line, line.find(';') != std::string::npos ? ';' : ',');
    const std::string key = upper(trimmed(cells[0]));
    if (key.empty() || key[0] == '#' || key == "KEY" || key == "PARAMETER" || cells.size() < 2) continue;
    if (key == "NAME" || key == "TITLE" || key == "FORMAT") {
      if (key != "FORMAT") out.title = trimmed(cells[1]);
      continue;
    }
    const auto warp = number_of(trimmed(cells[1]));
    if (!warp) return no_number(file, key);
    const auto weft = cells.size() > 2 ? number_of(trimmed(cells[2])) : warp;  // a third cell may be a unit
    out.values[key] = {*warp, weft.value_or(*warp)};
  }
  return out;
}

absl::StatusOr<Sheet> sheet_of_json(const Json& json, std::string_view file) {
  Sheet out{file, {}, ""};
  for (const auto& [name, value] : json.items()) {
    const std::string key = upper(name);
    const bool pair = value.is_array() && value.size() == 2 && value[0].is_number() && value[1].is_number();
    if (value.is_number())
      out.values[key] = {value.get<double>(), value.get<double>()};
    else if (pair)
      out.values[key] = {value[0].get<double>(), value[1].get<double>()};
    else if (value.is_string() && (key == "NAME" || key == "TITLE"))
      out.title = value.get<std::string>();
    else if (!value.is_string() && key.rfind("CURVE", 0) != 0)
      return no_number(file, name);
  }
  return out;
}

absl::StatusOr<std::array<double, 2>> need(const Sheet& sheet, const std::string& key, const char* what) {
  const auto it = sheet.values.find(key);
  if (it == sheet.values.end())
    return invalid_input("FABRIC_FIELD_MISSING", cat(sheet.file, ": ", key), cat("the sheet has no ", key, ", ", what),
                         "Add the line KEY,WARP,WEFT to the sheet.");
  for (const double value : it->second)
    if (!(value > 0) || !std::isfinite(value))
      return invalid_input("FABRIC_OUT_OF_RANGE", cat(sheet.file, ": ", key),
                           cat(key, " is ", value, "; it must be positive"), "Check the sheet's units and sign.");
  return it->second;
}

void put(FabricNumbers* out, const char* warp_key, const char* weft_key, const std::array<double, 2>& v, double unit) {
  out->document[warp_key] = v[0] * unit;
  out->document[weft_key] = v[1] * unit;
}

// "curve_warp": [[strain %, gf/cm], ...]: a pull; of a sheet in JSON.
absl::Status read_curves(const Json& json, std::string_view file, FabricNumbers* out) {
  for (const auto& [name, key] :
       {std::pair("curve_warp", "stretch_warp_n_m"), std::pair("curve_weft", "stretch_weft_n_m")}) {
    if (!json.is_object() || !json.contains(name)) continue;
    Curve curve;
    for (const Json& point : json[name]) {
      if (!point.is_array() || point.size() != 2 || !point[0].is_number() || !point[1].is_number())
        return no_number(file, name);
      curve.emplace_back(1e-2 * point[0].get<double>(), kGfPerCm * point[1].get<double>());
    }
    ASSIGN_OR_RETURN(out->document[key], stiffness_of(curve, file, name));
  }
  return absl::OkStatus();
}

// Tensile: the stiffness that stores the work WT = LT EMT 500 gf/cm / 2 up to EMT, beyond which the cloth stiffens.
absl::StatusOr<FabricNumbers> kes(const Sheet& s, const Json& json) {
  FabricNumbers out;
  out.document = Json::object();
  ASSIGN_OR_RETURN(const auto weight, need(s, "W", "the weight in mg/cm2"));
  ASSIGN_OR_RETURN(const auto shear, need(s, "G", "the shear stiffness in gf/(cm deg)"));
  ASSIGN_OR_RETURN(const auto bend, need(s, "B", "the bending rigidity in gf cm2/cm"));
  out.document["areal_density_kg_m2"] = 1e-2 * weight[0];
  out.document["shear_n_m"] = 0.5 * (shear[0] + shear[1]) * kGfPerCm * 180 / kPi;
  put(&out, "bend_warp_n_m2_per_m", "bend_weft_n_m2_per_m", bend, 1e-5 * kGravity);
  if (s.has("2HB"))
    out.document["bend_hysteresis_2hb_n"] = 0.5 * (s.values.at("2HB")[0] + s.values.at("2HB")[1]) * 1e-3 * kGravity;
  if (s.has("2HG"))
    out.document["shear_hysteresis_2hg_n_m"] = 0.5 * (s.values.at("2HG")[0] + s.values.at("2HG")[1]) * kGfPerCm;
  if (s.has("T")) out.document["thickness_m"] = 1e-3 * s.values.at("T")[0];
  if (s.has("T0")) out.document["thickness_m"] = 1e-3 * s.values.at("T0")[0];
  if (s.has("MIU")) out.document["friction_static"] = 0.5 * (s.values.at("MIU")[0] + s.values.at("MIU")[1]);
  RETURN_IF_ERROR(read_curves(json, s.file, &out));
  if (out.document.contains("stretch_warp_n_m") && out.document.contains("stretch_weft_n_m")) return out;
  ASSIGN_OR_RETURN(const auto emt, need(s, "EMT", "the extension in % at 500 gf/cm"));
  std::array<double, 2> linearity = {1, 1};
  if (s.has("LT")) {
    ASSIGN_OR_RETURN(linearity, need(s, "LT", "the linearity of the tensile curve"));
  } else {
    out.notes.push_back("LT is not in the sheet: a straight tensile curve assumed");
  }
  put(&out, "stretch_warp_n_m", "stretch_weft_n_m", {linearity[0] / emt[0], linearity[1] / emt[1]},
      500 * kGfPerCm * 100);
  if (std::max(emt[0], emt[1]) <= 200)
    out.document["strain_limit"] = {{"warp", 1e-2 * emt[0]}, {"weft", 1e-2 * emt[1]}};
  return out;
}

// Stretch between 5 and 20 gf/cm, where garments pull; bending from the length C (Peirce); G = 123 / EB5.
absl::StatusOr<FabricNumbers> fast(const Sheet& s) {
  FabricNumbers out;
  out.document = Json::object();
  ASSIGN_OR_RETURN(const auto weight, need(s, "W", "the weight in g/m2"));
  ASSIGN_OR_RETURN(const auto e5, need(s, "E5", "the extension in % at 5 gf/cm"));
  ASSIGN_OR_RETURN(const auto e20, need(s, "E20", "the extension in % at 20 gf/cm"));
  ASSIGN_OR_RETURN(const auto e100, need(s, "E100", "the extension in % at 100 gf/cm"));
  ASSIGN_OR_RETURN(const auto bias, need(s, "EB5", "the bias extension in % at 5 gf/cm"));
  std::array<double, 2> stiffness{};
  for (int k = 0; k < 2; ++k) {
    const Curve pull = {
        {0, 0}, {1e-2 * e5[k], 5 * kGfPerCm}, {1e-2 * e20[k], 20 * kGfPerCm}, {1e-2 * e100[k], 100 * kGfPerCm}};
    RETURN_IF_ERROR(
        stiffness_of(pull, s.file, k == 0 ? "E5, E20, E100 of the warp" : "E5, E20, E100 of the weft").status());
    stiffness[k] = (pull[2].second - pull[1].second) / (pull[2].first - pull[1].first);
  }
  out.document["areal_density_kg_m2"] = 1e-3 * weight[0];
  put(&out, "stretch_warp_n_m", "stretch_weft_n_m", stiffness, 1);
  out.document["shear_n_m"] = 123 / bias[0];
  if (s.has("B")) {
    ASSIGN_OR_RETURN(const auto bend, need(s, "B", "the bending rigidity in 1e-6 N m"));
    put(&out, "bend_warp_n_m2_per_m", "bend_weft_n_m2_per_m", bend, 1e-6);
  } else {
    ASSIGN_OR_RETURN(const auto c, need(s, "C", "the bending length in mm (or B, the rigidity)"));
    const double load = 1e-3 * weight[0] * kGravity;
    put(&out, "bend_warp_n_m2_per_m", "bend_weft_n_m2_per_m", {std::pow(1e-3 * c[0], 3), std::pow(1e-3 * c[1], 3)},
        load);
  }
  if (s.has("T2")) out.document["thickness_m"] = 1e-3 * s.values.at("T2")[0];
  return out;
}

}  // namespace

bool looks_like_sheet(std::string_view bytes) {
  for (const char c : bytes.substr(0, 4096))
    if (static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\r' && c != '\t') return false;
  return bytes.find(',') != std::string_view::npos || bytes.find(';') != std::string_view::npos;
}

absl::StatusOr<FabricNumbers> read_sheet(std::string_view bytes, std::string_view file, std::string* format) {
  const Json json = Json::parse(bytes, nullptr, false);
  ASSIGN_OR_RETURN(const Sheet sheet, json.is_object() ? sheet_of_json(json, file) : sheet_of_csv(bytes, file));
  const bool is_fast = sheet.has("EB5") || sheet.has("E100") || sheet.has("E20");
  const bool is_kes = sheet.has("EMT") || sheet.has("LT") || sheet.has("2HB") || sheet.has("G");
  if (!is_fast && !is_kes)
    return invalid_input("FABRIC_FILE_UNKNOWN", file,
                         "the sheet has no key of KES-F (EMT, G, B, W) nor of FAST (E100, EB5)",
                         "Name the rows as the instruments do.");
  *format = is_fast ? "fast" : "kes";
  ASSIGN_OR_RETURN(FabricNumbers out, is_fast ? fast(sheet) : kes(sheet, json));
  if (!sheet.title.empty()) out.document["title"] = sheet.title;
  return out;
}

}  // namespace tryon
