#include "server/service/convert/requests.h"

#include <limits>

#include "gtest/gtest.h"
#include "server/base/hash.h"
#include "server/base/status.h"

namespace tryon {
namespace {

template <typename Request>
std::string field_of(const Request& request) {
  const auto detail = error_detail(to_domain(request).status());
  return detail ? detail->field : "accepted";
}

v1::CreateBodyRequest uploaded_body() {
  v1::CreateBodyRequest request;
  request.mutable_source()->set_mesh_sha256(sha256_hex("mesh"));
  request.mutable_source()->set_file_name("anna.obj");
  return request;
}

TEST(BodyRequests, WhatIsDeclaredArrives) {
  auto request = uploaded_body();
  request.mutable_source()->set_metres_per_unit(0.01);
  request.mutable_source()->set_up_axis(v1::AXIS_Z);
  request.set_proxy_shape(v1::PROXY_SHAPE_CIRCULAR);
  const auto domain = to_domain(request);
  ASSERT_TRUE(domain.ok()) << domain.status();
  EXPECT_EQ(domain->scan.metres_per_unit, 0.01);
  EXPECT_EQ(domain->scan.up_axis, UpAxis::kZ);
  EXPECT_EQ(domain->proxy_shape, ProxyShape::kCircular);
  EXPECT_EQ(domain->file_name, "anna.obj");
}

TEST(BodyRequests, EachHostileFieldIsNamed) {
  EXPECT_EQ(field_of(v1::CreateBodyRequest()), "source");
  auto request = uploaded_body();
  request.mutable_source()->set_mesh_sha256("../../x");
  EXPECT_EQ(field_of(request), "source.mesh_sha256");
  request = uploaded_body();
  request.mutable_source()->set_metres_per_unit(std::numeric_limits<double>::quiet_NaN());
  EXPECT_EQ(field_of(request), "source.metres_per_unit");
  request = uploaded_body();
  request.mutable_source()->set_file_name("/etc/passwd");
  EXPECT_EQ(field_of(request), "source.file_name");
  request = uploaded_body();
  request.set_proxy_shape(static_cast<v1::ProxyShape>(77));
  EXPECT_EQ(field_of(request), "proxy_shape");
}

TEST(BodyRequests, WhatIsKeptIsTheCallersToSayAndNothingByDefault) {
  auto request = uploaded_body();
  EXPECT_FALSE(to_domain(request)->keep_head_and_hands);
  EXPECT_FALSE(to_domain(request)->keep_scan);
  request.set_keep_head_and_hands(true);
  request.set_keep_scan(true);
  EXPECT_TRUE(to_domain(request)->keep_head_and_hands);
  EXPECT_TRUE(to_domain(request)->keep_scan);
  EXPECT_NE(digest(to_domain(request).value()), digest(to_domain(uploaded_body()).value()));
}

TEST(BodyRequests, EveryDirectionIsRead) {
  const char* names[] = {"+x", "-x", "+y", "-y", "+z", "-z"};
  for (int k = 0; k < 6; ++k) {
    auto request = uploaded_body();
    request.mutable_source()->set_facing(static_cast<v1::Direction>(v1::DIRECTION_PLUS_X + k));
    EXPECT_EQ(to_domain(request)->scan.facing, names[k]);
  }
  auto request = uploaded_body();
  EXPECT_FALSE(to_domain(request)->scan.facing.has_value());
  request.mutable_source()->set_up_axis(v1::AXIS_Y);
  request.mutable_source()->set_facing(v1::DIRECTION_MINUS_Y);
  EXPECT_EQ(field_of(request), "source.facing") << "nobody looks along the up axis";
  request.mutable_source()->set_facing(static_cast<v1::Direction>(7));
  EXPECT_EQ(field_of(request), "source.facing");
}

TEST(BodyRequests, EveryPoseIsRead) {
  EXPECT_FALSE(to_domain(uploaded_body())->scan.pose.has_value());
  for (const Pose pose : {Pose::kA, Pose::kT, Pose::kArmsDown}) {
    auto request = uploaded_body();
    request.mutable_source()->set_pose(static_cast<v1::Pose>(v1::POSE_A + static_cast<int>(pose)));
    EXPECT_EQ(to_domain(request)->scan.pose, pose);
    EXPECT_NE(digest(to_domain(request).value()), digest(to_domain(uploaded_body()).value()));
  }
  auto request = uploaded_body();
  request.mutable_source()->set_pose(static_cast<v1::Pose>(4));
  EXPECT_EQ(field_of(request), "source.pose");
}

TEST(BodyRequests, ATableOfMeasurementsIsRead) {
  v1::CreateBodyRequest request;
  v1::MeasurementTable* table = request.mutable_source()->mutable_measurements();
  table->set_height_mm(1680);
  (*table->mutable_measurements_mm())["waist_girth"] = 720;
  table->set_figure(v1::FIGURE_MALE);
  table->set_arm_angle_deg(30);
  const auto domain = to_domain(request);
  ASSERT_TRUE(domain.ok()) << domain.status();
  ASSERT_TRUE(domain->figure.has_value());
  EXPECT_EQ(domain->figure->height_mm, 1680);
  EXPECT_EQ(domain->figure->measurements_mm.at("waist_girth"), 720);
  EXPECT_EQ(domain->figure->figure, FigureType::kMale);
  EXPECT_EQ(domain->figure->arm_angle_deg, 30);
  EXPECT_TRUE(domain->blob.empty());
}

TEST(BodyRequests, EachHostileFieldOfATableIsNamed) {
  v1::CreateBodyRequest request;
  v1::MeasurementTable* table = request.mutable_source()->mutable_measurements();
  table->set_height_mm(std::numeric_limits<double>::quiet_NaN());
  EXPECT_EQ(field_of(request), "source.measurements.height_mm");
  table->set_height_mm(1700);
  (*table->mutable_measurements_mm())["hip_girth"] = std::numeric_limits<double>::infinity();
  EXPECT_EQ(field_of(request), "source.measurements.measurements_mm.hip_girth");
  table->mutable_measurements_mm()->clear();
  table->set_figure(static_cast<v1::Figure>(9));
  EXPECT_EQ(field_of(request), "source.measurements.figure");
  table->set_figure(v1::FIGURE_FEMALE);
  for (int i = 0; i < 101; ++i) (*table->mutable_measurements_mm())[std::to_string(i)] = 100;
  EXPECT_EQ(field_of(request), "source.measurements.measurements_mm");
}

TEST(GarmentRequests, ASourceIsNeeded) { EXPECT_EQ(field_of(v1::CreateGarmentRequest()), "source"); }

TEST(DrapeRequests, DefaultsAreThoseOfTheProtoComments) {
  const auto settings = to_domain(v1::CreateDrapeRequest());
  ASSERT_TRUE(settings.ok()) << settings.status();
  EXPECT_EQ(settings->fabric, "cotton_jersey");
  EXPECT_EQ(settings->resolution_mm, 15.0);
  EXPECT_EQ(settings->threads, 1);
  EXPECT_TRUE(settings->contact_scan);
  EXPECT_EQ(settings->proxy_shape, ProxyShape::kElliptic);
}

TEST(DrapeRequests, EachHostileFieldIsNamed) {
  v1::CreateDrapeRequest request;
  request.set_resolution_mm(1e-9);
  EXPECT_EQ(field_of(request), "resolution_mm");
  request.Clear();
  request.mutable_wind_mps()->set_x(std::numeric_limits<double>::infinity());
  EXPECT_EQ(field_of(request), "wind_mps");
  request.Clear();
  request.set_thread_count(-4);
  EXPECT_EQ(field_of(request), "thread_count");
  request.Clear();
  request.set_fabric("unobtainium");
  EXPECT_EQ(field_of(request), "fabric");
  request.Clear();
  request.set_solver("magic");
  EXPECT_EQ(field_of(request), "solver");
  request.Clear();
  request.mutable_wind()->set_model(static_cast<v1::WindModel>(9));
  EXPECT_EQ(field_of(request), "wind.model");
  request.Clear();
  request.mutable_wind()->set_turbulence_ratio(0.5);
  EXPECT_EQ(field_of(request), "wind.turbulence_ratio");
  request.mutable_wind_mps()->set_z(-5.0);
  EXPECT_EQ(field_of(request), "accepted");
  request.mutable_wind()->set_gust_period_seconds(std::numeric_limits<double>::quiet_NaN());
  EXPECT_EQ(field_of(request), "wind.gust_period_seconds");
  request.Clear();
  request.set_membrane(static_cast<v1::Membrane>(4));
  EXPECT_EQ(field_of(request), "membrane");
  request.Clear();
  request.set_bending(static_cast<v1::Bending>(-1));
  EXPECT_EQ(field_of(request), "bending");
  request.set_bending(v1::BENDING_SHAPE);
  EXPECT_EQ(field_of(request), "accepted");
  request.set_solver("pbd");
  EXPECT_EQ(field_of(request), "bending");
  request.Clear();
  request.set_target_grade(static_cast<v1::TargetGrade>(2));
  EXPECT_EQ(field_of(request), "target_grade");
}

TEST(DrapeRequests, WhatIsAskedForArrives) {
  v1::CreateDrapeRequest request;
  request.set_fabric("denim_11oz");
  request.set_resolution_mm(7.5);
  request.set_contact(v1::CONTACT_SURFACE_SCAN);
  request.set_proxy_shape(v1::PROXY_SHAPE_CIRCULAR);
  request.mutable_wind_mps()->set_z(-5.0);
  request.set_thread_count(8);
  request.mutable_wind()->set_model(v1::WIND_MODEL_TRIANGLE);
  request.mutable_wind()->set_gust_ratio(0.75);
  request.mutable_wind()->set_turbulence_ratio(0.25);
  request.mutable_wind()->set_turbulence_seed(7);
  request.set_membrane(v1::MEMBRANE_CONTINUUM);
  request.set_bending(v1::BENDING_HINGE);
  request.set_target_grade(v1::TARGET_GRADE_PREVIEW);
  const auto settings = to_domain(request);
  ASSERT_TRUE(settings.ok()) << settings.status();
  EXPECT_EQ(settings->fabric, "denim_11oz");
  EXPECT_EQ(settings->resolution_mm, 7.5);
  EXPECT_TRUE(settings->contact_scan);
  EXPECT_EQ(settings->proxy_shape, ProxyShape::kCircular);
  EXPECT_EQ(settings->wind_mps, Vec3(0, 0, -5));
  EXPECT_EQ(settings->threads, 8);
  EXPECT_EQ(settings->air.model, sim::WindModel::kTriangle);
  EXPECT_EQ(settings->air.gust_ratio, 0.75);
  EXPECT_EQ(settings->air.gust_period, 3.0);
  EXPECT_EQ(settings->air.turbulence, 0.25);
  EXPECT_EQ(settings->air.turbulence_length, 0.4);
  EXPECT_EQ(settings->air.seed, 7u);
  EXPECT_EQ(settings->membrane, MembraneModel::kContinuum);
  EXPECT_EQ(settings->bending, BendingModel::kHinge);
  EXPECT_EQ(settings->target_grade, TargetGrade::kPreview);
}

TEST(TimeLimits, NoneIsZeroAndHostileOnesAreRefused) {
  v1::CreateDrapeRequest request;
  EXPECT_EQ(time_limit_of(request).value(), absl::ZeroDuration());
  request.mutable_time_limit()->set_seconds(2);
  request.mutable_time_limit()->set_nanos(500'000'000);
  EXPECT_EQ(time_limit_of(request).value(), absl::Milliseconds(2500));
  for (const auto& [seconds, nanos] :
       {std::pair<int64_t, int>{-1, 0}, {0, 1}, {86401, 0}, {INT64_MIN, -1}, {INT64_MAX, 999'999'999}, {0, -1}}) {
    request.mutable_time_limit()->set_seconds(seconds);
    request.mutable_time_limit()->set_nanos(nanos);
    EXPECT_FALSE(time_limit_of(request).ok()) << seconds << " " << nanos;
  }
}

TEST(GarmentRequests, AGradingFileGoesAlongAndASampleIsItsTemplate) {
  v1::CreateGarmentRequest request;
  request.mutable_source()->set_pattern_sha256(std::string(64, 'a'));
  request.mutable_source()->set_file_name("coat.dxf");
  request.mutable_source()->set_grading_sha256(std::string(64, 'b'));
  ASSERT_TRUE(to_domain(request).ok()) << to_domain(request).status();
  EXPECT_EQ(to_domain(request)->grading_blob, std::string(64, 'b'));
  request.mutable_source()->set_grading_sha256("b");
  EXPECT_FALSE(to_domain(request).ok());
  request.mutable_source()->set_sample("skirt");
  request.mutable_source()->clear_grading_sha256();
  EXPECT_EQ(to_domain(request)->draft->name, "a_line_skirt");
  request.mutable_source()->mutable_template_()->set_template_("offset_garment");
  EXPECT_EQ(to_domain(request)->draft->name, "offset_garment");
}

}  // namespace
}  // namespace tryon
