// The cloth in time: frames, wind that stops, a garment that is let go; and what is shown before a drape is done.
#include "server/drape/motion.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <set>

#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "server/drape/grade.h"
#include "server/drape/showing.h"
#include "server/drape/shown_garment.h"
#include "server/io/worn_file.h"
#include "tests/unit/drape/drape_with_threads.h"

namespace tryon {
namespace {

using Json = nlohmann::json;

DrapeRequest skirt(const Motion& motion, const Vec3& wind) {
  DrapeRequest request;
  request.body.sample = true;
  request.garment.draft.emplace().name = "a_line_skirt";
  request.settings.resolution_mm = 45;
  request.settings.wind_mps = wind;
  request.settings.motion = motion;
  request.settings.exports = {Export::kFrames};
  return request;
}

struct Watched {
  PipelineResult result;
  std::map<std::string, std::vector<std::string>> shown;  // file name -> what it was, one after the other
  Json metrics;
};

Watched watched(const DrapeRequest& request, int threads = 2) {
  Watched out;
  Executor executor(threads);
  RunContext run;
  run.executor = &executor;
  run.on_file = [&](const ShownFile& file) { out.shown[file.name].push_back(file.bytes); };
  auto result = run_drape(run, request, {});
  EXPECT_TRUE(result.ok()) << result.status();
  if (!result.ok()) return out;
  out.result = *std::move(result);
  out.metrics = Json::parse(out.result.summary_json);
  return out;
}

// Places of all frames: [frame][3 vertex_count]
std::vector<std::vector<float>> frames_of(const Watched& drape) {
  std::vector<std::vector<float>> out;
  for (int file = 0;; ++file) {
    const auto found = drape.result.artifacts.find(frames_file_name(file));
    if (found == drape.result.artifacts.end()) break;
    const std::vector<std::string_view> frames = frames_in(found->second.bytes).value();
    for (const std::string_view bytes : frames) {
      out.emplace_back(bytes.size() / sizeof(float));
      std::memcpy(out.back().data(), bytes.data(), bytes.size());
    }
  }
  EXPECT_EQ(out.size(), drape.metrics["motion"]["frames"].get<size_t>());
  return out;
}

double farthest_apart(const std::vector<float>& a, const std::vector<float>& b) {
  double most = 0.0;
  for (size_t k = 0; k < a.size(); ++k) most = std::max(most, static_cast<double>(std::abs(a[k] - b[k])));
  return most;
}

TEST(Motion, FramesGoOutAsTheyAreMadeAndTheLastIsTheDrape) {
  const Watched drape = watched(skirt({1.25, 20, 0, false}, Vec3(0, 0, 8)));
  EXPECT_EQ(drape.metrics["motion"]["frames"], 25);
  EXPECT_EQ(drape.metrics["motion"]["frame_seconds"], 0.05);
  EXPECT_EQ(drape.metrics["equilibrium"]["termination"], "blown");
  for (const char* name : {"frames_000.bin", "frames_001.bin", "frames_002.bin"}) {
    ASSERT_EQ(drape.shown.count(name), 1u) << name;
    EXPECT_EQ(drape.shown.at(name).size(), 1u);
    EXPECT_TRUE(drape.shown.at(name)[0] == drape.result.artifacts.at(name).bytes);
  }
  EXPECT_EQ(drape.shown.count("preview.glb"), 0u);  // nobody asked
  const auto frames = frames_of(drape);
  EXPECT_GT(farthest_apart(frames.front(), frames.back()), 0.02);
  // garment.obj has the same vertices in the same order, in decimal digits.
  const std::string& obj = drape.result.artifacts.at("garment.obj").bytes;
  size_t vertex = 0;
  double most = 0.0;
  for (size_t at = obj.find("\nv "); at != std::string::npos; at = obj.find("\nv ", at + 1), ++vertex) {
    double p[3];
    ASSERT_EQ(std::sscanf(obj.c_str() + at + 3, "%lf %lf %lf", p, p + 1, p + 2), 3);
    ASSERT_LT(3 * vertex + 2, frames.back().size());
    for (int k = 0; k < 3; ++k) most = std::max(most, std::abs(p[k] - double(frames.back()[3 * vertex + k])));
  }
  EXPECT_EQ(3 * vertex, frames.back().size());
  EXPECT_LT(most, 1e-5);
}

std::vector<Vec3> lying(const PipelineResult& drape) {
  return read_worn_file(drape.artifacts.at(kWornName).bytes)->garments[0].cloth.mesh.positions;
}

// The solver's own speeds against what the last two frames say, at a frame a step.
TEST(Motion, ItsEndTellsHowFastTheClothStillMoves) {
  const Watched drape = watched(skirt({0.2, 60, 0, false}, Vec3(0, 0, 8)));
  const auto frames = frames_of(drape);
  ASSERT_EQ(frames.size(), 12u);
  std::set<std::array<float, 6>> once;  // seams have two vertices in a frame, at one place
  std::vector<double> speeds;
  for (size_t k = 0; k + 2 < frames[11].size(); k += 3) {
    const float *from = &frames[10][k], *to = &frames[11][k];
    if (!once.insert({from[0], from[1], from[2], to[0], to[1], to[2]}).second) continue;
    speeds.push_back(60e3 * Vec3(to[0] - from[0], to[1] - from[1], to[2] - from[2]).norm());
  }
  std::sort(speeds.begin(), speeds.end());
  const Json& motion = drape.metrics["motion"];
  const double told = motion["end_speed_p99_5_mm_per_s"], energy = motion["end_kinetic_energy_j_per_kg"];
  EXPECT_GT(told, 50.0);
  EXPECT_NEAR(told, speeds[speeds.size() * 995 / 1000], 0.01 * told);
  double squares = 0;
  for (const double v : speeds) squares += 0.5e-6 * v * v / static_cast<double>(speeds.size());
  EXPECT_NEAR(energy, squares, 0.2 * squares) << "by mass here, by vertices there";
  EXPECT_GE(motion["self_intersections_max"].get<int>(), drape.metrics["self_intersections"].get<int>());
  EXPECT_FALSE(drape.metrics["contact_force"].contains("unbalanced_moment")) << "the wind still pushes";
}

TEST(Motion, WhereTheWindStopsTheClothComesBackToRest) {
  const Watched blown = watched(skirt({3.0, 10, 0.8, false}, Vec3(0, 0, 8)));
  EXPECT_EQ(blown.metrics["equilibrium"]["termination"], "settled");
  EXPECT_TRUE(is_at_least(blown.metrics["equilibrium"]["grade"].get<std::string>(), "final"))
      << blown.metrics["equilibrium"].dump();
  EXPECT_EQ(blown.metrics["self_intersections"], 0);
  EXPECT_TRUE(blown.metrics["motion"].contains("end_speed_p99_5_mm_per_s"));
  EXPECT_LE(blown.metrics["contact_force"]["unbalanced_moment"].get<double>(), 0.02);
  EXPECT_LE(blown.metrics["penetration"]["max_depth_mm"].get<double>(), 0.1);
  const auto frames = frames_of(blown);
  const double up = farthest_apart(frames[7], frames[29]);  // as blown, and two seconds after the wind stopped
  EXPECT_GT(up, 0.1);
  EXPECT_GT(farthest_apart(frames[7], frames[8]), 0.3 * up);    // it falls at once
  EXPECT_LT(farthest_apart(frames[28], frames[29]), 0.1 * up);  // and swings out
  DrapeRequest still = skirt({}, Vec3::Zero());
  still.settings.motion.reset();
  still.settings.exports.clear();
  const auto hung = testing::drape_with_threads(still, 2);
  ASSERT_TRUE(hung.ok());
  EXPECT_FALSE(Json::parse(hung->summary_json).contains("motion")) << "a static rest has no speed to tell";
  const std::vector<Vec3> before = lying(*hung), after = lying(blown.result);
  double apart = 0.0;
  for (size_t v = 0; v < before.size(); ++v)
    apart += (before[v] - after[v]).norm() / static_cast<double>(before.size());
  EXPECT_LT(apart, 0.03);  // friction and folds remember a little
}

TEST(Motion, AGarmentThatIsLetGoFallsAndRests) {
  const Watched drape = watched(skirt({1.0, 10, 0, true}, Vec3::Zero()));
  EXPECT_EQ(drape.metrics["equilibrium"]["termination"], "settled");
  EXPECT_TRUE(is_at_least(drape.metrics["equilibrium"]["grade"].get<std::string>(), "final"))
      << drape.metrics["equilibrium"].dump();
  const auto frames = frames_of(drape);
  ASSERT_EQ(frames.size(), 10u);
  EXPECT_GT(farthest_apart(frames.front(), frames.back()), 0.01);
}

TEST(Motion, SameFramesForOneAndThreeThreads) {
  const DrapeRequest request = skirt({0.6, 15, 0.3, false}, Vec3(2, 0, 6));
  const Watched one = watched(request, 1), three = watched(request, 3);
  ASSERT_TRUE(one.result.artifacts.count("frames_000.bin") && three.result.artifacts.count("frames_000.bin"));
  for (const char* file : {"frames_000.bin", "garment.glb", kWornName})
    EXPECT_TRUE(one.result.artifacts.at(file).bytes == three.result.artifacts.at(file).bytes) << file;
}

TEST(Motion, FilesForViewersTakeFramesEvenlyUpToTheLast) {
  EXPECT_EQ(shown_frames(3, 0.1).index, (std::vector<size_t>{0, 1, 2}));
  EXPECT_EQ(shown_frames(0, 0.1).index.size(), 0u);
  const ShownFrames many = shown_frames(299, 0.02);
  EXPECT_EQ(many.index.size(), 60u);
  EXPECT_EQ(many.index.back(), 298u);
  EXPECT_EQ(many.index[1] - many.index[0], 5u);
  EXPECT_EQ(many.seconds, 0.1);
}

TEST(Motion, WithoutAskingOnlyWindMoves) {
  DrapeSettings settings;
  EXPECT_FALSE(motion_of(settings).has_value());
  settings.wind_mps = Vec3(0, 0, 3);
  EXPECT_EQ(motion_of(settings)->frame_count(), 30);
}

TEST(Showing, AFileOfFramesThatIsNoneIsSaidToBeNone) {
  EXPECT_FALSE(frames_in("").ok());
  EXPECT_FALSE(frames_in(std::string(8, '\xff')).ok());
  std::string one(8 + 12, '\0');
  one[0] = one[4] = 1;
  EXPECT_EQ(frames_in(one)->size(), 1u);
  one.pop_back();
  EXPECT_FALSE(frames_in(one).ok());
}

TEST(Showing, PreviewsAreTheClothOfTheMomentAndChangeNothing) {
  DrapeRequest request = skirt({}, Vec3::Zero());
  request.settings.motion.reset();
  request.settings.exports.clear();
  const auto plain = testing::drape_with_threads(request, 2);
  ASSERT_TRUE(plain.ok());
  request.settings.preview_seconds = 0.1;
  const Watched drape = watched(request);
  ASSERT_EQ(drape.shown.count("preview.glb"), 1u);
  for (const std::string& glb : drape.shown.at("preview.glb")) EXPECT_EQ(glb.substr(0, 4), "glTF");
  EXPECT_EQ(drape.result.artifacts.count("preview.glb"), 0u);
  EXPECT_TRUE(drape.result.artifacts.at("garment.glb").bytes == plain->artifacts.at("garment.glb").bytes);
}

}  // namespace
}  // namespace tryon
