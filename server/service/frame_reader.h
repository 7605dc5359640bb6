// What it is: a drape's frames for one watcher: of every state of its task the frames that came since the last, each
// once, in order, out of drape/frames_file.h's files. Units: simulated seconds; positions in metres. How it fails:
// DRAPE_NOT_FOUND, DRAPE_WITHOUT_FRAMES, SETTING_OUT_OF_RANGE; as the blob store; CANCELLED once the watcher takes no
// more. Thread rules: one object, one call.
#pragma once

#include <functional>
#include <string>

#include "absl/status/statusor.h"
#include "server/service/core.h"
#include "tryon/v1/drape.pb.h"

namespace tryon {

class FrameReader {
 public:
  static absl::StatusOr<FrameReader> open(ServiceCore* core, const std::string& drape, int first_frame);
  // `write` says whether the watcher is still there.
  absl::Status read(const TaskRecord& task, const std::function<bool(const v1::Frame&)>& write);

 private:
  FrameReader(ServiceCore* core, int first_frame, double frame_seconds)
      : core_(core), next_(first_frame), frame_seconds_(frame_seconds) {}

  ServiceCore* core_;
  int next_;  // the frame that the watcher has next
  double frame_seconds_;
  bool ended_ = false;  // the last file, which is not full, was read
};

}  // namespace tryon
