// Contact of the cloth with itself: distances against a fine search, pairs against brute force, the gradient against
// differences, layers that fall on each other and stay apart, and a crossed start that comes apart.
#include "server/sim/collision/self_contact.h"

#include <algorithm>
#include <random>
#include <set>

#include "gtest/gtest.h"
#include "server/sim/collision/element_distance.h"
#include "server/sim/residual_layers.h"
#include "tests/unit/sim/cloth_fixtures.h"

namespace tryon::sim {
namespace {

using testing::make_sheet;
using testing::SheetOptions;

class Random {
 public:
  Real unit() { return static_cast<Real>(static_cast<double>(engine_()) / 4294967296.0 - 0.5); }
  RVec3 point() { return {unit(), unit(), unit()}; }

 private:
  std::mt19937 engine_{11};
};

// Two sheets in one cloth, one `gap` above the other, the upper one turned and tilted a little.
ClothInput two_sheets(double gap, double tilt = 0.0) {
  ClothInput cloth = make_sheet({.width = 0.3, .length = 0.3, .columns = 10, .rows = 10});
  const ClothInput upper = make_sheet({.width = 0.2, .length = 0.2, .columns = 7, .rows = 7, .jitter = 0.3});
  const int first = static_cast<int>(cloth.positions.size());
  for (const Vec3& p : upper.positions) {
    cloth.positions.push_back(Vec3(0.8 * p.x() - 0.6 * p.z(), gap + tilt * p.x(), 0.6 * p.x() + 0.8 * p.z()));
  }
  for (const Triangle& t : upper.triangles) cloth.triangles.push_back(Triangle(t.array() + first));
  cloth.corner_flat.insert(cloth.corner_flat.end(), upper.corner_flat.begin(), upper.corner_flat.end());
  for (int i = 0; i < first; ++i) cloth.pinned.push_back(i);
  return cloth;
}

std::vector<RVec3> reals(const std::vector<Vec3>& points) {
  std::vector<RVec3> out;
  for (const Vec3& p : points) out.push_back(p.cast<Real>());
  return out;
}

bool segment_meets_triangle(const RVec3& p, const RVec3& q, const RVec3& a, const RVec3& b, const RVec3& c) {
  auto volume = [](const RVec3& u, const RVec3& v, const RVec3& w, const RVec3& x) {
    return (v - u).cross(w - u).dot(x - u);
  };
  if (volume(a, b, c, p) * volume(a, b, c, q) >= 0) return false;  // in the plane is not through it
  const Real s = volume(p, q, a, b), t = volume(p, q, b, c), u = volume(p, q, c, a);
  return (s >= 0 && t >= 0 && u >= 0) || (s <= 0 && t <= 0 && u <= 0);
}

using IndexPairs = std::set<std::pair<int, int>>;

// Edges that go through triangles with which they share no corner, each asked of each.
IndexPairs crossing_pairs(const ClothElements& elements, const std::vector<RVec3>& x) {
  IndexPairs out;
  for (int e = 0; e < static_cast<int>(elements.edges().size()); ++e)
    for (int t = 0; t < static_cast<int>(elements.triangles().size()); ++t) {
      const auto& edge = elements.edges()[e];
      const Triangle& tri = elements.triangles()[t];
      if ((tri.array() == edge.a).any() || (tri.array() == edge.b).any()) continue;
      if (segment_meets_triangle(x[edge.a], x[edge.b], x[tri[0]], x[tri[1]], x[tri[2]])) out.insert({e, t});
    }
  return out;
}

size_t crossings(const DrapeModel& model, const std::vector<RVec3>& x) {
  return crossing_pairs(ClothElements(model), x).size();
}

TEST(ElementDistance, NoPointOfATriangleIsNearerThanTheOneGiven) {
  Random random;
  for (int trial = 0; trial < 300; ++trial) {
    const RVec3 p = random.point(), a = random.point(), b = random.point(), c = random.point();
    const auto w = nearest_on_triangle(p, a, b, c);
    EXPECT_NEAR(w[0] + w[1] + w[2], 1.0, 1e-12);
    EXPECT_GE(std::min({w[0], w[1], w[2]}), -1e-12);
    const Real best = (w[0] * a + w[1] * b + w[2] * c - p).norm();
    for (int i = 0; i <= 20; ++i)
      for (int j = 0; j + i <= 20; ++j) {
        const RVec3 q = (i * a + j * b + (20 - i - j) * c) / 20;
        EXPECT_LE(best, (q - p).norm() + 1e-12);
      }
  }
}

TEST(ElementDistance, NoPointsOfTwoSegmentsAreNearerThanThoseGivenAlsoWhenParallel) {
  Random random;
  for (int trial = 0; trial < 300; ++trial) {
    const RVec3 a = random.point(), b = random.point(), c = random.point();
    const RVec3 d = trial % 3 ? random.point() : RVec3(c + (b - a) * (1 + random.unit()));
    const auto [s, t] = nearest_on_segments(a, b, c, d);
    const Real best = ((1 - s) * a + s * b - (1 - t) * c - t * d).norm();
    for (int i = 0; i <= 30; ++i)
      for (int j = 0; j <= 30; ++j) {
        const RVec3 q = a + (b - a) * i / 30, r = c + (d - c) * j / 30;
        EXPECT_LE(best, (q - r).norm() + 1e-9);
      }
  }
}

TEST(ElementDistance, ElementsWithoutExtentAnswerWithTheirCorners) {
  const RVec3 p(0, 0, 1), a(0, 0, 0), b(1, 0, 0);
  const auto on_line = nearest_on_triangle(p, a, b, RVec3(2, 0, 0));
  EXPECT_NEAR((on_line[0] * a + on_line[1] * b + on_line[2] * RVec3(2, 0, 0) - p).norm(), 1.0, 1e-12);
  const auto [s, t] = nearest_on_segments(a, a, p, p);
  EXPECT_TRUE(s >= 0 && s <= 1 && t >= 0 && t <= 1);
}

// All vertices and triangles, and all edges, without a corner in common that are nearer than `reach`.
IndexPairs near_vertex_triangles(const ClothElements& elements, const std::vector<RVec3>& x, Real reach) {
  IndexPairs out;
  for (int v = 0; v < static_cast<int>(x.size()); ++v)
    for (int t = 0; t < static_cast<int>(elements.triangles().size()); ++t) {
      const Triangle& tri = elements.triangles()[t];
      if ((tri.array() == v).any()) continue;
      const auto w = nearest_on_triangle(x[v], x[tri[0]], x[tri[1]], x[tri[2]]);
      if ((w[0] * x[tri[0]] + w[1] * x[tri[1]] + w[2] * x[tri[2]] - x[v]).norm() < reach) out.insert({v, t});
    }
  return out;
}

IndexPairs near_edges(const ClothElements& elements, const std::vector<RVec3>& x, Real reach) {
  IndexPairs out;
  for (int e = 0; e < static_cast<int>(elements.edges().size()); ++e)
    for (int f = 0; f < e; ++f) {
      const auto &p = elements.edges()[e], &q = elements.edges()[f];
      if (p.a == q.a || p.a == q.b || p.b == q.a || p.b == q.b) continue;
      const auto [s, t] = nearest_on_segments(x[p.a], x[p.b], x[q.a], x[q.b]);
      if (((1 - s) * x[p.a] + s * x[p.b] - (1 - t) * x[q.a] - t * x[q.b]).norm() < reach) out.insert({f, e});
    }
  return out;
}

size_t expect_among(const IndexPairs& wanted, const IndexPairs& found) {
  for (const auto& pair : wanted) EXPECT_TRUE(found.count(pair)) << pair.first << " " << pair.second;
  return wanted.size();
}

// Says how many vertices and triangles are near.
size_t expect_near_found_once(const ClothElements& elements, const std::vector<RVec3>& x, Real reach) {
  IndexPairs vertex_triangles, edge_edges;
  for (const auto& p : elements.vertex_triangles()) EXPECT_TRUE(vertex_triangles.insert({p.vertex, p.triangle}).second);
  for (const auto& p : elements.edge_edges()) EXPECT_TRUE(edge_edges.insert(std::minmax(p.first, p.second)).second);
  expect_among(near_edges(elements, x, reach), edge_edges);
  return expect_among(near_vertex_triangles(elements, x, reach), vertex_triangles);
}

TEST(ClothElements, FindsEveryPairThatBruteForceFindsOnce) {
  const ClothInput cloth = two_sheets(0.01, 0.05);
  const auto model = build_model(cloth);
  ASSERT_TRUE(model.ok()) << model.status();
  ClothElements elements(*model);
  const std::vector<RVec3> x = reals(cloth.positions);
  elements.find(x, Real(0.012));
  EXPECT_GT(expect_near_found_once(elements, x, Real(0.012)), 50);
}

// Planes, middles and boxes leave out only what is farther away: also of crumpled cloth, of triangles without extent,
// far from the origin, and of what merely touches.
TEST(ClothElements, OverlooksNothingNearInCrumpledCloth) {
  const auto model = build_model(two_sheets(0.01));
  ASSERT_TRUE(model.ok()) << model.status();
  Random random;
  for (const Real reach : {Real(0), Real(0.001), Real(0.01), Real(0.03)}) {
    std::vector<RVec3> x(model->particle_count);
    for (RVec3& p : x) p = Real(0.2) * random.point() + RVec3(150, -120, 30);
    for (int k = 0; k < 3; ++k) {
      const Triangle& t = model->triangles[20 * k];
      x[t[1]] = x[t[0]];
      if (k > 0) x[t[2]] = Real(0.5) * (x[t[0]] + x[t[1]]);
    }
    ClothElements elements(*model);
    elements.find(x, reach);
    expect_near_found_once(elements, x, reach);
    IndexPairs edge_triangles;
    for (const auto& p : elements.edge_triangles()) EXPECT_TRUE(edge_triangles.insert({p.edge, p.triangle}).second);
    EXPECT_GT(expect_among(crossing_pairs(elements, x), edge_triangles), 100);
  }
}

TEST(SelfContact, TheGradientIsThatOfTheEnergy) {
  const ClothInput cloth = two_sheets(0.0016, 0.003);
  const auto model = build_model(cloth);
  ASSERT_TRUE(model.ok()) << model.status();
  SelfContact contact(*model, Real(2e-3), std::vector<Real>(model->particle_count, Real(0.3)),
                      std::vector<Real>(model->particle_count, 50), static_cast<Real>(Scene{}.steep_share));
  std::vector<RVec3> x = reals(cloth.positions), gradient(x.size(), RVec3::Zero());
  contact.begin_step({}, x);
  Random random;
  for (RVec3& p : x) p += Real(2e-4) * random.point();  // friction has slipped
  contact.limit(RunContext(), &x);
  EXPECT_GT(contact.add({}, x, &gradient), 0.0);
  int checked = 0;
  for (size_t i = 0; i < x.size() && checked < 40; ++i) {
    if (gradient[i].norm() < 1e-6) continue;
    ++checked;
    for (int k = 0; k < 3; ++k) {
      const Real h = Real(1e-8);
      std::vector<RVec3> scratch(x.size(), RVec3::Zero()), moved = x;
      moved[i][k] += h;
      const double up = contact.add({}, moved, &scratch);
      moved[i][k] -= 2 * h;
      const double down = contact.add({}, moved, &scratch);
      const double scale = std::max(1e-3, static_cast<double>(gradient[i].norm()));
      EXPECT_NEAR((up - down) / (2.0 * static_cast<double>(h)), static_cast<double>(gradient[i][k]), 1e-3 * scale);
    }
  }
  EXPECT_GT(checked, 10);
}

TEST(SelfContact, TheCertificatesForcesAreThoseOfTheSolverBySomeOtherWay) {
  const ClothInput cloth = two_sheets(0.0016, 0.003);
  const auto model = build_model(cloth);
  ASSERT_TRUE(model.ok()) << model.status();
  const std::vector<RVec3> x = reals(cloth.positions);
  SelfContact contact(*model, Real(2e-3), std::vector<Real>(model->particle_count, 0),
                      std::vector<Real>(model->particle_count, 50), static_cast<Real>(Scene{}.steep_share));
  contact.begin_step({}, x);
  std::vector<RVec3> gradient(x.size(), RVec3::Zero());
  contact.add({}, x, &gradient);
  const LayerForces plain =
      layer_forces(*model, cloth.positions, 2e-3, std::vector<double>(x.size(), 50), Scene{}.steep_share);
  double largest = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    largest = std::max(largest, plain.normal[i].norm());
    EXPECT_LT((plain.normal[i] + gradient[i].cast<double>()).norm(), 1e-9 + 1e-6 * plain.normal[i].norm()) << i;
    EXPECT_GE(plain.friction[i], 0.0);
  }
  EXPECT_GT(largest, 1e-3);
}

SelfContact contact_of(const DrapeModel& model, std::vector<uint8_t> of = {}) {
  return SelfContact(model, Real(2e-3), std::vector<Real>(model.particle_count, 0),
                     std::vector<Real>(model.particle_count, 50), static_cast<Real>(Scene{}.steep_share),
                     std::move(of));
}

std::vector<RVec3> gradient_of(SelfContact* contact, const std::vector<RVec3>& x) {
  std::vector<RVec3> out(x.size(), RVec3::Zero());
  contact->begin_step({}, x);
  contact->add({}, x, &out);
  return out;
}

// Half of both sheets: there it presses as everywhere, a ring from its border on, nothing does elsewhere, and the
// certificate sees the same. Who is not meant goes where it likes, who is as without.
TEST(SelfContact, OnlyWhatIsMeantIsKeptApart) {
  const ClothInput cloth = two_sheets(0.0016, 0.003);
  const auto model = build_model(cloth);
  ASSERT_TRUE(model.ok()) << model.status();
  const std::vector<RVec3> x = reals(cloth.positions);
  std::vector<uint8_t> half;
  for (const RVec3& p : x) half.push_back(p.x() < 0);
  SelfContact all = contact_of(*model), there = contact_of(*model, half),
              each = contact_of(*model, std::vector<uint8_t>(x.size(), 1));
  const std::vector<RVec3> everywhere = gradient_of(&all, x), on_half = gradient_of(&there, x);
  EXPECT_EQ(gradient_of(&each, x), everywhere) << "all are meant";
  const LayerForces certified =
      layer_forces(*model, cloth.positions, 2e-3, std::vector<double>(x.size(), 50), Scene{}.steep_share, half);
  Real deep = 0, outside = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    EXPECT_LT((certified.normal[i] + on_half[i].cast<double>()).norm(), 1e-9 + 1e-6 * certified.normal[i].norm()) << i;
    if (!half[i]) {
      EXPECT_EQ(on_half[i], RVec3::Zero()) << i;
      outside = std::max(outside, everywhere[i].norm());
    }
    if (x[i].x() < Real(-0.07)) {
      EXPECT_LT((on_half[i] - everywhere[i]).norm(), Real(1e-6)) << i;
      deep = std::max(deep, on_half[i].norm());
    }
  }
  EXPECT_GT(deep, 1e-3);
  EXPECT_GT(outside, 1e-3);
  std::vector<RVec3> away = x, close = x;
  for (size_t i = 121; i < x.size(); ++i) (half[i] ? close : away)[i].y() -= Real(0.05);
  EXPECT_FALSE(there.limit({}, &away)) << "it crosses, as nobody asked it not to";
  EXPECT_TRUE(there.limit({}, &close));
  for (size_t i = 121; i < x.size(); ++i)
    if (x[i].x() < Real(-0.07)) {
      EXPECT_LT((close[i] - x[i]).norm(), Real(2e-3)) << i;
    }
}

