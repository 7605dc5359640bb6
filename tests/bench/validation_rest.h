// What it is: the sections membrane, motion, contact, layers, orders, lbfgs and queries of the validation study.
// Units: SI. How it fails: a missed target is a row that says so. Thread rules: one thread.
#pragma once

#include <ctime>

#include "tests/bench/papers_ji.h"
#include "tests/bench/validation_bending.h"
#include "tests/validation/contact_scenes.h"
#include "tests/validation/layer_scenes.h"
#include "tests/validation/membrane_scenes.h"

namespace tryon::sim::validation {

using study::cpu_s;

inline void membrane_section(Report* report) {
  report->section("T5 catenary, T9 bulge");
  for (const char* solver : {"newton", "lbfgs", "spring_projection"}) {
    const Sag firm = catenary(solver, 0.8, 100, 40), soft = catenary(solver, 0.8, 30, 40);
    report->near("T5", std::string(solver) + ", k 100, sag", 0.26874628, firm.sag, 0.005);
    report->near("T5", std::string(solver) + ", k 100, pull", 0.33354809, firm.pull, 0.01);
    report->near("T5", std::string(solver) + ", k 30, sag", 0.27618690, soft.sag, 0.005);
    report->near("T5", std::string(solver) + ", k 30, pull", 0.32351452, soft.pull, 0.01);
  }
  const double table[][3] = {{0.2, 0.47283367, 0.02794674},
                             {0.5, 0.39819418, 0.11482011},
                             {0.8, 0.26543751, 0.33820188},
                             {0.9, 0.19070900, 0.56009438},
                             {0.95, 0.13589750, 0.85186210}};
  for (const auto& [span, sag, pull] : table) {
    const Sag c = catenary("newton", span, 1e5, 40);
    report->near("T5", "newton, inextensible, span " + number(span) + ", sag", sag, c.sag, 0.005);
    report->near("T5", "newton, inextensible, span " + number(span) + ", pull", pull, c.pull, 0.01);
    report->near("T5", "newton, inextensible, span " + number(span) + ", support over weight", 1, c.support, 1e-4);
  }
  const double hencky[][2] = {{0, 0.71831924}, {0.2, 0.67743533}, {0.3, 0.65344334}, {0.5, 0.59487903}};
  for (const auto& [poisson, exact] : hencky)
    report->near("T9 a", "disc, nu " + number(poisson), exact, bulge_of_disc("newton", poisson, 20, 10), 0.015);
  const double arc[][3] = {{0.001, 0.0911573, 0.0909059},
                           {0.01, 0.1988055, 0.1962382},
                           {0.05, 0.3506634, 0.3371437},
                           {0.1, 0.4548442, 0.4264916}};
  for (const auto& [lambda, linear, stvk] : arc) {
    report->near("T9 b", "strip, threads, lambda " + number(lambda), linear,
                 bulge_of_strip("newton", SpringLayout::kThreads, lambda, 20), 0.005);
    report->near("T9 b", "strip, continuum, lambda " + number(lambda), stvk,
                 bulge_of_strip("newton", SpringLayout::kMembrane, lambda, 20), 0.005);
  }
}

inline void motion_section(Report* report) {
  report->section("T10 pendulums");
  for (const char* solver : {"newton", "lbfgs"})
    for (int rate : {60, 120}) {
      const double exact = 1.66865, h = 1.0 / rate, wh = 2 * kPi / exact * h;
      const Swing swing = hanging_strip(solver, h, solver == std::string("newton") ? 60 : 1000);
      const double shifted = exact * wh / std::atan(wh);
      const double decay = std::pow(1 + wh * wh, -0.5 * shifted / h);
      const std::string what = std::string(solver) + ", h = 1/" + std::to_string(rate);
      report->near("T10 a", what + ", period s", shifted, swing.period, 0.01);
      report->near("T10 c", what + ", loss an oscillation", 1 - decay, 1 - swing.decay, 0.05);
    }
  const double periods[] = {1.66865, 0.72695, 0.46371};
  for (int mode = 1; mode <= 3; ++mode) {
    HangingStrip o;
    o.mode = mode, o.h = 1.0 / 240;
    const double exact = periods[mode - 1], wh = 2 * kPi / exact * o.h;
    report->near("T10 a", "newton, mode " + std::to_string(mode) + ", h = 1/240, period s", exact * wh / std::atan(wh),
                 hanging_strip("newton", o).period, 0.01);
  }
  const double stiffened[][3] = {
      {1e-3, 0, 1.2032349}, {1e-2, 0, 1.2079530}, {1e-3, 1, 1.2236594}, {1e-2, 1, 1.2868744}};
  for (const auto& [bend, clamped, omega] : stiffened) {
    HangingStrip o;
    o.bend = bend, o.clamped = clamped > 0, o.h = 1.0 / 120;
    const double exact = 2 * kPi / (omega * std::sqrt(kGravity)), wh = 2 * kPi / exact * o.h;
    report->near("T10 a", std::string(o.clamped ? "clamped" : "hinged") + ", B / wL^3 " + number(bend) + ", period s",
                 exact * wh / std::atan(wh), hanging_strip("newton", o).period, 0.01);
  }
  const double plate[][2] = {{5, 1.158953}, {10, 1.160610}, {30, 1.178567}, {60, 1.243175}, {90, 1.367308}};
  for (const auto& [degrees, exact] : plate)
    report->near("T10 b", "rigid plate, " + number(degrees) + " degrees, period s", exact,
                 plate_period("newton", degrees, 1.0 / 120), 0.005);
}

inline double holding_length(const std::string& solver, double mu, double exact) {
  double low = 0.9 * exact, high = 1.1 * exact;
  Hung h;
  h.mu = mu;
  while (high / low > 1.005) {
    h.long_end = std::sqrt(low * high);
    (slip_of(solver, h, 3, 100, 60) > 2e-3 ? high : low) = h.long_end;
  }
  return std::sqrt(low * high);
}

inline void contact_section(Report* report) {
  report->section("T14 capstan, T2 / T1 against the polygon, newton");
  for (double mu : {0.2, 0.3, 0.5})
    for (double wrap : {kPi / 2, kPi})
      for (int n : {8, 16, 32}) {
        Capstan c;
        c.mu = mu, c.wrap = wrap, c.touching = n;
        report->near("T14", "mu " + number(mu) + ", " + number(wrap * 180 / kPi) + " degrees, n = " + std::to_string(n),
                     capstan_exact(mu, wrap, n), capstan_ratio("newton", c), 0.02);
      }
  Capstan faceted;
  faceted.surface = Surface::kTriangles;
  report->near("T14", "triangulated cylinder, mu 0.3", capstan_exact(0.3, kPi, 32), capstan_ratio("newton", faceted),
               0.04);
  report->section("T15 strip over a cylinder: longest end that holds, over R; l_1 = 2 R");
  const double hold[][2] = {{0.1, 3.20735}, {0.3, 7.09578}, {0.5, 14.26934}};
  for (const auto& [mu, exact] : hold)
    report->near("T15", "newton, mu " + number(mu), exact, holding_length("newton", mu, 0.05 * exact) / 0.05, 0.03);
  const Pressure p = pressure_under("newton", 0.2);
  report->at_most("T15", "no friction, worst pressure error", 0.03, p.worst);
  report->near("T15", "no friction, total support", 1, p.total, 1e-3);
  report->section("T16 cloth on a sphere, 24 x 24, lbfgs");
  Drop drop;
  drop.cells = 24, drop.calm = 240;
  OnSphere on_sphere;
  for (const Surface surface : {Surface::kAnalytic, Surface::kTriangles}) {
    const std::string what = surface == Surface::kAnalytic ? "analytic" : "20,480 triangles";
    drop.surface = surface;
    const OnSphere rest = drop_on_sphere("lbfgs", drop);
    if (surface == Surface::kAnalytic) on_sphere = rest;
    report->near("T16", what + ", support over weight", 1, rest.support, 2e-3);
    report->at_most("T16", what + ", beyond its cone", 1e-3, rest.outside_cone);
    report->at_most("T16", what + ", deepest, mm", 0.5, 1e3 * rest.depth);
    if (surface == Surface::kTriangles)
      report->at_most("T16", "hem, both dropped, rms difference mm", 1, 1e3 * hem_difference(on_sphere, rest));
  }
  drop.from = &on_sphere.state;
  report->at_most("T16", "hem, triangles from the analytic rest, rms difference mm", 1,
                  1e3 * hem_difference(on_sphere, drop_on_sphere("lbfgs", drop)));
}

inline void layers_section(Report* report) {
  report->section("T17 layers, lbfgs");
  const Stack stack = pile_up(10, 8);
  report->near("T17 a", "10 sheets, height mm", 1e3 * stack.expected, 1e3 * stack.height, 0.05);
  report->at_most("T17 a", "crossings", 0, stack.crossings);
  report->near("T17 a", "10 sheets, support over weight", 1, stack.support, 2e-3);
  for (double mu : {0.2, 0.4}) {
    double low = 1, high = 40;
    while (high - low > 0.5) {
      const double middle = 0.5 * (low + high);
      (slide_of_layer(mu, middle, 1.0) > 0.02 ? high : low) = middle;
    }
    report->within("T17 b", "mu " + number(mu) + ", sliding angle", std::atan(mu) * 180 / kPi, 0.5 * (low + high), 2);
  }
  const Twisted twisted = twist_strip(4, 6);
  report->within("T17 c", "turns reached", 4, twisted.turns, 1e-6);
  report->at_most("T17 c", "crossings over all frames", 0, twisted.crossings);
}

// Errors at three resolutions, each twice the one before, and the order of the last two.
inline void order_row(Report* report, const std::string& what, double least, const double (&error)[3]) {
  report->at_least(
      "order",
      what + ": errors " + Report::value(error[0]) + ", " + Report::value(error[1]) + ", " + Report::value(error[2]),
      least, std::log2(std::abs(error[1] / error[2])));
}

// Sag over length of an elastic catenary (specification 2.1), `k` its stiffness over its weight.
inline double elastic_sag(double span, double k) {
  double low = 1e-6, high = 10;  // the pull over the weight
  for (int i = 0; i < 200; ++i) {
    const double pull = 0.5 * (low + high), reach = pull / k + 2 * pull * std::asinh(0.5 / pull);
    (reach < span ? low : high) = pull;
  }
  return 0.125 / k + std::sqrt(low * low + 0.25) - low;
}

inline void orders_section(Report* report) {
  report->section("Convergence under refinement: order of the error from the last doubling");
  const struct {
    SpringLayout layout;
    const char* name;
  } layouts[] = {
      {SpringLayout::kThreads, "threads"}, {SpringLayout::kMembrane, "continuum"}, {SpringLayout::kEdges, "springs"}};
  for (const auto& l : layouts) {
    double error[3];
    for (int k = 0; k < 3; ++k)
      error[k] = catenary("newton", 0.8, 1e4, 10 << k, l.layout).sag / elastic_sag(0.8, 1e4) - 1;
    order_row(report, std::string("mesh, catenary, ") + l.name, 1.7, error);
  }
  for (const Law& law : kLaws) {
    double error[3];
    for (int k = 0; k < 3; ++k) {
      Cantilever c;
      c.elements = 10 << k, c.bend = law.law, c.mesh = MeshKind::kM3;
      error[k] = cantilever_error(c, "newton");
    }
    order_row(report, std::string("mesh M3, cantilever, ") + law.name, law.law == BendLaw::kShape ? 1.7 : 0, error);
  }
  // At small slopes: at a pressure of 0.1 Pa what Hencky leaves out (2e-4) is as large as the error at 20 rings.
  double disc[3];
  for (int k = 0; k < 3; ++k) disc[k] = bulge_of_disc("newton", 0, 10 << k, 0.01) / 0.71831924 - 1;
  order_row(report, "mesh, bulge of a disc, continuum", 1.7, disc);
  // A swing is a matter of tension, and methods of one constant matrix need as many iterations as stretch stiffness is
  // larger: at 1e4 N/m a thousand are too few for h = 1/60, at 1e3 N/m (elongation 0.1 %) they are enough.
  for (double stretch : {1e4, 1e3})
    for (const char* solver : {"newton", "lbfgs", "spring_projection", "pd_direct", "admm"}) {
      double error[3];
      for (int k = 0; k < 3; ++k) {
        HangingStrip o;
        o.h = 1.0 / (60 << k), o.stretch = stretch, o.iterations = solver == std::string("newton") ? 60 : 1000;
        error[k] = hanging_strip(solver, o).decay - 1;
      }
      order_row(report, "time step, loss of a swing, " + number(stretch) + " N/m, " + solver, 0.8, error);
    }
}

inline void lbfgs_section(Report* report) {
  report->section("T10 by lbfgs: iterations and tolerance");
  const double exact = 1.66865, h = 1.0 / 60, wh = 2 * kPi / exact * h, shifted = exact * wh / std::atan(wh);
  for (double tolerance : {1e-2, 1e-3, 1e-4, 1e-5, 1e-7})
    for (int iterations : {10, 40, 200, 1000}) {
      const double start = cpu_s();
      const Swing swing = hanging_strip("lbfgs", h, iterations, tolerance);
      const std::string what = "at most " + std::to_string(iterations) + ", tolerance " + number(tolerance) + ", " +
                               number(static_cast<double>(swing.iterations) / 240) + " a step, " +
                               number((cpu_s() - start) * 1e3 / 240) + " ms a step";
      report->near("T10 a", what + ", period", shifted, swing.period, 0.01);
      report->near("T10 c", what + ", loss", 1 - 0.8212, 1 - swing.decay, 0.05);
    }
}

// Microseconds a question, and a particle's share of everything else in a step.
inline double query_us(const Collider& body, const std::vector<Vec3>& points, bool batch) {
  std::vector<Contact> contacts(points.size());
  const double start = cpu_s();
  int rounds = 0;
  while (cpu_s() - start < 0.5) {
    if (batch) {
      body.query(points, 0.05, contacts);
    } else {
      for (size_t i = 0; i < points.size(); ++i) contacts[i] = body.query(points[i], 0.05);
    }
    ++rounds;
  }
  return 1e6 * (cpu_s() - start) / rounds / static_cast<double>(points.size());
}

inline void queries_section(Report* report) {
  const auto frusta = make_solid_collider(study::figure_frusta());
  const auto scan = make_mesh_collider(study::figure_mesh(250, 200));
  const TriangleMesh mesh = study::figure_mesh(250, 200);
  std::mt19937 random(5);
  std::vector<Vec3> points;
  for (int i = 0; i < 5600; ++i) {
    const Vec3& p = mesh.positions[random() % (mesh.positions.size() - 2)];
    const Vec3 out = Vec3(p.x(), 0, p.z()).normalized();
    points.push_back(p + out * (0.03 * static_cast<double>(random()) / 4294967296.0));
  }
  // Each triangle in turn, as without any structure.
  const double start = cpu_s();
  double sink = 0;
  for (int i = 0; i < 20; ++i)
    for (const Triangle& t : mesh.triangles)
      sink += (mesh.positions[t[0]] + mesh.positions[t[1]] + mesh.positions[t[2]] - 3 * points[i]).squaredNorm();
  const double brute = 1e6 * (cpu_s() - start) / 20;
  report->print(
      "\n## Ji 2004: what a question costs, microseconds of one thread\n\n| body | one by one | in a batch "
      "|\n|---|---|---|\n");
  report->print("| 24 frusta | " + number(query_us(*frusta, points, false)) + " | " +
                number(query_us(*frusta, points, true)) + " |\n");
  report->print("| 100,500 triangles, tree | " + number(query_us(*scan, points, false)) + " | " +
                number(query_us(*scan, points, true)) + " |\n");
  report->print("| 100,500 triangles, centroids one after the other" + std::string(sink < 0 ? " " : "") + " | " +
                number(brute) + " | |\n");
  const ClothInput cloth = study::straight_dress(94, 94 * 85 / 132);
  const DrapeModel model = build_model(cloth).value();
  ElasticEnergy elastic(model, 0);
  DrapeState state = start_state(cloth);
  std::vector<RVec3> gradient(state.x.size());
  const double from = cpu_s();
  int rounds = 0;
  for (; cpu_s() - from < 0.5; ++rounds) elastic.evaluate({}, state.x.data(), 1, gradient.data());
  report->print("\nForces of the springs: " + number(1e6 * (cpu_s() - from) / rounds / model.particle_count) +
                " microseconds a particle.\n");
}

inline Sections other_sections() {
  return {{"membrane", membrane_section}, {"motion", motion_section}, {"contact", contact_section},
          {"layers", layers_section},     {"orders", orders_section}, {"lbfgs", lbfgs_section},
          {"queries", queries_section}};
}

}  // namespace tryon::sim::validation
