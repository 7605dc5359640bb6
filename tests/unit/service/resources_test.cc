#include "server/service/convert/resources.h"

#include <set>

#include "google/rpc/error_details.pb.h"
#include "gtest/gtest.h"
#include "server/base/hash.h"
#include "server/base/status.h"
#include "server/service/convert/garments.h"
#include "tryon/v1/operation.pb.h"

namespace tryon {
namespace {

TaskRecord task_of(const std::string& kind, TaskState state) {
  TaskRecord task;
  task.id = sha256_hex(kind);
  task.kind = kind;
  task.state = state;
  task.created_us = 1'700'000'000'250'000;
  task.started_us = task.created_us + 1'000'000;
  if (is_final(state)) task.finished_us = task.started_us + 2'500'000;
  return task;
}

v1::OperationMetadata metadata_of(const google::longrunning::Operation& operation) {
  v1::OperationMetadata out;
  EXPECT_TRUE(operation.metadata().UnpackTo(&out));
  return out;
}

TEST(Operations, ARunningTaskTellsStageFractionAndTimeSpent) {
  TaskRecord task = task_of("drape", TaskState::kRunning);
  task.stage = "sew";
  task.fraction = 0.25;
  task.attempt = 2;
  const auto operation = to_operation(task, task.started_us + 500'000);
  EXPECT_EQ(operation.name(), "operations/" + task.id);
  EXPECT_FALSE(operation.done());
  EXPECT_EQ(operation.result_case(), google::longrunning::Operation::RESULT_NOT_SET);
  const auto metadata = metadata_of(operation);
  EXPECT_EQ(metadata.target(), "drapes/" + task.id);
  EXPECT_EQ(metadata.state(), v1::TASK_STATE_RUNNING);
  EXPECT_EQ(metadata.stage(), "sew");
  EXPECT_EQ(metadata.stage_fraction(), 0.25);
  EXPECT_EQ(metadata.elapsed_seconds(), 0.5);
  EXPECT_EQ(metadata.attempt_count(), 2);
  EXPECT_EQ(metadata.create_time().seconds(), 1'700'000'000);
  EXPECT_EQ(metadata.create_time().nanos(), 250'000'000);
}

TEST(Operations, TimeSpentStopsWithTheTask) {
  const TaskRecord task = task_of("body", TaskState::kSucceeded);
  EXPECT_EQ(metadata_of(to_operation(task, task.finished_us + 99'000'000)).elapsed_seconds(), 2.5);
}

TEST(Operations, EachKindAnswersWithItsOwnResource) {
  v1::Body body;
  v1::Garment garment;
  v1::Drape drape;
  EXPECT_TRUE(to_operation(task_of("body", TaskState::kSucceeded), 0).response().UnpackTo(&body));
  EXPECT_TRUE(to_operation(task_of("garment", TaskState::kSucceeded), 0).response().UnpackTo(&garment));
  EXPECT_TRUE(to_operation(task_of("drape", TaskState::kSucceeded), 0).response().UnpackTo(&drape));
  EXPECT_EQ(body.name().substr(0, 7), "bodies/");
  EXPECT_EQ(garment.name().substr(0, 9), "garments/");
  EXPECT_EQ(drape.name().substr(0, 7), "drapes/");
}

TEST(Operations, AFailureKeepsItsReasonThroughTheStore) {
  TaskRecord task = task_of("garment", TaskState::kFailed);
  task.status = encode_status(invalid_input("SEAM_EDGE_MISSING", "pattern.stitches[3]", "stitch 3", "Mend it."));
  const auto operation = to_operation(task, 0);
  ASSERT_TRUE(operation.has_error());
  google::rpc::ErrorInfo info;
  ASSERT_TRUE(operation.error().details(0).UnpackTo(&info));
  EXPECT_EQ(info.reason(), "SEAM_EDGE_MISSING");
  EXPECT_EQ(info.metadata().at("field"), "pattern.stitches[3]");
}

TEST(Operations, AFailureWithoutAReasonIsOurFaultAndStillAnError) {
  const auto operation = to_operation(task_of("drape", TaskState::kFailed), 0);
  ASSERT_TRUE(operation.has_error());
  EXPECT_EQ(operation.error().code(), 13);
}

TEST(Operations, ACancelledTaskEndsWithCancelled) {
  EXPECT_EQ(to_operation(task_of("drape", TaskState::kCancelled), 0).error().code(), 1);
}

TEST(Resources, ADrapeCarriesTheHeadlineNumbersOfItsSummary) {
  TaskRecord task = task_of("drape", TaskState::kSucceeded);
  task.settled = false;
  task.summary = R"({"mesh": {"vertices": 11, "triangles": 12}, "equilibrium": {"termination": "deadline",
    "grade": "preview", "residual_max": 0.5, "residual_rms": 0.125}, "seams": {"max_gap_mm": 1.5},
    "penetration": {"max_depth_mm": 0.75}, "self_intersections": 3, "strain": {"warp": {"p95": 0.02},
    "weft": {"p95": 0.03}}, "timing_s": {"total": 4.5}, "engine": {"result_digest": "abc"}})";
  task.outputs["metrics.json"] = {sha256_hex("m"), 42, "application/json"};
  const v1::Drape drape = to_drape(task);
  EXPECT_FALSE(drape.settled());
  EXPECT_EQ(drape.metrics().vertex_count(), 11);
  EXPECT_EQ(drape.metrics().triangle_count(), 12);
  EXPECT_EQ(drape.metrics().termination(), "deadline");
  EXPECT_EQ(drape.metrics().grade(), "preview");
  EXPECT_EQ(drape.metrics().residual_max_ratio(), 0.5);
  EXPECT_EQ(drape.metrics().residual_rms_ratio(), 0.125);
  EXPECT_EQ(drape.metrics().seam_max_gap_mm(), 1.5);
  EXPECT_EQ(drape.metrics().penetration_max_depth_mm(), 0.75);
  EXPECT_EQ(drape.metrics().self_intersection_count(), 3);
  EXPECT_EQ(drape.metrics().strain_warp_p95_ratio(), 0.02);
  EXPECT_EQ(drape.metrics().strain_weft_p95_ratio(), 0.03);
  EXPECT_EQ(drape.metrics().total_seconds(), 4.5);
  EXPECT_EQ(drape.metrics().result_digest(), "abc");
  ASSERT_EQ(drape.artifacts_size(), 1);
  EXPECT_EQ(drape.artifacts(0).file_name(), "metrics.json");
  EXPECT_EQ(drape.artifacts(0).size_bytes(), 42);
}

TEST(Resources, ADrapeSaysWhetherToTrustItAndLeavesUnsetWhatWasNotMeasured) {
  TaskRecord task = task_of("drape", TaskState::kSucceeded);
  task.summary = R"({"equilibrium": {"grade": "reference"},
    "motion": {"frames": 30, "frame_seconds": 0.1, "self_intersections_max": 4, "self_intersections_frames": 15, "self_intersections_max_at_s": 0.7,
      "end_speed_p99_5_mm_per_s": 12.5, "end_kinetic_energy_j_per_kg": 3e-5},
    "seams": {"mean_gap_mm": 0.1, "mean_gap_before_weld_mm": 0.4,
      "strain_along": {"p95": 0.01, "max": 0.02, "side_max": 0.005, "length_mm": 4000},
      "gathered_strain_along": {"p95": 0.11, "max": 0.12, "side_max": 0.105, "length_mm": 900}},
    "penetration": {"samples": 600, "deepest_mm": 0.3, "mean_depth_mm": 0.2, "share": 0.001, "volume_cm3": 0.05,
      "samples_in_proxies_too": 2},
    "strain": {"first": {"p50": 0.001, "p95": 0.002, "p99": 0.003, "max": 0.004}, "second": {"max": 0.5},
      "shear_deg": {"p99": 20}, "area_ratio_min": 0.8}, "line_tension_n_per_m": {"max": 14, "own_weight": 1.5},
    "contact_force": {"unbalanced_moment": 0.0012}})";
  const v1::Drape drape = to_drape(task);
  const v1::DrapeMetrics& m = drape.metrics();
  EXPECT_EQ(m.grade(), "reference");
  EXPECT_EQ(m.penetration().sample_count(), 600);
  EXPECT_EQ(m.penetration().deepest_mm(), 0.3);
  EXPECT_EQ(m.penetration().mean_depth_mm(), 0.2);
  EXPECT_EQ(m.penetration().deeper_area_ratio(), 0.001);
  EXPECT_EQ(m.penetration().volume_cm3(), 0.05);
  EXPECT_EQ(m.penetration().in_proxies_too_count(), 2);
  EXPECT_EQ(m.stretch().first_ratio().p99(), 0.003);
  EXPECT_EQ(m.stretch().second_ratio().max(), 0.5);
  EXPECT_EQ(m.stretch().shear_deg().p99(), 20);
  EXPECT_EQ(m.stretch().area_min_ratio(), 0.8);
  EXPECT_EQ(m.stretch().line_tension_max_n_per_m(), 14);
  EXPECT_EQ(m.stretch().own_weight_n_per_m(), 1.5);
  EXPECT_EQ(m.seams().mean_gap_mm(), 0.1);
  EXPECT_EQ(m.seams().mean_gap_before_weld_mm(), 0.4);
  EXPECT_EQ(m.seams().strain().side_max_ratio(), 0.005);
  EXPECT_EQ(m.seams().gathered_strain().p95_ratio(), 0.11);
  EXPECT_EQ(m.motion().frame_count(), 30);
  EXPECT_EQ(m.motion().self_intersection_max_count(), 4);
  EXPECT_EQ(m.motion().self_intersection_frame_count(), 15);
  EXPECT_EQ(m.motion().self_intersection_max_at_seconds(), 0.7);
  EXPECT_EQ(m.motion().end_speed_p99_5_mm_per_s(), 12.5);
  EXPECT_EQ(m.motion().end_kinetic_energy_j_per_kg(), 3e-5);
  EXPECT_EQ(drape.fit().unbalanced_moment_ratio(), 0.0012);
}