// Friction that a pair held is known to who keeps more apart.
TEST(SelfContact, WhatPairsHeldGoesOnWhereMoreIsKeptApart) {
  const ClothInput cloth = two_sheets(0.0016, 0.003);
  const auto model = build_model(cloth);
  ASSERT_TRUE(model.ok()) << model.status();
  const auto rough = [&](std::vector<uint8_t> of) {
    return SelfContact(*model, Real(2e-3), std::vector<Real>(model->particle_count, Real(0.4)),
                       std::vector<Real>(model->particle_count, 50), static_cast<Real>(Scene{}.steep_share),
                       std::move(of));
  };
  std::vector<RVec3> x = reals(cloth.positions);
  std::vector<uint8_t> half;
  for (const RVec3& p : x) half.push_back(p.x() < 0);
  SelfContact narrow = rough(half), wide = rough({}), forgetful = rough({});
  narrow.begin_step({}, x);
  for (size_t i = 121; i < x.size(); ++i) x[i].x() += Real(3e-4);
  std::vector<RVec3> unread(x.size(), RVec3::Zero());
  narrow.add({}, x, &unread);
  const std::vector<RVec3> knows_nothing = gradient_of(&forgetful, x);
  wide.go_on_from(narrow);
  const std::vector<RVec3> now = gradient_of(&wide, x);
  double held = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    const double dragged = static_cast<double>((now[i] - knows_nothing[i]).norm());
    if (half[i]) held = std::max(held, dragged);
    if (x[i].x() > Real(0.08)) {
      EXPECT_EQ(dragged, 0) << i;
    }
  }
  EXPECT_GT(held, 1e-4);
}

