// What it is: structured logs, one JSON object a line on standard error: time, level, event, fields. Nothing of a body,
// file content or file name is ever a field; ids and reasons are. How it fails: it does not. Thread rules: any thread.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

namespace tryon {

using LogField = std::pair<std::string_view, std::string>;
void log_info(std::string_view event, std::initializer_list<LogField> fields = {});
void log_warning(std::string_view event, std::initializer_list<LogField> fields = {});
void log_error(std::string_view event, std::initializer_list<LogField> fields = {});
void set_log_quiet(bool quiet);  // the in-process client: warnings and errors only

}  // namespace tryon
