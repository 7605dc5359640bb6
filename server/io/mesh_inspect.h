// What it is: inside of mesh_preflight: one inspector a format, and the words that they share for errors.
// Units: none. How it fails: INVALID_ARGUMENT with field "<file>: <element>". Thread rules: pure functions.
#pragma once

#include <charconv>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "server/base/status.h"
#include "server/base/text.h"
#include "server/io/mesh_preflight.h"

namespace tryon::mesh_inspect {

// The file under inspection and the errors about it.
struct MeshSource {
  std::string_view bytes;
  std::string name;  // cleaned
  const ParseLimits& limits;

  std::string field(std::string_view element) const { return element.empty() ? name : cat(name, ": ", element); }
  absl::Status empty(std::string_view what) const;
  absl::Status truncated(std::string_view element, std::string_view what) const;
  absl::Status contradictory(std::string_view element, std::string_view what) const;
  absl::Status not_finite(std::string_view element) const;
  absl::Status index_out_of_range(std::string_view element, int64_t index, int64_t count) const;
  absl::Status has_no_faces(std::string_view what) const;
  absl::Status unsupported(std::string_view element, std::string_view what, std::string_view remedy) const;
  absl::Status external_file(std::string_view element) const;
  absl::Status wrong_type(std::string_view what) const;
  absl::Status check_counts(int64_t vertices, int64_t triangles) const;  // MESH_TOO_LARGE with number and limit
};

// Coordinates above this are no body in any unit, and their squares would leave the range of float.
inline constexpr double kLargestCoordinate = 1e9;
inline bool usable(double x) { return std::abs(x) <= kLargestCoordinate; }  // false for NaN

// Marks which of `count` things were used.
class UsedSet {
 public:
  explicit UsedSet(int64_t count) : used_(static_cast<size_t>(count), false) {}
  void mark(int64_t i) {
    if (!used_[static_cast<size_t>(i)]) used_[static_cast<size_t>(i)] = true, ++count_;
  }
  int64_t count() const { return count_; }

 private:
  std::vector<bool> used_;
  int64_t count_ = 0;
};

// One number from the whole of `token`; nullopt if anything else is there. "nan" and "inf" are numbers here, and a
// number that double cannot hold counts as infinite.
inline std::optional<double> parse_number(std::string_view token) {
  if (!token.empty() && token[0] == '+') token.remove_prefix(1);
  double value = 0.0;
  const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), value);
  if (end != token.data() + token.size() || error == std::errc::invalid_argument) return std::nullopt;
  if (error != std::errc() && value == 0.0)
    return token.find("e-") != token.npos || token.find("E-") != token.npos ? 0.0 : HUGE_VAL;
  return value;
}

inline std::optional<int64_t> parse_integer(std::string_view token) {
  if (!token.empty() && token[0] == '+') token.remove_prefix(1);
  int64_t value = 0;
  const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), value);
  if (end != token.data() + token.size() || error != std::errc()) return std::nullopt;
  return value;
}

inline bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f'; }

// Takes the next blank-separated word off the front of `line`; empty at the end.
inline std::string_view next_word(std::string_view* line) {
  size_t begin = 0;
  while (begin < line->size() && is_blank((*line)[begin])) ++begin;
  size_t end = begin;
  while (end < line->size() && !is_blank((*line)[end])) ++end;
  const std::string_view word = line->substr(begin, end - begin);
  line->remove_prefix(end);
  return word;
}

// Walks text line by line; number() counts from 1; last_is_cut() tells that the file ended without a line end.
class LineReader {
 public:
  explicit LineReader(std::string_view text) : text_(text) {}
  bool next(std::string_view* line) {
    if (at_ >= text_.size()) return false;
    const size_t end = text_.find('\n', at_);
    cut_ = end == std::string_view::npos;
    *line = text_.substr(at_, (cut_ ? text_.size() : end) - at_);
    at_ = cut_ ? text_.size() : end + 1;
    ++number_;
    return true;
  }
  int64_t number() const { return number_; }
  bool last_is_cut() const { return cut_; }
  size_t position() const { return at_; }

 private:
  std::string_view text_;
  size_t at_ = 0;
  int64_t number_ = 0;
  bool cut_ = false;
};

inline std::string shown(std::string_view word) {  // a word of the file, fit for a message
  std::string out(word.substr(0, 40));
  for (char& c : out) {
    if (static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) >= 0x7f) c = '?';
  }
  return out;
}

// Polygons as an OBJ file holds them: polygon i has the corners [starts[i], starts[i + 1]).
struct Polygons {
  std::vector<Vec3> positions;  // [vertex_count], in the order of the file
  std::vector<int> corners;     // [corner_count] of vertex indices
  std::vector<int> starts;      // [polygon_count + 1]
};

// `keep` takes the polygons, `cloud` the points of a file without faces; either may be null.
absl::StatusOr<MeshFacts> inspect_obj(const MeshSource& source, Polygons* keep = nullptr, ParsedMesh* cloud = nullptr);
absl::StatusOr<MeshFacts> inspect_ply(const MeshSource& source, ParsedMesh* cloud = nullptr);
absl::StatusOr<MeshFacts> inspect_stl(const MeshSource& source);
absl::StatusOr<MeshFacts> inspect_glb(const MeshSource& source);
absl::StatusOr<MeshFacts> inspect_gltf(const MeshSource& source);
// The GLB that a glTF with an embedded buffer stands for.
absl::StatusOr<std::string> glb_of_gltf(const MeshSource& source);
// The library that parses JSON recurses into it; the nesting is measured first.
absl::Status check_json_depth(const MeshSource& source, std::string_view where, std::string_view text);

}  // namespace tryon::mesh_inspect
