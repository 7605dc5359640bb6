#include "server/io/dxf.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "server/base/status.h"
#include "server/base/text.h"
#include "server/base/units.h"

namespace tryon {
namespace {

constexpr size_t kMaxLine = 2'000;
constexpr size_t kMaxKinds = 500;  // of entities that were not understood

struct Pair {
  int code = 0;
  std::string_view value;
  int line = 0;
};

std::string_view trimmed(std::string_view s) {
  while (!s.empty() && (s.front() == ' ' || s.front() == '\t')) s.remove_prefix(1);
  while (!s.empty() && (s.back() == ' ' || s.back() == '\t' || s.back() == '\r')) s.remove_suffix(1);
  return s;
}

absl::Status fault(int line, const std::string& what, const char* remedy = "Export the pattern again as ASTM DXF.") {
  return invalid_input("PATTERN_DXF", cat("line ", line), cat("line ", line, ": ", what), remedy);
}

// Group code and value, line by line.
class Pairs {
 public:
  explicit Pairs(std::string_view bytes) : rest_(bytes) {}

  absl::StatusOr<std::optional<Pair>> next() {
    std::string_view code_line, value_line;
    do {
      if (!take(&code_line)) return std::optional<Pair>();
    } while (trimmed(code_line).empty() && rest_.empty());
    Pair pair;
    pair.line = line_;
    const std::string_view code = trimmed(code_line);
    const auto [end, error] = std::from_chars(code.data(), code.data() + code.size(), pair.code);
    if (error != std::errc() || end != code.data() + code.size()) {
      return fault(line_, "a group code was expected, a whole number");
    }
    if (!take(&value_line)) return fault(line_, "the file ends within an entity");
    if (value_line.size() > kMaxLine) return fault(line_, cat("a line of ", value_line.size(), " bytes"));
    pair.value = trimmed(value_line);
    return std::optional<Pair>(pair);
  }

 private:
  bool take(std::string_view* out) {
    if (rest_.empty()) return false;
    const size_t end = rest_.find('\n');
    *out = rest_.substr(0, end);
    rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
    ++line_;
    return true;
  }

  std::string_view rest_;
  int line_ = 0;
};

// Text in UTF-8: as it is where it is that already, else as Latin-1.
std::string utf8(std::string_view s) {
  bool valid = true;
  for (size_t i = 0; i < s.size() && valid;) {
    const auto c = static_cast<unsigned char>(s[i]);
    const size_t more = c < 0x80                ? 0
                        : c >= 0xC2 && c < 0xE0 ? 1
                        : c >= 0xE0 && c < 0xF0 ? 2
                        : c >= 0xF0 && c < 0xF5 ? 3
                                                : 9;
    valid = more < 9 && i + more < s.size();
    for (size_t k = 1; k <= more && valid; ++k) valid = (static_cast<unsigned char>(s[i + k]) & 0xC0) == 0x80;
    i += more + 1;
  }
  if (valid) return std::string(s);
  std::string out;
  for (const char raw : s) {
    const auto c = static_cast<unsigned char>(raw);
    if (c < 0x80) {
      out.push_back(raw);
    } else {
      out.push_back(static_cast<char>(0xC0 | (c >> 6)));
      out.push_back(static_cast<char>(0x80 | (c & 0x3F)));
    }
  }
  return out;
}

// An arc of `bulge` (tangent of a quarter of its angle, positive: counter-clockwise) as points after a, without b.
void append_bulge(const Vec2& a, const Vec2& b, double bulge, std::vector<Vec2>* out) {
  const double angle = 4.0 * std::atan(bulge);
  const Vec2 d = b - a;
  if (std::abs(angle) < 1e-6 || d.norm() == 0.0) return;
  const Vec2 centre = 0.5 * (a + b) + Vec2(-d.y(), d.x()) * (0.5 / std::tan(0.5 * angle));
  const int count = std::clamp(static_cast<int>(std::abs(angle) / radians(6.0)) + 1, 2, 60);
  for (int k = 1; k < count; ++k) {
    const Eigen::Rotation2Dd turn(angle * k / count);
    out->push_back(centre + turn * (a - centre));
  }
}

struct Vertex {
  Vec2 at = Vec2::Zero();
  double bulge = 0.0;
};

// One entity while its pairs come in.
struct Entity {
  std::string type, layer = "0", text, name;
  int line = 0, flags = 0;
  std::vector<Vertex> vertices;  // LWPOLYLINE; else vertices[0] is 10/20 and vertices[1] is 11/21
  Vec2 second = Vec2::Zero();
  bool has_first = false, has_second = false;
  double v40 = 0.0, v41 = 1.0, v42 = 1.0, v50 = 0.0;
};

class Reader {
 public:
  Reader(const DxfLimits& limits) : limits_(limits) {}

