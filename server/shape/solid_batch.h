// What it is: a set of solids laid out for batched questions: bounds of eight solids at once, distances of eight pairs
// of point and solid at once, a few exact pairs a point. Units: metres. Shapes: points and results [point_count].
// How it fails: never; pairs that the fast code cannot vouch for (deep inside, needles, blades) are asked one by one.
// Thread rules: immutable once built.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "server/shape/batch_kernels.h"
#include "server/shape/chains.h"

namespace tryon {

class SolidBatch {
 public:
  // `order` lists the solids so that neighbours in it are neighbours in space.
  SolidBatch(const std::vector<Solid>& solids, const std::vector<Eigen::AlignedBox3d>& boxes,
             const std::vector<int>& order);
  const Chains& chains() const { return chains_; }

  void nearest(std::span<const Eigen::Vector3d> points, double max_distance, std::span<SolidSet::Hit> hits) const;
  void rounded(std::span<const Eigen::Vector3d> points, double max_distance, double width,
               std::span<SurfacePoint> surfaces) const;

  // For tests: the same with the baseline's kernels.
  void use_kernels(const batch::Kernels& kernels) { kernels_ = &kernels; }

 private:
  enum Mode : int { kChained = 0, kAlone = 1 };  // walls as a member of a chain, or as the solid itself says
  struct Workspace;
  template <typename Reduce>  // reduce(point index, candidates of that point)
  void ask(std::span<const Eigen::Vector3d> points, Mode mode, double reach, double extra, Reduce reduce) const;
  template <typename Reduce>
  void flush(Mode mode, Workspace* work, Reduce reduce) const;
  void evaluate(Mode mode, Workspace* work) const;
  SolidSet::Hit nearest_of(std::span<const SolidSet::Hit> candidates) const;

  SurfacePoint one(Mode mode, int solid, const Eigen::Vector3d& point) const;
  void lay_out(const std::vector<Eigen::AlignedBox3d>& boxes, const std::vector<int>& order);

  std::vector<Solid> solids_;
  Chains chains_;
  Eigen::Vector3d center_ = Eigen::Vector3d::Zero();
  std::vector<batch::BoxGroup> boxes_;
  std::vector<batch::SolidGroup> groups_;
  std::vector<batch::FrustumRecord> records_;  // [solid_count]; of a sphere, unused
  std::vector<uint8_t> single_;                // [solid_count]: spheres, needles and blades are asked one by one
  const batch::Kernels* kernels_ = nullptr;
};

}  // namespace tryon
