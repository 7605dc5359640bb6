#include "server/ops/log.h"

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "absl/time/clock.h"
#include "absl/time/time.h"

namespace tryon {
namespace {

spdlog::logger& logger() {
  static const std::shared_ptr<spdlog::logger> instance = [] {
    auto made = std::make_shared<spdlog::logger>("tryon", std::make_shared<spdlog::sinks::stderr_sink_mt>());
    made->set_pattern("%v");
    made->flush_on(spdlog::level::info);
    return made;
  }();
  return *instance;
}

void write(spdlog::level::level_enum level, const char* level_name, std::string_view event,
           std::initializer_list<LogField> fields) {
  if (!logger().should_log(level)) return;
  nlohmann::ordered_json line;
  line["time"] = absl::FormatTime("%Y-%m-%dT%H:%M:%E6SZ", absl::Now(), absl::UTCTimeZone());
  line["level"] = level_name;
  line["event"] = event;
  for (const auto& [name, value] : fields) line[std::string(name)] = value;
  // Bytes that are not UTF-8 are replaced: a log line must not fail.
  logger().log(level, line.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
}

}  // namespace

void log_info(std::string_view event, std::initializer_list<LogField> fields) {
  write(spdlog::level::info, "info", event, fields);
}

void log_warning(std::string_view event, std::initializer_list<LogField> fields) {
  write(spdlog::level::warn, "warning", event, fields);
}

void log_error(std::string_view event, std::initializer_list<LogField> fields) {
  write(spdlog::level::err, "error", event, fields);
}

void set_log_quiet(bool quiet) { logger().set_level(quiet ? spdlog::level::warn : spdlog::level::info); }

}  // namespace tryon