  absl::StatusOr<DxfFile> read(std::string_view bytes) {
    Pairs pairs(bytes);
    for (;;) {
      ASSIGN_OR_RETURN(const std::optional<Pair> pair, pairs.next());
      if (!pair) break;
      if (pair->code == 0) {
        RETURN_IF_ERROR(finish());
        if (ended_) break;
        entity_ = Entity();
        entity_.type = utf8(pair->value);
        entity_.line = pair->line;
      } else {
        RETURN_IF_ERROR(note(*pair));
      }
    }
    RETURN_IF_ERROR(finish());
    if (!ended_) return fault(entity_.line, "the file ends without EOF: it is cut off");
    return std::move(file_);
  }

 private:
  absl::StatusOr<double> number(const Pair& pair) const {
    double x = 0.0;
    const char* begin = pair.value.data();
    const char* end = begin + pair.value.size();
    if (begin != end && *begin == '+') ++begin;
    const auto result = std::from_chars(begin, end, x);
    if (result.ec != std::errc() || result.ptr != end || !std::isfinite(x)) {
      return fault(pair.line, cat("a number was expected for group code ", pair.code));
    }
    return x;
  }

  absl::Status note(const Pair& pair) {
    if (entity_.type.empty() || section_ == "HEADER" || section_ == "TABLES") return note_section(pair);
    switch (pair.code) {
      case 1:
        entity_.text = utf8(pair.value);
        break;
      case 2:
        entity_.name = utf8(pair.value);
        break;
      case 8:
        entity_.layer = utf8(pair.value);
        break;
      case 10:
      case 20:
      case 11:
      case 21:
      case 40:
      case 41:
      case 42:
      case 50:
      case 70:
        return note_number(pair);
      default:
        break;
    }
    return absl::OkStatus();
  }

  absl::Status note_section(const Pair& pair) {
    if (entity_.type == "SECTION" && pair.code == 2) entity_.name = utf8(pair.value);
    return absl::OkStatus();
  }

  absl::Status note_number(const Pair& pair) {
    ASSIGN_OR_RETURN(const double x, number(pair));
    std::vector<Vertex>& v = entity_.vertices;
    if (pair.code == 10) {
      if (++points_ > limits_.max_points) {
        return invalid_input("PATTERN_TOO_MANY_EDGES", cat("line ", pair.line),
                             cat("the file has more than ", limits_.max_points, " points"),
                             "Export the pattern with a coarser curve tolerance.");
      }
      v.push_back({Vec2(x, 0.0), 0.0});
      entity_.has_first = true;
    } else if (pair.code == 20 && !v.empty()) {
      v.back().at.y() = x;
    } else if (pair.code == 11) {
      entity_.second.x() = x, entity_.has_second = true;
    } else if (pair.code == 21) {
      entity_.second.y() = x;
    } else if (pair.code == 42 && !v.empty() && (entity_.type == "LWPOLYLINE" || entity_.type == "VERTEX")) {
      v.back().bulge = x;
    } else if (pair.code == 40) {
      entity_.v40 = x;
    } else if (pair.code == 41) {
      entity_.v41 = x;
    } else if (pair.code == 42) {
      entity_.v42 = x;
    } else if (pair.code == 50) {
      entity_.v50 = x;
    } else if (pair.code == 70) {
      entity_.flags = std::abs(x) < 1e6 ? static_cast<int>(x) : 0;
    }
    return absl::OkStatus();
  }

  DxfBlock* target() { return in_block_ ? &file_.blocks.back() : &file_.loose; }

  absl::Status begin_block() {
    if (static_cast<int>(file_.blocks.size()) >= limits_.max_blocks) {
      return invalid_input("PATTERN_TOO_MANY_PANELS", cat("line ", entity_.line),
                           cat("the file has more than ", limits_.max_blocks, " blocks"), "Split the file.");
    }
    DxfBlock block;
    block.name = entity_.name;
    block.line = entity_.line;
    file_.blocks.push_back(std::move(block));
    in_block_ = true;
    return absl::OkStatus();
  }

  absl::Status keep_text() {
    if (++texts_ > limits_.max_texts) return fault(entity_.line, cat("more than ", limits_.max_texts, " texts"));
    const Vec2 at = entity_.vertices.empty() ? Vec2::Zero() : entity_.vertices[0].at;
    target()->texts.push_back({entity_.layer, entity_.text, at});
    return absl::OkStatus();
  }

