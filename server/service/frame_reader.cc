#include "server/service/frame_reader.h"

#include <algorithm>

#include "server/base/status.h"
#include "server/base/text.h"
#include "server/drape/frames_file.h"

namespace tryon {
absl::StatusOr<FrameReader> FrameReader::open(ServiceCore* core, const std::string& drape, int first_frame) {
  if (first_frame < 0 || first_frame > kMostFrames) {
    return invalid_input("SETTING_OUT_OF_RANGE", "first_frame",
                         cat("first_frame is ", first_frame, ", outside 0 .. ", kMostFrames),
                         "Ask from the frame after the last one that came.");
  }
  ASSIGN_OR_RETURN(const TaskRecord task, core->find(drape, "drape", "DRAPE_NOT_FOUND"));
  ASSIGN_OR_RETURN(const DrapeRequest request, drape_request_from_json(task.spec));
  const auto& exports = request.settings.exports;
  const std::optional<Motion> motion = motion_of(request.settings);
  if (!motion || std::find(exports.begin(), exports.end(), Export::kFrames) == exports.end()) {
    return make_error(absl::StatusCode::kFailedPrecondition, "DRAPE_WITHOUT_FRAMES", "name",
                      "the drape was not asked for frames", "Create it again with EXPORT_FRAMES.");
  }
  return FrameReader(core, first_frame, 1.0 / motion->frames_per_second);
}

// A try that is begun anew makes the same frames again: those that were told are left out.
absl::Status FrameReader::read(const TaskRecord& task, const std::function<bool(const v1::Frame&)>& write) {
  while (!ended_) {
    const int first = next_ - next_ % kFramesAFile;  // of its file
    const auto file = task.outputs.find(frames_file_name(first / kFramesAFile));
    if (file == task.outputs.end()) return absl::OkStatus();
    ASSIGN_OR_RETURN(const std::string bytes, core_->blobs().read(file->second.digest, 0, 0));
    ASSIGN_OR_RETURN(const auto frames, frames_in(bytes));
    const int end = first + static_cast<int>(frames.size());
    for (; next_ < end; ++next_) {
      v1::Frame frame;
      frame.set_index(next_);
      frame.set_time_seconds((next_ + 1) * frame_seconds_);
      frame.set_positions(std::string(frames[static_cast<size_t>(next_ - first)]));
      if (!write(frame)) return absl::CancelledError("the watcher left");
    }
    ended_ = frames.size() < kFramesAFile;
  }
  return absl::OkStatus();
}

}  // namespace tryon
