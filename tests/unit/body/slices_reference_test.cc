// Every loop that sections.json lists for the twelve clean bodies, cut with another program, against our cuts.
#include <cstdio>

#include "nlohmann/json.hpp"
#include "server/body/slices.h"
#include "tests/unit/body/body_fixtures.h"
#include "tests/unit/body/clean_bodies.h"

namespace tryon {
namespace {

using nlohmann::json;
using testing::clean_body_files;
using testing::read_clean_body;
using testing::read_file;
using testing::shared_data_path;

// Metres, +Y up, feet at 0, as the file says.
TriangleMesh upright(TriangleMesh mesh, const json& body) {
  const bool z_up = body.at("up") == "z";
  for (Vec3& p : mesh.positions) {
    p *= body.at("to_metres").get<double>();
    if (z_up) p = Vec3(p.x(), p.z(), -p.y());
  }
  const double floor = bounds(mesh).min().y();
  for (Vec3& p : mesh.positions) p.y() -= floor;
  return mesh;
}

struct Worst {
  double perimeter = 0, hull = 0, area = 0, width = 0, depth = 0;  // relative
};

// Beyond the rounding of the file's last digit.
void note(double ours, double theirs, double rounding, double* worst) {
  *worst = std::max(*worst, std::max(0.0, std::abs(ours - theirs) - rounding) / theirs);
}

const SliceLoop* nearest(const std::vector<SliceLoop>& loops, const json& wanted) {
  const Vec2 centre(wanted.at("centre")[0].get<double>(), wanted.at("centre")[1].get<double>());
  const double area = wanted.at("area_m2").get<double>();
  const SliceLoop* best = nullptr;
  double best_score = 1e300;
  for (const SliceLoop& loop : loops) {
    const double away = (Vec2(loop.centroid.x(), loop.centroid.z()) - centre).norm();
    const double score = away + std::sqrt(std::abs(loop.area - area));
    if (score < best_score) best_score = score, best = &loop;
  }
  return best;
}

void compare_loop(const SliceLoop& ours, const json& theirs, Worst* worst) {
  Box3 box;
  for (const Vec3& p : ours.points) box.extend(p);
  constexpr double kMm = 0.6e-4;  // the file gives lengths to 0.1 mm
  note(ours.perimeter, theirs.at("perimeter_m"), kMm, &worst->perimeter);
  note(ours.hull_perimeter, theirs.at("hull_perimeter_m"), kMm, &worst->hull);
  note(ours.area, theirs.at("area_m2"), 0.6e-5, &worst->area);
  note(box.sizes().x(), theirs.at("width_m"), kMm, &worst->width);
  note(box.sizes().z(), theirs.at("depth_m"), kMm, &worst->depth);
}

TEST(SlicesReference, EveryPublishedSectionOfEveryCleanBodyAgrees) {
  TRYON_NEEDS_SHARED_DATA("bodies/sections.json");
  const json sections = json::parse(read_file(shared_data_path("bodies/sections.json")));
  ASSERT_EQ(sections.size(), clean_body_files().size());
  std::printf("%-48s %6s  worst relative difference beyond rounding\n", "", "loops");
  for (const std::string& file : clean_body_files()) {
    const json& body = sections.at(file);
    const TriangleMesh mesh = upright(read_clean_body(file), body);
    const LevelSlicer slicer(mesh, nullptr, Vec3::UnitY());
    Worst worst;
    int count = 0;
    for (const json& section : body.at("sections")) {
      const auto loops = slicer.at(section.at("height_fraction").get<double>() * slicer.high());
      for (const json& wanted : section.at("loops")) {
        const SliceLoop* ours = nearest(loops, wanted);
        ASSERT_NE(ours, nullptr) << file << " at " << section.at("height_fraction");
        EXPECT_TRUE(ours->closed);
        compare_loop(*ours, wanted, &worst);
        ++count;
      }
    }
    std::printf("%-48s %6d  perimeter %.5f hull %.5f area %.5f width %.5f depth %.5f\n", file.c_str(), count,
                worst.perimeter, worst.hull, worst.area, worst.width, worst.depth);
    EXPECT_GE(count, 28) << file;
    for (double w : {worst.perimeter, worst.hull, worst.area, worst.width, worst.depth}) EXPECT_LE(w, 0.001) << file;
  }
}

}  // namespace
}  // namespace tryon
