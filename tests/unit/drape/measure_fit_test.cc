// Real drapes of the templates, coarse enough for every commit: what must be true of their fit whatever the cloth does.
#include "server/drape/measure_fit.h"

#include <cmath>
#include <map>
#include <optional>
#include <set>

#include "gtest/gtest.h"
#include "server/drape/cut_body.h"
#include "server/garment/template.h"
#include "server/sim/collision/collider.h"
#include "tests/unit/drape/fitted_person.h"

namespace tryon {
namespace {
constexpr double kOwnWeight = 0.05, kBorneWeight = 0.15;  // of the comfortable strain; where all of the cloth hangs

struct Worn {
  FittedPerson person;
  GarmentMesh garment;
  Settled settled;
  Fabric fabric;
  FitReport fit() const { return measure_fit(RunContext(), person, garment, settled, fabric); }
};

FittedPerson sample_person() { return testing::fitted_person(without_head_and_hands(*sample_body(RunContext()))); }

Worn worn(const FittedPerson& person, const std::string& name, const std::string& size,
          const TemplateValues& choices = {}, double edge_m = 0.03) {
  Worn out{person, {}, {}, *fabric_by_name("cotton_jersey")};
  const Pattern pattern = size.empty() ? *draft_template(name, draft_measurements(person.body))
                                       : *draft_template_graded(name, Figure::kWomen, size, choices);
  ArrangeReport arranged;
  out.garment = *assemble_garment(RunContext(), pattern, person, edge_m, &arranged);
  const auto collider = sim::make_mesh_collider(person.body.mesh);
  out.settled = *sew_and_settle(RunContext(), out.garment, out.fabric, *collider, SettleOptions());
  return out;
}

std::map<std::string, ZoneReport> by_name(const FitReport& fit) {
  std::map<std::string, ZoneReport> out;
  for (const ZoneReport& zone : fit.zones) out.emplace(zone.name, zone);
  return out;
}

// Body and cloth in another unit of length: pressures stay, forces go with the square.
Worn scaled(Worn w, double by) {
  const auto each = [by](std::vector<Vec3>* points) {
    for (Vec3& p : *points) p *= by;
  };
  Body& body = w.person.body;
  each(&body.mesh.positions), each(&w.person.skin.mesh.positions);
  put_on_skin({}, YieldingSkin(w.person.skin), &w.person);
  body.height_m *= by;
  for (auto& [name, value] : body.measurements_mm) value *= by;
  for (auto& [name, point] : body.landmarks) point *= by;
  for (auto& [name, curve] : body.curves) {
    each(&curve.points);
    curve.height_m *= by;
  }
  each(&w.settled.cloth.mesh.positions);
  for (auto& corners : w.settled.cloth.corner_flat)
    for (Vec2& p : corners) p *= by;
  sim::ClothForces& forces = w.settled.report.forces;
  for (double& press : forces.press) press *= by * by;
  each(&forces.reaction), each(&forces.reaction);
  for (auto& tension : forces.tension) tension *= by;
  return w;
}

void expect_same_words(const FitReport& a, const FitReport& b) {
  ASSERT_EQ(a.zones.size(), b.zones.size());
  for (size_t i = 0; i < a.zones.size(); ++i) {
    const ZoneReport &p = a.zones[i], &q = b.zones[i];
    EXPECT_EQ(p.name, q.name);
    EXPECT_EQ(p.verdict, q.verdict) << p.name;
    EXPECT_EQ(p.because, q.because) << p.name;
    EXPECT_NEAR(p.coverage, q.coverage, 1e-9) << p.name;
    EXPECT_NEAR(p.strain_of_limit, q.strain_of_limit, 1e-6) << p.name;
    EXPECT_NEAR(p.fit.contact.pressure.mean, q.fit.contact.pressure.mean, 1e-6) << p.name;
    ASSERT_EQ(p.girth.has_value(), q.girth.has_value()) << p.name;
    if (!p.girth) continue;
    EXPECT_NEAR(p.girth->rest_ease_ratio(), q.girth->rest_ease_ratio(), 1e-6) << p.name;
  }
  ASSERT_TRUE(a.hem && b.hem);
  EXPECT_EQ(a.hem->folds.count, b.hem->folds.count);
  EXPECT_NEAR(a.coverage, b.coverage, 1e-9);
  ASSERT_EQ(a.drape_coefficient.has_value(), b.drape_coefficient.has_value());
  EXPECT_NEAR(a.drape_coefficient.value_or(0), b.drape_coefficient.value_or(0), 1e-6);
}

TEST(MeasureFit, ATShirtIsJudgedWhereItLiesAndNowhereElseAndTheBodyCarriesIt) {
  const Worn shirt = worn(sample_person(), "t_shirt", "");
  const FitReport fit = shirt.fit();
  const auto zones = by_name(fit);
  for (const char* name : {"shoulder", "upper_chest", "under_arm", "bust", "waist", "upper_arm", "cuff"})
    EXPECT_TRUE(zones.count(name)) << name;
  for (const char* name : {"head", "forearm", "wrist", "knee", "calf", "foot", "leg_hem"})
    EXPECT_FALSE(zones.count(name)) << name;
  ASSERT_TRUE(zones.count("bust") && zones.at("bust").girth);
  EXPECT_NEAR(zones.at("bust").girth->rest_ease_mm(), 90.0, 12.0) << "what the template is drafted with";
  EXPECT_EQ(zones.at("bust").verdict, Verdict::kRegular);
  EXPECT_NEAR(fit.carried_n, fit.weight_n, 0.03 * fit.weight_n);
  std::multiset<OpeningKind> kinds;
  for (const Opening& o : fit.openings) kinds.insert(o.kind);
  EXPECT_EQ(kinds, (std::multiset<OpeningKind>{OpeningKind::kNeckline, OpeningKind::kCuff, OpeningKind::kCuff,
                                               OpeningKind::kHem}));
  expect_same_words(fit, scaled(shirt, 1.25).fit());
  expect_same_words(fit, scaled(shirt, 0.6).fit());
}

// From size to size: more room at every tape that is graded, and nowhere more strain than the cloth's own weight makes;
// `borne`: the same where all of the cloth hangs.
void expect_one_size_up(const FitReport& small, const FitReport& large, const std::set<std::string>& not_graded,
                        double borne, const std::string& what) {
  const auto before = by_name(small), after = by_name(large);
  int tapes = 0;
  for (const auto& [name, zone] : before) {
    const auto found = after.find(name);
    if (found == after.end()) continue;
    if (zone.girth && found->second.girth && zone.girth->item == found->second.girth->item) {
      ++tapes;
      const double more = found->second.girth->rest_mm - zone.girth->rest_mm;
      EXPECT_GT(more, not_graded.count(name) ? -5.0 : 3.0) << what << " " << name;
    }
    const bool bears = name == "neck" || name == "shoulder" || name == "under_arm" || name == "cuff";
    EXPECT_LT(found->second.strain_of_limit, zone.strain_of_limit + (bears ? borne : kOwnWeight))
        << what << " " << name;
  }
  EXPECT_GE(tapes, 3) << what;
}

void expect_sizes_in_order(const std::string& name, const std::vector<std::string>& sizes,
                           const std::set<std::string>& not_graded, double borne = kOwnWeight,
                           const TemplateValues& choices = {}) {
  const FittedPerson person = sample_person();
  std::optional<FitReport> before;
  for (const std::string& size : sizes) {
    const FitReport fit = worn(person, name, size, choices).fit();
    if (before) expect_one_size_up(*before, fit, not_graded, borne, name + " " + size);
    before = fit;
  }
}

TEST(MeasureFit, OneSizeUpATShirtHasMoreRoomAndNoMoreStrainInEveryZone) {
  expect_sizes_in_order("t_shirt", {"XS", "S", "M"}, {});
}

// Wide at the knee and below in millimetres whatever the size, and short enough not to be caught by the feet. From size
// M on they slip, and the tapes with them.
TEST(MeasureFit, OneSizeUpTrousersHaveMoreRoomAndNoMoreStrainInEveryZone) {
  expect_sizes_in_order("trousers", {"XS", "S", "M"}, {"knee", "calf", "ankle", "leg_hem"}, kOwnWeight,
                        {{"length", 600}});
}

TEST(MeasureFit, TrousersThatAreTooWideForTheWaistSlipAndTheirTapesWithThem) {
  const FittedPerson person = sample_person();
  const FitReport fits = worn(person, "trousers", "S").fit(), wide = worn(person, "trousers", "M").fit();
  EXPECT_EQ(fits.slipped_m, 0.0);
  EXPECT_GT(wide.slipped_m, 0.02);
  for (const char* item : {"waist_girth", "high_hip_girth", "hip_girth"}) {
    const GirthFit *before = find_girth(fits.girths, item), *after = find_girth(wide.girths, item);
    ASSERT_TRUE(before != nullptr && after != nullptr) << item;
    EXPECT_EQ(before->body_mm, after->body_mm) << item;
    EXPECT_NEAR(before->level_m - after->level_m, wide.slipped_m, 0.01) << item;
    EXPECT_NEAR(after->rest_mm - before->rest_mm, 80.0, 15.0) << item << ": as much as the sizes are graded";
  }
}

// Their high hip slips to where the body is wider: ease compares it with the body's own, room with what lies beneath.
TEST(MeasureFit, WhatLiesOnTheSkinHasTheSameRoomHoweverFarItSlipped) {
  const FitReport fit = worn(sample_person(), "leggings", "S").fit();
  for (const char* item : {"waist_girth", "high_hip_girth", "hip_girth"}) {
    const GirthFit* girth = find_girth(fit.girths, item);
    ASSERT_NE(girth, nullptr) << item;
    EXPECT_NEAR(girth->room_mm(), 11.0, 4.0) << item << ": what two millimetres of contact give";
  }
  const GirthFit* high_hip = find_girth(fit.girths, "high_hip_girth");
  EXPECT_GT(high_hip->ease_mm(), high_hip->room_mm() + 10.0);
}

TEST(MeasureFit, AtTheBodysOwnLevelRoomIsEase) {
  const FitReport fit = worn(sample_person(), "t_shirt", "S").fit();
  int same = 0;
  for (const GirthFit& girth : fit.girths) same += girth.there_mm == girth.body_mm ? 1 : 0;
  EXPECT_GE(same, 3);
}

// Cloth that is wider than the person hangs from fewer places, and weighs more.
TEST(MeasureFit, LargerSizesOfTopsHaveMoreRoomAndNoMoreStrainThanTheirWeightMakes) {
  expect_sizes_in_order("t_shirt", {"M", "L", "XL", "XXL"}, {}, kBorneWeight);
  expect_sizes_in_order("tank_top", {"XS", "S", "M", "L", "XL", "XXL"}, {}, kBorneWeight);
  expect_sizes_in_order("fitted_dress", {"S", "M", "L", "XL"}, {}, kBorneWeight);
}

TEST(MeasureFit, HalfTheEdgeLengthMovesTheRoomOfATShirtByLessThanThreeMillimetres) {
  const FittedPerson person = sample_person();
  const FitReport coarse = worn(person, "t_shirt", "S", {}, 0.024).fit(),
                  fine = worn(person, "t_shirt", "S", {}, 0.012).fit();
  ASSERT_GE(coarse.girths.size(), 8u);
  for (const GirthFit& girth : coarse.girths) {
    const GirthFit* same = find_girth(fine.girths, girth.item);
    ASSERT_NE(same, nullptr) << girth.item;
    EXPECT_NEAR(same->cloth_mm, girth.cloth_mm, 3.0) << girth.item;
  }
}

// A tube round the neck, as long as so many times the neck.
WeldedMesh collar(const Body& body, double times) {
  constexpr int kAround = 64, kRows = 6;
  const MeasureCurve& neck = body.curves.at("neck_girth");
  Vec3 middle = Vec3::Zero();
  for (const Vec3& p : neck.points) middle += p / static_cast<double>(neck.points.size());
  const double length = times * body.measurements_mm.at("neck_girth") / 1000, radius = length / (2 * M_PI);
  WeldedMesh out;
  const auto flat = [&](int i, int row) { return Vec2(length * i / kAround, 0.02 * row); };
  for (int row = 0; row < kRows; ++row)
    for (int i = 0; i < kAround; ++i) {
      const double turn = 2 * M_PI * i / kAround;
      out.mesh.positions.push_back(middle + Vec3(radius * std::cos(turn), 0.02 * row - 0.05, -radius * std::sin(turn)));
    }
  const auto at = [](int i, int row) { return row * kAround + i % kAround; };
  for (int row = 0; row + 1 < kRows; ++row)
    for (int i = 0; i < kAround; ++i) {
      out.mesh.triangles.emplace_back(at(i, row), at(i + 1, row), at(i + 1, row + 1));
      out.corner_flat.push_back({flat(i, row), flat(i + 1, row), flat(i + 1, row + 1)});
      out.mesh.triangles.emplace_back(at(i, row), at(i + 1, row + 1), at(i, row + 1));
      out.corner_flat.push_back({flat(i, row), flat(i + 1, row + 1), flat(i, row + 1)});
    }
  return out;
}

// By 317 mm a hoodie's neck used to depend on its mesh: the tape went round the hood, or beneath it.
TEST(MeasureFit, ACollarIsMeasuredRoundTheNeckAndAHoodIsNot) {
  const Body body = sample_person().body;
  for (const double times : {1.1, 1.3, 1.45}) {
    const auto girths = measure_girths(body, collar(body, times), {}, Hang());
    const GirthFit* neck = find_girth(girths, "neck_girth");
    ASSERT_NE(neck, nullptr) << times;
    EXPECT_NEAR(neck->cloth_mm, times * neck->body_mm, 0.03 * neck->body_mm) << times;
  }
  EXPECT_EQ(find_girth(measure_girths(body, collar(body, 1.6), {}, Hang()), "neck_girth"), nullptr);
}

TEST(MeasureFit, UnderDeepArmholesTheBustIsMeasuredWhereTheyEnd) {
  const auto zones = by_name(worn(sample_person(), "tank_top", "XL").fit());
  ASSERT_TRUE(zones.count("bust") && zones.at("bust").girth);
  EXPECT_EQ(zones.at("bust").girth->item, "bust_girth");
  EXPECT_GT(zones.at("bust").girth->rest_mm, 1100.0) << "all the way round";
}

}  // namespace
}  // namespace tryon
