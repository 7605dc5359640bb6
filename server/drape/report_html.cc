#include "server/drape/report_html.h"

#include <map>

#include "absl/strings/escaping.h"
#include "server/base/hash.h"
#include "server/base/text.h"
#include "server/drape/report_assets.h"

namespace tryon {
namespace {

// JSON that may stand in a script element: '<' occurs in its strings only, and has another spelling there.
std::string inert(std::string_view json) {
  std::string out;
  out.reserve(json.size() + json.size() / 64);
  for (const char c : json) {
    if (c == '<') {
      out += "\\u003c";
    } else {
      out += c;
    }
  }
  return out;
}

std::string source_digest(std::string_view text) {
  return cat("'sha256-", absl::Base64Escape(absl::HexStringToBytes(sha256_hex(text))), "'");
}

std::string policy() {
  std::string scripts;
  for (const char* name : {"three.min.js", "viewer.js", "tables.js"}) {
    scripts += cat(" ", source_digest(report_asset(name)));
  }
  return cat("default-src 'none'; script-src", scripts, "; style-src ", source_digest(report_asset("page.css")),
             "; img-src data:; base-uri 'none'; form-action 'none'");
}

}  // namespace

std::string report_html(std::string_view data_json) {
  const std::map<std::string, std::string> parts = {{"policy", policy()},
                                                    {"style", std::string(report_asset("page.css"))},
                                                    {"data", inert(data_json)},
                                                    {"three", std::string(report_asset("three.min.js"))},
                                                    {"viewer", std::string(report_asset("viewer.js"))},
                                                    {"tables", std::string(report_asset("tables.js"))}};
  constexpr std::string_view kMark = "@@";
  std::string out;
  std::string_view rest = report_asset("page.html");
  for (size_t begin = rest.find(kMark); begin != std::string_view::npos; begin = rest.find(kMark)) {
    const size_t end = rest.find(kMark, begin + 2);
    out += rest.substr(0, begin);
    out += parts.at(std::string(rest.substr(begin + 2, end - begin - 2)));
    rest.remove_prefix(end + 2);
  }
  out += rest;
  return out;
}

}  // namespace tryon
