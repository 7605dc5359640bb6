#include "server/service/security/gate.h"

#include <google/protobuf/descriptor.h>
#include <gtest/gtest.h>

#include "google/bytestream/bytestream.pb.h"
#include "google/longrunning/operations.pb.h"
#include "server/base/hash.h"
#include "server/base/status.h"
#include "server/base/text.h"
#include "tryon/v1/batch.pb.h"
#include "tryon/v1/blob.pb.h"
#include "tryon/v1/body.pb.h"
#include "tryon/v1/drape.pb.h"
#include "tryon/v1/garment.pb.h"
#include "tryon/v1/queue.pb.h"
#include "tryon/v1/server.pb.h"

namespace tryon {
namespace {

using google::protobuf::FileDescriptor;

std::vector<std::string> methods_of(const FileDescriptor* file) {
  std::vector<std::string> out;
  for (int s = 0; s < file->service_count(); ++s) {
    for (int m = 0; m < file->service(s)->method_count(); ++m) {
      out.push_back(cat("/", file->service(s)->full_name(), "/", file->service(s)->method(m)->name()));
    }
  }
  return out;
}

std::vector<std::string> every_method() {
  std::vector<std::string> out;
  for (const FileDescriptor* file :
       {v1::Batch::descriptor()->file(), v1::DeadLetter::descriptor()->file(), v1::Body::descriptor()->file(), v1::Drape::descriptor()->file(), v1::Garment::descriptor()->file(),
        v1::GetServerInfoRequest::descriptor()->file(), v1::FindMissingBlobsRequest::descriptor()->file(),
        google::longrunning::Operation::descriptor()->file(), google::bytestream::ReadRequest::descriptor()->file()}) {
    for (std::string& method : methods_of(file)) out.push_back(std::move(method));
  }
  return out;
}

TokenTable tokens() {
  const auto entry = [](const char* name, const char* scopes) {
    return cat("{\"name\": \"", name, "\", \"sha256\": \"", sha256_hex(name), "\", \"scopes\": ", scopes, "}");
  };
  return *TokenTable::parse(
      cat("{\"tokens\": [", entry("reader", "[\"read\"]"), ",", entry("writer", "[\"write\"]"), "]}"));
}

std::string reason(const absl::Status& status) { return status.ok() ? "" : error_detail(status)->reason; }

TEST(Gate, EveryMethodOfTheServiceNeedsOneKnownScope) {
  const std::vector<std::string> methods = every_method();
  ASSERT_GT(methods.size(), 20u);
  for (const std::string& method : methods) {
    const MethodRule rule = rule_of(method);
    EXPECT_FALSE(rule.open) << method;
    EXPECT_TRUE(rule.scope.has_value()) << method << ": its verb is not on the gate's lists";
  }
}

TEST(Gate, WithoutATokenOrWithAWrongOneEveryMethodIsRefused) {
  const TokenTable table = tokens();
  for (const std::string& method : every_method()) {
    EXPECT_EQ(reason(admit(table, method, "")), "TOKEN_MISSING") << method;
    EXPECT_EQ(reason(admit(table, method, "Basic reader")), "TOKEN_MISSING") << method;
    EXPECT_EQ(reason(admit(table, method, "Bearer ")), "TOKEN_UNKNOWN") << method;
    EXPECT_EQ(reason(admit(table, method, "Bearer Reader")), "TOKEN_UNKNOWN") << method;
  }
}

TEST(Gate, AScopeOpensItsOwnMethodsOnly) {
  const TokenTable table = tokens();
  for (const std::string& method : every_method()) {
    const bool reads = *rule_of(method).scope == Scope::kRead;
    EXPECT_EQ(reason(admit(table, method, "Bearer reader")), reads ? "" : "SCOPE_MISSING") << method;
    EXPECT_EQ(reason(admit(table, method, "Bearer writer")), reads ? "SCOPE_MISSING" : "") << method;
  }
  EXPECT_EQ(*rule_of("/tryon.v1.BodyService/DeleteBody").scope, Scope::kWrite);
  EXPECT_EQ(*rule_of("/tryon.v1.BodyService/GetBody").scope, Scope::kRead);
}

TEST(Gate, WhatIsNotKnownIsOpenToNobodyAndHealthToAll) {
  const TokenTable table = tokens();
  for (const char* path : {"/tryon.v1.BodyService/Frobnicate", "/other.Service/GetThing", "/tryon.v1x/Get", "", "/"}) {
    EXPECT_EQ(reason(admit(table, path, "Bearer reader")), "METHOD_NOT_OPEN") << path;
  }
  EXPECT_TRUE(admit(table, "/grpc.health.v1.Health/Check", "").ok());
}

}  // namespace
}  // namespace tryon