// As older engines stored them, and as it is where time was up before forces were asked.
TEST(Resources, AnOlderDrapeLeavesUnsetWhatItsEngineDidNotMeasure) {
  TaskRecord task = task_of("drape", TaskState::kSucceeded);
  task.summary = R"({"motion": {"frames": 30}, "seams": {"max_gap_mm": 0}, "penetration": {"max_depth_mm": 0.1},
    "strain": {"warp": {"p95": 0.1}}, "contact_force": {"carried_n": 1}})";
  const v1::Drape old = to_drape(task);
  EXPECT_FALSE(old.metrics().has_penetration() || old.metrics().has_stretch() || old.metrics().has_seams());
  EXPECT_FALSE(old.metrics().has_motion() || old.fit().has_unbalanced_moment_ratio());
  task.summary = R"({"seams": {"mean_gap_mm": 0}, "penetration": {"samples": 6}, "strain": {"first": {"max": 0.1}}})";
  const v1::Drape cut_short = to_drape(task);
  EXPECT_FALSE(cut_short.metrics().penetration().has_in_proxies_too_count());
  EXPECT_FALSE(cut_short.metrics().stretch().has_line_tension_max_n_per_m());
  EXPECT_FALSE(cut_short.metrics().seams().has_mean_gap_before_weld_mm() || cut_short.metrics().seams().has_strain());
}

