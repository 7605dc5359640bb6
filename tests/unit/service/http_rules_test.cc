// The API's HTTP annotations: every method has one that a gateway can serve, and no two are alike.
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "google/api/annotations.pb.h"
#include "google/longrunning/operations.pb.h"
#include "gtest/gtest.h"
#include "tryon/v1/batch.pb.h"
#include "tryon/v1/blob.pb.h"
#include "tryon/v1/body.pb.h"
#include "tryon/v1/drape.pb.h"
#include "tryon/v1/fabric.pb.h"
#include "tryon/v1/garment.pb.h"
#include "tryon/v1/queue.pb.h"
#include "tryon/v1/server.pb.h"

namespace tryon {
namespace {
using google::protobuf::FieldDescriptor;
using google::protobuf::FileDescriptor;
using google::protobuf::MethodDescriptor;

std::vector<const MethodDescriptor*> methods() {
  const FileDescriptor* const files[] = {
      v1::Batch::descriptor()->file(),      v1::FindMissingBlobsRequest::descriptor()->file(),
      v1::Body::descriptor()->file(),       v1::Drape::descriptor()->file(),
      v1::Fabric::descriptor()->file(),     v1::Garment::descriptor()->file(),
      v1::DeadLetter::descriptor()->file(), v1::GetServerInfoRequest::descriptor()->file()};
  std::vector<const MethodDescriptor*> out;
  for (const FileDescriptor* file : files) {
    for (int s = 0; s < file->service_count(); ++s) {
      for (int m = 0; m < file->service(s)->method_count(); ++m) out.push_back(file->service(s)->method(m));
    }
  }
  const auto* operations = google::longrunning::Operation::descriptor()->file()->service(0);
  for (const char* name : {"GetOperation", "CancelOperation", "WaitOperation"})
    out.push_back(operations->FindMethodByName(name));
  return out;
}

struct Route {
  std::string verb, path, body;
};

Route route_of(const MethodDescriptor& method) {
  const google::api::HttpRule& rule = method.options().GetExtension(google::api::http);
  if (rule.has_get()) return {"GET", rule.get(), rule.body()};
  if (rule.has_post()) return {"POST", rule.post(), rule.body()};
  if (rule.has_delete_()) return {"DELETE", rule.delete_(), rule.body()};
  return {};
}

// How AIP-131 .. 136 map a method's first word.
std::string verb_of(const std::string& method) {
  for (const char* word : {"Get", "List", "Watch", "Export"}) {
    if (method.rfind(word, 0) == 0) return "GET";
  }
  return method.rfind("Delete", 0) == 0 ? "DELETE" : "POST";
}

TEST(HttpRules, EveryMethodHasOneThatGoesWithItsName) {
  const auto all = methods();
  ASSERT_GE(all.size(), 38u);
  for (const MethodDescriptor* method : all) {
    const Route route = route_of(*method);
    EXPECT_EQ(route.verb, verb_of(method->name())) << method->full_name();
    EXPECT_EQ(route.body, route.verb == "POST" ? "*" : "") << method->full_name();
    EXPECT_FALSE(method->client_streaming()) << method->full_name() << " cannot be called with one body";
  }
}

TEST(HttpRules, PathsFillFieldsOfTheRequestAndNameWhatIsMeant) {
  const std::regex good(R"(/v1/(\{name=[a-z]+/\*\}|[a-zA-Z]+(/[a-z]+)?)(:[a-zA-Z]+)?)");
  for (const MethodDescriptor* method : methods()) {
    const std::string path = route_of(*method).path;
    EXPECT_TRUE(std::regex_match(path, good)) << method->full_name() << " " << path;
    const FieldDescriptor* name = method->input_type()->FindFieldByName("name");
    EXPECT_EQ(path.find("{name=") != std::string::npos, name != nullptr) << method->full_name();
    EXPECT_TRUE(name == nullptr || name->type() == FieldDescriptor::TYPE_STRING) << method->full_name();
  }
}

TEST(HttpRules, NoTwoAreAlike) {
  std::set<std::string> seen;
  for (const MethodDescriptor* method : methods()) {
    const Route route = route_of(*method);
    EXPECT_TRUE(seen.insert(route.verb + " " + route.path).second) << method->full_name();
  }
}

// Fields beside the path of a GET are query parameters, so they must be plain.
TEST(HttpRules, WhatIsAskedWithoutABodyFitsIntoAQuery) {
  for (const MethodDescriptor* method : methods()) {
    if (route_of(*method).verb == "POST") continue;
    for (int f = 0; f < method->input_type()->field_count(); ++f)
      EXPECT_NE(method->input_type()->field(f)->type(), FieldDescriptor::TYPE_MESSAGE) << method->full_name();
  }
}

}  // namespace
}  // namespace tryon
