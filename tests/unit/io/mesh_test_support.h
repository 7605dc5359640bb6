// What it is: what the mesh tests share: the corpus with its expectations, the real sandbox, and errors in one line.
#pragma once

#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "server/base/status.h"
#include "server/base/text.h"
#include "server/io/mesh_file.h"
#include "tests/support/shared_data.h"

namespace tryon::testing {

struct CorpusFile {
  std::string file, reason, field;  // reason CLOUD: field is the number of points
  bool is_read() const { return reason == "OK" || reason == "CLOUD"; }
  friend void PrintTo(const CorpusFile& f, std::ostream* out) { *out << f.file; }
};

inline std::string corpus_path(const std::string& file) {
  return cat(testing::source_dir(), "/tests/corpus/mesh/", file);
}

inline std::vector<CorpusFile> corpus_files() {
  std::vector<CorpusFile> out;
  std::istringstream lines(read_file(corpus_path("expected.tsv")));
  for (std::string line; std::getline(lines, line);) {
    const std::vector<std::string> parts = split(line, '\t');
    if (!line.starts_with("#") && parts.size() == 3) out.push_back({parts[0], parts[1], parts[2]});
  }
  return out;
}

// "REASON at field", or "OK".
inline std::string described(const absl::Status& status) {
  if (status.ok()) return "OK";
  const auto detail = error_detail(status);
  return detail ? cat(detail->reason, " at ", detail->field) : std::string(status.message());
}

inline std::string meshparse() { return testing::bin_dir() + "/tryon-meshparse"; }

inline absl::StatusOr<ParsedMesh> parse_with_sandbox(const std::string& bytes, const std::string& name,
                                                     const ParseLimits& limits = {}) {
  const auto format = mesh_format_from_name(name);
  if (!format.ok()) return format.status();
  return parse_mesh_sandboxed(RunContext(), meshparse(), bytes, *format, name, limits);
}

inline TriangleMesh unit_tetrahedron() {
  return {{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}}};
}

}  // namespace tryon::testing
