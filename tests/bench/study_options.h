// What it is: the options of the studies: --KEY=VALUE from the command line, what --only chooses, what files are named
// after. Units: the option's. How it fails: a word that no option takes, or a number that cannot be read, ends the
// process with the study's usage and exit code 2 before anything is measured; --help with 0. Thread rules: plain
// functions.
#pragma once

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <vector>

namespace tryon {

// True if `arg` begins with `key` ("--edge=") and its value could be read; then it is taken.
inline bool take_option(const std::string& arg, std::string_view key, std::string* value) {
  if (arg.rfind(key, 0) != 0) return false;
  *value = arg.substr(key.size());
  return true;
}
template <typename Number>
requires std::is_arithmetic_v<Number>
bool take_option(const std::string& arg, std::string_view key, Number* value) {
  std::string text;
  if (!take_option(arg, key, &text)) return false;
  const char* end = text.data() + text.size();
  const auto [read, error] = std::from_chars(text.data(), end, *value);
  return error == std::errc() && read == end;
}
inline bool take_option(const std::string& arg, std::string_view key, std::vector<std::string>* values) {
  std::string text;
  if (!take_option(arg, key, &text)) return false;
  values->push_back(text);
  return true;
}
template <typename Value>
bool take_flag(const std::string& arg, std::string_view flag, Value* value, Value set) {
  if (arg != flag) return false;
  *value = set;
  return true;
}
inline bool take_flag(const std::string& arg, std::string_view flag, bool* value) {
  return take_flag(arg, flag, value, true);
}

inline std::string as_file(std::string name) {
  for (char& c : name) c = c == '/' || c == ' ' ? '_' : c;
  return name;
}

// Offers every word to `take`, which says whether it took it.
template <typename Take>
void read_options(int argc, char** argv, const char* usage, const Take& take) {
  for (int i = 1; i < argc; ++i) {
    const std::string arg = argv[i];
    if (take(arg)) continue;
    const bool help = arg == "--help";
    if (!help) std::fprintf(stderr, "%s: no such option, or its number cannot be read\n", arg.c_str());
    std::fprintf(help ? stdout : stderr, "usage: %s %s\n", argv[0], usage);
    std::exit(help ? 0 : 2);
  }
}

// Whether a name holds one of the texts of --only; all do without any.
inline bool is_chosen(const std::vector<std::string>& only, const std::string& name) {
  bool named = only.empty();
  for (const std::string& text : only) named = named || name.find(text) != std::string::npos;
  return named;
}

}  // namespace tryon
