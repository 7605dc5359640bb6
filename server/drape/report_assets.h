// What it is: the fixed parts of report.html, embedded from report_assets/ when the program is built: the page, its
// style and scripts, and three.js (MIT; scripts/vendor-three). Units: none. How it fails: an unknown name is empty.
// Thread rules: const data.
#pragma once

#include <string_view>

namespace tryon {

std::string_view report_asset(std::string_view file_name);  // "page.html", "viewer.js", ...

}  // namespace tryon
