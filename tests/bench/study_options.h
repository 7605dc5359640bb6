// What it is: the options of the studies: --KEY=VALUE from the command line, and what --only chooses. Units: the
// option's. How it fails: a number that cannot be read ends the process with std::invalid_argument. Thread rules:
// plain functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tryon {

// True if `arg` begins with `key` ("--edge="); then its value is taken.
inline bool take_option(const std::string& arg, std::string_view key, std::string* value) {
  if (arg.rfind(key, 0) != 0) return false;
  *value = arg.substr(key.size());
  return true;
}
inline void take_option(const std::string& arg, std::string_view key, double* value) {
  if (std::string text; take_option(arg, key, &text)) *value = std::stod(text);
}
inline void take_option(const std::string& arg, std::string_view key, int* value) {
  if (std::string text; take_option(arg, key, &text)) *value = std::stoi(text);
}
inline void take_option(const std::string& arg, std::string_view key, std::vector<std::string>* values) {
  if (std::string text; take_option(arg, key, &text)) values->push_back(text);
}

// Whether a name holds one of the texts of --only; all do without any.
inline bool is_chosen(const std::vector<std::string>& only, const std::string& name) {
  bool named = only.empty();
  for (const std::string& text : only) named = named || name.find(text) != std::string::npos;
  return named;
}

}  // namespace tryon
