#include "server/service/convert/fabrics.h"

#include <algorithm>
#include <string>

#include "server/base/hash.h"
#include "server/base/units.h"
#include "server/fabric/fabric.h"
#include "server/fabric/library.h"
#include "server/service/convert/summary.h"

namespace tryon {
namespace {

using Json = nlohmann::json;

bool is_library_task(const TaskRecord& task) { return library_index(task.id).has_value(); }

void set_numbers(const Fabric& fabric, v1::Fabric* out) {
  out->set_areal_density_kg_m2(fabric.areal_density);
  out->set_thickness_mm(to_mm(fabric.thickness));
  out->set_stretch_warp_n_m(fabric.stretch_warp);
  out->set_stretch_weft_n_m(fabric.stretch_weft);
  out->set_shear_n_m(fabric.shear);
  out->set_bend_warp_n_m(fabric.bend_warp);
  out->set_bend_weft_n_m(fabric.bend_weft);
  out->set_friction_static_ratio(fabric.friction_static);
  out->set_friction_kinetic_ratio(fabric.friction_kinetic);
  out->set_drape_coefficient_low_ratio(fabric.drape_low);
  out->set_drape_coefficient_high_ratio(fabric.drape_high);
}

v1::Fabric filled(const TaskRecord& task, bool whole) {
  v1::Fabric out;
  out.set_name(target_name(task));
  out.set_state(to_state(task.state));
  out.set_in_library(is_library_task(task));
  if (!out.in_library()) set_create_time(task, out.mutable_create_time());
  const Json json = summary_of(task);
  if (!json.contains("document")) return out;
  const std::string document = json["document"].dump(2);
  const auto fabric = fabric_from_json(document, task.id);
  if (!fabric.ok()) return out;
  out.set_title(fabric->title.empty() ? fabric->name : fabric->title);
  out.set_source(fabric->source);
  out.set_format(word(json, "/format"));
  set_numbers(*fabric, &out);
  if (!whole) return out;
  add_words(json, "/notes", [&](const std::string& note) { out.add_notes(note); });
  out.set_document(document);
  add_artifacts(task, &out);
  return out;
}

}  // namespace

v1::Fabric to_fabric(const TaskRecord& task) { return filled(task, true); }
v1::Fabric to_listed_fabric(const TaskRecord& task) { return filled(task, false); }

size_t library_size() { return fabric_library().size(); }

TaskRecord library_fabric(size_t index) {
  const FabricFile& file = fabric_library()[index];
  TaskRecord out;
  out.id = file.name;
  out.kind = "fabric";
  out.state = TaskState::kSucceeded;
  out.created_us = static_cast<int64_t>(library_size() - index);  // microseconds after 1970: behind all others
  out.summary = Json{{"format", "tryon"}, {"document", Json::parse(file.json, nullptr, false)}}.dump();
  return out;
}

std::optional<size_t> library_index(std::string_view name) {
  const auto& library = fabric_library();
  for (size_t i = 0; i < library.size(); ++i) {
    if (library[i].name == name) return i;
  }
  return std::nullopt;
}

bool is_in_library(const TaskCursor& place) { return place.created_us <= static_cast<int64_t>(library_size()); }

TaskCursor place_of_fabric(const TaskRecord& task) {
  return {task.created_us, is_library_task(task) ? sha256_hex(task.id) : task.id};
}

size_t library_after(const std::optional<TaskCursor>& after) {
  if (!after || !is_in_library(*after)) return 0;
  const auto size = static_cast<int64_t>(library_size());
  return static_cast<size_t>(std::clamp<int64_t>(size - after->created_us + 1, 0, size));
}

}  // namespace tryon
