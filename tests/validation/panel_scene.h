// What it is: the skirt panel of S3 (validation.md 5.3): 0.3 m long, its waist of 0.3 m gathered to 0.24 m in three
// waves and held there, its hem half as wide again; it hangs. Units: SI. Shapes: as in meshes.h, columns down the
// panel. How it fails: an unsolved step ends the test. Thread rules: pure functions.
#pragma once

#include "tests/validation/strips.h"

namespace tryon::sim::validation {

struct Panel {
  double cell = 0.01, c = 0.02, shear = 40, flare = 1.5;
  BendLaw bend = BendLaw::kShape;
  MeshKind mesh = MeshKind::kM3;
};
struct Hanging {
  double energy = 0, residual = 0;  // J
  int wrinkles = 0;                 // maxima of the hem
  FlatMesh flat;
  DrapeState state;
  std::vector<Vec3> hem;  // at 61 equal places of its length
};

// Points at equal arc lengths of a sine of `waves` waves over the width `span` whose length is `arc`: x and z.
inline std::vector<Vec2> gathered_line(double arc, double span, double waves, int parts) {
  const int fine = 1000;
  const auto length = [&](double height, std::vector<double>* sums) {
    double sum = 0;
    for (int i = 0; i < fine; ++i) {
      if (sums) sums->push_back(sum);
      sum +=
          span / fine * std::hypot(1, height * 2 * kPi * waves / span * std::cos(2 * kPi * waves * (i + 0.5) / fine));
    }
    if (sums) sums->push_back(sum);
    return sum;
  };
  double low = 0, high = span;
  for (int k = 0; k < 60; ++k) (length(0.5 * (low + high), nullptr) < arc ? low : high) = 0.5 * (low + high);
  std::vector<double> sums;
  length(low, &sums);
  std::vector<Vec2> out;
  int at = 0;
  for (int i = 0; i <= parts; ++i) {
    const double want = sums.back() * i / parts;
    while (at + 1 < fine && sums[at + 1] < want) ++at;
    const double t = (at + (want - sums[at]) / (sums[at + 1] - sums[at])) / fine;
    out.push_back(Vec2(span * (t - 0.5), low * std::sin(2 * kPi * waves * t)));
  }
  return out;
}

inline Hanging hang_panel(const std::string& solver, const Panel& p, const Hanging* from = nullptr,
                          double residual = 1e-3, int steps = 600, int iterations = 60) {
  const double length = 0.3, waist = 0.3, span = 0.24;
  Strip s;
  s.mesh = p.mesh;
  const int free = static_cast<int>(std::round(length / p.cell - 0.5));
  s.cell = length / (free + 0.5);
  s.start = -s.cell;
  s.columns = free + 1;
  const double across = s.mesh == MeshKind::kM3 || s.mesh == MeshKind::kM5 ? 2 / std::sqrt(3.0) : 1;
  s.rows = static_cast<int>(std::round(waist * (1 + p.flare) / 2 / (across * p.cell)));
  s.width = waist;
  Hanging out;
  out.flat = flat_strip(s);
  // The clamp acts half a cell before the last held column: heights are counted from there.
  const auto down = [&](double x) { return std::max(0.0, x + s.cell / 2); };
  for (Vec2& q : out.flat.points) q.y() *= 1 + (p.flare - 1) * down(q.x()) / length;
  ClothInput cloth = cloth_of(out.flat, kPi / 2);
  cloth.layout = SpringLayout::kMembrane;
  cloth.bend = p.bend;
  cloth.fabric.areal_density = 0.15;
  cloth.fabric.stretch_warp = cloth.fabric.stretch_weft = 2000;
  cloth.fabric.shear = p.shear;
  cloth.fabric.bend_warp = cloth.fabric.bend_weft = 0.15 * kGravity * std::pow(p.c, 3);
  for (int k = 0; k < 2 * (s.rows + 1); ++k) cloth.pinned.push_back(k);
  for (size_t i = 0; i < cloth.positions.size(); ++i) {
    const Vec2& q = out.flat.points[i];
    const double arc = waist * (1 + (p.flare - 1) * down(q.x()) / length);
    const std::vector<Vec2> line = gathered_line(arc, span + 0.5 * (arc - waist), 3, 400);
    const double at = 400 * (q.y() / arc + 0.5);
    const int k = std::clamp(static_cast<int>(at), 0, 399);
    const Vec2 place = line[k] + (at - k) * (line[k + 1] - line[k]);
    cloth.positions[i] = Vec3(place.x(), -q.x() - s.cell / 2, place.y());
  }
  const DrapeModel model = build_model(cloth).value();
  DrapeState start = start_state(cloth);
  if (from) {
    const std::vector<RVec3> carried = carried_over(from->flat, from->state, out.flat);
    for (size_t i = cloth.pinned.size(); i < carried.size(); ++i) start.x[i] = carried[i];
  }
  Rest rest = bring_to_rest(solver, model, vacuum(), std::move(start), residual, steps, 0.1, iterations);
  out.residual = rest.residual;
  out.state = std::move(rest.state);
  out.energy = potential_energy(model, out.state, s.rows + 1);  // the first row stands beyond the clamp
  for (int k = 0, j = 0; k <= 60; ++k) {
    const double want = waist * p.flare * (k / 60.0 - 0.5);
    const auto flat_y = [&](int row) { return out.flat.points[s.at(s.columns, row)].y(); };
    while (j + 2 <= s.rows && flat_y(j + 1) < want) ++j;
    const double t = (want - flat_y(j)) / (flat_y(j + 1) - flat_y(j));
    const Vec3 a = out.state.x[s.at(s.columns, j)].cast<double>(),
               b = out.state.x[s.at(s.columns, j + 1)].cast<double>();
    out.hem.push_back(a + t * (b - a));
  }
  for (size_t k = 1; k + 1 < out.hem.size(); ++k)
    out.wrinkles += out.hem[k].z() > out.hem[k - 1].z() && out.hem[k].z() >= out.hem[k + 1].z();
  return out;
}

// RMS distance of two hems, m.
inline double hem_rms(const Hanging& a, const Hanging& b) {
  double sum = 0;
  for (size_t k = 0; k < a.hem.size(); ++k) sum += (a.hem[k] - b.hem[k]).squaredNorm();
  return std::sqrt(sum / static_cast<double>(a.hem.size()));
}

}  // namespace tryon::sim::validation
