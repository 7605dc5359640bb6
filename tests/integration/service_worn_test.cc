// A drape that takes up what another has left: goes over it, or starts from it; the physics is played.
#include <algorithm>
#include <string>

#include "gtest/gtest.h"
#include "server/base/hash.h"
#include "tests/integration/support/hosted_service.h"

namespace tryon {
namespace {

using testing::HostedService;
using testing::id_of;
using testing::reason_of;

class TakesUpADrape : public ::testing::Test {
 protected:
  std::string refusal(const v1::CreateDrapeRequest& request) {
    return reason_of(service_.client().begin_drape(request).status());
  }
  // Of another fabric than the first.
  v1::CreateDrapeRequest in_denim() {
    v1::CreateDrapeRequest request = service_.drape_request();
    request.set_fabric("denim_11oz");
    return request;
  }
  std::string first_done() {
    service_.play().wears = true;
    const std::string name = service_.client().begin_drape(service_.drape_request()).value();
    service_.wait_for(name, TaskState::kSucceeded);
    return "drapes/" + id_of(name);
  }
  HostedService service_;
};

struct Link {
  const char *field, *of_another_body;
};

void set(v1::CreateDrapeRequest* request, const Link& link, const std::string& drape) {
  request->GetReflection()->SetString(request, request->GetDescriptor()->FindFieldByName(link.field), drape);
}

class ByEitherLink : public TakesUpADrape, public ::testing::WithParamInterface<Link> {};

TEST_P(ByEitherLink, WhichMustBeDoneAndOnTheSameBodyAndMakesItAnotherDrape) {
  const Link& link = GetParam();
  v1::CreateDrapeRequest next = in_denim();
  set(&next, link, "drapes/" + sha256_hex("nobody"));
  EXPECT_EQ(refusal(next), "DRAPE_NOT_FOUND");
  service_.play().wears = true;
  service_.play().hold = true;
  const std::string first = service_.client().begin_drape(service_.drape_request()).value();
  set(&next, link, "drapes/" + id_of(first));
  EXPECT_EQ(refusal(next), "DRAPE_NOT_READY");
  service_.play().hold = false;
  service_.wait_for(first, TaskState::kSucceeded);

  v1::CreateDrapeRequest on_other = next;
  v1::CreateBodyRequest other;
  other.mutable_source()->set_sample(true);
  other.set_keep_head_and_hands(true);
  on_other.set_body(service_.client().begin_body(other).value());
  EXPECT_EQ(refusal(on_other), link.of_another_body);
  v1::AdviseSizeRequest advice;
  *advice.mutable_drape() = next;
  EXPECT_EQ(reason_of(service_.client().advise_size(advice, {}).status()), "SETTINGS_CONFLICT");

  const TaskRecord done = service_.wait_for(service_.client().begin_drape(next).value(), TaskState::kSucceeded);
  const std::string worn = sha256_hex("worn");
  EXPECT_NE(done.spec.find(std::string("\"") + link.field + "\":\"" + worn + "\""), std::string::npos) << done.spec;
  EXPECT_EQ(std::count(done.inputs.begin(), done.inputs.end(), worn), 1);
  set(&next, link, "");
  EXPECT_NE(id_of(service_.client().begin_drape(next).value()), done.id);
}

INSTANTIATE_TEST_SUITE_P(Drapes, ByEitherLink,
                         ::testing::Values(Link{"over", "OUTFIT_OF_ANOTHER_BODY"},
                                           Link{"starts_from", "START_OF_ANOTHER_BODY"}),
                         [](const auto& link) { return std::string(link.param.field) == "over" ? "Over" : "Start"; });

TEST_F(TakesUpADrape, OverItLayersAreKeptApart) {
  v1::CreateDrapeRequest through = in_denim();
  through.set_over(first_done());
  through.set_layer_contact(v1::LAYER_CONTACT_NEVER);
  EXPECT_EQ(refusal(through), "SETTINGS_CONFLICT");
}

TEST_F(TakesUpADrape, AStartIsOfTheSameGarmentAndNotOverAnything) {
  v1::CreateDrapeRequest next = in_denim();
  next.set_starts_from(first_done());
  v1::CreateDrapeRequest of_other = next;
  v1::CreateGarmentRequest longer;
  longer.mutable_source()->mutable_template_()->set_template_("tank_top");
  longer.mutable_source()->mutable_template_()->set_size("M");
  of_other.set_garment(service_.client().begin_garment(longer).value());
  EXPECT_EQ(refusal(of_other), "START_OF_ANOTHER_GARMENT");
  v1::CreateDrapeRequest over_too = next;
  over_too.set_over(next.starts_from());
  EXPECT_EQ(refusal(over_too), "SETTINGS_CONFLICT");
}

}  // namespace
}  // namespace tryon
