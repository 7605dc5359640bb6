#include "client/cli/drape_order.h"

#include <cmath>
#include <cstdio>
#include <string>

#include "client/cli/body_commands.h"
#include "client/cli/fabric_commands.h"
#include "client/cli/garment_commands.h"
#include "server/base/status.h"
#include "server/base/text.h"
#include "server/drape/export_kind.h"

namespace tryon::cli {
namespace {

absl::Status parse_wind(const std::string& text, v1::Vector* wind) {
  if (text.empty()) return absl::OkStatus();
  double v[3];
  char rest = 0;
  if (std::sscanf(text.c_str(), "%lf,%lf,%lf%c", &v[0], &v[1], &v[2], &rest) != 3) {
    return invalid_input("USAGE", "--wind", cat("\"", text, "\" is not a wind"), "Write X,Y,Z in m/s, e.g. 0,0,-5.");
  }
  wind->set_x(v[0]), wind->set_y(v[1]), wind->set_z(v[2]);
  return absl::OkStatus();
}

void add_models(const Options& o, v1::CreateDrapeRequest* request) {
  v1::Wind* wind = request->mutable_wind();
  wind->set_model(o.wind_model == "triangle" ? v1::WIND_MODEL_TRIANGLE : v1::WIND_MODEL_VERTEX);
  wind->set_gust_ratio(o.gust_ratio);
  wind->set_gust_period_seconds(o.gust_period_s);
  wind->set_turbulence_ratio(o.turbulence_ratio);
  wind->set_turbulence_length_m(o.turbulence_length_m);
  wind->set_turbulence_seed(o.turbulence_seed);
  request->set_membrane(o.membrane == "continuum" ? v1::MEMBRANE_CONTINUUM
                        : o.membrane == "springs" ? v1::MEMBRANE_SPRINGS
                                                  : v1::MEMBRANE_THREADS);
  request->set_bending(o.bending == "hinge"       ? v1::BENDING_HINGE
                       : o.bending == "shape"     ? v1::BENDING_SHAPE
                       : o.bending == "isometric" ? v1::BENDING_ISOMETRIC
                       : o.bending == "quadratic" ? v1::BENDING_QUADRATIC
                                                  : v1::BENDING_UNSPECIFIED);
}

void set_duration(double seconds, google::protobuf::Duration* out) {
  const double whole = std::floor(seconds);
  out->set_seconds(static_cast<int64_t>(whole));
  out->set_nanos(static_cast<int>((seconds - whole) * 1e9));
}

void add_motion(const Options& o, v1::CreateDrapeRequest* request) {
  if (o.preview_every_s > 0) set_duration(o.preview_every_s, request->mutable_preview_interval());
  if (o.motion_s <= 0 && o.frame_rate <= 0 && o.wind_for_s <= 0 && !o.let_go) return;
  v1::Motion* motion = request->mutable_motion();
  if (o.motion_s > 0) set_duration(o.motion_s, motion->mutable_duration());
  if (o.wind_for_s > 0) set_duration(o.wind_for_s, motion->mutable_wind_duration());
  motion->set_frames_per_second(o.frame_rate);
  motion->set_from_sewn(o.let_go);
}

}  // namespace

v1::LayerContact layers_of(const Options& o) {
  if (o.layers == "always") return v1::LAYER_CONTACT_ALWAYS;
  return o.layers == "never" ? v1::LAYER_CONTACT_NEVER : v1::LAYER_CONTACT_UNSPECIFIED;
}

absl::StatusOr<v1::CreateDrapeRequest> drape_request(const Options& o, client::Client* client) {
  v1::CreateDrapeRequest request;
  RETURN_IF_ERROR(parse_wind(o.wind, request.mutable_wind_mps()));
  ASSIGN_OR_RETURN(const v1::CreateGarmentRequest garment, garment_order(o, o.garment, client));
  ASSIGN_OR_RETURN(const BodyOrder body, body_order(o));
  ASSIGN_OR_RETURN(*request.mutable_garment(), client->begin_garment(garment));
  ASSIGN_OR_RETURN(*request.mutable_body(), client->begin_body(body.request, body.scan));
  ASSIGN_OR_RETURN(*request.mutable_fabric(), fabric_order(o.fabric));
  request.set_solver(o.solver);
  request.set_resolution_mm(o.resolution_mm);
  request.set_contact(o.contact == "scan" ? v1::CONTACT_SURFACE_SCAN : v1::CONTACT_SURFACE_PROXIES);
  request.set_proxy_shape(shape_of(o));
  request.set_layer_contact(layers_of(o));
  add_models(o, &request);
  for (const std::string& name : o.exports) {
    const auto what = export_named(name);  // the options let only known names through
    if (what) request.add_exports(static_cast<v1::Export>(v1::EXPORT_WEB + static_cast<int>(*what)));
  }
  request.set_draco(o.draco);
  request.set_pictures(o.pictures == "none"    ? v1::PICTURES_NONE
                       : o.pictures == "front" ? v1::PICTURES_FRONT
                                               : v1::PICTURES_UNSPECIFIED);
  if (o.grade == "preview") request.set_target_grade(v1::TARGET_GRADE_PREVIEW);
  request.set_thread_count(o.threads);
  add_motion(o, &request);
  if (o.deadline_s > 0) set_duration(o.deadline_s, request.mutable_time_limit());
  return request;
}

}  // namespace tryon::cli
