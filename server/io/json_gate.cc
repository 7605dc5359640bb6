#include "server/io/json_gate.h"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "nlohmann/json.hpp"
#include "server/base/status.h"
#include "server/base/text.h"

namespace tryon {
namespace {

using Json = nlohmann::json;

// At most `size` bytes, cut between characters: what is quoted in an error must stay UTF-8.
std::string beginning(const std::string& text, size_t size) {
  if (text.size() <= size) return text;
  while (size > 0 && (static_cast<unsigned char>(text[size]) & 0xC0) == 0x80) --size;
  return text.substr(0, size);
}

class Gate : public nlohmann::json_sax<Json> {
 public:
  Gate(std::string_view bytes, int max_depth) : bytes_(bytes), max_depth_(max_depth) {}

  absl::Status status() const { return status_; }

  bool null() override { return value(); }
  bool boolean(bool) override { return value(); }
  bool number_integer(number_integer_t) override { return value(); }
  bool number_unsigned(number_unsigned_t) override { return value(); }
  bool number_float(number_float_t, const string_t&) override { return value(); }
  bool string(string_t&) override { return value(); }
  bool binary(binary_t&) override { return value(); }
  bool start_object(std::size_t) override { return open(false); }
  bool start_array(std::size_t) override { return open(true); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }

  bool key(string_t& name) override {
    Level& level = levels_.back();
    level.key = beginning(name, 100);
    if (level.names.insert(name).second) return true;
    status_ = invalid_input("PATTERN_DUPLICATE_NAME", path(), cat("\"", level.key, "\" stands twice in one object"),
                            "Give every element a name of its own.");
    return false;
  }

  bool parse_error(std::size_t position, const std::string&, const Json::exception& error) override {
    const size_t at = std::min(position, bytes_.size());
    const size_t line = 1 + std::count(bytes_.begin(), bytes_.begin() + at, '\n');
    const bool huge = error.id == 406;  // nlohmann's number for a number that no double can hold
    const std::string where = path();
    const std::string what = huge ? std::string("a number beyond all measure") : text_at(at);
    status_ =
        invalid_input(huge ? "PATTERN_NUMBER_RANGE" : "PATTERN_NOT_JSON", where.empty() ? cat("line ", line) : where,
                      cat("line ", line, ": ", at >= bytes_.size() ? std::string("the file ends too early") : what,
                          huge || at >= bytes_.size() ? "" : " is not JSON"),
                      "Send a pattern in JSON, complete, with plain numbers (no NaN or Infinity).");
    return false;
  }

 private:
  struct Level {
    bool is_array;
    long index = -1;  // of an array's element
    std::string key;
    std::set<std::string> names;
  };

  bool value() {
    if (!levels_.empty() && levels_.back().is_array) ++levels_.back().index;
    return true;
  }
  bool open(bool is_array) {
    value();
    levels_.push_back({is_array, -1, {}, {}});
    if (static_cast<int>(levels_.size()) <= max_depth_) return true;
    status_ = invalid_input("PATTERN_TOO_DEEP", beginning(path(), 200),
                            cat("lists and objects are nested more than ", max_depth_, " deep"),
                            "Send the pattern's own JSON; no pattern is nested so deeply.");
    return false;
  }
  bool close() {
    levels_.pop_back();
    return true;
  }

  // Panels are named, list elements are counted. The element of an array that is being read has not been counted yet.
  std::string path() const {
    std::string out;
    for (size_t i = 0; i < levels_.size(); ++i) {
      const Level& level = levels_[i];
      const bool innermost = i + 1 == levels_.size();
      if (level.is_array) {
        out += cat("[", level.index + (innermost ? 1 : 0), "]");
      } else if (!level.key.empty()) {
        const bool panel = i > 0 && !levels_[i - 1].is_array && levels_[i - 1].key == "panels";
        out += panel ? cat("[", level.key, "]") : cat(out.empty() ? "" : ".", level.key);
      }
    }
    return out;
  }

  // The text where reading stopped, short, in characters that any terminal shows.
  std::string text_at(size_t position) const {
    std::string out = "\"";
    for (const char c : bytes_.substr(position > 0 ? position - 1 : 0, 16)) {
      if (c == '\n') break;
      out += c >= ' ' && c <= '~' ? c : '?';
    }
    return out + "\"";
  }

  std::string_view bytes_;
  const int max_depth_;
  std::vector<Level> levels_;
  absl::Status status_;
};

}  // namespace

absl::Status check_json(std::string_view bytes, int max_depth) {
  Gate gate(bytes, max_depth);
  const bool read = Json::sax_parse(bytes, &gate);
  if (read || !gate.status().ok()) return gate.status();
  return invalid_input("PATTERN_NOT_JSON", "file", "the file is not JSON", "Send a pattern in JSON.");
}

}  // namespace tryon