// The limits of friction are of the step's start: a layer that slides, and is lifted a little while it does, is held by
// more than it presses at the end.
TEST(SelfContact, FrictionIsOverheldByWhatTheCertificateMisses) {
  const ClothInput cloth = two_sheets(0.0016, 0.003);
  const auto model = build_model(cloth);
  ASSERT_TRUE(model.ok()) << model.status();
  std::vector<Real> friction;
  for (int i = 0; i < model->particle_count; ++i)
    friction.push_back(static_cast<Real>(model->fabric_of(i).friction_kinetic));
  SelfContact rough(*model, Real(2e-3), friction, std::vector<Real>(model->particle_count, 50),
                    static_cast<Real>(Scene{}.steep_share));
  SelfContact smooth = contact_of(*model);
  const std::vector<RVec3> start = reals(cloth.positions);
  rough.begin_step({}, start);
  smooth.begin_step({}, start);
  double before = -1;
  for (const Real lift : {Real(0), Real(1e-4), Real(2e-4)}) {
    std::vector<RVec3> x = start, with(x.size(), RVec3::Zero()), without = with;
    for (size_t i = 121; i < x.size(); ++i) x[i] += RVec3(Real(3e-4), lift, 0);
    rough.add({}, x, &with);
    smooth.add({}, x, &without);
    std::vector<Vec3> points;
    for (const RVec3& p : x) points.push_back(p.cast<double>());
    const LayerForces now = layer_forces(*model, points, 2e-3, std::vector<double>(x.size(), 50), Scene{}.steep_share);
    double missing = 0;
    for (size_t i = 0; i < x.size(); ++i)
      missing = std::max(missing, (with[i] - without[i]).cast<double>().norm() - now.friction[i]);
    const double overheld = static_cast<double>(rough.overheld(x));
    EXPECT_NEAR(overheld, missing, 1e-9 + 1e-5 * missing) << lift;
    EXPECT_GT(overheld, before) << lift;
    before = overheld;
  }
  EXPECT_GT(before, 1e-3);
  std::vector<RVec3> unread(start.size(), RVec3::Zero());
  rough.add({}, start, &unread);
  EXPECT_EQ(rough.overheld(start), 0) << "nothing has slipped";
}