  void keep_path(const std::vector<Vertex>& vertices, bool closed, const std::string& layer, int line) {
    DxfPath path;
    path.layer = layer, path.closed = closed, path.line = line;
    for (size_t i = 0; i < vertices.size(); ++i) {
      path.points.push_back(vertices[i].at);
      const bool last = i + 1 == vertices.size();
      if (vertices[i].bulge == 0.0 || (last && !closed)) continue;
      append_bulge(vertices[i].at, vertices[last ? 0 : i + 1].at, vertices[i].bulge, &path.points);
    }
    if (!path.points.empty()) target()->paths.push_back(std::move(path));
  }

  absl::Status keep_line() {
    if (!entity_.has_first || !entity_.has_second) return fault(entity_.line, "a LINE without two ends");
    keep_path({entity_.vertices[0], {entity_.second, 0.0}}, false, entity_.layer, entity_.line);
    return absl::OkStatus();
  }

  void not_understood() {
    const std::string what = cat(entity_.type.substr(0, 40), " on layer ", entity_.layer.substr(0, 40));
    if (file_.not_understood.size() < kMaxKinds || file_.not_understood.count(what)) ++file_.not_understood[what];
  }

  absl::Status finish_polyline_part() {
    if (entity_.type == "VERTEX") {
      if (!entity_.vertices.empty()) polyline_.push_back(entity_.vertices[0]);
      return absl::OkStatus();
    }
    if (entity_.type == "SEQEND") {
      keep_path(polyline_, (polyline_head_.flags & 1) != 0, polyline_head_.layer, polyline_head_.line);
      in_polyline_ = false;
      polyline_.clear();
      return absl::OkStatus();
    }
    return fault(entity_.line, cat("a POLYLINE from line ", polyline_head_.line, " has no SEQEND"));
  }

  absl::Status finish_entity() {
    const std::string& type = entity_.type;
    if (type == "POLYLINE") {
      in_polyline_ = true, polyline_head_ = entity_;
    } else if (type == "LWPOLYLINE") {
      keep_path(entity_.vertices, (entity_.flags & 1) != 0, entity_.layer, entity_.line);
    } else if (type == "LINE") {
      return keep_line();
    } else if (type == "POINT" || type == "CIRCLE") {
      if (entity_.has_first) target()->points.push_back({entity_.layer, entity_.vertices[0].at});
    } else if (type == "TEXT" || type == "MTEXT") {
      return keep_text();
    } else if (type == "INSERT" && !in_block_) {
      if (static_cast<int>(file_.inserts.size()) >= 4 * limits_.max_blocks)
        return fault(entity_.line, "too many INSERTs");
      file_.inserts.push_back({entity_.name, entity_.v41, entity_.v42, entity_.v50});
    } else {
      not_understood();
    }
    return absl::OkStatus();
  }

  absl::Status finish() {
    const std::string& type = entity_.type;
    if (type.empty()) return absl::OkStatus();
    if (in_polyline_) return finish_polyline_part();
    if (type == "SECTION") {
      section_ = entity_.name;
    } else if (type == "ENDSEC") {
      section_.clear();
    } else if (type == "EOF") {
      ended_ = true;
    } else if (type == "BLOCK" && section_ == "BLOCKS") {
      return begin_block();
    } else if (type == "ENDBLK") {
      in_block_ = false;
    } else if (section_ == "BLOCKS" || section_ == "ENTITIES") {
      return finish_entity();
    }
    return absl::OkStatus();
  }

  const DxfLimits& limits_;
  DxfFile file_;
  Entity entity_, polyline_head_;
  std::vector<Vertex> polyline_;
  std::string section_;
  bool in_block_ = false, in_polyline_ = false, ended_ = false;
  int64_t points_ = 0;
  int texts_ = 0;
};

}  // namespace

// A group code 0 or 999 (a comment) and a SECTION soon after.
bool looks_like_dxf(std::string_view bytes) {
  Pairs pairs(bytes.substr(0, 100'000));
  for (int i = 0; i < 50; ++i) {
    const auto pair = pairs.next();
    if (!pair.ok() || !*pair) return false;
    if ((*pair)->code == 0) return (*pair)->value == "SECTION";
    if ((*pair)->code != 999) return false;
  }
  return false;
}

absl::StatusOr<DxfFile> read_dxf(std::string_view bytes, const DxfLimits& limits) { return Reader(limits).read(bytes); }

}  // namespace tryon
