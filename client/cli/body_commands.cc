#include "client/cli/body_commands.h"

#include <cstdio>
#include <filesystem>
#include <map>

#include "client/cli/commands.h"
#include "client/cli/files.h"
#include "client/cli/progress_bar.h"
#include "nlohmann/json.hpp"
#include "server/base/status.h"
#include "server/base/text.h"

namespace tryon::cli {
namespace {

using Json = nlohmann::json;

absl::Status fill_table(const Options& o, v1::MeasurementTable* table) {
  table->set_height_mm(o.height_mm);
  table->set_arm_angle_deg(o.arm_angle_deg);
  if (!o.figure.empty()) table->set_figure(o.figure == "male" ? v1::FIGURE_MALE : v1::FIGURE_FEMALE);
  for (const std::string& text : o.measures) {
    ASSIGN_OR_RETURN(const NamedNumber measure, named_number(text, "--measure", "`tryon measurements`"));
    (*table->mutable_measurements_mm())[measure.name] = measure.value;
  }
  return absl::OkStatus();
}

void declare_scan(const Options& o, v1::BodySource* source) {
  static const std::map<std::string, v1::Axis> axes = {{"x", v1::AXIS_X}, {"y", v1::AXIS_Y}, {"z", v1::AXIS_Z}};
  static const std::map<std::string, v1::Direction> directions = {
      {"+x", v1::DIRECTION_PLUS_X},  {"-x", v1::DIRECTION_MINUS_X}, {"+y", v1::DIRECTION_PLUS_Y},
      {"-y", v1::DIRECTION_MINUS_Y}, {"+z", v1::DIRECTION_PLUS_Z},  {"-z", v1::DIRECTION_MINUS_Z}};
  static const std::map<std::string, v1::Pose> poses = {
      {"A", v1::POSE_A}, {"T", v1::POSE_T}, {"arms_down", v1::POSE_ARMS_DOWN}};
  if (!o.unit.empty()) source->set_metres_per_unit(metres_of(o.unit));
  if (!o.up.empty()) source->set_up_axis(axes.at(o.up));
  if (!o.facing.empty()) source->set_facing(directions.at(o.facing));
  if (!o.pose.empty()) source->set_pose(poses.at(o.pose));
}

void print_body(const v1::Body& body) {
  std::printf("%-28s %s\n", "body", body.name().c_str());
  std::printf("%-28s %8.3f m\n", "height", body.height_m());
  const v1::ScanReport& source = body.source();
  std::printf("%-28s %s, up %s, facing %s, pose %s\n", "read as", source.unit().c_str(), source.up_axis().c_str(),
              source.facing().c_str(), source.pose().c_str());
  for (const std::string& text : source.healed()) std::printf("%-28s %s\n", "healed", text.c_str());
  for (const std::string& text : source.completed()) std::printf("%-28s %s\n", "completed", text.c_str());
  std::printf("%-28s %d solids, girth error p95 %.1f %%, mean gap %.1f mm\n", "proxies", body.proxies().proxy_count(),
              100.0 * body.proxies().girth_error_p95_ratio(), body.proxies().mean_gap_mm());
  std::printf("%-28s %s\n", "head and hands", body.has_head_and_hands() ? "kept" : "cut off");
  for (const auto& [name, mm] :
       std::map<std::string, double>(body.measurements_mm().begin(), body.measurements_mm().end())) {
    if (name != "height") std::printf("%-28s %8.1f mm\n", name.c_str(), mm);
  }
}

int show_body(const Options& o, const v1::Body& body, client::Client* client) {
  if (!o.out.empty()) {
    const absl::Status saved = save_all(client, body.artifacts(), o.out);
    if (!saved.ok()) return report_error(saved, o.json);
  }
  o.json ? print_json(body) : print_body(body);
  return kOk;
}

}  // namespace

v1::ProxyShape shape_of(const Options& o) {
  return o.shape == "circular" ? v1::PROXY_SHAPE_CIRCULAR : v1::PROXY_SHAPE_ELLIPTIC;
}

absl::StatusOr<BodyOrder> body_order(const Options& o) {
  BodyOrder order;
  v1::CreateBodyRequest& request = order.request;
  request.set_proxy_shape(shape_of(o));
  request.set_keep_head_and_hands(o.keep_head_and_hands);
  request.set_keep_scan(o.keep_scan);
  if (o.height_mm != 0.0 || !o.measures.empty() || !o.figure.empty()) {
    RETURN_IF_ERROR(fill_table(o, request.mutable_source()->mutable_measurements()));
  } else if (o.body == "sample") {
    request.mutable_source()->set_sample(true);
  } else {
    ASSIGN_OR_RETURN(order.scan, read_file(o.body));
    declare_scan(o, request.mutable_source());
    request.mutable_source()->set_file_name(std::filesystem::path(o.body).filename().string());
  }
  return order;
}

int fit(const Options& o, client::Client* client) {
  const auto order = body_order(o);
  if (!order.ok()) return report_error(order.status(), o.json);
  absl::StatusOr<v1::Body> body;
  {
    ProgressBar bar;
    body = client->create_body(order->request, shown_on(&bar), order->scan);
  }
  return body.ok() ? show_body(o, *body, client) : report_error(body.status(), o.json);
}

int bodies_list(const Options& o, client::Client* client) {
  const auto bodies = client->bodies();
  if (!bodies.ok()) return report_error(bodies.status(), o.json);
  Json out = Json::array();
  for (const v1::Body& body : *bodies) {
    const std::string state = v1::TaskState_Name(body.state());
    out.push_back({{"name", body.name()}, {"state", state}, {"height_m", body.height_m()}, {"pose", body.pose()}});
    if (!o.json) std::printf("%s  %-22s %.3f m\n", body.name().c_str(), state.c_str(), body.height_m());
  }
  if (o.json) std::printf("%s\n", out.dump(2).c_str());
  return kOk;
}

int bodies_get(const Options& o, client::Client* client) {
  const auto body = client->get_body(o.name);
  if (!body.ok()) return report_error(body.status(), o.json);
  if (body->state() == v1::TASK_STATE_FAILED || body->state() == v1::TASK_STATE_CANCELLED) {
    return report_error(client->watch(o.name, {}), o.json);  // the operation knows why
  }
  return show_body(o, *body, client);
}

int bodies_delete(const Options& o, client::Client* client) {
  const absl::Status status = client->delete_body(o.name);
  return status.ok() ? kOk : report_error(status, o.json);
}

int measurements(const Options& o, client::Client* client) {
  const auto items = client->measurement_items();
  if (!items.ok()) return report_error(items.status(), o.json);
  Json out = Json::array();
  for (const v1::MeasurementItem& item : *items) {
    out.push_back({{"name", item.name()},
                   {"standard_name", item.standard_name()},
                   {"definition", item.definition()},
                   {"can_be_asked_for", item.can_be_asked_for()}});
    if (!o.json) {
      std::printf("%-28s %s%s\n  %s\n", item.name().c_str(), item.standard_name().c_str(),
                  item.can_be_asked_for() ? "" : " (measured only)", item.definition().c_str());
    }
  }
  if (o.json) std::printf("%s\n", out.dump(2).c_str());
  return kOk;
}

}  // namespace tryon::cli
