// What it is: the textile laboratory of validation.md: T18 (Peirce's cantilever), T19 (heart and pear loops), T20
// (Cusick's drape meter) and S3 (its mesh convergence), measured. Units: SI. Shapes: as in meshes.h.
// How it fails: an unsolved step ends the test. Thread rules: pure functions.
#pragma once

#include "tests/validation/strips.h"

namespace tryon::sim::validation {

// T18: chord angle below the horizontal (degrees) of an overhang of 25 mm width; the material turned from warp.
struct Overhang {
  double density = 0.12, bend_warp = 5e-6, bend_weft = 5e-6, twist = 0, length = 0.03239, turned_degrees = 0;
  BendLaw bend = BendLaw::kShape;
};
inline double overhang_angle(const std::string& solver, const Overhang& o, double cell) {
  Strip s;
  const int elements = static_cast<int>(std::ceil(o.length / cell - 0.5));
  s.cell = o.length / (elements + 0.5);
  s.start = -s.cell;
  s.columns = elements + 1;
  s.rows = std::max(2, static_cast<int>(std::round(0.025 / s.cell)));
  s.width = 0.025;
  s.turned = kPi / 2 - o.turned_degrees * kPi / 180;  // warp runs along flat y
  ClothInput cloth = make_strip(s);
  cloth.fabric.areal_density = o.density;
  cloth.bend = o.bend;
  cloth.layout = SpringLayout::kMembrane;
  cloth.fabric.bend_warp = o.bend_warp;
  cloth.fabric.bend_weft = o.bend_weft;
  cloth.fabric.bend_twist = o.twist;
  stiffen(o.length, &cloth);
  clamp_first(s, &cloth);
  const DrapeModel model = build_model(cloth).value();
  const Rest rest = bring_to_rest(solver, model, vacuum(), start_state(cloth), 1e-5, 400);
  const Vec3 tip = mean_of_column(s, rest.state, s.columns);
  return std::atan2(-tip.y(), tip.x() - clamp_place(s)) * 180 / kPi;
}

// T19: clamp to lowest point over L.
enum class Loop { kHeart, kPear };
inline double loop_length(const std::string& solver, Loop loop, double gamma, int elements) {
  const double length = 0.2;
  Strip s;
  s.cell = length / elements;  // half a cell of each end is clamped, with one more row beyond
  s.columns = elements + 1;
  s.start = -s.cell / 2;
  s.rows = 1;
  s.width = 0.02;
  ClothInput cloth = make_strip(s);
  cloth.layout = SpringLayout::kMembrane;
  cloth.bend = BendLaw::kShape;
  const double w = cloth.fabric.areal_density * kGravity;
  cloth.fabric.bend_warp = cloth.fabric.bend_weft = w * std::pow(length, 3) / std::max(gamma, 1e-3);
  stiffen(length, &cloth);
  for (int column : {0, 1, s.columns - 1, s.columns})
    for (int j = 0; j < 2; ++j) cloth.pinned.push_back(s.at(column, j));
  // Tangents of a start of the right length: up (down) at the clamp, level at the lowest point, mirrored.
  const double sign = loop == Loop::kHeart ? 1 : -1;
  const auto tangent = [&](double t) {  // t = 0 at the clamp, 1 at the middle; the right half
    if (loop == Loop::kHeart) return kPi / 2 - 1.5 * kPi * t;
    return -kPi / 2 + kPi * std::sin(kPi * t) * (1 - t) * 0.6 - kPi / 2 * t * t;
  };
  std::vector<Vec2> line(s.columns + 1);
  const auto build = [&](double squeeze) {
    Vec2 p = Vec2::Zero();
    const int fine = 2000;
    std::vector<Vec2> half = {p};
    for (int i = 0; i < fine; ++i) {
      const double a = tangent((i + 0.5) / fine);
      p += length / 2 / fine * Vec2(std::cos(a) * squeeze, std::sin(a));
      half.push_back(p);
    }
    const double middle = p.x();  // brought back to the axis
    for (int i = 0; i <= s.columns; ++i) {
      const double at = (i - 0.5) / elements, t = std::min(1.0, 2 * std::min(at, 1 - at));
      if (t < 0) {
        line[i] = Vec2(0, -sign * s.cell / 2);
        continue;
      }
      Vec2 q = half[static_cast<size_t>(t * fine)];
      q.x() -= middle * t;
      line[i] = Vec2(at <= 0.5 ? q.x() : -q.x(), q.y());
    }
    line[1] = line[s.columns - 1] = Vec2(0, sign * s.cell / 2);
  };
  build(1);
  for (int i = 0; i <= s.columns; ++i)
    for (int j = 0; j < 2; ++j) {
      Vec3& p = cloth.positions[s.at(i, j)];
      p = Vec3(line[i].x(), line[i].y(), p.z());
    }
  const DrapeModel model = build_model(cloth).value();
  const Rest rest = bring_to_rest(solver, model, vacuum(), start_state(cloth), 1e-4, 600);
  double lowest = 0;
  for (const RVec3& x : rest.state.x) lowest = std::min(lowest, static_cast<double>(x.y()));
  return -lowest / length;
}

// T20: a disc of 300 mm over one of 180 mm; rings are `cell` apart beyond the clamp, which acts at 90 mm.
struct Draped {
  double coefficient = 0, energy = 0, residual = 0;  // %, J
  int nodes = 0, particles = 0;
  FlatMesh flat;
  DrapeState state;
  std::vector<double> rim;  // radius of the shadow by angle
};
struct Cusick {
  double c = 0.02, shear = 40, twist_share = 0.5, density = 0.15, cell = 0.01;
  int seed_nodes = 5;
  BendLaw bend = BendLaw::kShape;
  SpringLayout layout = SpringLayout::kMembrane;
  MeshKind mesh = MeshKind::kM3;  // kM1, kM2: rings and spokes; kM5: kM3 jittered, beyond the clamp
  const Draped* from = nullptr;   // begins in its shape instead of the seed's
};

inline double shadow_area(const FlatMesh& flat, const DrapeState& state, double grid) {
  const int half = static_cast<int>(0.16 / grid), size = 2 * half;
  std::vector<char> dark(static_cast<size_t>(size) * size);
  for (const auto& t : flat.triangles) {
    Vec2 p[3];
    for (int k = 0; k < 3; ++k)
      p[k] = Vec2(static_cast<double>(state.x[t[k]].x()), static_cast<double>(state.x[t[k]].z())) / grid +
             Vec2(half, half);
    const double turn = cross2(p[1] - p[0], p[2] - p[0]) < 0 ? -1 : 1;
    const int x0 = std::max(0, static_cast<int>(std::min({p[0].x(), p[1].x(), p[2].x()}))),
              x1 = std::min(size - 1, static_cast<int>(std::max({p[0].x(), p[1].x(), p[2].x()}))),
              y0 = std::max(0, static_cast<int>(std::min({p[0].y(), p[1].y(), p[2].y()}))),
              y1 = std::min(size - 1, static_cast<int>(std::max({p[0].y(), p[1].y(), p[2].y()})));
    for (int y = y0; y <= y1; ++y)
      for (int x = x0; x <= x1; ++x) {
        const Vec2 q(x + 0.5, y + 0.5);
        bool in = true;
        for (int k = 0; k < 3; ++k) in = in && turn * cross2(p[(k + 1) % 3] - p[k], q - p[k]) >= 0;
        if (in) dark[static_cast<size_t>(y) * size + x] = 1;
      }
  }
  return grid * grid * static_cast<double>(std::count(dark.begin(), dark.end(), 1));
}

// Maxima of the rim's radius, smoothed over 15 degrees.
inline int count_nodes(const std::vector<double>& rim) {
  const int n = static_cast<int>(rim.size()), reach = std::max(1, n / 48);
  std::vector<double> smooth(n);
  for (int i = 0; i < n; ++i)
    for (int k = -reach; k <= reach; ++k) smooth[i] += rim[(i + k + n) % n];
  int nodes = 0;
  for (int i = 0; i < n; ++i)
    if (smooth[i] > smooth[(i + n - 1) % n] && smooth[i] >= smooth[(i + 1) % n]) ++nodes;
  return nodes;
}

// The disc's mesh: how many of its first particles are held, how many of its last ones are the rim.
struct DiscMesh {
  FlatMesh flat;
  int held = 0, rim = 0;
  double hole = 0;  // m^2 in its middle that it leaves out
};
inline DiscMesh ring_disc(const Cusick& c, double held, double radius, double a, int outside) {
  const int inside = static_cast<int>(std::round((held + a / 2) / a)), rings = inside + outside;
  DiscMesh out{flat_disc(radius, rings), 1 + 3 * inside * (inside + 1), 6 * rings};
  for (Vec2& p : out.flat.points) {
    const double ring = p.norm() / radius * rings;
    const double r = ring <= inside + 1e-9 ? ring / inside * (held + a / 2) : held + a / 2 + (ring - inside) * a;
    if (ring > 0) p *= r / p.norm();
  }
  if (c.mesh != MeshKind::kM5) return out;
  std::mt19937 random(11);
  const auto unit = [&] { return static_cast<double>(random()) / 4294967296.0 - 0.5; };
  const int count = static_cast<int>(out.flat.points.size());
  std::vector<char> fixed(count);
  for (int i = 0; i < count; ++i) {
    fixed[i] = i < out.held || i >= count - out.rim;
    if (!fixed[i]) out.flat.points[i] += 0.5 * a * Vec2(unit(), unit());
  }
  for (int pass = 0; pass < 3; ++pass) {
    make_delaunay(&out.flat);
    smooth(fixed, &out.flat);
  }
  make_delaunay(&out.flat);
  return out;
}
inline DiscMesh spoke_disc(const Cusick& c, double held, double a, int outside) {
  const int spokes = 20 * static_cast<int>(std::round(2 * kPi * 0.125 / a / 20)), rings = outside + 1;
  DiscMesh out{{}, 2 * spokes, spokes};
  const auto at = [&](int k, int i) { return k * spokes + i % spokes; };
  for (int k = 0; k <= rings; ++k)
    for (int i = 0; i < spokes; ++i) {
      const double angle = 2 * kPi * i / spokes, r = held + (k - 0.5) * a;
      out.flat.points.push_back(r * Vec2(std::cos(angle), std::sin(angle)));
      if (k == rings) continue;
      const int p = at(k, i), q = at(k, i + 1), u = at(k + 1, i), v = at(k + 1, i + 1);
      const auto add = [&](int x, int y, int z) { out.flat.triangles.push_back({x, y, z}); };
      c.mesh == MeshKind::kM2 && (i + k) % 2 ? (add(p, u, q), add(u, v, q)) : (add(p, u, v), add(p, v, q));
    }
  out.hole = 0.5 * spokes * std::pow(held - a / 2, 2) * std::sin(2 * kPi / spokes);
  return out;
}

inline Draped drape_disc(const std::string& solver, const Cusick& c, double residual = 1e-2, int steps = 600,
                         int iterations = 60) {
  const double held = 0.09, radius = 0.15;
  const int outside = std::max(2, static_cast<int>(std::round((radius - held) / c.cell - 0.5)));
  const double a = (radius - held) / (outside + 0.5);
  const bool spokes = c.mesh == MeshKind::kM1 || c.mesh == MeshKind::kM2;
  DiscMesh disc_mesh = spokes ? spoke_disc(c, held, a, outside) : ring_disc(c, held, radius, a, outside);
  Draped out;
  out.flat = std::move(disc_mesh.flat);
  ClothInput cloth = cloth_of(out.flat);
  cloth.fabric.areal_density = c.density;
  cloth.layout = c.layout;
  cloth.bend = c.bend;
  cloth.fabric.stretch_warp = cloth.fabric.stretch_weft = 2000;
  cloth.fabric.shear = c.shear;
  const double w = c.density * kGravity, bend = w * std::pow(c.c, 3);
  cloth.fabric.bend_warp = cloth.fabric.bend_weft = bend;
  cloth.fabric.bend_twist = c.twist_share * bend;
  const int count = static_cast<int>(cloth.positions.size());
  out.particles = count;
  for (int i = 0; i < disc_mesh.held; ++i) cloth.pinned.push_back(i);
  for (Vec3& p : cloth.positions) {
    const double r = std::hypot(p.x(), p.z()), beyond = std::max(0.0, (r - held) / (radius - held));
    p.y() = 8e-3 * beyond * beyond * std::cos(c.seed_nodes * std::atan2(-p.z(), p.x()) + 0.3);
  }
  const DrapeModel model = build_model(cloth).value();
  DrapeState start = start_state(cloth);
  if (c.from) start.x = carried_over(c.from->flat, c.from->state, out.flat);
  for (int i : cloth.pinned) start.x[i] = Vec3(out.flat.points[i].x(), 0, -out.flat.points[i].y()).cast<Real>();
  Rest rest = bring_to_rest(solver, model, vacuum(), std::move(start), residual, steps, 0.1, iterations);
  out.residual = rest.residual;
  out.state = std::move(rest.state);
  out.energy = potential_energy(model, out.state);
  const double disc = kPi * held * held, whole = kPi * radius * radius;
  out.coefficient = 100 * (shadow_area(out.flat, out.state, 5e-4) + disc_mesh.hole - disc) / (whole - disc);
  for (int i = count - disc_mesh.rim; i < count; ++i)
    out.rim.push_back(std::hypot(static_cast<double>(out.state.x[i].x()), static_cast<double>(out.state.x[i].z())));
  out.nodes = count_nodes(out.rim);
  return out;
}

}  // namespace tryon::sim::validation
