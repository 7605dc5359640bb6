// Raw points to surfels without strays.
#include <Eigen/Eigenvalues>
#include <algorithm>

#include "server/io/cloud_grid.h"
#include "server/io/cloud_surfel.h"

namespace tryon {
namespace {

constexpr double kLonely = 0.2;           // of the usual number of neighbours
constexpr double kSmallestIsland = 0.02;  // of all surfels

// Island of each surfel [n] (linked within the neighbour lists), and the size of each island.
std::vector<int> label_islands(const CloudNeighbours& near, std::vector<int>* sizes) {
  const int n = static_cast<int>(near.starts.size()) - 1;
  std::vector<int> label(static_cast<size_t>(n), -1), open;
  for (int seed = 0; seed < n; ++seed) {
    if (label[seed] >= 0) continue;
    const int island = static_cast<int>(sizes->size());
    sizes->push_back(0);
    label[seed] = island;
    open.push_back(seed);
    while (!open.empty()) {
      const int i = open.back();
      open.pop_back();
      ++sizes->back();
      for (int k = near.starts[i]; k < near.starts[i + 1]; ++k) {
        if (label[near.index[k]] >= 0) continue;
        label[near.index[k]] = island;
        open.push_back(near.index[k]);
      }
    }
  }
  return label;
}

int64_t total_mass(const Surfels& surfels) {
  double sum = 0.0;
  for (double m : surfels.mass) sum += m;
  return std::llround(sum);
}

}  // namespace

void keep_surfels(const std::vector<char>& keep, Surfels* surfels) {
  auto filter = [&](auto* list) {
    if (list->empty()) return;
    size_t to = 0;
    for (size_t i = 0; i < keep.size(); ++i) {
      if (keep[i]) (*list)[to++] = (*list)[i];
    }
    list->resize(to);
  };
  filter(&surfels->positions);
  filter(&surfels->normals);
  filter(&surfels->mass);
  filter(&surfels->hints);
}

Surfels thin_cloud(const PointCloud& cloud, double cell) {
  const CloudGrid grid(cloud.positions, cell);
  Surfels out;
  for (int c = 0; c < grid.cell_count(); ++c) {
    const int begin = grid.cell_begin(c), end = grid.cell_begin(c + 1);
    Vec3 position = Vec3::Zero(), hint = Vec3::Zero();
    for (int i = begin; i < end; ++i) {
      const auto p = static_cast<size_t>(grid.order()[static_cast<size_t>(i)]);
      position += cloud.positions[p];
      if (!cloud.normals.empty()) hint += cloud.normals[p];
    }
    out.positions.push_back(position / (end - begin));
    out.mass.push_back(end - begin);
    if (!cloud.normals.empty()) out.hints.push_back(hint);
  }
  return out;
}

Surfels merge_surfels(const Surfels& surfels, double cell) {
  const CloudGrid grid(surfels.positions, cell);
  Surfels out;
  for (int c = 0; c < grid.cell_count(); ++c) {
    std::vector<int> rest(grid.order().begin() + grid.cell_begin(c), grid.order().begin() + grid.cell_begin(c + 1));
    while (!rest.empty()) {  // thin parts have two sides in one cell
      const Vec3 facing = surfels.normals[rest[0]];
      Vec3 position = Vec3::Zero(), normal = Vec3::Zero();
      double mass = 0.0;
      std::vector<int> others;
      for (int i : rest) {
        if (surfels.normals[i].dot(facing) <= 0.0) {
          others.push_back(i);
          continue;
        }
        mass += surfels.mass[i];
        position += surfels.mass[i] * surfels.positions[i];
        normal += surfels.mass[i] * surfels.normals[i];
      }
      out.positions.push_back(position / mass);
      out.normals.push_back(normal.normalized());
      out.mass.push_back(mass);
      rest.swap(others);
    }
  }
  return out;
}

int64_t drop_outliers(double radius, Surfels* surfels) {
  const int64_t before = total_mass(*surfels);
  for (int round = 0; round < 2 && surfels->size() > 0; ++round) {
    const CloudNeighbours near = cloud_neighbours(surfels->positions, radius);
    std::vector<int> counts, sizes;
    for (int i = 0; i < surfels->size(); ++i) counts.push_back(near.count(i));
    std::vector<int> sorted = counts;
    std::nth_element(sorted.begin(), sorted.begin() + sorted.size() / 2, sorted.end());
    const double least = kLonely * sorted[sorted.size() / 2];
    const std::vector<int> label = label_islands(near, &sizes);
    std::vector<char> keep;
    for (int i = 0; i < surfels->size(); ++i) {
      keep.push_back(counts[i] >= least && sizes[label[i]] >= kSmallestIsland * surfels->size());
    }
    keep_surfels(keep, surfels);
  }
  return before - total_mass(*surfels);
}

void estimate_normals(double radius, Surfels* surfels) {
  const CloudNeighbours near = cloud_neighbours(surfels->positions, radius);
  surfels->normals.resize(surfels->positions.size());
  for (int i = 0; i < surfels->size(); ++i) {
    const Vec3& at = surfels->positions[i];
    Vec3 sum = Vec3::Zero();
    Eigen::Matrix3d squares = Eigen::Matrix3d::Zero();
    double total = 0.0;
    for (int k = near.starts[i]; k < near.starts[i + 1]; ++k) {
      const Vec3 d = surfels->positions[near.index[k]] - at;
      const double w = surfels->mass[near.index[k]] * std::max(0.0, 1.0 - d.squaredNorm() / (radius * radius));
      total += w, sum += w * d, squares += w * d * d.transpose();
    }
    Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> solver;
    solver.computeDirect(squares - sum * sum.transpose() / total);
    const Vec3 normal = solver.eigenvectors().col(0);
    surfels->normals[i] = normal.allFinite() && normal.norm() > 0.5 ? normal.normalized() : Vec3(Vec3::UnitY());
  }
}

}  // namespace tryon