TEST(SelfContact, LayersThatMoveAlikeGoFartherThanTheyAreApart) {
  const ClothInput cloth = two_sheets(0.0016, 0.003);
  const auto model = build_model(cloth);
  ASSERT_TRUE(model.ok()) << model.status();
  SelfContact contact = contact_of(*model);
  const std::vector<RVec3> start = reals(cloth.positions);
  contact.begin_step({}, start);
  std::vector<RVec3> together = start, on_each_other = start;
  for (RVec3& p : together) p += RVec3(Real(1e-3), Real(-4e-3), Real(2e-3));
  for (size_t i = 121; i < start.size(); ++i) on_each_other[i] += RVec3(Real(1e-3), Real(-4e-3), Real(2e-3));
  EXPECT_FALSE(contact.limit(RunContext(), &together));
  EXPECT_EQ(together.back(), start.back() + RVec3(Real(1e-3), Real(-4e-3), Real(2e-3)));
  EXPECT_TRUE(contact.limit(RunContext(), &on_each_other)) << "the upper one alone";
  EXPECT_LT((on_each_other.back() - start.back()).norm(), 2e-3);
}

// Each vertex anywhere, all in waves, or all alike with a little of the others: nothing meets at the end nor on the
// way.
TEST(SelfContact, HoweverLayersAreMovedTheyDoNotCrossOnTheWay) {
  const ClothInput cloth = two_sheets(0.0016, 0.003);
  const auto model = build_model(cloth);
  ASSERT_TRUE(model.ok()) << model.status();
  SelfContact contact = contact_of(*model);
  std::vector<RVec3> x = reals(cloth.positions);
  contact.begin_step({}, x);
  Random random;
  int taken_back = 0;
  Real farthest = 0;
  for (int turn = 0; turn < 60; ++turn) {
    const RVec3 common = Real(0.012) * random.point(), wave = random.point() * 40;
    std::vector<RVec3> trial = x;
    for (RVec3& p : trial) {
      if (turn % 3 == 0) p += Real(0.012) * random.point();
      if (turn % 3 == 1) p += std::sin(wave.dot(p)) * common;
      if (turn % 3 == 2) p += common + Real(5e-4) * random.point();
    }
    taken_back += contact.limit(RunContext(), &trial);
    for (int i = 1; i <= 8; ++i) {
      std::vector<RVec3> between = x;
      for (size_t k = 0; k < x.size(); ++k) between[k] += (trial[k] - x[k]) * Real(i) / 8;
      ASSERT_EQ(crossings(*model, between), 0) << turn << " at " << i << " eighths";
    }
    farthest = std::max(farthest, (trial[0] - x[0]).norm());
    x = trial;
    if (turn % 2 == 1) contact.renew({}, x);  // every second trial starts where the bounds are not
  }
  EXPECT_GT(taken_back, 20);
  EXPECT_GT(farthest, 1e-3);
}

