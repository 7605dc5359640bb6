// Which side of each surfel is out. A surface is seen from outside: many parallel views of the whole cloud are taken,
// each a picture of what lies in front, and every view that sees a surfel votes for its own side. Gaps in the scan
// (scalp, soles) let few views in; between arm and trunk few see much, but those are right. Neighbours then settle
// what nobody saw.
#include <array>
#include <cmath>
#include <numeric>

#include "server/base/text.h"
#include "server/io/cloud_grid.h"
#include "server/io/cloud_surfel.h"

namespace tryon {
namespace {

constexpr int kViews = 64, kRounds = 20, kSplat = 2;
constexpr double kAgree = 0.9;  // of the surfels, for the cloud's own normals to be believed

Vec3 view_direction(int i) {  // a spiral of equal areas over the sphere
  const double y = 1.0 - (2.0 * i + 1.0) / kViews, r = std::sqrt(1.0 - y * y), a = i * M_PI * (3.0 - std::sqrt(5.0));
  return {r * std::cos(a), y, r * std::sin(a)};
}

// The cloud seen from far along `towards`: how near the nearest surfel is at each pixel.
class DepthView {
 public:
  DepthView(const std::vector<Vec3>& points, const Vec3& towards, double pixel) : towards_(towards), pixel_(pixel) {
    u_ = towards.unitOrthogonal();
    v_ = towards.cross(u_);
    Eigen::AlignedBox2d box;
    for (const Vec3& p : points) box.extend(Vec2(p.dot(u_), p.dot(v_)));
    const double longest = box.sizes().maxCoeff();
    pixel_ = std::max(pixel_, longest / 4000.0);
    corner_ = box.min().array() - (kSplat + 1) * pixel_;
    width_ = static_cast<int>(box.sizes().x() / pixel_) + 2 * kSplat + 4;
    height_ = static_cast<int>(box.sizes().y() / pixel_) + 2 * kSplat + 4;
    front_.assign(static_cast<size_t>(width_) * height_, -1e300);
    for (const Vec3& p : points) splat(p);
  }
  double behind(const Vec3& p) const {  // distance behind what lies in front of it
    return front_[pixel_of(p)] - p.dot(towards_);
  }

 private:
  size_t pixel_of(const Vec3& p) const {
    const int x = static_cast<int>((p.dot(u_) - corner_.x()) / pixel_);
    const int y = static_cast<int>((p.dot(v_) - corner_.y()) / pixel_);
    return static_cast<size_t>(y) * width_ + x;
  }
  void splat(const Vec3& p) {
    const size_t at = pixel_of(p);
    const double depth = p.dot(towards_);
    for (int dy = -kSplat; dy <= kSplat; ++dy) {
      double* row = front_.data() + at + static_cast<ptrdiff_t>(dy) * width_;
      for (int dx = -kSplat; dx <= kSplat; ++dx) row[dx] = std::max(row[dx], depth);
    }
  }
  Vec3 towards_, u_, v_;
  Vec2 corner_;
  double pixel_;
  int width_ = 0, height_ = 0;
  std::vector<double> front_;
};

// Votes for the side of each surfel's normal [n], in -1 .. 1 times the number of views that see it well.
std::vector<double> visibility_votes(double spacing, const Surfels& surfels) {
  std::vector<double> votes(surfels.positions.size(), 0.0);
  const double tolerance = 4.0 * spacing;
  for (int view = 0; view < kViews; ++view) {
    const Vec3 towards = view_direction(view);
    const DepthView picture(surfels.positions, towards, spacing);
    for (int i = 0; i < surfels.size(); ++i) {
      const double seen = 1.0 - picture.behind(surfels.positions[i]) / tolerance;
      if (seen > 0.0) votes[i] += seen * surfels.normals[i].dot(towards);
    }
  }
  return votes;
}

// Votes spread to neighbours that face the same or the opposite way, until the doubtful follow the sure.
void settle(const CloudNeighbours& near, const std::vector<double>& votes, Surfels* surfels) {
  std::vector<double> opinion(votes.size()), next(votes.size());
  for (size_t i = 0; i < votes.size(); ++i) opinion[i] = std::tanh(votes[i] / 2.0);
  const std::vector<double> own = opinion;
  for (int round = 0; round < kRounds; ++round) {
    for (int i = 0; i < surfels->size(); ++i) {
      double sum = 0.0;
      for (int k = near.starts[i]; k < near.starts[i + 1]; ++k) {
        const double same = surfels->normals[i].dot(surfels->normals[near.index[k]]);
        sum += same * std::abs(same) * opinion[near.index[k]];
      }
      next[i] = std::clamp(0.3 * own[i] + sum / std::max(1, near.count(i)), -1.0, 1.0);
    }
    opinion.swap(next);
  }
  for (int i = 0; i < surfels->size(); ++i) {
    if (opinion[i] < 0.0) surfels->normals[i] = -surfels->normals[i];
  }
}

// Replaces votes by what the cloud's own normals say, where these are consistent with the views.
void ask_hints(const Surfels& surfels, std::vector<double>* votes, std::vector<std::string>* healed) {
  int64_t agree = 0, sure = 0, sharp = 0;
  for (int i = 0; i < surfels.size(); ++i) {
    const double side = surfels.hints[i].dot(surfels.normals[i]) / surfels.mass[i];
    sharp += std::abs(side) > 0.5;
    if (std::abs((*votes)[i]) < 1.0) continue;
    ++sure;
    agree += side * (*votes)[i] > 0.0;
  }
  const double ratio = static_cast<double>(agree) / std::max<int64_t>(1, sure);
  const bool inward = ratio < 1.0 - kAgree;
  if (sharp < 0.7 * surfels.size() || (ratio < kAgree && !inward)) {
    healed->push_back("ignored the normals of the file: they do not fit its points");
    return;
  }
  if (inward) healed->push_back("turned the normals of the file, which face inward");
  for (int i = 0; i < surfels.size(); ++i) {
    const double side = surfels.hints[i].dot(surfels.normals[i]) / surfels.mass[i];
    (*votes)[i] = 0.5 * (*votes)[i] + (inward ? -4.0 : 4.0) * side;
  }
}

}  // namespace

void orient_surfels(double spacing, bool use_hints, Surfels* surfels, std::vector<std::string>* healed) {
  if (surfels->size() == 0) return;
  std::vector<double> votes = visibility_votes(spacing, *surfels);
  if (use_hints && !surfels->hints.empty()) ask_hints(*surfels, &votes, healed);
  settle(cloud_neighbours(surfels->positions, 2.0 * spacing), votes, surfels);
}

}  // namespace tryon