TEST(Resources, ADrapeCarriesItsFitAndLeavesUnsetWhatWasNotMeasured) {
  TaskRecord task = task_of("drape", TaskState::kSucceeded);
  task.summary = R"({"ease": {"bust_girth": {"level_m": 1.2, "body_mm": 900, "garment_mm": 990, "rest_mm": 985,
    "ease_mm": 90, "ease_percent": 10, "rest_ease_mm": 85, "rest_ease_percent": 9.4,
    "body_there_mm": 905, "room_mm": 85}},
    "zones": [{"name": "bust", "verdict": "regular", "because": "ease", "coverage": 0.9, "area_m2": 0.2,
      "ease": {"item": "bust_girth", "rest_ease_mm": 85}, "distance_mm": {"min": 2, "mean": 9, "p5": 2, "p95": 30},
      "strain": {"weft": {"p50": 0.01, "p95": 0.02, "max": 0.03, "of_limit": 0.4}},
      "pressure_pa": {"mean": 50, "p95": 90, "max": 200}, "contact_share": 0.3,
      "thresholds": {"tight_above_pressure_pa": 2000, "tight_above_strain_of_limit": 1,
        "rest_ease_percent": {"tight_below": 0, "fitted_below": 6, "regular_below": 14}}},
      {"name": "shoulder", "verdict": "fitted", "because": "distance",
       "thresholds": {"mean_distance_mm": {"tight_below": 0, "fitted_below": 8, "regular_below": 34}}}],
    "coverage": {"body": 0.44}, "contact_force": {"area_m2": 0.2, "carried_n": 1.4, "weight_n": 1.4},
    "seam_tension_n_per_m": {"mean": 1, "p95": 3, "max": 4, "by_seam": [{"name": "a - b", "length_mm": 400}]},
    "openings": [{"kind": "hem", "length_mm": 1000}], "hem": {"level_m": 0.8, "drop_mm": 650},
    "folds": {"count": 3, "mean_depth_mm": 9}, "drape_coefficient": 0.1, "area_m2": {"cloth": 0.75, "rest": 0.74},
    "comfortable_strain": {"warp": 0.3}})";
  const v1::FitMetrics fit = to_drape(task).fit();
  ASSERT_EQ(fit.girths_size(), 1);
  EXPECT_EQ(fit.girths(0).item(), "bust_girth");
  EXPECT_EQ(fit.girths(0).rest_ease_percent(), 9.4);
  EXPECT_EQ(fit.girths(0).body_there_mm(), 905);
  EXPECT_EQ(fit.girths(0).room_mm(), 85);
  EXPECT_FALSE(fit.zones(0).girth().has_body_there_mm() || fit.zones(0).girth().has_room_mm()) << "an older engine's";
  ASSERT_EQ(fit.zones_size(), 2);
  EXPECT_EQ(fit.zones(0).verdict(), v1::FIT_VERDICT_REGULAR);
  EXPECT_EQ(fit.zones(0).girth().rest_ease_mm(), 85);
  EXPECT_EQ(fit.zones(0).weft().of_limit_ratio(), 0.4);
  EXPECT_EQ(fit.zones(0).distance().p95_mm(), 30);
  EXPECT_EQ(fit.zones(0).thresholds().ease_regular_below_percent(), 14);
  EXPECT_FALSE(fit.zones(0).thresholds().has_distance_fitted_below_mm());
  EXPECT_FALSE(fit.zones(1).has_girth());
  EXPECT_EQ(fit.zones(1).thresholds().distance_regular_below_mm(), 34);
  EXPECT_EQ(fit.seams(0).length_mm(), 400);
  EXPECT_EQ(fit.openings(0).kind(), "hem");
  EXPECT_EQ(fit.hem().fold_count(), 3);
  EXPECT_EQ(fit.drape_coefficient_ratio(), 0.1);
  EXPECT_EQ(fit.comfortable_warp_ratio(), 0.3);
  task.summary = "{}";
  EXPECT_FALSE(to_drape(task).fit().has_hem());
  EXPECT_FALSE(to_drape(task).fit().has_drape_coefficient_ratio());
}

