#include "server/service/security/tokens.h"

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "server/base/hash.h"
#include "server/base/status.h"
#include "server/base/text.h"
#include "server/store/tenant_view.h"

namespace tryon {
namespace {

using Json = nlohmann::json;
constexpr size_t kMaxTokens = 10000;
constexpr size_t kMaxName = 64;
constexpr std::string_view kBearer = "Bearer ";

absl::Status invalid(std::string_view field, std::string_view what) {
  return invalid_input("TOKEN_FILE_INVALID", field, what,
                       "Write {\"tokens\": [{\"name\": \"shop\", \"sha256\": \"64 hex digits of the token's SHA-256\", "
                       "\"scopes\": [\"read\", \"write\"]}]}.");
}

absl::StatusOr<std::set<Scope>> scopes_of(const Json& entry, const std::string& at) {
  const auto found = entry.find("scopes");
  if (found == entry.end() || !found->is_array() || found->empty()) return invalid(at + ".scopes", "no scopes");
  std::set<Scope> out;
  for (const Json& scope : *found) {
    if (scope == "read") {
      out.insert(Scope::kRead);
    } else if (scope == "write") {
      out.insert(Scope::kWrite);
    } else {
      return invalid(at + ".scopes", "a scope is neither read nor write");
    }
  }
  return out;
}

std::string text_of(const Json& entry, const char* key) {
  const auto found = entry.find(key);
  return found != entry.end() && found->is_string() ? found->get<std::string>() : std::string();
}

// Looks at every digit, whatever the first ones are.
bool same_digest(std::string_view a, std::string_view b) {
  unsigned difference = a.size() == b.size() ? 0 : 1;
  for (size_t i = 0; i < a.size() && i < b.size(); ++i) difference |= static_cast<unsigned>(a[i] ^ b[i]);
  return difference == 0;
}

}  // namespace

std::string_view token_of(std::string_view authorization) {
  return authorization.substr(0, kBearer.size()) == kBearer ? authorization.substr(kBearer.size()) : std::string_view();
}

absl::StatusOr<TokenTable> TokenTable::parse(std::string_view json) {
  const Json file = Json::parse(json.begin(), json.end(), nullptr, false);
  if (!file.is_object() || !file.contains("tokens") || !file["tokens"].is_array()) {
    return invalid("--token-file", "the file is not JSON with a list of tokens");
  }
  const Json& list = file["tokens"];
  if (list.empty() || list.size() > kMaxTokens) return invalid("tokens", cat("there must be 1 to ", kMaxTokens));
  TokenTable table;
  std::set<std::string> digests;
  for (size_t i = 0; i < list.size(); ++i) {
    const std::string at = cat("tokens[", i, "]");
    if (!list[i].is_object()) return invalid(at, "not an object");
    Entry entry{text_of(list[i], "sha256"),
                {text_of(list[i], "name"), text_of(list[i], list[i].contains("tenant") ? "tenant" : "name"), {}}};
    if (!is_sha256_hex(entry.sha256)) return invalid(at + ".sha256", "not 64 lower-case hex digits");
    if (!digests.insert(entry.sha256).second) return invalid(at + ".sha256", "the same token twice");
    if (entry.caller.name.empty() || entry.caller.name.size() > kMaxName) {
      return invalid(at + ".name", cat("a name has 1 to ", kMaxName, " characters"));
    }
    if ((list[i].contains("tenant") && !list[i]["tenant"].is_string()) || !is_tenant_name(entry.caller.tenant)) {
      return invalid(at + ".tenant", "a tenant's name (without one, the token's) has at most 64 of A-Z a-z 0-9 . _ -");
    }
    ASSIGN_OR_RETURN(entry.caller.scopes, scopes_of(list[i], at));
    table.entries_.push_back(std::move(entry));
  }
  return table;
}

absl::StatusOr<TokenTable> TokenTable::load(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream bytes;
  if (!(file && bytes << file.rdbuf())) {
    return invalid_input("TOKEN_FILE_UNREADABLE", "--token-file", cat(path, " cannot be read"),
                         "Name a file that the server may read.");
  }
  return parse(bytes.str());
}

const Caller* TokenTable::find(std::string_view token) const {
  const std::string digest = sha256_hex(token);
  const Caller* found = nullptr;
  for (const Entry& entry : entries_) {
    if (same_digest(entry.sha256, digest)) found = &entry.caller;
  }
  return found;
}

}  // namespace tryon
