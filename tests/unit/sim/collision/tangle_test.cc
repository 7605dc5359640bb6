// Cloth that crosses itself over a few triangles is found, and smoothed where it is, not elsewhere.
#include "server/sim/collision/tangle.h"

#include <algorithm>

#include "gtest/gtest.h"
#include "tests/unit/sim/cloth_fixtures.h"

namespace tryon::sim {
namespace {

constexpr int kCells = 24;
constexpr double kSide = 0.36;

struct Tangle {
  DrapeModel model;
  std::vector<RVec3> x;
};

// Some vertices of one row go over, and in turns above and below, the second row on.
Tangle tangled_sheet(int row, int first, int last) {
  testing::SheetOptions options;
  options.width = options.length = kSide;
  options.columns = options.rows = kCells;
  options.hung = true;
  const ClothInput cloth = testing::make_sheet(options);
  Tangle out{build_model(cloth).value(), start_state(cloth).x};
  const double cell = kSide / kCells;
  const Real way =
      out.x[(row + 1) * (kCells + 1)].y() > out.x[row * (kCells + 1)].y() ? Real(2.5 * cell) : Real(-2.5 * cell);
  for (int i = first; i <= last; ++i) {
    RVec3& p = out.x[row * (kCells + 1) + i];
    p.y() += way, p.z() += static_cast<Real>((i % 2 ? 0.4 : -0.4) * cell);
  }
  return out;
}

// Counts who asks; a short-sighted one sees nobody as farther off than contact, so that everybody asks it every time.
struct CountingCollider : Collider {
  CountingCollider(const Collider& of, double sees) : body(of), sight(sees) {}
  using Collider::query;
  Contact query(const Vec3& point, double max_distance) const override {
    ++asked;
    Contact contact = body.query(point, max_distance);
    contact.distance = std::min(contact.distance, sight);
    return contact;
  }
  const Collider& body;
  const double sight;
  mutable int asked = 0;
};

TEST(Tangle, ASegmentGoesThroughATriangleOrBesideIt) {
  const RVec3 p(0, 0, 0), q(1, 0, 0), r(0, 1, 0);
  const auto at = crossing_of(RVec3(Real(0.2), Real(0.2), -1), RVec3(Real(0.2), Real(0.2), 3), p, q, r);
  ASSERT_TRUE(at.has_value());
  EXPECT_NEAR(*at, 0.25, 1e-6);
  EXPECT_FALSE(crossing_of(RVec3(Real(0.2), Real(0.2), 1), RVec3(Real(0.2), Real(0.2), 3), p, q, r))
      << "ends before it";
  EXPECT_FALSE(crossing_of(RVec3(Real(0.9), Real(0.9), -1), RVec3(Real(0.9), Real(0.9), 1), p, q, r)) << "beside it";
  EXPECT_FALSE(crossing_of(RVec3(0, 0, 1), RVec3(1, 0, 1), p, q, r)) << "along it";
}

TEST(Tangle, AFlatSheetHasNone) {
  const Tangle flat = tangled_sheet(12, 1, 0);
  EXPECT_TRUE(TangledCloth(flat.model).vertices(flat.x).empty());
  std::vector<RVec3> x = flat.x;
  TangledCloth(flat.model).smooth(Scene(), {}, 4, &x);
  EXPECT_EQ(x, flat.x);
}

TEST(Tangle, APatchIsSmoothedUntilNothingCrossesAndTheRestStays) {
  for (const int row : {12, 0}) {  // in the middle, and on the hem
    Tangle sheet = tangled_sheet(row, 9, 15);
    const std::vector<int> found = TangledCloth(sheet.model).vertices(sheet.x);
    ASSERT_FALSE(found.empty());
    EXPECT_TRUE(std::is_sorted(found.begin(), found.end()));
    const std::vector<RVec3> before = sheet.x;
    TangledCloth(sheet.model).smooth(Scene(), found, 2, &sheet.x);
    EXPECT_TRUE(TangledCloth(sheet.model).vertices(sheet.x).empty()) << "row " << row;
    int moved = 0;
    for (int j = 0; j <= kCells; ++j) {
      for (int i = 0; i <= kCells; ++i) {
        const bool stays = sheet.x[j * (kCells + 1) + i] == before[j * (kCells + 1) + i];
        if (std::abs(j - row) > 7 || i < 3 || i > 21) {
          EXPECT_TRUE(stays) << i << " " << j;
        }
        moved += !stays;
      }
    }
    EXPECT_GT(moved, 6);
  }
}

// A soap film between what is round a bulge goes straight through it.
TEST(Tangle, APatchOverABodyStaysOutsideIt) {
  Tangle sheet = tangled_sheet(12, 9, 15);
  Vec3 middle = Vec3::Zero();
  for (const RVec3& x : sheet.x) middle += x.cast<double>() / static_cast<double>(sheet.x.size());
  constexpr double kRadius = 0.1, kHeight = 0.08;
  const auto ball = make_solid_collider({Sphere{middle - Vec3(0, 0, kRadius - kHeight), kRadius}});
  Scene scene;
  scene.collider = ball.get();
  for (RVec3& x : sheet.x) {  // over the ball
    const Contact at = ball->query(x.cast<double>(), 1.0);
    if (at.distance < scene.contact_offset) x += ((scene.contact_offset - at.distance) * at.normal).cast<Real>();
  }
  const std::vector<int> found = TangledCloth(sheet.model).vertices(sheet.x);
  ASSERT_FALSE(found.empty());
  for (const bool kept_out : {false, true}) {
    std::vector<RVec3> x = sheet.x;
    TangledCloth(sheet.model).smooth(kept_out ? scene : Scene(), found, 4, &x);
    double deepest = 0;
    for (const RVec3& p : x) deepest = std::max(deepest, -ball->query(p.cast<double>(), 1.0).distance);
    if (kept_out) {
      EXPECT_LE(deepest, 1e-6);
    } else {
      EXPECT_GT(deepest, 0.01) << "without a body it does go through";
    }
  }
}

TEST(Tangle, WhoIsFarFromTheBodyIsNotAskedAgainAndTheSameBytesComeOfIt) {
  const Tangle sheet = tangled_sheet(12, 9, 15);
  const std::vector<int> found = TangledCloth(sheet.model).vertices(sheet.x);
  const Vec3 corner = sheet.x[12 * (kCells + 1) + 9].cast<double>();
  const auto ball = make_solid_collider({Sphere{corner - Vec3(0, 0, 0.02), 0.03}});
  Scene scene;
  const CountingCollider sharp(*ball, 1e30), short_sighted(*ball, scene.contact_offset);
  std::vector<RVec3> x = sheet.x, judged = sheet.x, through = sheet.x;
  scene.collider = &sharp;
  TangledCloth(sheet.model).smooth(scene, found, 4, &x);
  scene.collider = &short_sighted;
  TangledCloth(sheet.model).smooth(scene, found, 4, &judged);
  EXPECT_EQ(x, judged);
  TangledCloth(sheet.model).smooth(Scene(), found, 4, &through);
  EXPECT_NE(x, through) << "the body is in the way";
  EXPECT_NE(x, sheet.x);
  EXPECT_GT(sharp.asked, 0);
  EXPECT_LT(4 * sharp.asked, short_sighted.asked);
}

}  // namespace
}  // namespace tryon::sim
