// What it is: one line of progress on a terminal; silent in a pipe. Thread rules: one thread.
#pragma once

#include <string>

#include "tryon/v1/operation.pb.h"

namespace tryon::cli {

class ProgressBar {
 public:
  ProgressBar();
  ~ProgressBar();  // clears the line
  void show(const v1::OperationMetadata& metadata);

 private:
  bool terminal_;
  bool shown_ = false;
};

}  // namespace tryon::cli
