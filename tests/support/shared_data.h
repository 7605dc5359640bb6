// What it is: where tests find real data (TRYON_SHARED_DATA, or ../shared/data beside the checkout) and small files.
// A test that needs it says TRYON_NEEDS_SHARED_DATA("bodies/x.obj") first: it skips, loudly, where it is absent.
#pragma once

#include <string>

#include "gtest/gtest.h"

namespace tryon::testing {

std::string source_dir();                                   // of this checkout
std::string bin_dir();                                      // where its programs are built
std::string shared_data_path(const std::string& relative);  // empty if absent
std::string read_file(const std::string& path);             // fails the process if unreadable
void write_file(const std::string& path, const std::string& bytes);
std::string make_temp_dir();  // removed at exit

}  // namespace tryon::testing

#define TRYON_NEEDS_SHARED_DATA(relative)                           \
  if (::tryon::testing::shared_data_path(relative).empty())         \
  GTEST_SKIP() << "SKIPPED LOUDLY: shared data file " << (relative) \
               << " is absent; set TRYON_SHARED_DATA to the folder that holds it"
