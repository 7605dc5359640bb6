#include "client/cli/commands.h"

#include <cstdio>
#include <cstdlib>
#include <map>

#include "client/cli/body_commands.h"
#include "client/cli/catalog_commands.h"
#include "client/cli/drape_order.h"
#include "client/cli/fabric_commands.h"
#include "client/cli/files.h"
#include "client/cli/garment_commands.h"
#include "client/cli/interrupt.h"
#include "client/cli/perf_command.h"
#include "client/cli/progress_bar.h"
#include "nlohmann/json.hpp"
#include "server/base/status.h"
#include "server/base/text.h"

namespace tryon::cli {
namespace {

using Json = nlohmann::json;

// What older engines did not measure is left out.
void print_trust(const v1::DrapeMetrics& m) {
  if (m.has_penetration()) {
    std::printf("%-22s deepest %.2f mm, %.2f cm3 in all\n", "between vertices too", m.penetration().deepest_mm(),
                m.penetration().volume_cm3());
  }
  if (m.has_stretch()) {
    const v1::StretchMetrics& s = m.stretch();
    std::printf("%-22s %.1f deg\n", "shear, 99th pct", s.shear_deg().p99());
    std::printf("%-22s %.2f of its rest\n", "least triangle's area", s.area_min_ratio());
    if (s.has_line_tension_max_n_per_m()) {
      std::printf("%-22s %.1f N/m (a strip of its length weighs %.1f)\n", "largest tension",
                  s.line_tension_max_n_per_m(), s.own_weight_n_per_m());
    }
  }
  if (m.seams().has_strain())
    std::printf("%-22s %.1f %%\n", "along seams, 95th pct", 100 * m.seams().strain().p95_ratio());
  if (!m.has_motion()) return;
  std::printf("%-22s %d at the most", "crossings in motion", m.motion().self_intersection_max_count());
  if (m.motion().self_intersection_max_count() > 0)
    std::printf(", at %.2f s", m.motion().self_intersection_max_at_seconds());
  std::printf("\n");
  if (m.motion().has_end_speed_p99_5_mm_per_s())
    std::printf("%-22s %.3g mm/s\n", "speed at its end", m.motion().end_speed_p99_5_mm_per_s());
}

void print_drape(const v1::Drape& drape) {
  const v1::DrapeMetrics& m = drape.metrics();
  std::printf("%-22s %s\n", "drape", drape.name().c_str());
  std::printf("%-22s %s (grade %s)\n", "termination", m.termination().c_str(), m.grade().c_str());
  std::printf("%-22s %d vertices, %d triangles\n", "mesh", m.vertex_count(), m.triangle_count());
  std::printf("%-22s max %.3g, rms %.3g (net force / nodal weight)\n", "residual", m.residual_max_ratio(),
              m.residual_rms_ratio());
  std::printf("%-22s %.2f mm\n", "largest seam gap", m.seam_max_gap_mm());
  std::printf("%-22s %.2f mm\n", "deepest in the body", m.penetration_max_depth_mm());
  if (m.carried()) std::printf("%-22s %s\n", "began", "where the other drape lies");
  std::printf("%-22s %d\n", "self-intersections", m.self_intersection_count());
  std::printf("%-22s warp %.1f %%, weft %.1f %%\n", "strain, 95th pct", 100 * m.strain_warp_p95_ratio(),
              100 * m.strain_weft_p95_ratio());
  print_trust(m);
  std::printf("%-22s %.1f s\n", "time", m.total_seconds());
}

// What a failed drape left: replay.tryon, if the fault was ours.
void save_failed(const std::string& name, client::Client* client, const Options& o) {
  const auto drape = client->get_drape(name);
  if (!drape.ok() || o.out.empty() || !save_all(client, drape->artifacts(), o.out).ok()) return;
  for (const v1::Artifact& artifact : drape->artifacts())
    std::fprintf(stderr, "tryon: wrote %s\n", (std::filesystem::path(o.out) / artifact.file_name()).c_str());
}

// What is worn beneath, from the skin outward: each over the one before.
absl::Status drape_beneath(const Options& o, client::Client* client, const CancelFlag& interrupted,
                           v1::CreateDrapeRequest* request) {
  request->set_over(o.over);
  for (const std::string& worn : o.under) {
    const size_t at = worn.rfind('@');
    v1::CreateDrapeRequest inner = *request;
    inner.clear_exports(), inner.clear_draco(), inner.clear_wind_mps(), inner.clear_wind();
    inner.clear_motion();
    ASSIGN_OR_RETURN(const v1::CreateGarmentRequest garment, garment_order(o, worn.substr(0, at), client));
    ASSIGN_OR_RETURN(*inner.mutable_garment(), client->begin_garment(garment));
    ASSIGN_OR_RETURN(*inner.mutable_fabric(), fabric_order(at == std::string::npos ? o.fabric : worn.substr(at + 1)));
    ProgressBar bar;
    ASSIGN_OR_RETURN(const v1::Drape drape, client->run_drape(inner, shown_on(&bar), interrupted));
    request->set_over(drape.name());
  }
  return absl::OkStatus();
}

int drape(const Options& o, client::Client* client) {
  auto request = drape_request(o, client);
  if (!request.ok()) return report_error(request.status(), o.json);
  const CancelFlag interrupted = cancelled_by_interrupt();
  if (const absl::Status worn = drape_beneath(o, client, interrupted, &*request); !worn.ok())
    return report_error(worn, o.json);
  request->set_starts_from(o.starts_from);
  absl::StatusOr<v1::Drape> result;
  std::string operation;
  {
    ProgressBar bar;
    const auto show = shown_on(&bar);
    ShownFiles files(client, o.out);
    const auto told = [&](const std::string& name, const v1::OperationMetadata& metadata) {
      operation = name;
      show(name, metadata);
      files.save(metadata);
    };
    result = client->run_drape(*request, told, interrupted);
  }
  if (!result.ok()) {
    if (absl::IsInternal(result.status())) save_failed(operation, client, o);
    return report_error(result.status(), o.json);
  }
  if (const absl::Status saved = save_all(client, result->artifacts(), o.out); !saved.ok()) {
    return report_error(saved, o.json);
  }
  o.json ? print_json(*result) : print_drape(*result);
  return result->settled() ? kOk : kNotSettled;
}

void print_advice(const v1::SizeAdvice& advice) {
  std::printf("size %s, confidence %.0f %%", advice.advised_size().c_str(), 100 * advice.confidence_ratio());
  if (!advice.runner_up_size().empty()) std::printf(" (next: %s)", advice.runner_up_size().c_str());
  std::printf("\n");
  if (advice.has_chart()) {
    std::printf("size chart by %s: %s%s%s\n", advice.chart().by().c_str(), advice.chart().size().c_str(),
                advice.chart().agrees() ? "" : ": ", advice.chart().why().c_str());
  }
  for (const v1::SizeCandidate& size : advice.sizes()) {
    std::printf("%2d. %-6s misfit %5.2f", size.rank(), size.size().c_str(), size.misfit());
    for (const std::string& text : size.says()) std::printf("%s%s", &text == &size.says(0) ? "  " : "; ", text.c_str());
    std::printf("\n");
  }
}

int advise(const Options& o, client::Client* client) {
  const auto drape = drape_request(o, client);
  if (!drape.ok()) return report_error(drape.status(), o.json);
  v1::AdviseSizeRequest request;
  *request.mutable_drape() = *drape;
  for (const std::string& size : o.sizes) request.add_sizes(size);
  absl::StatusOr<v1::SizeAdvice> result;
  {
    ProgressBar bar;
    result = client->advise_size(request, shown_on(&bar));
  }
  if (!result.ok()) return report_error(result.status(), o.json);
  if (const absl::Status saved = save_all(client, result->artifacts(), o.out); !saved.ok()) {
    return report_error(saved, o.json);
  }
  o.json ? print_json(*result) : print_advice(*result);
  return kOk;
}

int fabrics(const Options& o, client::Client* client) {
  const auto list = client->library_fabrics();
  if (!list.ok()) return report_error(list.status(), o.json);
  Json out = Json::array();
  for (const v1::FabricInfo& f : *list) {
    out.push_back({{"name", f.name()}, {"title", f.title()}, {"source", f.source()}});
    if (!o.json)
      std::printf("%-18s %5.0f g/m2  %s\n", f.name().c_str(), 1e3 * f.areal_density_kg_m2(), f.title().c_str());
  }
  if (o.json) std::printf("%s\n", out.dump(2).c_str());
  return kOk;
}

int solvers(const Options& o, client::Client* client) {
  const auto list = client->solvers();
  if (!list.ok()) return report_error(list.status(), o.json);
  Json out = Json::array();
  for (const v1::SolverInfo& s : *list) {
    out.push_back({{"name", s.name()}, {"description", s.description()}});
    if (!o.json) std::printf("%s\n  %s\n", s.name().c_str(), s.description().c_str());
  }
  if (o.json) std::printf("%s\n", out.dump(2).c_str());
  return kOk;
}

int watch(const Options& o, client::Client* client) {
  ProgressBar bar;
  const absl::Status status = client->watch(o.name, shown_on(&bar));
  return status.ok() ? kOk : report_error(status, o.json);
}

int get(const Options& o, client::Client* client) {
  const auto drape = client->get_drape(o.name);
  if (!drape.ok()) return report_error(drape.status(), o.json);
  if (drape->state() == v1::TASK_STATE_FAILED) save_failed(o.name, client, o);
  if (drape->state() == v1::TASK_STATE_FAILED || drape->state() == v1::TASK_STATE_CANCELLED) {
    return report_error(client->watch(o.name, {}), o.json);  // the operation knows why
  }
  if (!o.out.empty()) {
    const absl::Status saved = save_all(client, drape->artifacts(), o.out);
    if (!saved.ok()) return report_error(saved, o.json);
  }
  const bool done = drape->state() == v1::TASK_STATE_SUCCEEDED;
  if (o.json) {
    print_json(*drape);
  } else if (done) {
    print_drape(*drape);
  } else {
    std::printf("%s: %s\n", o.name.c_str(), v1::TaskState_Name(drape->state()).c_str());
  }
  return done && !drape->settled() ? kNotSettled : kOk;
}

int cancel(const Options& o, client::Client* client) {
  const absl::Status status = client->cancel(o.name);
  return status.ok() ? kOk : report_error(status, o.json);
}

int exit_code_of(const absl::Status& status) {
  switch (status.code()) {
    case absl::StatusCode::kInvalidArgument:
    case absl::StatusCode::kFailedPrecondition:
    case absl::StatusCode::kNotFound:
    case absl::StatusCode::kOutOfRange:
    case absl::StatusCode::kResourceExhausted:
      return kBadInput;
    case absl::StatusCode::kUnavailable:
      return kUnreachable;
    case absl::StatusCode::kDeadlineExceeded:
      return kNotSettled;
    default:
      return kFault;
  }
}

}  // namespace

int report_error(const absl::Status& status, bool json) {
  const ErrorDetail detail = error_detail(status).value_or(ErrorDetail{"ERROR", "", ""});
  const int code = detail.reason == "USAGE" ? kUsage : exit_code_of(status);
  if (json) {
    const Json out = {{"error",
                       {{"code", std::string(absl::StatusCodeToString(status.code()))},
                        {"reason", detail.reason},
                        {"field", detail.field},
                        {"message", std::string(status.message())},
                        {"remedy", detail.remedy}}}};
    std::printf("%s\n", out.dump(2, ' ', false, Json::error_handler_t::replace).c_str());
    return code;
  }
  std::fprintf(stderr, "tryon: %s\n", std::string(status.message()).c_str());
  if (!detail.field.empty()) std::fprintf(stderr, "  where:  %s\n", detail.field.c_str());
  if (!detail.remedy.empty()) std::fprintf(stderr, "  remedy: %s\n", detail.remedy.c_str());
  std::fprintf(stderr, "  reason: %s\n", detail.reason.c_str());
  return code;
}

int run_command(const Options& options, client::Client* client) {
  static const std::map<std::string, int (*)(const Options&, client::Client*)> commands = {
      {"drape", drape},
      {"advise", advise},
      {"fit", fit},
      {"garment check", garment_check},
      {"garment create", garment_create},
      {"fabrics", fabrics},
      {"fabric check", fabric_check},
      {"fabric fit", fabric_fit},
      {"fabric create", fabric_create},
      {"fabric list", fabric_list},
      {"fabric get", fabric_get},
      {"fabric delete", fabric_delete},
      {"solvers", solvers},
      {"watch", watch},
      {"get", get},
      {"cancel", cancel},
      {"bodies list", bodies_list},
      {"bodies get", bodies_get},
      {"bodies delete", bodies_delete},
      {"measurements", measurements},
      {"garments list", garments_list},
      {"garments get", garments_get},
      {"garments delete", garments_delete},
      {"templates", templates},
      {"catalog run", catalog_run},
      {"catalog list", catalog_list},
      {"catalog get", catalog_get},
      {"catalog pause", catalog_pause},
      {"catalog resume", catalog_resume},
      {"catalog cancel", catalog_cancel},
      {"catalog export", catalog_export},
      {"catalog delete", catalog_delete},
      {"perf", perf},
      {"queue dead", queue_dead},
      {"queue requeue", queue_requeue}};
  return commands.at(options.command)(options, client);
}

}  // namespace tryon::cli
