// What the API shows of a drape that moves, and of one that is not done yet; the physics is played.
#include <grpcpp/grpcpp.h>

#include <cstring>
#include <set>
#include <vector>

#include "gtest/gtest.h"
#include "server/base/hash.h"
#include "server/base/status.h"
#include "server/base/text.h"
#include "tests/integration/support/hosted_service.h"
#include "tryon/v1/drape.grpc.pb.h"

namespace tryon {
namespace {

using testing::HostedService;
using testing::id_of;
using testing::reason_of;

class Motions : public ::testing::Test {
 protected:
  HostedService service_;
};

// Ten frames before it is held, three after.
v1::CreateDrapeRequest with_frames(v1::CreateDrapeRequest request) {
  request.mutable_motion()->set_frames_per_second(20);
  request.add_exports(v1::EXPORT_FRAMES);
  return request;
}

TEST_F(Motions, WhatARunningDrapeShowsCanBeFetchedAndOnlyItsFramesStay) {
  service_.play().shows = true;
  service_.play().hold = true;
  const std::string name = service_.client().begin_drape(service_.drape_request()).value();
  std::string look, frames;
  const auto status = service_.client().watch(name, [&](const std::string&, const v1::OperationMetadata& metadata) {
    if (metadata.files_size() != 2 || !look.empty()) return;  // once it is released there are more frames, and no look
    EXPECT_EQ(metadata.state(), v1::TASK_STATE_RUNNING);
    frames = service_.client().fetch(metadata.files(0)).value();
    EXPECT_EQ(metadata.files(1).media_type(), "model/gltf-binary");
    look = service_.client().fetch(metadata.files(1)).value();
    EXPECT_EQ(service_.client().get_drape(name)->artifacts_size(), 0);  // it is not done
    service_.play().hold = false;
  });
  EXPECT_TRUE(status.ok()) << status;
  EXPECT_EQ(look, "second look");
  EXPECT_EQ(frames.size(), 8u + 10 * 12);
  const v1::Drape drape = service_.client().get_drape(name).value();
  std::set<std::string> names;
  for (const v1::Artifact& artifact : drape.artifacts()) names.insert(artifact.file_name());
  EXPECT_EQ(names, (std::set<std::string>{"drape.json", "frames_000.bin", "frames_001.bin"}));
  EXPECT_FALSE(service_.jobs().needs_blob(sha256_hex("second look")).value());
}

TEST_F(Motions, FramesAreStreamedAsTheyAreMadeEachOnceAndFromAnywhere) {
  service_.play().hold = true;
  service_.play().shows = true;
  const std::string name =
      cat("drapes/", id_of(service_.client().begin_drape(with_frames(service_.drape_request())).value()));
  std::vector<float> places;
  const auto take = [&](const v1::Frame& frame) {
    EXPECT_EQ(frame.index(), static_cast<int>(places.size()));
    EXPECT_DOUBLE_EQ(frame.time_seconds(), (frame.index() + 1) / 20.0);
    ASSERT_EQ(frame.positions().size(), 12u);
    places.emplace_back();
    std::memcpy(&places.back(), frame.positions().data(), sizeof(float));
    if (frame.index() != 9) return;
    EXPECT_EQ(service_.jobs().get(id_of(name))->state, TaskState::kRunning);
    service_.play().hold = false;  // the rest comes only because these have come
  };
  const absl::Status status = service_.client().watch_frames(name, take);
  EXPECT_TRUE(status.ok()) << status;
  ASSERT_EQ(places.size(), 13u);
  for (size_t k = 0; k < places.size(); ++k) EXPECT_EQ(places[k], static_cast<float>(k));
  grpc::ClientContext context;
  v1::WatchFramesRequest rest;
  rest.set_name(name);
  rest.set_first_frame(7);
  auto reader = v1::DrapeService::NewStub(service_.channel())->WatchFrames(&context, rest);
  int next = 7;
  for (v1::Frame frame; reader->Read(&frame); ++next) EXPECT_EQ(frame.index(), next);
  EXPECT_TRUE(reader->Finish().ok());
  EXPECT_EQ(next, 13);
}

TEST_F(Motions, FramesOfADrapeThatFailsOrHasNoneEndWithTheReason) {
  service_.play().shows = true;
  const std::string still = service_.client().begin_drape(service_.drape_request()).value();
  const auto nothing = [](const v1::Frame&) {};
  EXPECT_EQ(reason_of(service_.client().watch_frames(cat("drapes/", id_of(still)), nothing)), "DRAPE_WITHOUT_FRAMES");
  EXPECT_EQ(reason_of(service_.client().watch_frames(cat("drapes/", std::string(64, 'a')), nothing)),
            "DRAPE_NOT_FOUND");
  service_.wait_for(still, TaskState::kSucceeded);
  service_.play().fault = invalid_input("SEAM_LENGTHS_DIFFER", "stitches[3]", "too long", "Ease it in.");
  const std::string failing = service_.client().begin_drape(with_frames(service_.drape_request())).value();
  EXPECT_EQ(reason_of(service_.client().watch_frames(cat("drapes/", id_of(failing)), nothing)), "SEAM_LENGTHS_DIFFER");
}

TEST_F(Motions, MotionAndPreviewsHaveTheirRangesAndPreviewsAreNoPartOfADrape) {
  v1::CreateDrapeRequest request = service_.drape_request();
  const std::string plain = service_.client().begin_drape(request).value();
  request.mutable_preview_interval()->set_seconds(2);
  EXPECT_EQ(service_.client().begin_drape(request).value(), plain);
  request.mutable_motion()->set_frames_per_second(25);
  EXPECT_NE(service_.client().begin_drape(request).value(), plain);
  const auto field_of = [&](const v1::CreateDrapeRequest& wrong) {
    const auto detail = error_detail(service_.client().begin_drape(wrong).status());
    return detail ? cat(detail->reason, " ", detail->field) : std::string();
  };
  v1::CreateDrapeRequest wrong = request;
  wrong.mutable_motion()->mutable_duration()->set_seconds(21);
  EXPECT_EQ(field_of(wrong), "SETTING_OUT_OF_RANGE motion.duration");
  wrong.mutable_motion()->mutable_duration()->set_seconds(19);
  EXPECT_EQ(field_of(wrong), "SETTING_OUT_OF_RANGE motion.duration");  // 475 frames
  wrong = request;
  wrong.mutable_motion()->set_frames_per_second(61);
  EXPECT_EQ(field_of(wrong), "SETTING_OUT_OF_RANGE motion.frames_per_second");
  wrong = request;
  wrong.mutable_motion()->mutable_wind_duration();
  EXPECT_EQ(field_of(wrong), "SETTING_OUT_OF_RANGE motion.wind_duration");
  wrong = request;
  wrong.mutable_preview_interval()->set_seconds(0);
  EXPECT_EQ(field_of(wrong), "SETTING_OUT_OF_RANGE preview_interval");
  wrong = request;
  wrong.clear_motion();
  wrong.add_exports(v1::EXPORT_FRAMES);
  EXPECT_EQ(field_of(wrong), "SETTINGS_CONFLICT exports");
}

}  // namespace
}  // namespace tryon
