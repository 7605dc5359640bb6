// Our measurements against the tables that lie beside the bodies of the data set. What the tables' keys mean was found
// from their makers' definitions (landmarks fixed to the template's vertices; girths as hulls of horizontal cuts, their
// levels searched within 2 cm of a drawn ring), so like is compared with like:
//   head_l              plumb from the nape to the crown
//   vert_bust_line      plumb from the nape to the fullest bust; like hips_line and crotch_hip_diff it ties one level
//   to
//                       another, so these three are compared as heights above the floor
//   waist, waist_line   at the waist halfway from ribs to hips, not at the narrowest place
//   neck_w              over the nape between the side neck points;   shoulder_w  straight between the shoulder points
//   bust_line, waist_over_bust_line   from the shoulder's seam line down an upright plane
//   arm_length          over the surface from the shoulder point to the outside of the wrist
//   waist_back_width, hip_back_width   behind the side line
// Defined otherwise by the table, whose ends are side or seat vertices of that one template; both values are printed:
//   back_width          behind the template's own side vertices, which at the bust lie up to 15 mm beside our side line
//   bum_points          between two vertices 9 cm off the middle; ours are the hindmost points, 5 cm off
//   armscye_depth       of the template 2 to 4 mm more than plumb from shoulder point to armpit; in the SMPL table from
//   the
//                       nape, which is scye_depth
//   shoulder_incl, hip_inclination   angles of the lines neck side - shoulder point and waist side - hip side
#include <cstdio>
#include <set>
#include <sstream>

#include "server/base/text.h"
#include "server/base/units.h"
#include "server/body/items.h"
#include "tests/unit/body/body_fixtures.h"
#include "tests/unit/body/clean_bodies.h"