DrapeState drop(const ClothInput& cloth, const DrapeModel& model, double self_contact, int steps) {
  SolverSettings settings;
  settings.iterations = 20;
  auto solver = make_solver("lbfgs", model, settings);
  EXPECT_TRUE(solver.ok()) << solver.status();
  Scene scene;
  scene.self_contact = self_contact;
  DrapeState state = start_state(cloth);
  for (int i = 0; i < steps; ++i) {
    const auto step = (*solver)->step(RunContext{}, scene, &state);
    EXPECT_TRUE(step.ok()) << step.status();
    if (!step.ok()) break;
  }
  return state;
}

TEST(SelfContact, ALayerThatFallsOnAnotherStaysAboveItAndFallsThroughWithout) {
  const ClothInput cloth = two_sheets(0.03, 0.1);
  const auto model = build_model(cloth);
  ASSERT_TRUE(model.ok()) << model.status();
  const DrapeState held = drop(cloth, *model, 2e-3, 40);
  EXPECT_EQ(crossings(*model, held.x), 0);
  Real lowest = 1;
  for (int i = 121; i < model->particle_count; ++i) lowest = std::min(lowest, held.x[i].y());
  EXPECT_GT(lowest, 0.0) << "it lies on the pinned sheet";
  EXPECT_LT(lowest, 0.01);
  const DrapeState fallen = drop(cloth, *model, 0.0, 40);
  EXPECT_LT(fallen.x.back().y(), -0.05);
}

