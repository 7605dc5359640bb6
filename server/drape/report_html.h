// What it is: report.html, one file that needs nothing else: the viewer with three.js, figures, cuts and the pattern.
// Units: as report_data.h. Safety: texts of files reach the page only inside JSON without '<', and a content security
// policy names the digests of the page's own scripts, so nothing else runs and nothing is loaded or sent.
// How it fails: it does not. Thread rules: pure function.
#pragma once

#include <string>
#include <string_view>

namespace tryon {

std::string report_html(std::string_view data_json);

}  // namespace tryon
