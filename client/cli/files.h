// What it is: what several commands do alike: files in and out, results to a folder, messages as JSON, progress, words
// of flags. How it fails: FILE_UNREADABLE, FILE_UNWRITABLE with the path; USAGE. Thread rules: the main thread.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "client/cli/progress_bar.h"
#include "client/lib/client.h"
#include "server/base/status.h"

namespace tryon::cli {

absl::StatusOr<std::string> read_file(const std::string& path);
absl::Status write_file(const std::filesystem::path& path, const std::string& bytes);
struct NamedNumber {
  std::string name;
  double value = 0.0;
};
// "waist_girth=720" of a flag; `names` says where the names are listed.
absl::StatusOr<NamedNumber> named_number(const std::string& text, std::string_view flag, std::string_view names);
double metres_of(const std::string& unit);  // of "mm", "cm", "in", "dm", "m"
void print_json(const google::protobuf::Message& message);
client::OnProgress shown_on(ProgressBar* bar);

// Files that the work shows before it is done, written as they come. One that is gone by then is left out.
class ShownFiles {
 public:
  ShownFiles(client::Client* client, std::string folder) : client_(client), folder_(std::move(folder)) {}
  void save(const v1::OperationMetadata& metadata);

 private:
  client::Client* const client_;
  const std::string folder_;
  std::map<std::string, std::string> saved_;  // name -> SHA-256
};

template <typename Artifacts>
absl::Status save_all(client::Client* client, const Artifacts& artifacts, const std::string& out) {
  std::error_code error;
  std::filesystem::create_directories(out, error);
  for (const v1::Artifact& artifact : artifacts) {
    ASSIGN_OR_RETURN(const std::string bytes, client->fetch(artifact));
    RETURN_IF_ERROR(
        write_file(std::filesystem::path(out) / std::filesystem::path(artifact.file_name()).filename(), bytes));
  }
  return absl::OkStatus();
}

}  // namespace tryon::cli