TEST(SelfContact, LayersThatStartCrossedComeApart) {
  ClothInput cloth = two_sheets(0.004, 0.08);  // one side of the upper sheet pokes through the lower one
  const auto model = build_model(cloth);
  ASSERT_TRUE(model.ok()) << model.status();
  ASSERT_GT(crossings(*model, reals(cloth.positions)), 5);
  const DrapeState state = drop(cloth, *model, 2e-3, 120);
  EXPECT_EQ(crossings(*model, state.x), 0);
}

TEST(SelfContact, TheSameStepsGiveTheSameBytes) {
  const ClothInput cloth = two_sheets(0.01, 0.1);
  const auto model = build_model(cloth);
  ASSERT_TRUE(model.ok()) << model.status();
  const DrapeState once = drop(cloth, *model, 2e-3, 15), again = drop(cloth, *model, 2e-3, 15);
  for (size_t i = 0; i < once.x.size(); ++i) EXPECT_EQ(once.x[i], again.x[i]);
}

TEST(SelfContact, AnyNumberOfThreadsGivesTheBytesOfOne) {
  ClothInput cloth = make_sheet({.width = 0.4, .length = 0.4, .columns = 24, .rows = 24, .jitter = 0.3});
  for (Vec3& p : cloth.positions) p = Vec3(0.2 * p.x(), 0.05 * p.x() * p.z() + 1e-3 * std::sin(900 * p.x()), p.z());
  const auto model = build_model(cloth);
  ASSERT_TRUE(model.ok()) << model.status();
  const std::vector<RVec3> start = reals(cloth.positions);
  std::vector<RVec3> alone;
  double alone_energy = 0;
  for (const int threads : {1, 2, 7}) {
    Executor pool(threads);
    RunContext run;
    run.executor = &pool;
    SelfContact contact = contact_of(*model);
    contact.begin_step(run, start);
    std::vector<RVec3> x = start, gradient(start.size(), RVec3::Zero());
    Random random;
    for (RVec3& p : x) p += Real(1e-3) * random.point();
    contact.limit(RunContext(), &x);
    const double energy = contact.add(run, x, &gradient);
    EXPECT_GT(energy, 0.0);
    if (threads == 1) alone = gradient, alone_energy = energy;
    EXPECT_EQ(energy, alone_energy) << threads;
    for (size_t i = 0; i < x.size(); ++i) ASSERT_EQ(gradient[i], alone[i]) << threads << " " << i;
  }
}

}  // namespace
}  // namespace tryon::sim
