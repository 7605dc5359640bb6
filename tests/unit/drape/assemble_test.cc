// From a pattern and a person to panels round the body.
#include "server/drape/assemble.h"

#include "gtest/gtest.h"
#include "server/drape/cut_body.h"
#include "server/drape/grade.h"
#include "server/drape/settle.h"
#include "server/garment/template.h"
#include "server/sim/collision/collider.h"

namespace tryon {
namespace {

// The sample person's arms bend forward at the elbow; a sleeve that is placed round a straight line leaves the forearm
// outside, and closes beside it into a tangle that never rests.
TEST(Assemble, LongSleevesHangRoundArmsThatBend) {
  auto body = sample_body(RunContext());
  ASSERT_TRUE(body.ok()) << body.status();
  *body = without_head_and_hands(*std::move(body));  // as everything that is stored
  auto proxies = fit_proxies(RunContext(), *body, ProxyShape::kElliptic);
  ASSERT_TRUE(proxies.ok()) << proxies.status();
  StoredBody stored;
  stored.body = *std::move(body);
  stored.proxies.push_back(*std::move(proxies));
  const auto person = person_to_dress(RunContext(), std::move(stored), ProxyShape::kElliptic);
  ASSERT_TRUE(person.ok());
  const auto pattern = draft_template_graded("shirt", Figure::kWomen, "M");
  ASSERT_TRUE(pattern.ok()) << pattern.status();
  ArrangeReport report;
  const auto garment = assemble_garment(RunContext(), *pattern, *person, 0.025, &report);
  ASSERT_TRUE(garment.ok()) << garment.status();
  const auto collider = sim::make_mesh_collider(person->body.mesh);
  RunContext run;
  double fraction = 0.0;
  run.on_progress = [&](const Progress& p) {  // several levels are one stage, which never goes back
    if (p.stage != "drape") return;
    EXPECT_GE(p.fraction, fraction);
    fraction = p.fraction;
  };
  const auto drape = sew_and_settle(run, *garment, *fabric_by_name("cotton_jersey"), *collider, SettleOptions());
  ASSERT_TRUE(drape.ok()) << drape.status();
  EXPECT_LE(fraction, 1.0);
  EXPECT_TRUE(is_at_least(drape->report.grade, "final"));
}

}  // namespace
}  // namespace tryon