TEST(Resources, SizeAdviceIsTheOperationsAnswerWithItsReasons) {
  TaskRecord task = task_of("advice", TaskState::kSucceeded);
  task.summary = R"({"advised": "M", "confidence": 0.8, "runner_up": "S", "says": ["a"],
    "chart": {"size": "S", "by": "bust_girth", "agrees": false, "why": "b"},
    "sizes": [{"size": "M", "rank": 1, "misfit": 0.1, "grade": "final", "says": ["c", "d"], "falls_off": true,
               "zones": [{"zone": "waist", "verdict": "tight", "weight": 4, "rest_ease_mm": -5}]}]})";
  v1::SizeAdvice advice;
  ASSERT_TRUE(to_operation(task, 0).response().UnpackTo(&advice));
  EXPECT_EQ(advice.advised_size(), "M");
  EXPECT_EQ(advice.confidence_ratio(), 0.8);
  EXPECT_TRUE(advice.sizes(0).falls_off());
  EXPECT_EQ(advice.chart().why(), "b");
  ASSERT_EQ(advice.sizes_size(), 1);
  EXPECT_EQ(advice.sizes(0).says_size(), 2);
  EXPECT_EQ(advice.sizes(0).zones(0).verdict(), v1::FIT_VERDICT_TIGHT);
  EXPECT_EQ(metadata_of(to_operation(task, 0)).target(), "");
}

TaskRecord measured_body() {
  TaskRecord task = task_of("body", TaskState::kSucceeded);
  task.summary = R"({"height_m": 1.66, "pose": "T", "has_head_and_hands": true,
    "source": {"unit": "mm", "up_axis": "+z", "facing": "-y", "scale_m": 0.001, "up_axis_declared": true, "pose_declared": true,
               "point_count": 183849, "filled_ratio": 0.07, "healed": ["a", "b"], "completed": ["scalp"]},
    "measurements": {"waist_girth": 702.5}, "levels_m": {"waist_girth": 1.05},
    "outcome": {"hip_girth": {"wanted_mm": 950, "achieved_mm": 951, "predicted": true, "deviation_mm": 40}},
    "landmarks": {"crown": [0, 1.66, -0.01], "broken": [1, 2]}, "proxy_shape": "circular",
    "summary": {"proxy_count": 97, "girth_error_p95": 0.02, "mean_gap_mm": 3.5, "uncovered_vertices": 4}})";
  task.outputs["body.json"] = {sha256_hex("m"), 42, "application/json"};
  return task;
}

