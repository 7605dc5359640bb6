#include "server/service/convert/summary.h"

namespace tryon {

using Json = nlohmann::json;

std::string target_name(const TaskRecord& task) {
  static const std::map<std::string, std::string> kCollections = {
      {"body", "bodies/"}, {"garment", "garments/"}, {"fabric", "fabrics/"}, {"drape", "drapes/"}};
  const auto found = kCollections.find(task.kind);  // checks and advice are nothing that stays
  return found == kCollections.end() ? std::string() : found->second + task.id;
}

v1::TaskState to_state(TaskState state) {
  switch (state) {
    case TaskState::kQueued:
      return v1::TASK_STATE_QUEUED;
    case TaskState::kRunning:
      return v1::TASK_STATE_RUNNING;
    case TaskState::kSucceeded:
      return v1::TASK_STATE_SUCCEEDED;
    case TaskState::kFailed:
      return v1::TASK_STATE_FAILED;
    case TaskState::kCancelled:
      return v1::TASK_STATE_CANCELLED;
  }
  return v1::TASK_STATE_UNSPECIFIED;
}

Json summary_of(const TaskRecord& task) {
  Json json = Json::parse(task.summary, nullptr, false);
  return json.is_object() ? json : Json::object();
}

double number(const Json& json, const char* pointer) {
  const Json::json_pointer p(pointer);
  return json.contains(p) && json[p].is_number() ? json[p].get<double>() : 0.0;
}

std::string word(const Json& json, const char* pointer) {
  const Json::json_pointer p(pointer);
  return json.contains(p) && json[p].is_string() ? json[p].get<std::string>() : std::string();
}

bool truth(const Json& json, const char* pointer) {
  const Json::json_pointer p(pointer);
  return json.contains(p) && json[p].is_boolean() && json[p].get<bool>();
}

std::map<std::string, double> numbers(const Json& json, const char* key) {
  std::map<std::string, double> out;
  const auto found = json.find(key);
  if (found == json.end() || !found->is_object()) return out;
  for (const auto& [name, value] : found->items()) {
    if (value.is_number()) out[name] = value.get<double>();
  }
  return out;
}

void set_create_time(const TaskRecord& task, google::protobuf::Timestamp* out) {
  out->set_seconds(task.created_us / 1'000'000);
  out->set_nanos(static_cast<int>(task.created_us % 1'000'000) * 1000);
}

}  // namespace tryon
