#include "client/cli/progress_bar.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace tryon::cli {
namespace {
constexpr int kWidth = 30;
}

ProgressBar::ProgressBar() : terminal_(isatty(STDERR_FILENO) != 0) {}

ProgressBar::~ProgressBar() {
  if (shown_) std::fprintf(stderr, "\r\033[K");
}

void ProgressBar::show(const v1::OperationMetadata& metadata) {
  if (!terminal_) return;
  shown_ = true;
  const std::string stage = metadata.stage().empty() ? "queued" : metadata.stage();
  const int filled = std::clamp(static_cast<int>(std::lround(metadata.stage_fraction() * kWidth)), 0, kWidth);
  std::fprintf(stderr, "\r\033[K%-9s [%s%s] %5.1f s", stage.c_str(),
               std::string(static_cast<size_t>(filled), '#').c_str(),
               std::string(static_cast<size_t>(kWidth - filled), ' ').c_str(), metadata.elapsed_seconds());
  std::fflush(stderr);
}

}  // namespace tryon::cli
