// What it is: who may call: bearer tokens, kept only as SHA-256, each with the scopes that it has.
// Format of the file: JSON {"tokens": [{"name": "shop", "sha256": "64 hex digits", "scopes": ["read", "write"]}]}, with
// "tenant" for tokens that share what they make; without it a token's tenant has its name. The tenant "" has what was
// made before there were tokens.
// How it fails: TOKEN_FILE_UNREADABLE, TOKEN_FILE_INVALID with the entry. Thread rules: const after parsing.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace tryon {

enum class Scope { kRead, kWrite };  // look at what is kept; make, change and erase it

struct Caller {
  std::string name;    // for the log; never the token
  std::string tenant;  // whose what it makes is
  std::set<Scope> scopes;
};

// The token in "Bearer TOKEN", or nothing.
std::string_view token_of(std::string_view authorization);

class TokenTable {
 public:
  static absl::StatusOr<TokenTable> parse(std::string_view json);
  static absl::StatusOr<TokenTable> load(const std::string& path);
  // Null for a token that nobody has. Takes as long for every token.
  const Caller* find(std::string_view token) const;
  size_t size() const { return entries_.size(); }

 private:
  struct Entry {
    std::string sha256;
    Caller caller;
  };
  std::vector<Entry> entries_;
};

}  // namespace tryon
