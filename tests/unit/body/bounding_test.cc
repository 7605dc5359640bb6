#include "server/body/bounding.h"

#include <cmath>
#include <random>

#include "Eigen/LU"
#include "gtest/gtest.h"

namespace tryon {
namespace {

using Vec2 = Eigen::Vector2d;

double uniform(std::mt19937& random, double low, double high) { return low + (high - low) * (random() / 4294967296.0); }

std::vector<Vec2> random_points(std::mt19937& random, int count) {
  std::vector<Vec2> points;
  for (int i = 0; i < count; ++i) points.emplace_back(uniform(random, -0.3, 0.3), uniform(random, -0.2, 0.2));
  return points;
}

// Every pair and every triple of points.
double brute_circle_radius(const std::vector<Vec2>& points) {
  double best = 1e30;
  const auto consider = [&](const Vec2& center, double radius) {
    for (const Vec2& p : points) {
      if ((p - center).norm() > radius + 1e-12) return;
    }
    best = std::min(best, radius);
  };
  for (size_t i = 0; i < points.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      consider(0.5 * (points[i] + points[j]), 0.5 * (points[i] - points[j]).norm());
      for (size_t k = 0; k < j; ++k) {
        Eigen::Matrix2d rows;
        rows << (points[j] - points[i]).transpose(), (points[k] - points[i]).transpose();
        const Vec2 sides(0.5 * (points[j].squaredNorm() - points[i].squaredNorm()),
                         0.5 * (points[k].squaredNorm() - points[i].squaredNorm()));
        const Vec2 center = rows.inverse() * sides;
        consider(center, (center - points[i]).norm());
      }
    }
  }
  return best;
}

TEST(SmallestCircle, EqualsTheBestOfAllPairsAndTriples) {
  std::mt19937 random(1);
  for (int i = 0; i < 200; ++i) {
    const std::vector<Vec2> points = random_points(random, 2 + i % 12);
    const BoundingCircle found = smallest_circle(points);
    ASSERT_NEAR(found.radius, brute_circle_radius(points), 1e-9) << "case " << i;
    for (const Vec2& p : points) ASSERT_LE((p - found.center).norm(), found.radius + 1e-9);
  }
}

TEST(SmallestCircle, AnswersFewRepeatedAndCollinearPoints) {
  EXPECT_EQ(smallest_circle({}).radius, 0.0);
  EXPECT_EQ(smallest_circle({Vec2(1, 2), Vec2(1, 2)}).radius, 0.0);
  EXPECT_NEAR(smallest_circle({Vec2(0, 0), Vec2(1, 0), Vec2(2, 0), Vec2(4, 0)}).radius, 2.0, 1e-12);
}

// A grid over centre and axis ratio: each choice fixes the size.
double brute_ellipse_cost(const std::vector<Vec2>& points, EllipseMeasure measure) {
  double best = 1e30;
  for (double log_ratio = -2; log_ratio <= 2; log_ratio += 0.05) {
    const double ratio = std::exp(log_ratio);
    for (double x = -0.3; x <= 0.3; x += 0.015) {
      for (double y = -0.2; y <= 0.2; y += 0.015) {
        double radius = 0;
        for (const Vec2& p : points) radius = std::max(radius, std::hypot(p.x() - x, (p.y() - y) / ratio));
        const Vec2 radii(radius, radius * ratio);
        best = std::min(best, measure == EllipseMeasure::kArea ? radii.prod() : ellipse_perimeter(radii));
      }
    }
  }
  return best;
}

TEST(SmallestEllipse, HoldsAllPointsAndBeatsEveryEllipseOfAGrid) {
  std::mt19937 random(2);
  for (const EllipseMeasure measure : {EllipseMeasure::kArea, EllipseMeasure::kPerimeter}) {
    for (int i = 0; i < 15; ++i) {
      const std::vector<Vec2> points = random_points(random, 4 + i);
      const BoundingEllipse found = smallest_ellipse(points, measure);
      for (const Vec2& p : points) {
        ASSERT_LE((p - found.center).cwiseQuotient(found.radii).norm(), 1 + 1e-9) << "case " << i;
      }
      const double cost = measure == EllipseMeasure::kArea ? found.radii.prod() : ellipse_perimeter(found.radii);
      const double brute = brute_ellipse_cost(points, measure);
      ASSERT_LE(cost, brute * 1.0001) << "case " << i;
      ASSERT_GE(cost, brute * 0.9) << "case " << i;
    }
  }
}

TEST(SmallestEllipse, RecoversAnEllipse) {
  std::vector<Vec2> points;
  for (int i = 0; i < 90; ++i) {
    points.emplace_back(0.02 + 0.16 * std::cos(i * M_PI / 45), -0.01 + 0.1 * std::sin(i * M_PI / 45));
  }
  for (const EllipseMeasure measure : {EllipseMeasure::kArea, EllipseMeasure::kPerimeter}) {
    const BoundingEllipse found = smallest_ellipse(points, measure);
    EXPECT_NEAR(found.radii.x(), 0.16, 2e-4);
    EXPECT_NEAR(found.radii.y(), 0.1, 2e-4);
    EXPECT_NEAR(found.center.x(), 0.02, 2e-4);
    EXPECT_NEAR(found.center.y(), -0.01, 2e-4);
  }
}

TEST(EllipsePerimeter, EqualsTheSummedArc) {
  for (const double ratio : {1.0, 0.7, 0.4, 0.2}) {
    double sum = 0;
    const int n = 20000;
    for (int i = 0; i < n; ++i) {
      const double angle = 2 * M_PI * (i + 0.5) / n;
      sum += std::hypot(std::sin(angle), ratio * std::cos(angle)) * 2 * M_PI / n;
    }
    EXPECT_NEAR(ellipse_perimeter(Vec2(1, ratio)), sum, 2e-5 * sum);
  }
}

TEST(ConvexHull, KeepsOnlyCorners) {
  const std::vector<Vec2> hull =
      convex_hull({Vec2(0, 0), Vec2(1, 0), Vec2(2, 0), Vec2(2, 2), Vec2(0, 2), Vec2(1, 1), Vec2(2, 1), Vec2(0, 0)});
  EXPECT_EQ(hull.size(), 4u);
  EXPECT_NEAR(polygon_perimeter(hull), 8.0, 1e-12);
}

}  // namespace
}  // namespace tryon
