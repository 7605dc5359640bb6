#include "client/cli/fabric_commands.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "client/cli/commands.h"
#include "client/cli/files.h"
#include "nlohmann/json.hpp"
#include "server/base/status.h"
#include "server/base/text.h"
#include "server/io/fabric_import.h"
#include "server/lab/fit_fabric.h"

namespace tryon::cli {
namespace {

using Json = nlohmann::json;
namespace fs = std::filesystem;

absl::StatusOr<ImportedFabric> import_file(const std::string& path) {
  ASSIGN_OR_RETURN(const std::string bytes, read_file(path));
  return import_fabric(bytes, fs::path(path).filename().string());
}

bool is_path(const std::string& text) {
  if (text.rfind("fabrics/", 0) == 0) return false;
  std::error_code ignored;
  return text.find('/') != std::string::npos || text.find('.') != std::string::npos ||
         fs::is_regular_file(text, ignored);
}

absl::Status set_number(const NamedNumber& given, lab::FabricTests* tests) {
  const struct {
    const char* name;
    double *target, unit;
  } numbers[] = {{"density", &tests->areal_density, 1e-3},
                 {"drape", &tests->drape_coefficient, 1e-2},
                 {"e100_warp", &tests->warp.strain, 1e-2},
                 {"e100_weft", &tests->weft.strain, 1e-2},
                 {"eb5", &tests->bias.strain, 1e-2},
                 {"hysteresis", &tests->hysteresis_ratio, 1},
                 {"warp_over_weft", &tests->warp_over_weft, 1},
                 {"thickness", &tests->thickness, 1e-3}};
  for (const auto& number : numbers)
    if (given.name == number.name) return *number.target = given.value * number.unit, absl::OkStatus();
  return invalid_input(
      "USAGE", "--set", cat("there is no test named \"", given.name, "\""),
      "The tests are: density (g/m2), drape (%), e100_warp, e100_weft (% at 98 N/m), eb5 (% at 4.9 N/m), "
      "hysteresis (1/m), warp_over_weft, thickness (mm).");
}

absl::StatusOr<lab::FittedFabric> fitted(const Options& o) {
  lab::FabricTests tests;
  for (const std::string& text : o.parameters) {
    ASSIGN_OR_RETURN(const NamedNumber given, named_number(text, "--set", "`tryon fabric fit --help`"));
    RETURN_IF_ERROR(set_number(given, &tests));
  }
  lab::DrapeMeter meter;
  meter.cell = 8e-3;
  meter.seeds = {6, 7};
  return lab::fit_fabric({}, tests, meter);
}

Json document(const lab::FittedFabric& fit, const std::string& name) {
  const Fabric& f = fit.fabric;
  return {{"schema", "tryon.fabric.v1"},
          {"name", name.empty() ? "fitted" : name},
          {"source", "fitted to weight, drape coefficient and stretch by tryon fabric fit"},
          {"areal_density_kg_m2", f.areal_density},
          {"thickness_m", f.thickness},
          {"stretch_warp_n_m", f.stretch_warp},
          {"stretch_weft_n_m", f.stretch_weft},
          {"shear_n_m", f.shear},
          {"bend_warp_n_m2_per_m", f.bend_warp},
          {"bend_weft_n_m2_per_m", f.bend_weft},
          {"bend_hysteresis_2hb_n", f.bend_hysteresis},
          {"friction_static", f.friction_static},
          {"friction_kinetic", f.friction_kinetic},
          {"drape_coefficient", {{"value", std::min(1.0, fit.drape_coefficient)}, {"source", "simulated by the fit"}}}};
}

absl::Status keep(const Options& o, const std::string& json, const std::string& name) {
  if (o.out.empty()) return absl::OkStatus();
  std::error_code error;
  fs::create_directories(o.out, error);
  return write_file(fs::path(o.out) / (name + ".json"), json);
}

}  // namespace

absl::StatusOr<std::string> fabric_order(const std::string& fabric) {
  if (!is_path(fabric)) return fabric;
  ASSIGN_OR_RETURN(const ImportedFabric imported, import_file(fabric));
  return imported.json;
}

int fabric_check(const Options& o, client::Client*) {
  const auto imported = import_file(o.file);
  if (!imported.ok()) return report_error(imported.status(), o.json);
  const absl::Status kept = keep(o, imported->json, fs::path(o.file).stem().string());
  if (!kept.ok()) return report_error(kept, o.json);
  if (!o.json) {
    std::printf("%s: a fabric (%s)\n", o.file.c_str(), imported->format.c_str());
    for (const std::string& note : imported->notes) std::printf("  note: %s\n", note.c_str());
  }
  std::printf("%s\n", imported->json.c_str());
  return kOk;
}

int fabric_fit(const Options& o, client::Client*) {
  const auto fit = fitted(o);
  if (!fit.ok()) return report_error(fit.status(), o.json);
  const std::string json = document(*fit, o.name).dump(2);
  const absl::Status kept = keep(o, json, o.name.empty() ? "fitted" : fs::path(o.name).filename().string());
  if (!kept.ok()) return report_error(kept, o.json);
  std::printf("%s\n", json.c_str());
  if (!o.json)
    std::fprintf(stderr, "simulated drape coefficient %.1f %% after %d drapes\n", 100 * fit->drape_coefficient,
                 fit->drape_count);
  return kOk;
}

namespace {

int show_fabric(const Options& o, const v1::Fabric& fabric, client::Client* client) {
  if (!o.out.empty()) {
    const absl::Status saved = fabric.in_library() ? keep(o, fabric.document(), fs::path(fabric.name()).filename())
                                                   : save_all(client, fabric.artifacts(), o.out);
    if (!saved.ok()) return report_error(saved, o.json);
  }
  if (o.json) {
    print_json(fabric);
    return kOk;
  }
  std::printf("%s\n  %s, %.0f g/m2, %.2f mm\n", fabric.name().c_str(), fabric.title().c_str(),
              1e3 * fabric.areal_density_kg_m2(), fabric.thickness_mm());
  std::printf("  stretch %.0f x %.0f N/m, shear %.1f N/m, bending %.2f x %.2f uN m (warp x weft)\n",
              fabric.stretch_warp_n_m(), fabric.stretch_weft_n_m(), fabric.shear_n_m(), 1e6 * fabric.bend_warp_n_m(),
              1e6 * fabric.bend_weft_n_m());
  std::printf("  source: %s\n", fabric.source().c_str());
  for (const std::string& note : fabric.notes()) std::printf("  note: %s\n", note.c_str());
  return kOk;
}

}  // namespace

int fabric_create(const Options& o, client::Client* client) {
  const auto bytes = read_file(o.file);
  if (!bytes.ok()) return report_error(bytes.status(), o.json);
  const auto digest = client->upload(*bytes);
  if (!digest.ok()) return report_error(digest.status(), o.json);
  v1::CreateFabricRequest request;
  request.mutable_source()->set_file_sha256(*digest);
  request.mutable_source()->set_file_name(fs::path(o.file).filename().string());
  const auto fabric = client->create_fabric(request, {});
  return fabric.ok() ? show_fabric(o, *fabric, client) : report_error(fabric.status(), o.json);
}

int fabric_list(const Options& o, client::Client* client) {
  const auto list = client->fabrics();
  if (!list.ok()) return report_error(list.status(), o.json);
  Json out = Json::array();
  for (const v1::Fabric& f : *list) {
    const std::string state = v1::TaskState_Name(f.state());
    out.push_back({{"name", f.name()}, {"state", state}, {"in_library", f.in_library()}, {"title", f.title()}});
    if (!o.json)
      std::printf("%-28s %5.0f g/m2  %s\n", f.name().c_str(), 1e3 * f.areal_density_kg_m2(),
                  f.state() == v1::TASK_STATE_SUCCEEDED ? f.title().c_str() : state.c_str());
  }
  if (o.json) std::printf("%s\n", out.dump(2).c_str());
  return kOk;
}

int fabric_get(const Options& o, client::Client* client) {
  const auto fabric = client->get_fabric(o.name);
  if (!fabric.ok()) return report_error(fabric.status(), o.json);
  if (fabric->state() == v1::TASK_STATE_FAILED || fabric->state() == v1::TASK_STATE_CANCELLED) {
    return report_error(client->watch(o.name, {}), o.json);  // the operation knows why
  }
  return show_fabric(o, *fabric, client);
}

int fabric_delete(const Options& o, client::Client* client) {
  const absl::Status status = client->delete_fabric(o.name);
  return status.ok() ? kOk : report_error(status, o.json);
}

}  // namespace tryon::cli
