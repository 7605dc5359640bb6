// What it is: what all resources of the API share: a task's state, names and files, and its stored summary read with
// forgiveness: what is absent or of another type is zero, empty or false.
// Units: as the summary's keys say. How it fails: it does not. Thread rules: pure functions.
#pragma once

#include <map>
#include <string>

#include "google/protobuf/timestamp.pb.h"
#include "nlohmann/json.hpp"
#include "server/jobs/task.h"
#include "tryon/v1/operation.pb.h"

namespace tryon {

std::string target_name(const TaskRecord& task);  // "bodies/{id}", ...
v1::TaskState to_state(TaskState state);
void set_create_time(const TaskRecord& task, google::protobuf::Timestamp* out);

nlohmann::json summary_of(const TaskRecord& task);
double number(const nlohmann::json& json, const char* pointer);
std::string word(const nlohmann::json& json, const char* pointer);
bool truth(const nlohmann::json& json, const char* pointer);
std::map<std::string, double> numbers(const nlohmann::json& json, const char* key);

template <typename Add>
void add_words(const nlohmann::json& json, const char* pointer, Add add) {
  const nlohmann::json::json_pointer p(pointer);
  if (!json.contains(p) || !json[p].is_array()) return;
  for (const nlohmann::json& text : json[p]) {
    if (text.is_string()) add(text.get<std::string>());
  }
}

inline void set_artifact(const std::string& name, const BlobRef& blob, v1::Artifact* out) {
  out->set_file_name(name);
  out->set_sha256(blob.digest);
  out->set_size_bytes(blob.size);
  out->set_media_type(blob.media_type);
}

template <typename Resource>
void add_artifacts(const TaskRecord& task, Resource* out) {
  for (const auto& [name, blob] : task.outputs) set_artifact(name, blob, out->add_artifacts());
}

}  // namespace tryon
