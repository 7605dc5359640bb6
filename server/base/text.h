// What it is: cat("edge ", 3, ": ", 41.2): joins texts and numbers. Numbers print shortest with up to 6 digits.
// Debian's Abseil is built for C++14, so absl::string_view is not std::string_view: cat takes either.
// How it fails: it does not. Thread rules: pure functions.
#pragma once

#include <charconv>
#include <concepts>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/string_view.h"

namespace tryon {

inline void append_piece(std::string* out, std::string_view text) { out->append(text); }
inline void append_piece(std::string* out, absl::string_view text) { out->append(text.data(), text.size()); }
inline void append_piece(std::string* out, const std::string& text) { out->append(text); }
inline void append_piece(std::string* out, const char* text) { out->append(text); }
inline void append_piece(std::string* out, char c) { out->push_back(c); }
inline void append_piece(std::string* out, bool value) { out->append(value ? "true" : "false"); }
template <std::integral T>
void append_piece(std::string* out, T value) {
  out->append(std::to_string(value));
}
template <std::floating_point T>
void append_piece(std::string* out, T value) {
  char buffer[32];
  const auto end = std::to_chars(buffer, buffer + sizeof(buffer), value, std::chars_format::general, 6).ptr;
  out->append(buffer, end);
}

template <typename... Pieces>
std::string cat(const Pieces&... pieces) {
  std::string out;
  (append_piece(&out, pieces), ...);
  return out;
}

std::vector<std::string> split(std::string_view text, char separator);  // keeps empty pieces

}  // namespace tryon
