#include "client/cli/files.h"

#include <charconv>
#include <cstdio>
#include <fstream>
#include <map>
#include <sstream>

#include "google/protobuf/util/json_util.h"
#include "server/base/text.h"

namespace tryon::cli {

namespace fs = std::filesystem;

absl::StatusOr<std::string> read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream bytes;
  if (in && !fs::is_directory(path)) {
    bytes << in.rdbuf();
    return bytes.str();
  }
  return invalid_input("FILE_UNREADABLE", path, cat("the file ", path, " cannot be read"), "Check the path.");
}

absl::Status write_file(const fs::path& path, const std::string& bytes) {
  std::ofstream out(path, std::ios::binary);
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  out.close();
  if (out) return absl::OkStatus();
  return make_error(absl::StatusCode::kUnavailable, "FILE_UNWRITABLE", path.string(), "the file cannot be written",
                    "Check the folder and the space on the disk.");
}

void print_json(const google::protobuf::Message& message) {
  std::string text;
  google::protobuf::util::JsonPrintOptions style;
  style.add_whitespace = true;
  style.preserve_proto_field_names = true;
  style.always_print_primitive_fields = true;
  (void)google::protobuf::util::MessageToJsonString(message, &text, style);
  std::fputs(text.c_str(), stdout);
}

client::OnProgress shown_on(ProgressBar* bar) {
  return [bar](const std::string&, const v1::OperationMetadata& metadata) { bar->show(metadata); };
}

void ShownFiles::save(const v1::OperationMetadata& metadata) {
  std::error_code ignored;
  if (metadata.files_size() > 0) std::filesystem::create_directories(folder_, ignored);
  for (const v1::Artifact& file : metadata.files()) {
    std::string& saved = saved_[file.file_name()];
    if (saved == file.sha256()) continue;
    saved = file.sha256();
    const auto bytes = client_->fetch(file);
    if (bytes.ok())
      (void)write_file(std::filesystem::path(folder_) / std::filesystem::path(file.file_name()).filename(), *bytes);
  }
}

absl::StatusOr<NamedNumber> named_number(const std::string& text, std::string_view flag, std::string_view names) {
  const size_t equals = text.find('=');
  NamedNumber out;
  bool good = equals != std::string::npos && equals > 0;
  if (good) {
    const char *begin = text.data() + equals + 1, *end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(begin, end, out.value);
    good = error == std::errc() && rest == end;
  }
  if (!good) {
    return invalid_input("USAGE", flag, cat("\"", text, "\" is not a name and a number"),
                         cat("Write NAME=NUMBER; the names are those of ", names, "."));
  }
  out.name = text.substr(0, equals);
  return out;
}

double metres_of(const std::string& unit) {
  static const std::map<std::string, double> units = {
      {"mm", 0.001}, {"cm", 0.01}, {"in", 0.0254}, {"dm", 0.1}, {"m", 1.0}};
  return units.at(unit);
}

}  // namespace tryon::cli
