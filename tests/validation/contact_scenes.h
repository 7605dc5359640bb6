// What it is: T14 (capstan), T15 (strip over a cylinder) and T16 (cloth on a sphere) of validation.md, measured. Strips
// run along world x over a cylinder along z. Units: SI. Shapes: as in meshes.h; columns along the strip.
// How it fails: an unsolved step ends the test. Thread rules: pure functions.
#pragma once

#include <memory>

#include "server/sim/constraints/elastic.h"
#include "tests/validation/strips.h"

namespace tryon::sim::validation {

enum class Surface { kAnalytic, kTriangles };

// Along z, from -0.2 to 0.2 m; triangulated with facets of 2 degrees.
inline std::unique_ptr<Collider> make_cylinder(double radius, Surface surface) {
  if (surface == Surface::kAnalytic) {
    Frustum f;
    f.bottom = Vec3(0, 0, -0.2), f.top = Vec3(0, 0, 0.2), f.axis = Vec3::UnitZ();
    f.u = Vec3::UnitX(), f.v = Vec3::UnitY();
    f.bottom_radii = f.top_radii = Vec2(radius, radius);
    return make_solid_collider({f});
  }
  TriangleMesh mesh;
  constexpr int kFacets = 180;
  for (int end : {-1, 1}) {
    for (int i = 0; i < kFacets; ++i) {
      const double angle = 2 * kPi * i / kFacets;
      mesh.positions.push_back(Vec3(radius * std::cos(angle), radius * std::sin(angle), 0.2 * end));
    }
  }
  mesh.positions.push_back(Vec3(0, 0, -0.2));
  mesh.positions.push_back(Vec3(0, 0, 0.2));
  for (int i = 0; i < kFacets; ++i) {
    const int j = (i + 1) % kFacets, up = kFacets;
    mesh.triangles.push_back(Triangle(i, j, j + up));
    mesh.triangles.push_back(Triangle(i, j + up, i + up));
    mesh.triangles.push_back(Triangle(2 * kFacets, j, i));
    mesh.triangles.push_back(Triangle(2 * kFacets + 1, i + up, j + up));
  }
  return make_mesh_collider(std::move(mesh));
}

// The line at length s from the top of a circle: round it for `wrap` in the middle, straight beyond. Lengths on it are
// those of chords of `cell`, so that a strip of such cells is not pressed together.
inline Vec2 over_circle(double radius, double wrap, double cell, double s) {
  const double arc = cell / (2 * std::asin(cell / (2 * radius)));
  const double half = wrap / 2, angle = std::clamp(s / arc, -half, half), beyond = s - angle * arc;
  const Vec2 out(std::sin(angle), std::cos(angle)), along(std::cos(angle), -std::sin(angle));
  return radius * out + beyond * along;
}

inline SolverSettings slow_steps(int iterations, double tolerance) {
  SolverSettings settings;
  settings.time_step = 0.1;
  settings.velocity_keep = 0;
  settings.iterations = iterations;
  settings.tolerance = tolerance;
  return settings;
}

// T14: tension at the pulling end over that at the other, both ends moved along until all of the strip slides.
struct Capstan {
  double mu = 0.3, wrap = kPi, radius = 0.05, stretch = 2e4, offset = 1e-3;
  int touching = 32;  // particles on the arc
  int steps = 60;     // in which its ends are moved
  Surface surface = Surface::kAnalytic;
};
inline double capstan_ratio(const std::string& solver, const Capstan& c, int iterations = 60) {
  const double reach = c.radius + c.offset, arc = c.wrap * reach, pull = 10;
  Strip s;
  s.cell = arc / c.touching;
  const int beyond = 4;
  s.columns = c.touching + 2 * beyond;
  s.start = -s.cell * s.columns / 2;
  s.rows = 1;
  s.width = s.cell;
  const double strain = pull / c.stretch;
  FlatMesh flat = flat_strip(s);
  for (Vec2& p : flat.points) p.x() /= 1 + strain;
  ClothInput cloth = cloth_of(flat);
  cloth.fabric.stretch_warp = cloth.fabric.stretch_weft = c.stretch;
  cloth.fabric.shear = 0.1 * c.stretch;
  cloth.fabric.bend_warp = cloth.fabric.bend_weft = 1e-7;
  cloth.fabric.friction_static = cloth.fabric.friction_kinetic = c.mu;
  for (Vec3& p : cloth.positions) {
    const Vec2 q = over_circle(reach, c.wrap, s.cell, p.x() * (1 + strain));
    p = Vec3(q.x(), q.y(), p.z());
  }
  const int last = s.columns;
  cloth.pinned = {s.at(0, 0), s.at(0, 1), s.at(last, 0), s.at(last, 1)};
  const DrapeModel model = build_model(cloth).value();
  DrapeState state = start_state(cloth);
  Scene scene = vacuum();
  scene.gravity.setZero();
  scene.contact_offset = c.offset;
  const auto cylinder = make_cylinder(c.radius, c.surface);
  scene.collider = cylinder.get();
  auto solve = make_solver(solver, model, slow_steps(iterations, 1e-2)).value();
  const double angle = c.wrap / 2;
  const RVec3 out_right = Vec3(std::cos(angle), -std::sin(angle), 0).cast<Real>();
  const RVec3 in_left = Vec3(std::cos(angle), std::sin(angle), 0).cast<Real>();
  // Until the tension at the pulling end has stretched all of it, and some more.
  const double way = 3 * pull * (std::exp(c.mu * c.wrap) - 1) / c.stretch * (s.cell * s.columns);
  for (int i = 0; i < c.steps; ++i) {
    for (int j = 0; j < 2; ++j) {
      state.x[s.at(last, j)] += Real(way / c.steps) * out_right;
      state.x[s.at(0, j)] += Real(way / c.steps) * in_left;
    }
    const auto report = solve->step({}, scene, &state);
    if (!report.ok()) {
      ADD_FAILURE() << report.status();
      return std::nan("");
    }
  }
  ElasticEnergy elastic(model, 0);
  std::vector<RVec3> gradient(state.x.size());
  elastic.evaluate({}, state.x.data(), 1, gradient.data());
  const double right = static_cast<double>((gradient[s.at(last, 0)] + gradient[s.at(last, 1)]).norm());
  return right / static_cast<double>((gradient[s.at(0, 0)] + gradient[s.at(0, 1)]).norm());
}
// What a polygon of n touching particles obeys.
inline double capstan_exact(double mu, double wrap, int n) {
  const double t = mu * std::tan(wrap / n / 2);
  return std::pow((1 + t) / (1 - t), n);
}

// T15: how far (m) the short end rises within `seconds`, up to 20 mm.
struct Hung {
  double mu = 0.3, short_end = 0.10, long_end = 0.35479;
  int touching = 16;
};
struct HungStrip {
  Strip strip;
  double reach = 0.05, cell_mass = 0;
  Scene scene;
  std::unique_ptr<Collider> cylinder;
  ClothInput cloth;
};
inline HungStrip hang_over(const Hung& h) {
  HungStrip out;
  Strip& s = out.strip;
  out.scene = vacuum();
  out.scene.contact_offset = 1e-3;
  out.cylinder = make_cylinder(out.reach - out.scene.contact_offset, Surface::kAnalytic);
  out.scene.collider = out.cylinder.get();
  const double arc = kPi * out.reach, total = h.short_end + arc + h.long_end;
  s.columns = static_cast<int>(std::round(total / (arc / h.touching)));
  s.cell = total / s.columns;
  s.start = -arc / 2 - h.short_end;
  s.rows = 1;
  s.width = 0.02;
  out.cloth = make_strip(s);
  out.cloth.fabric.stretch_warp = out.cloth.fabric.stretch_weft = 2000;
  out.cloth.fabric.shear = 200;
  out.cloth.fabric.bend_warp = out.cloth.fabric.bend_weft = 1e-7;
  out.cloth.fabric.friction_static = out.cloth.fabric.friction_kinetic = h.mu;
  for (Vec3& p : out.cloth.positions) {
    const Vec2 q = over_circle(out.reach, kPi, s.cell, p.x());
    p = Vec3(q.x(), q.y(), p.z());
  }
  return out;
}
inline double slip_of(const std::string& solver, const Hung& h, double seconds, double rate, int iterations = 40) {
  const HungStrip hung = hang_over(h);
  const DrapeModel model = build_model(hung.cloth).value();
  DrapeState state = start_state(hung.cloth);
  SolverSettings settings;
  settings.time_step = 1 / rate;
  settings.velocity_keep = 1;
  settings.iterations = iterations;
  settings.tolerance = 1e-3;
  auto solve = make_solver(solver, model, settings).value();
  // Its own pull first, without speed: a strip let go unstretched would swing past its limit.
  for (int i = 0; i < 20; ++i) {
    for (RVec3& v : state.v) v.setZero();
    if (!solve->step({}, hung.scene, &state).ok()) return std::nan("");
  }
  for (RVec3& v : state.v) v.setZero();
  const double start = mean_of_column(hung.strip, state, 0).y();
  double most = 0;
  for (int i = 0; i < seconds * rate && most < 0.02; ++i) {
    if (!solve->step({}, hung.scene, &state).ok()) return std::nan("");
    most = std::max(most, mean_of_column(hung.strip, state, 0).y() - start);
  }
  return most;
}

// T15 without friction: contact pressure over w (l / R + 2 cos phi) on the inner half of the arc, and all of it over
// w (2 l + pi R).
struct Pressure {
  double worst = 0, total = 0;
};
inline Pressure pressure_under(const std::string& solver, double end) {
  Hung h;
  h.mu = 0;
  h.short_end = h.long_end = end;
  const HungStrip hung = hang_over(h);
  const DrapeModel model = build_model(hung.cloth).value();
  DrapeState state = start_state(hung.cloth);
  auto solve = make_solver(solver, model, slow_steps(100, 1e-6)).value();
  for (int i = 0; i < 10; ++i)  // more, and it would slip off: without friction it stands on the edge
    if (!solve->step({}, hung.scene, &state).ok()) return {};
  ElasticEnergy elastic(model, 0);
  std::vector<RVec3> gradient(state.x.size());
  elastic.evaluate({}, state.x.data(), 1, gradient.data());
  const double w = model.fabrics[0].areal_density * kGravity;
  Pressure out;
  for (int i = 0; i <= hung.strip.columns; ++i) {
    Vec3 force = Vec3::Zero();
    for (int j = 0; j < 2; ++j) {
      const int p = hung.strip.at(i, j);
      force += gradient[p].cast<double>() + Vec3(0, static_cast<double>(model.mass[p]) * kGravity, 0);
    }
    out.total += force.y() / (w * (2 * end + kPi * hung.reach) * hung.strip.width);
    const Vec3 place = mean_of_column(hung.strip, state, i);
    const double phi = std::atan2(place.x(), place.y());
    if (std::abs(phi) > kPi / 3) continue;
    const double exact = w * (end / hung.reach + 2 * std::cos(phi)) * hung.strip.cell * hung.strip.width;
    out.worst = std::max(out.worst, std::abs(force.norm() / exact - 1));
  }
  return out;
}

// T16: a square of 0.6 m dropped from 1 cm on a sphere of 0.15 m, c = 15 mm.
struct OnSphere {
  double support = 0;       // vertical contact force over weight
  double outside_cone = 0;  // largest |f_t| / (mu f_n) - 1 of a contact that carries weight
  double depth = 0;         // m below the sphere's surface, largest over all steps
  double slide = 0;         // m the middle particle went sideways
  double residual = 0;
  std::vector<double> hem;  // m, heights round the edge
  DrapeState state;
};
// RMS of the difference of two hems, m.
inline double hem_difference(const OnSphere& a, const OnSphere& b) {
  double sum = 0;
  for (size_t i = 0; i < a.hem.size(); ++i) sum += std::pow(a.hem[i] - b.hem[i], 2);
  return std::sqrt(sum / static_cast<double>(a.hem.size()));
}
inline std::unique_ptr<Collider> make_ball(double radius, Surface surface) {
  if (surface == Surface::kAnalytic) return make_solid_collider({Sphere{Vec3::Zero(), radius}});
  TriangleMesh ball;  // icosahedron, five times divided: 20,480 faces
  const double g = (1 + std::sqrt(5.0)) / 2;
  for (int axis = 0; axis < 3; ++axis)
    for (int a : {-1, 1})
      for (int b : {-1, 1}) {
        Vec3 p = Vec3::Zero();
        p[axis] = a, p[(axis + 1) % 3] = b * g;
        ball.positions.push_back(p.normalized() * radius);
      }
  const double edge = 2 / std::sqrt(1 + g * g) * radius * 1.01;
  const auto near = [&](int i, int j) { return (ball.positions[i] - ball.positions[j]).norm() < edge; };
  for (int i = 0; i < 12; ++i)
    for (int j = i + 1; j < 12; ++j)
      for (int k = j + 1; k < 12; ++k) {
        if (!near(i, j) || !near(j, k) || !near(i, k)) continue;
        const Vec3 &a = ball.positions[i], &b = ball.positions[j], &c = ball.positions[k];
        (b - a).cross(c - a).dot(a) > 0 ? ball.triangles.push_back(Triangle(i, j, k))
                                        : ball.triangles.push_back(Triangle(i, k, j));
      }
  for (int pass = 0; pass < 5; ++pass) {
    std::map<std::pair<int, int>, int> middle;
    std::vector<Triangle> finer;
    const auto half = [&](int i, int j) {
      const auto [at, fresh] = middle.try_emplace(std::minmax(i, j), static_cast<int>(ball.positions.size()));
      if (fresh) ball.positions.push_back((ball.positions[i] + ball.positions[j]).normalized() * radius);
      return at->second;
    };
    for (const Triangle& t : ball.triangles) {
      const int ab = half(t[0], t[1]), bc = half(t[1], t[2]), ca = half(t[2], t[0]);
      for (const Triangle& n :
           {Triangle(t[0], ab, ca), Triangle(ab, t[1], bc), Triangle(ca, bc, t[2]), Triangle(ab, bc, ca)})
        finer.push_back(n);
    }
    ball.triangles = std::move(finer);
  }
  return make_mesh_collider(std::move(ball));
}
// `from`: lies there already, and does not fall.
struct Drop {
  double mu = 0.3;
  int cells = 16;
  Surface surface = Surface::kAnalytic;
  double push = 0;  // m/s, along x
  int fall = 30, calm = 60;
  const DrapeState* from = nullptr;
};
inline OnSphere drop_on_sphere(const std::string& solver, const Drop& drop) {
  const double radius = 0.15, side = 0.6, mu = drop.mu;
  const int cells = drop.cells;
  Strip s;
  s.columns = s.rows = cells;
  s.cell = side / cells;
  s.start = -side / 2;
  s.width = side;
  s.mesh = MeshKind::kM2;
  ClothInput cloth = make_strip(s);
  cloth.fabric.areal_density = 0.15;
  const double w = 0.15 * kGravity;
  cloth.fabric.bend_warp = cloth.fabric.bend_weft = w * std::pow(0.015, 3);
  cloth.fabric.friction_static = cloth.fabric.friction_kinetic = mu;
  Scene scene = vacuum();
  for (Vec3& p : cloth.positions) p.y() = radius + scene.contact_offset + 0.01;
  const DrapeModel model = build_model(cloth).value();
  DrapeState state = drop.from ? *drop.from : start_state(cloth);
  if (!drop.from)
    for (RVec3& v : state.v) v.x() = Real(drop.push);
  const auto ball = make_ball(radius, drop.surface);
  scene.collider = ball.get();
  OnSphere out;
  SolverSettings settings;
  settings.iterations = 20;
  const int middle = s.at(cells / 2, cells / 2);
  const auto run = [&](const SolverSettings& with, int steps) {
    auto solve = make_solver(solver, model, with).value();
    for (int i = 0; i < steps; ++i) {
      const auto report = solve->step({}, scene, &state);
      if (!report.ok()) {
        ADD_FAILURE() << report.status();
        return;
      }
      out.residual = report->residual_max;
      for (const RVec3& x : state.x) out.depth = std::max(out.depth, radius - static_cast<double>(x.norm()));
    }
  };
  if (!drop.from) run(settings, drop.fall);
  if (drop.calm > 0) run(slow_steps(60, 1e-5), drop.calm);
  ElasticEnergy elastic(model, 0);
  std::vector<RVec3> gradient(state.x.size());
  elastic.evaluate({}, state.x.data(), 1, gradient.data());
  double support = 0, weight = 0;
  for (size_t i = 0; i < state.x.size(); ++i) {
    const Vec3 x = state.x[i].cast<double>(), normal = ball->query(x, 0.05).normal;
    const double own = static_cast<double>(model.mass[i]) * kGravity;
    weight += own;
    if (x.norm() > radius + scene.contact_offset + 2e-4) continue;
    const Vec3 force = gradient[i].cast<double>() + Vec3(0, own, 0);
    support += force.y();
    const double press = force.dot(normal), across = (force - press * normal).norm();
    if (press > own) out.outside_cone = std::max(out.outside_cone, across / std::max(1e-12, mu * press) - 1);
  }
  out.support = support / weight;
  out.slide = std::hypot(static_cast<double>(state.x[middle].x()), static_cast<double>(state.x[middle].z()));
  for (int i = 0; i < 4 * cells; ++i) {
    const int along = i % cells, at[][2] = {{along, 0}, {cells, along}, {cells - along, cells}, {0, cells - along}};
    out.hem.push_back(static_cast<double>(state.x[s.at(at[i / cells][0], at[i / cells][1])].y()));
  }
  out.state = std::move(state);
  return out;
}

}  // namespace tryon::sim::validation
