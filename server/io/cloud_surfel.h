// What it is: the steps from raw points to oriented samples that lie on the surface: thin, clean, orient, project.
// Units and frame: the cloud's. Shapes: all lists of Surfels [surfel_count]; normals unit, outward after
// orient_surfels. How it fails: it does not; what is left may be nothing. Thread rules: pure functions; equal input
// gives equal bytes. Cites: Guennebaud and Gross 2007 (algebraic point set surfaces), section 4.3, for the sphere with
// normals.
#pragma once

#include <string>
#include <vector>

#include "server/mesh/point_cloud.h"

namespace tryon {

struct Surfels {
  std::vector<Vec3> positions;  // [surfel_count]
  std::vector<Vec3> normals;    // [surfel_count]
  std::vector<double> mass;     // [surfel_count] points that it stands for
  std::vector<Vec3> hints;      // [surfel_count] sum of the normals that came with the points, or empty

  int size() const { return static_cast<int>(positions.size()); }
};
void keep_surfels(const std::vector<char>& keep, Surfels* surfels);

// One surfel a grid cell: the mean of the points in it.
Surfels thin_cloud(const PointCloud& cloud, double cell);

// Removes lonely surfels (far fewer neighbours within `radius` than usual) and islands of few; returns points dropped.
int64_t drop_outliers(double radius, Surfels* surfels);

// Unsigned normals of the best plane through the neighbours.
void estimate_normals(double radius, Surfels* surfels);

// Outward: a surfel looks where it can be seen from. Own normals decide where they agree with themselves.
void orient_surfels(double spacing, bool use_hints, Surfels* surfels, std::vector<std::string>* healed);

// One surfel a grid cell of those that face the same way: the mean, weighted by mass.
Surfels merge_surfels(const Surfels& surfels, double cell);

// Moves each surfel onto the sphere that fits its neighbours best, robustly; returns points dropped as flying.
int64_t project_surfels(double radius, Surfels* surfels);

}  // namespace tryon