TEST(Resources, ABodyTellsHowItWasReadAndMeasured) {
  const v1::Body body = to_body(measured_body());
  EXPECT_EQ(body.height_m(), 1.66);
  EXPECT_EQ(body.pose(), "T");
  EXPECT_TRUE(body.has_head_and_hands());
  EXPECT_EQ(body.source().unit(), "mm");
  EXPECT_EQ(body.source().up_axis(), "+z");
  EXPECT_EQ(body.source().facing(), "-y");
  EXPECT_EQ(body.source().metres_per_unit(), 0.001);
  EXPECT_TRUE(body.source().up_axis_declared());
  EXPECT_FALSE(body.source().unit_declared());
  EXPECT_EQ(body.source().pose(), "T");
  EXPECT_TRUE(body.source().pose_declared());
  EXPECT_EQ(body.source().point_count(), 183849);
  EXPECT_EQ(body.source().filled_ratio(), 0.07);
  EXPECT_EQ(body.source().healed_size(), 2);
  EXPECT_EQ(body.source().completed(0), "scalp");
  EXPECT_EQ(body.measurements_mm().at("waist_girth"), 702.5);
  EXPECT_EQ(body.measurement_level_m().at("waist_girth"), 1.05);
  EXPECT_EQ(body.outcome().at("hip_girth").achieved_mm(), 951);
  EXPECT_TRUE(body.outcome().at("hip_girth").predicted());
  EXPECT_EQ(body.landmarks().at("crown").y_m(), 1.66);
  EXPECT_EQ(body.landmarks().count("broken"), 0u);
  EXPECT_EQ(body.proxies().shape(), v1::PROXY_SHAPE_CIRCULAR);
  EXPECT_EQ(body.proxies().proxy_count(), 97);
  EXPECT_EQ(body.proxies().uncovered_vertex_count(), 4);
  EXPECT_EQ(body.artifacts_size(), 1);
  EXPECT_EQ(body.create_time().seconds(), 1'700'000'000);
}

TEST(Resources, AListedBodyHasNeitherMeasurementsNorLandmarksNorFiles) {
  const v1::Body body = to_listed_body(measured_body());
  EXPECT_EQ(body.height_m(), 1.66);
  EXPECT_EQ(body.measurements_mm_size() + body.landmarks_size() + body.artifacts_size() + body.outcome_size(), 0);
}

TEST(Resources, EveryMeasurementItemHasItsNameAndItsDefinitionOnce) {
  std::set<std::string> names;
  const v1::ListMeasurementItemsResponse list = listed_measurement_items();
  for (const v1::MeasurementItem& item : list.items()) {
    EXPECT_TRUE(names.insert(item.name()).second) << item.name();
    EXPECT_GT(item.definition().size(), 10u) << item.name();
    EXPECT_FALSE(item.kind().empty()) << item.name();
  }
  for (const char* name : {"height", "bust_girth", "waist_girth", "hip_girth"}) EXPECT_TRUE(names.count(name)) << name;
}

TEST(Resources, ASummaryThatCannotBeReadLeavesTheFieldsUnset) {
  for (const char* summary :
       {"", "{", "[1]", "null", R"({"mesh": 3, "panels": 4, "measurements": [1], "seams": "x"})"}) {
    TaskRecord task = task_of("drape", TaskState::kSucceeded);
    task.summary = summary;
    EXPECT_EQ(to_drape(task).metrics().vertex_count(), 0) << summary;
    EXPECT_EQ(to_body(task).measurements_mm_size(), 0) << summary;
    EXPECT_EQ(to_garment(task).name().size(), 7u + 64u) << summary;
  }
}

TEST(Resources, AnUnfinishedDrapeHasNoNumbers) {
  EXPECT_FALSE(to_drape(task_of("drape", TaskState::kRunning)).has_metrics());
}

}  // namespace
}  // namespace tryon
