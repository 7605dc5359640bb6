// errors.md is a contract: what it lists and what the code can say are the same.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

#include "tests/support/shared_data.h"

namespace tryon {
namespace {

namespace fs = std::filesystem;
using Reasons = std::set<std::string>;

const fs::path kSource = testing::source_dir();

std::string text_of(const fs::path& path) {
  std::ifstream in(path);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

void collect(const std::string& text, const std::regex& pattern, Reasons* out) {
  for (std::sregex_iterator it(text.begin(), text.end(), pattern), end; it != end; ++it) out->insert((*it)[1]);
}

Reasons documented() {
  Reasons out;
  collect(text_of(kSource / "proto/tryon/v1/errors.md"), std::regex("`([A-Z][A-Z0-9]*(_[A-Z0-9]+)*)`"), &out);
  for (const char* code : {"INVALID_ARGUMENT", "UNAVAILABLE", "RESOURCE_EXHAUSTED"}) out.erase(code);  // in the prose
  return out;
}

// Every quoted UPPER_SNAKE word of the server's sources, but for those of file formats and of the environment.
Reasons said_by_the_code() {
  Reasons out;
  const std::regex literal("\"([A-Z][A-Z0-9]*(_[A-Z0-9]+)+)\"");
  for (const auto& entry : fs::recursive_directory_iterator(kSource / "server")) {
    const fs::path& path = entry.path();
    if (path.extension() == ".cc") collect(text_of(path), literal, &out);
  }
  for (const char* other : {"TEXCOORD_0", "TRYON_SERVER", "TRYON_POSTGRES", "TRYON_BLOBS", "SQLITE_TMPDIR",
                            "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"}) {
    out.erase(other);
  }
  out.insert("INTERNAL");
  out.insert("CANCELLED");
  return out;
}

TEST(ErrorList, EveryReasonOfTheCodeIsDocumented) {
  const Reasons listed = documented();
  for (const std::string& reason : said_by_the_code()) {
    EXPECT_TRUE(listed.count(reason)) << reason << " is not in proto/tryon/v1/errors.md";
  }
}

TEST(ErrorList, EveryDocumentedReasonIsOneOfTheCode) {
  const Reasons said = said_by_the_code();
  for (const std::string& reason : documented()) {
    EXPECT_TRUE(said.count(reason)) << reason << " is in proto/tryon/v1/errors.md, but nothing says it";
  }
}

}  // namespace
}  // namespace tryon
