#include "server/mesh/winding_number.h"

#include <cmath>
#include <limits>
#include <random>

#include "gtest/gtest.h"
#include "server/mesh/closest_point.h"

namespace tryon {
namespace {

// A closed sphere of rings and sides with a bump, so that no symmetry hides an error.
TriangleMesh bumpy_sphere(int rings, int sides, double radius) {
  TriangleMesh mesh;
  const auto place = [&](double theta, double phi) {
    const double r = radius * (1.0 + 0.1 * std::sin(3 * phi) * std::sin(theta));
    return Vec3(r * Vec3(std::sin(theta) * std::sin(phi), std::cos(theta), std::sin(theta) * std::cos(phi)));
  };
  for (int i = 0; i <= rings; ++i)
    for (int j = 0; j < sides; ++j) mesh.positions.push_back(place(M_PI * i / rings, 2 * M_PI * j / sides));
  for (int i = 0; i < rings; ++i) {
    for (int j = 0; j < sides; ++j) {
      const int a = i * sides + j, b = i * sides + (j + 1) % sides, c = a + sides, d = b + sides;
      if (i > 0) mesh.triangles.emplace_back(a, c, b);
      if (i + 1 < rings) mesh.triangles.emplace_back(b, c, d);
    }
  }
  return mesh;
}

template <typename Keep>
TriangleMesh kept(const TriangleMesh& mesh, Keep keep) {
  TriangleMesh out{mesh.positions, {}};
  for (const Triangle& t : mesh.triangles) {
    if (keep((mesh.positions[t[0]] + mesh.positions[t[1]] + mesh.positions[t[2]]) / 3.0)) out.triangles.push_back(t);
  }
  return out;
}

// The slow judge: every triangle's solid angle (van Oosterom and Strackee 1983).
double exact_winding(const TriangleMesh& mesh, const Vec3& q) {
  double sum = 0.0;
  for (const Triangle& t : mesh.triangles) {
    const Vec3 a = mesh.positions[t[0]] - q, b = mesh.positions[t[1]] - q, c = mesh.positions[t[2]] - q;
    const double la = a.norm(), lb = b.norm(), lc = c.norm();
    sum += 2 * std::atan2(a.dot(b.cross(c)), la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb);
  }
  return sum / (4 * M_PI);
}

std::vector<Vec3> random_points(unsigned seed, int count, double reach) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> coordinate(-reach, reach);
  std::vector<Vec3> out;
  for (int i = 0; i < count; ++i) out.emplace_back(coordinate(random), coordinate(random), coordinate(random));
  return out;
}

TEST(WindingNumber, IsTheSumOfAllSolidAngles) {
  const TriangleMesh sphere = bumpy_sphere(24, 40, 0.3);
  const TriangleMesh open = kept(sphere, [](const Vec3& c) { return c.y() > -0.1 && c.x() < 0.2; });
  for (const TriangleMesh& mesh : {sphere, open}) {
    const WindingNumber winding(mesh);
    for (const Vec3& q : random_points(1, 1500, 0.6)) ASSERT_NEAR(winding.at(q), exact_winding(mesh, q), 0.02);
  }
}

TEST(WindingNumber, IsOneInsideAndZeroOutsideAClosedMesh) {
  const TriangleMesh sphere = bumpy_sphere(20, 30, 0.3);
  const WindingNumber winding(sphere);
  for (const Vec3& q : random_points(2, 1000, 0.5)) {
    if (q.norm() < 0.25) {
      ASSERT_NEAR(winding.at(q), 1.0, 0.02);
    } else if (q.norm() > 0.34) {
      ASSERT_NEAR(winding.at(q), 0.0, 0.02);
    }
  }
}

TEST(WindingNumber, HasAnAnswerForNothingAndNowhere) {
  EXPECT_EQ(WindingNumber(TriangleMesh()).at(Vec3::Zero()), 0.0);
  const WindingNumber winding(bumpy_sphere(6, 8, 0.3));
  EXPECT_EQ(winding.at(Vec3(std::nan(""), 0, 0)), 0.0);
  EXPECT_EQ(winding.at(Vec3(0, std::numeric_limits<double>::infinity(), 0)), 0.0);
}

TEST(OpenMesh, AHemisphereHasAnInsideUnderItsDomeAndNoneBelowItsRim) {
  const TriangleMesh dome = kept(bumpy_sphere(24, 40, 0.3), [](const Vec3& c) { return c.y() > 0; });
  for (const SideRule rule : {SideRule::kAutomatic, SideRule::kWindingNumber}) {
    const ClosestPointIndex index(dome, rule);
    for (const Vec3& q : random_points(3, 1000, 0.5)) {
      const double distance = index.query(q).signed_distance;
      const bool under = q.y() > 0.08 && q.norm()<0.26, clear = q.norm()> 0.34 || q.y() < -0.08;
      if (under) {
        ASSERT_LT(distance, 0) << q.transpose();
      } else if (clear) {
        ASSERT_GT(distance, 0) << q.transpose();
      }
    }
  }
}

// Holes of about 5 % of the area: away from them the open mesh has the closed one's sides, even deep inside.
TEST(OpenMesh, AwayFromItsHolesTheSidesAreThoseOfTheClosedMesh) {
  const TriangleMesh closed = bumpy_sphere(24, 40, 0.3);
  const std::vector<Vec3> holes = {Vec3(0, 0.3, 0), Vec3(0.2, -0.1, 0.2).normalized() * 0.3};
  const TriangleMesh open =
      kept(closed, [&](const Vec3& c) { return (c - holes[0]).norm() > 0.09 && (c - holes[1]).norm() > 0.09; });
  ASSERT_LT(open.triangle_count(), closed.triangle_count());
  const ClosestPointIndex whole(closed), automatic(open), wound(open, SideRule::kWindingNumber);
  int compared = 0;
  for (const Vec3& q : random_points(4, 3000, 0.5)) {
    if ((q - holes[0]).norm() < 0.14 || (q - holes[1]).norm() < 0.14) continue;
    const bool inside = whole.query(q).signed_distance < 0;
    ASSERT_EQ(automatic.query(q).signed_distance < 0, inside) << q.transpose();
    ASSERT_EQ(wound.query(q).signed_distance < 0, inside) << q.transpose();
    ++compared;
  }
  EXPECT_GT(compared, 2000);
}

TEST(OpenMesh, ShellsThatOverlapAreOneInsideByTheWindingNumber) {
  TriangleMesh two = bumpy_sphere(16, 24, 0.3);
  const int first = two.vertex_count();
  const TriangleMesh other = two;
  for (const Vec3& p : other.positions) two.positions.push_back(p + Vec3(0.25, 0, 0));
  for (const Triangle& t : other.triangles) two.triangles.emplace_back(t[0] + first, t[1] + first, t[2] + first);
  const ClosestPointIndex index(two, SideRule::kWindingNumber);
  EXPECT_LT(index.query(Vec3(0.0, 0, 0)).signed_distance, 0);   // just outside the second, inside the first
  EXPECT_LT(index.query(Vec3(0.12, 0, 0)).signed_distance, 0);  // inside both
  EXPECT_GT(index.query(Vec3(0.12, 0.35, 0)).signed_distance, 0);
}

TEST(SurfaceQuery, OfAMeshAnswersInBatchesAsOneByOne) {
  const ClosestPointIndex index(bumpy_sphere(16, 24, 0.3));
  std::vector<Vec3> points = random_points(5, 300, 0.5);
  points.emplace_back(std::nan(""), 0, 0);
  std::vector<SurfaceAnswer> answers(points.size());
  std::vector<ClosestPoint> closest(points.size());
  index.surface(points, 0.1, answers);
  index.query(points, 0.1, closest);
  for (size_t i = 0; i < points.size(); ++i) {
    const ClosestPoint one = index.query(points[i], 0.1);
    ASSERT_EQ(answers[i].element, one.triangle);
    ASSERT_EQ(closest[i].triangle, one.triangle);
    ASSERT_EQ(answers[i].distance, one.triangle < 0 ? 0.1 : one.signed_distance);
    if (one.triangle >= 0) {
      ASSERT_LT((points[i] - answers[i].distance * answers[i].normal - one.point).norm(), 1e-9);
    }
  }
  EXPECT_EQ(answers.back().element, -1);
}

}  // namespace
}  // namespace tryon
