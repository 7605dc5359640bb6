#include "server/io/rul.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "server/base/status.h"
#include "server/base/text.h"

namespace tryon {
namespace {

constexpr size_t kMaxBytes = 4u << 20, kMaxSizes = 64, kMaxRules = 20'000;

absl::Status fault(int line, const std::string& what) {
  return invalid_input("GRADE_RULES", cat("line ", line), cat("the grading table, line ", line, ": ", what),
                       "Export the RUL file again together with its DXF.");
}

std::vector<std::string> words(std::string_view text, std::string_view separators) {
  std::vector<std::string> out;
  while (true) {
    const size_t begin = text.find_first_not_of(separators);
    if (begin == std::string_view::npos) return out;
    const size_t end = text.find_first_of(separators, begin);
    out.emplace_back(text.substr(begin, end - begin));
    if (end == std::string_view::npos) return out;
    text.remove_prefix(end);
  }
}

std::string trimmed(std::string_view s) {
  const size_t begin = s.find_first_not_of(" \t\r"), end = s.find_last_not_of(" \t\r");
  return begin == std::string_view::npos ? "" : std::string(s.substr(begin, end - begin + 1));
}

bool to_double(std::string_view s, double* out) {
  if (!s.empty() && s.front() == '+') s.remove_prefix(1);
  const auto result = std::from_chars(s.data(), s.data() + s.size(), *out);
  return result.ec == std::errc() && result.ptr == s.data() + s.size() && std::isfinite(*out) && std::abs(*out) < 1e5;
}

struct Reader {
  GradeRules out;
  std::map<int, std::vector<double>> numbers;  // of each rule as they come: x, y, x, y ...
  double metres_per_unit = 1e-3;
  int rule = -1;

  absl::Status header(const std::string& key, const std::string& value, int line) {
    if (key == "UNITS") {
      if (value != "METRIC" && value != "ENGLISH") return fault(line, cat("the unit \"", value.substr(0, 40), "\""));
      metres_per_unit = value == "METRIC" ? 1e-3 : 0.0254;
    } else if (key == "GRADE RULE TABLE") {
      out.table = value.substr(0, 100);
    } else if (key == "SAMPLE SIZE") {
      out.sample = value.substr(0, 100);
    } else if (key == "SIZE LIST") {
      out.sizes = words(value, " \t,");
      if (out.sizes.size() > kMaxSizes) return fault(line, cat("more than ", kMaxSizes, " sizes"));
    }
    return absl::OkStatus();
  }

  absl::Status begin_rule(const std::string& value, int line) {
    const std::vector<std::string> parts = words(value, " \t");
    double number = 0.0;
    const bool good = parts.size() == 2 && parts[0] == "DELTA" && to_double(parts[1], &number) && number >= 0.0 &&
                      number == std::floor(number);
    if (!good) return fault(line, "a rule is written RULE: DELTA and its number");
    if (out.sizes.empty()) return fault(line, "a rule comes before the SIZE LIST");
    if (numbers.size() >= kMaxRules) return fault(line, cat("more than ", kMaxRules, " rules"));
    rule = static_cast<int>(number);
    if (!numbers.insert({rule, {}}).second) return fault(line, cat("rule ", rule, " comes twice"));
    return absl::OkStatus();
  }

  absl::Status values(const std::string& text, int line) {
    for (const std::string& word : words(text, " \t,")) {
      double x = 0.0;
      if (!to_double(word, &x)) return fault(line, cat("\"", word.substr(0, 40), "\" is no measure"));
      if (numbers[rule].size() >= 2 * out.sizes.size()) return fault(line, cat("rule ", rule, " has too many values"));
      numbers[rule].push_back(x);
    }
    return absl::OkStatus();
  }

  absl::Status line(const std::string& text, int number) {
    const size_t colon = text.find(':');
    if (colon == std::string::npos) {
      if (text == "END" || text.empty() || rule < 0) return absl::OkStatus();
      return values(text, number);
    }
    const std::string key = trimmed(std::string_view(text).substr(0, colon));
    const std::string value = trimmed(std::string_view(text).substr(colon + 1));
    return key == "RULE" ? begin_rule(value, number) : header(key, value, number);
  }

  absl::Status finish() {
    const auto sample = std::find(out.sizes.begin(), out.sizes.end(), out.sample);
    if (numbers.empty() || sample == out.sizes.end()) {
      return fault(1, numbers.empty() ? "it has no rules" : cat("the sample size \"", out.sample, "\" is not listed"));
    }
    const size_t at = static_cast<size_t>(sample - out.sizes.begin());
    for (const auto& [number, xy] : numbers) {
      if (xy.size() != 2 * out.sizes.size()) {
        return fault(1, cat("rule ", number, " has ", xy.size(), " values for ", out.sizes.size(), " sizes"));
      }
      std::vector<Vec2>& deltas = out.rules[number];
      for (size_t s = 0; s < out.sizes.size(); ++s) {
        deltas.push_back(Vec2(xy[2 * s] - xy[2 * at], xy[2 * s + 1] - xy[2 * at + 1]) * metres_per_unit);
      }
    }
    return absl::OkStatus();
  }
};

}  // namespace

absl::StatusOr<GradeRules> read_rul(std::string_view bytes) {
  if (bytes.size() > kMaxBytes) return fault(1, cat("the file has ", bytes.size(), " bytes, at most ", kMaxBytes));
  Reader reader;
  int number = 0;
  while (!bytes.empty()) {
    const size_t end = bytes.find('\n');
    const std::string_view raw = bytes.substr(0, end);
    bytes.remove_prefix(end == std::string_view::npos ? bytes.size() : end + 1);
    RETURN_IF_ERROR(reader.line(trimmed(raw), ++number));
  }
  RETURN_IF_ERROR(reader.finish());
  return std::move(reader.out);
}

std::vector<Vec2> grade_deltas(const GradeRules& rules, size_t size, const std::vector<Vec2>& loop,
                               const std::vector<int>& rule) {
  const int n = static_cast<int>(loop.size());
  std::vector<Vec2> out(n, Vec2::Zero());
  std::vector<int> ruled;
  for (int i = 0; i < n; ++i) {
    const auto it = rules.rules.find(rule[i]);
    if (it != rules.rules.end()) out[i] = it->second[size], ruled.push_back(i);
  }
  for (size_t k = 0; k < ruled.size(); ++k) {
    const int from = ruled[k], to = k + 1 < ruled.size() ? ruled[k + 1] : ruled[0] + n;
    std::vector<double> way = {0.0};
    for (int i = from; i < to; ++i) way.push_back(way.back() + (loop[(i + 1) % n] - loop[i % n]).norm());
    for (int i = from + 1; i < to; ++i) {
      const double t = way[i - from] / way.back();
      out[i % n] = (1.0 - t) * out[from] + t * out[to % n];
    }
  }
  return out;
}

std::vector<Vec2> graded_marks(const Panel& panel, const std::vector<Vec2>& loop, const std::vector<Vec2>& delta) {
  std::vector<Vec2> marks;
  auto add = [&](const Vec2& p) {
    size_t best = 0;
    for (size_t i = 1; i < loop.size(); ++i) {
      if ((loop[i] - p).squaredNorm() < (loop[best] - p).squaredNorm()) best = i;
    }
    marks.push_back(p + delta[best]);
  };
  for (const InternalLine& line : panel.lines) {
    for (const Vec2& p : line.points) add(p);
  }
  for (const DrillHole& h : panel.drill_holes) add(h.at);
  return marks;
}

}  // namespace tryon