namespace tryon {
namespace {

using testing::body_of;
using testing::read_clean_body;
using testing::read_file;
using testing::shared_data_path;

using Table = std::map<std::string, double>;  // key -> mm

Table tailor_table(const std::string& path) {
  Table table;
  std::istringstream in(read_file(path));
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    std::string key;
    double cm = 0;
    if (words >> key >> cm && key.back() == ':') table[key.substr(0, key.size() - 1)] = 10 * cm;
  }
  return table;
}

// 1 % or 10 mm; 1.5 %; and 2 % for the arc over the nape, which the table takes along crooked rows of vertices.
enum class Bound { kGirth, kLength, kArc };

struct Row {
  const char* ours;
  std::string theirs;
  double reference;
  Bound bound;
};

bool within(const Row& row, double ours) {
  const double error = std::abs(ours - row.reference);
  return row.bound == Bound::kGirth ? error <= std::max(10.0, 0.01 * row.reference)
                                    : error <= (row.bound == Bound::kArc ? 0.02 : 0.015) * row.reference;
}

void compare(const Body& body, const std::string& name, const std::vector<Row>& rows) {
  std::printf("%s\n  %-34s %-34s %9s %9s %8s %8s\n", name.c_str(), "ours", "table", "ours mm", "table mm", "mm", "%");
  for (const Row& row : rows) {
    ASSERT_TRUE(body.measurements_mm.count(row.ours)) << row.ours;
    const double ours = body.measurements_mm.at(row.ours);
    std::printf("  %-34s %-34s %9.1f %9.1f %+8.1f %+8.2f\n", row.ours, row.theirs.c_str(), ours, row.reference,
                ours - row.reference, 100 * (ours / row.reference - 1));
    EXPECT_TRUE(within(row, ours)) << name << ": " << row.ours << " " << ours << " against " << row.reference;
  }
}

// `crotch`: the table's own crotch vertex above the floor, to which it ties the hip's level.
std::vector<Row> trunk_rows(const Table& t, double crotch) {
  const double nape = t.at("height") - t.at("head_l"), hip = crotch + t.at("crotch_hip_diff");
  return {{"height", "height", t.at("height"), Bound::kLength},
          {"head_and_neck_length", "head_l", t.at("head_l"), Bound::kLength},
          {"neck_height", "height - head_l", nape, Bound::kLength},
          {"bust_girth", "bust", t.at("bust"), Bound::kGirth},
          {"under_bust_girth", "underbust", t.at("underbust"), Bound::kGirth},
          {"waist_girth", "waist", t.at("waist"), Bound::kGirth},
          {"natural_waist_girth", "waist", t.at("waist"), Bound::kGirth},
          {"hip_girth", "hips", t.at("hips"), Bound::kGirth},
          {"fullest_hip_girth", "hips", t.at("hips"), Bound::kGirth},
          {"thigh_girth", "leg_circ", t.at("leg_circ"), Bound::kGirth},
          {"wrist_girth", "wrist", t.at("wrist"), Bound::kGirth},
          {"fullest_bust_height", "height - head_l - vert_bust_line", nape - t.at("vert_bust_line"), Bound::kLength},
          {"bust_height", "height - head_l - vert_bust_line", nape - t.at("vert_bust_line"), Bound::kLength},
          {"waist_height", "crotch + crotch_hip_diff + hips_line", hip + t.at("hips_line"), Bound::kLength},
          {"hip_height", "crotch + crotch_hip_diff", hip, Bound::kLength},
          {"crotch_height", "crotch", crotch, Bound::kLength},
          {"back_length", "waist_line", t.at("waist_line"), Bound::kLength},
          {"back_neck_width", "neck_w", t.at("neck_w"), Bound::kArc},
          {"bust_point_width", "bust_points", t.at("bust_points"), Bound::kLength},
          {"shoulder_to_fullest_bust_length", "bust_line", t.at("bust_line"), Bound::kLength},
          {"shoulder_to_waist_length", "waist_over_bust_line", t.at("waist_over_bust_line"), Bound::kLength}};
}

double slope_deg(double drop, double run) { return degrees(std::atan2(drop, run)); }

// Below the horizontal from neck side to shoulder point, mean of both.
double shoulder_slope_deg(const Body& body) {
  const double width =
      1000 * std::abs(body.landmarks.at("left_neck_side").x() - body.landmarks.at("right_neck_side").x());
  const double shoulders =
      1000 * std::abs(body.landmarks.at("left_shoulder").x() - body.landmarks.at("right_shoulder").x());
  return slope_deg(body.measurements_mm.at("shoulder_drop"), 0.5 * (shoulders - width));
}

// Off the vertical from the waist's side to the hip's.
double hip_slope_deg(const Body& body) {
  return slope_deg(body.measurements_mm.at("hip_flare"), body.measurements_mm.at("waist_to_hip_height"));
}

struct Otherwise {
  const char *theirs, *definition, *ours;
  double table, value, bound;  // of the difference between two definitions
};

void show_both(const std::string& name, const Table& t, const Body& body, double steeper) {
  auto mm = [&](const char* item) { return body.measurements_mm.at(item); };
  const Otherwise rows[] = {{"back_width mm", "behind the template's side vertices", "bust_back_arc",
                             t.at("back_width"), mm("bust_back_arc"), 0.055 * t.at("back_width")},
                            {"bum_points mm", "vertices 9 cm off the middle", "buttock_point_width", t.at("bum_points"),
                             mm("buttock_point_width"), 0.45 * t.at("bum_points")},
                            {"armscye_depth mm", "shoulder vertex to armpit vertex", "armscye_depth",
                             t.at("armscye_depth"), mm("armscye_depth"), 5.0},
                            {"shoulder_incl deg", "neck vertex to shoulder vertex", "atan(shoulder_drop / run)",
                             0.1 * t.at("shoulder_incl"), shoulder_slope_deg(body), 2.0},
                            {"hip_inclination deg", "waist vertex to hip vertex", "atan(hip_flare / waist_to_hip)",
                             0.1 * t.at("hip_inclination"), hip_slope_deg(body), steeper}};
  for (const Otherwise& row : rows) {
    std::printf("  %-20s (%s) %8.1f   %s %8.1f\n", row.theirs, row.definition, row.table, row.ours, row.value);
    EXPECT_NEAR(row.value, row.table, row.bound) << name << " " << row.theirs;
  }
}

// Of a table: which keys are compared, and which shown with both definitions. A new key must be given one or the other.
TEST(MeasureReference, EveryKeyOfTheTablesIsComparedOrDefinedOtherwise) {
  TRYON_NEEDS_SHARED_DATA("bodies/garmentcode/mean_all.yaml");
  const std::set<std::string> compared = {"arm_length",
                                          "arm_pose_angle",
                                          "bust",
                                          "bust_line",
                                          "bust_points",
                                          "crotch_hip_diff",
                                          "head_l",
                                          "height",
                                          "hips",
                                          "hips_line",
                                          "leg_circ",
                                          "neck_w",
                                          "shoulder_w",
                                          "underbust",
                                          "waist",
                                          "waist_line",
                                          "wrist",
                                          "vert_bust_line",
                                          "hip_back_width",
                                          "waist_back_width",
                                          "waist_over_bust_line"};
  const std::set<std::string> shown = {"back_width", "bum_points", "armscye_depth", "shoulder_incl", "hip_inclination"};
  for (const char* file : {"garmentcode/mean_all.yaml", "garmentcode/mean_female.yaml",
                           "garmentcode/mean_all_tpose.yaml", "smpl/f_smpl_average_A40.yaml"}) {
    for (const auto& [key, value] : tailor_table(shared_data_path(cat("bodies/", file)))) {
      EXPECT_EQ(compared.count(key) + shown.count(key), 1u) << file << " " << key;
    }
  }
}

double crotch_vertex_mm(const TriangleMesh& mesh) {
  constexpr int kCrotchVertex = 236;  // of the template that the three bodies share
  return 1000 * (mesh.positions[kCrotchVertex].y() - bounds(mesh).min().y());
}

TEST(MeasureReference, BodiesInAPoseAgreeWithTheirTables) {
  TRYON_NEEDS_SHARED_DATA("bodies/garmentcode/mean_all.yaml");
  for (const std::string name : {"mean_all", "mean_female"}) {
    const TriangleMesh mesh = read_clean_body("garmentcode/" + name + ".obj");
    const Table t = tailor_table(shared_data_path("bodies/garmentcode/" + name + ".yaml"));
    std::vector<Row> rows = trunk_rows(t, crotch_vertex_mm(mesh));
    rows.push_back({"shoulder_width", "shoulder_w", t.at("shoulder_w"), Bound::kLength});
    rows.push_back({"arm_length", "arm_length", t.at("arm_length"), Bound::kLength});
    rows.push_back({"waist_back_arc", "waist_back_width", t.at("waist_back_width"), Bound::kGirth});
    rows.push_back({"hip_back_arc", "hip_back_width", t.at("hip_back_width"), Bound::kGirth});
    const Body body = body_of(mesh);
    compare(body, name, rows);
    show_both(name, t, body, 1.5);
    EXPECT_NEAR(body.arm_angle_deg, 0.1 * t.at("arm_pose_angle"), 2.0) << name;
  }
}

// The T-pose's table is the A-pose's with another arm angle: every other figure is the same to the last digit, though
// raising the arms moved its shoulder vertices together by 30 mm and the sides of its waist back. So what hangs on the
// shoulder point is judged by the template's own vertices on this mesh.
TEST(MeasureReference, BodyInTPoseAgreesWithItsTable) {
  TRYON_NEEDS_SHARED_DATA("bodies/garmentcode/mean_all_tpose.yaml");
  const TriangleMesh mesh = read_clean_body("garmentcode/mean_all_tpose.obj");
  const Table t = tailor_table(shared_data_path("bodies/garmentcode/mean_all_tpose.yaml"));
  Table a = tailor_table(shared_data_path("bodies/garmentcode/mean_all.yaml"));
  a["arm_pose_angle"] = 0;
  EXPECT_EQ(a, t);
  compare(body_of(mesh), "mean_all_tpose", trunk_rows(t, crotch_vertex_mm(mesh)));  // the rest hangs on raised arms
}

TEST(MeasureReference, ArmsOfTheTPoseAgreeWithTheTemplatesOwnVertices) {
  TRYON_NEEDS_SHARED_DATA("bodies/garmentcode/mean_all_tpose.obj");
  const TriangleMesh mesh = read_clean_body("garmentcode/mean_all_tpose.obj");
  const Body body = body_of(mesh);
  const Vec3 left = mesh.positions[21505], right = mesh.positions[2259], wrist = mesh.positions[6226];
  const double width = 1000 * (left - right).norm(), chord = 1000 * (right - wrist).norm();
  std::printf(
      "mean_all_tpose, vertices: shoulder width %.1f ours %.1f; shoulder to wrist straight %.1f, ours over the "
      "surface %.1f\n",
      width, body.measurements_mm.at("shoulder_width"), chord, body.measurements_mm.at("right_arm_length"));
  EXPECT_NEAR(body.measurements_mm.at("shoulder_width") / width, 1.0, 0.03);
  EXPECT_GT(body.measurements_mm.at("right_arm_length"), chord);
  EXPECT_LT(body.measurements_mm.at("right_arm_length"), 1.025 * chord);
}

// Taken by hand to the centimetre, so half of one is allowed beside the bound. Defined otherwise, and only shown: bust,
// waist and hips, which the table says were changed for dips; arm_length, which includes the shoulder, as an addition
// to waist_over_bust_line does; neck_w, shoulder_w, bust_points, bum_points, the backs and the inclinations, which are
// round guesses or of another meaning.
TEST(MeasureReference, HandMeasuredBodyAgreesWhereTheMeaningIsTheSame) {
  TRYON_NEEDS_SHARED_DATA("bodies/smpl/f_smpl_average_A40.yaml");
  const Body body = body_of(read_clean_body("smpl/f_smpl_average_A40.obj"));
  const Table t = tailor_table(shared_data_path("bodies/smpl/f_smpl_average_A40.yaml"));
  const std::pair<const char*, const char*> rows[] = {{"height", "height"},
                                                      {"head_and_neck_length", "head_l"},
                                                      {"under_bust_girth", "underbust"},
                                                      {"thigh_girth", "leg_circ"},
                                                      {"back_length", "waist_line"},
                                                      {"waist_to_hip_height", "hips_line"},
                                                      {"scye_depth", "armscye_depth"},
                                                      {"wrist_girth", "wrist"}};
  std::printf("f_smpl_average_A40\n");
  auto show = [&](const char* ours, const char* theirs) {
    const double mm = body.measurements_mm.at(ours), reference = t.at(theirs);
    std::printf("  %-34s %-34s %9.1f %9.1f %+8.1f %+8.2f\n", ours, theirs, mm, reference, mm - reference,
                100 * (mm / reference - 1));
  };
  for (const auto& [ours, theirs] : rows) {
    show(ours, theirs);
    const double mm = body.measurements_mm.at(ours), reference = t.at(theirs);
    const bool girth = find_measurement_item(ours)->kind == ItemKind::kGirth;
    EXPECT_NEAR(mm, reference, 5 + (girth ? std::max(10.0, 0.01 * reference) : 0.015 * reference)) << ours;
  }
  std::printf("  of another meaning, not judged:\n");
  const std::pair<const char*, const char*> others[] = {{"bust_girth", "bust"},
                                                        {"waist_girth", "waist"},
                                                        {"hip_girth", "hips"},
                                                        {"arm_length", "arm_length"},
                                                        {"back_neck_width", "neck_w"},
                                                        {"shoulder_width", "shoulder_w"},
                                                        {"bust_point_width", "bust_points"},
                                                        {"buttock_point_width", "bum_points"},
                                                        {"bust_back_arc", "back_width"},
                                                        {"waist_back_arc", "waist_back_width"},
                                                        {"hip_back_arc", "hip_back_width"},
                                                        {"shoulder_to_bust_length", "bust_line"},
                                                        {"shoulder_to_waist_length", "waist_over_bust_line"}};
  for (const auto& [ours, theirs] : others) show(ours, theirs);
  std::printf(
      "  crotch_hip_diff %.1f, hip above crotch %.1f; shoulder_incl %.1f, ours %.1f; hip_inclination %.1f, ours %.1f\n",
      t.at("crotch_hip_diff"), body.measurements_mm.at("hip_height") - body.measurements_mm.at("crotch_height"),
      0.1 * t.at("shoulder_incl"), shoulder_slope_deg(body), 0.1 * t.at("hip_inclination"), hip_slope_deg(body));
  EXPECT_NEAR(body.arm_angle_deg, 0.1 * t.at("arm_pose_angle"), 5.0);
}

}  // namespace
}  // namespace tryon
