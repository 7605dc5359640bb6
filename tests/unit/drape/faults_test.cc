// Faults put into a sound shirt end in a drape that says how good it is, or in an error that names its place and a
// remedy; never in a crash, a hang or a number that is none.
#include <cmath>
#include <functional>

#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "server/base/executor.h"
#include "server/base/status.h"
#include "server/drape/grade.h"
#include "server/drape/pipeline.h"

namespace tryon {
namespace {

using Json = nlohmann::json;

constexpr absl::Duration kPatience = absl::Seconds(60);  // far more than any of them needs: a hang ends here

const Json& shirt() {
  static const Json pattern = [] {
    GarmentRequest request;
    request.draft.emplace().name = "t_shirt";
    const auto made = run_garment(RunContext{}, request, PipelineInput{});
    return Json::parse(made.value().artifacts.at("pattern.json").bytes);
  }();
  return pattern;
}

struct Fault {
  const char* name;
  std::function<void(Json* pattern, DrapeSettings* settings)> put_in;
  const char* reason;  // of the error; empty: it drapes
};

// Everything finite, and what it says of itself agrees with its numbers.
void expect_honest(const PipelineResult& drape) {
  const Json m = Json::parse(drape.summary_json);
  const Json& rest = m["equilibrium"];
  const std::string grade = rest["grade"], ended = rest["termination"];
  EXPECT_EQ(is_at_least(grade, "final"),
            rest["residual_rms"].get<double>() <= 1e-3 && rest["residual_max"].get<double>() <= 1e-2)
      << rest.dump();
  EXPECT_EQ(drape.settled, grade != "none" || ended == "blown") << rest.dump();
  EXPECT_GE(m["self_intersections"].get<int>(), 0);
  EXPECT_LE(m["penetration"]["max_depth_mm"].get<double>(), 1000.0);
  EXPECT_EQ(drape.artifacts.at("garment.obj").bytes.find("nan"), std::string::npos);
  EXPECT_EQ(drape.artifacts.at("garment.obj").bytes.find("inf"), std::string::npos);
}

class Faults : public ::testing::TestWithParam<Fault> {};

TEST_P(Faults, EndsInADrapeOrAClearError) {
  Json pattern = shirt();
  DrapeRequest request;
  request.body.sample = true;
  request.garment.file_name = "shirt.json";
  request.settings.resolution_mm = 45;
  GetParam().put_in(&pattern, &request.settings);
  PipelineInput input;
  input.garment_bytes = pattern.dump();
  Executor executor(2);
  RunContext run;
  run.executor = &executor;
  run.deadline = absl::Now() + kPatience;
  const auto drape = run_drape(run, request, input);
  const auto detail = error_detail(drape.status());
  EXPECT_EQ(detail ? detail->reason : "", GetParam().reason) << drape.status().message();
  if (drape.ok()) return expect_honest(*drape);
  ASSERT_TRUE(detail.has_value()) << drape.status().message();
  EXPECT_FALSE(detail->field.empty());
  EXPECT_FALSE(detail->remedy.empty());
}

Json& panel(Json* pattern, const char* name) {
  for (Json& p : (*pattern)["panels"]) {
    if (p["name"] == name) return p;
  }
  ADD_FAILURE() << "there is no panel " << name;
  return (*pattern)["panels"][0];
}

void scale_fabric(double times, DrapeSettings* settings) {
  Json fabric = Json::parse(R"({"schema": "tryon.fabric.v1", "name": "faulty", "areal_density_kg_m2": 0.15,
      "thickness_m": 5e-4, "friction_static": 0.4, "friction_kinetic": 0.35})");
  for (const char* key : {"stretch_warp_n_m", "stretch_weft_n_m"}) fabric[key] = std::min(500.0 * times, 1e5);
  fabric["shear_n_m"] = std::min(40.0 * times, 1e5);
  for (const char* key : {"bend_warp_n_m2_per_m", "bend_weft_n_m2_per_m"}) fabric[key] = std::min(5e-6 * times, 1e-1);
  settings->fabric = fabric.dump();
}

INSTANTIATE_TEST_SUITE_P(
    Every, Faults,
    ::testing::Values(Fault{"None", [](Json*, DrapeSettings*) {}, ""},
                      Fault{"APanelInsideOut",
                            [](Json* pattern, DrapeSettings*) {  // its outline runs the other way round
                              for (Json& v : panel(pattern, "back")["vertices_mm"]) v[0] = -v[0].get<double>();
                              for (Json& e : panel(pattern, "back")["edges"]) {
                                if (!e.contains("curve")) continue;
                                for (Json& c : e["curve"]["controls"]) c[1] = -c[1].get<double>();
                              }
                            },
                            ""},
                      Fault{"AStitchTurnedRound",
                            [](Json* pattern, DrapeSettings*) {
                              Json& stitch = (*pattern)["stitches"][0];
                              std::swap(stitch["a"], stitch["b"]);
                            },
                            ""},
                      Fault{"ASeamOfNoLength",
                            [](Json* pattern, DrapeSettings*) {  // two corners of the side seam in one place
                              Json& v = panel(pattern, "front")["vertices_mm"];
                              v[2] = v[1];
                            },
                            "EDGE_WITHOUT_LENGTH"},
                      Fault{"ASliver",
                            [](Json* pattern, DrapeSettings*) {  // a sleeve a millimetre wide
                              for (Json& v : panel(pattern, "sleeve_left")["vertices_mm"])
                                v[0] = 2e-3 * v[0].get<double>();
                            },
                            "PANEL_CROSSES_ITSELF"},
                      Fault{"AnEdgeSewnToItself",
                            [](Json* pattern, DrapeSettings*) {
                              (*pattern)["stitches"][0]["b"] = (*pattern)["stitches"][0]["a"];
                            },
                            "SEAM_EDGE_TWICE"},
                      Fault{"ClothTenThousandTimesAsStiff", [](Json*, DrapeSettings* s) { scale_fabric(1e4, s); }, ""},
                      Fault{"ClothOfNearlyNoStiffness", [](Json*, DrapeSettings* s) { scale_fabric(1e-2, s); }, ""},
                      Fault{"AStorm",
                            [](Json*, DrapeSettings* s) {
                              s->wind_mps = Vec3(30, 20, 47), s->motion = Motion{0.5, 10, 0, false};
                            },
                            ""},
                      Fault{"AGustThatStops",
                            [](Json*, DrapeSettings* s) {
                              s->wind_mps = Vec3(0, 0, 4);
                              s->air.gust_ratio = 5, s->air.gust_period = 0.3, s->air.turbulence = 1;
                              s->motion = Motion{0.5, 10, 0.3, false};
                            },
                            ""},
                      Fault{"GustsBeyondAnyStorm",
                            [](Json*, DrapeSettings* s) {
                              s->wind_mps = Vec3(0, 0, 60);
                              s->air.gust_ratio = 5;
                            },
                            "SETTING_OUT_OF_RANGE"}),
    [](const auto& which) { return which.param.name; });

}  // namespace
}  // namespace tryon
