// What it is: a manifest on this machine, JSON Lines or CSV with paths of files, to one that the server understands:
// bodies and garments are created as they are met, and their names stand in the lines. Memory does not grow with lines.
// How it fails: FILE_UNREADABLE, MANIFEST_MALFORMED with the line, and what creating them says. Thread rules: one
// thread.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "client/cli/options.h"
#include "client/lib/client.h"

namespace tryon::cli {

class ManifestReader {
 public:
  // `told` hears how many lines were read, now and then.
  ManifestReader(const Options& options, client::Client* client, std::function<void(int64_t)> told)
      : options_(options), client_(client), told_(std::move(told)) {}
  // SHA-256 of the uploaded parts.
  absl::StatusOr<std::vector<std::string>> upload(const std::string& path);

 private:
  absl::StatusOr<std::string> resolved(const std::string& line);
  absl::StatusOr<std::string> name_of(const std::string& text, bool is_body);
  absl::StatusOr<std::string> body_name(const std::string& text);
  absl::StatusOr<std::string> garment_name(const std::string& text);
  absl::Status flush(size_t at_least);

  const Options& options_;
  client::Client* const client_;
  const std::function<void(int64_t)> told_;
  std::string folder_, buffer_;
  std::vector<std::string> columns_, parts_;
  std::map<std::string, std::string> names_;  // what a line says -> resource name
};

}  // namespace tryon::cli
