// Nothing of one tenant is there for another: every method of the services, with every text field of its request set to
// every name that another tenant has, answers as for a name that nobody has. Methods and fields are read from the proto
// files, so that a new one is tried too; and each of them may come twice.
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <thread>

#include "server/base/hash.h"
#include "server/base/text.h"
#include "server/ops/log.h"
#include "server/service/host.h"
#include "server/service/tasks/runner.h"
#include "server/store/sealed_blob_store.h"
#include "tests/integration/support/every_method.h"
#include "tests/integration/support/hosted_service.h"
#include "tests/integration/support/papers.h"
#include "tests/support/memory_object_store.h"
#include "tests/support/shared_data.h"
#include "tryon/v1/body.grpc.pb.h"

namespace tryon {
namespace {

using google::protobuf::MethodDescriptor;
using testing::Answer;
using testing::digest_in;
using testing::every_method;
using testing::path_name;
using testing::Tenant;
using testing::text_paths;
using testing::TextPath;

bool names_something(const TextPath& path) {
  static const std::set<std::string> kNames = {"name",   "resource_name", "body",   "garment",
                                               "bodies", "garments",      "sha256", "manifest_sha256"};
  return kNames.count(path.back()->name()) > 0;
}

// The same name with another's digits and words in it: one that nobody has.
std::string like(const std::string& name) {
  std::string out = name;
  const std::string digest = digest_in(name);
  out.replace(out.find(digest), digest.size(), sha256_hex("nobody's " + name));
  if (const size_t half = out.find("/half/"); half != std::string::npos) out.replace(half, 6, "/none/");
  return out;
}

class TwoTenants : public ::testing::Test {
 protected:
  TwoTenants() {
    set_log_quiet(true);
    HostOptions options;
    options.listen = "127.0.0.1:0";
    options.security = {papers_.certificate, papers_.key, "", token_file()};
    const auto port = host_.start(options);
    if (!port.ok()) throw std::runtime_error(port.status().ToString());
    address_ = cat("localhost:", *port);
    shop_.emplace(address_, papers_.ca, "shop's");
    other_.emplace(address_, papers_.ca, "other's");
    worker_ = std::thread([this] { (void)runner_.run(); });
  }
  ~TwoTenants() override {
    runner_.stop();
    worker_.join();
    host_.stop(absl::ZeroDuration());
  }
  static std::string token_file() {
    const std::string path = testing::make_temp_dir() + "/tokens.json";
    const auto entry = [](const char* name) {
      return cat("{\"name\": \"", name, "\", \"scopes\": [\"read\", \"write\"], \"sha256\": \"",
                 sha256_hex(cat(name, "'s")), "\"}");
    };
    testing::write_file(path, cat("{\"tokens\": [", entry("shop"), ", ", entry("other"), "]}"));
    return path;
  }
  static RunnerOptions quick() {
    RunnerOptions options;
    options.heartbeat = absl::Milliseconds(10);
    return options;
  }
  static absl::StatusOr<PipelineResult> perform(const RunContext&, const std::string& kind, const std::string& spec,
                                                const BlobReader&) {
    if (spec.find("31") != std::string::npos && kind == "drape") return absl::UnavailableError("never");
    PipelineResult result;
    result.summary_json = "{}";
    result.artifacts[kind + ".json"] = {cat("of a ", kind), "application/json"};
    return result;
  }
  // Its tasks and batches with their states, and its files.
  std::set<std::string> holdings(const std::string& tenant) {
    std::set<std::string> out;
    for (const char* kind : {"body", "garment", "fabric", "drape", "advice"}) {
      const auto tasks = jobs_->list(tenant, kind, std::nullopt, 1000).value();
      for (const TaskRecord& task : tasks) {
        out.insert(cat(kind, " ", task.id, " ", static_cast<int>(task.state)));
      }
    }
    const auto batches = jobs_->list_batches(tenant, std::nullopt, 1000).value();
    for (const BatchRecord& batch : batches) {
      out.insert(cat("batch ", batch.id, " ", static_cast<int>(batch.state), " of ", batch.total));
    }
    return out;
  }
  bool all_done(const std::string& tenant) {
    const auto batches = jobs_->list_batches(tenant, std::nullopt, 1000).value();
    const JobStats stats = jobs_->stats().value();
    return stats.queued + stats.running == 0 && std::all_of(batches.begin(), batches.end(), [](const BatchRecord& b) {
             return is_final(b.state) || b.state == BatchState::kPaused;
           });
  }
  bool done(const std::string& id) { return is_final(jobs_->get(id)->state); }

  const testing::Papers papers_ = testing::make_papers();
  const std::unique_ptr<JobStore> jobs_ = make_memory_job_store();
  const std::unique_ptr<BlobStore> blobs_ =
      make_sealed_blob_store(jobs_.get(), std::make_unique<testing::MemoryObjectStore>());
  ServiceHost host_{jobs_.get(), blobs_.get(), nullptr};
  TaskRunner runner_{jobs_.get(), blobs_.get(), quick(), perform, {}};
  std::thread worker_;
  std::string address_;
  std::optional<Tenant> shop_, other_;
};

TEST_F(TwoTenants, EveryMethodAnswersForAForeignNameAsForOneThatNobodyHas) {
  shop_->fill("warp and weft");
  other_->fill("weft and warp", "other-half");
  ASSERT_TRUE(testing::eventually(
      [&] { return done(shop_->drape) && done(shop_->dead) && done(other_->drape) && done(other_->dead); }));
  EXPECT_NE(shop_->body, other_->body) << "equal requests of two tenants are two tasks";
  int tries = 0;
  for (const MethodDescriptor* method : every_method()) {
    for (const TextPath& path : text_paths(method->input_type())) {
      for (const std::string& name : shop_->names()) {
        const auto answer_to = [&](const std::string& text) {
          return other_->call(method, *other_->request(method, path, text)).without({text, digest_in(text)});
        };
        const Answer foreign = answer_to(name), nobodys = answer_to(like(name));
        ASSERT_EQ(foreign.code, nobodys.code) << path_name(method, path) << " = " << name;
        if (foreign.code != grpc::StatusCode::OK && names_something(path)) {
          EXPECT_EQ(foreign.text, nobodys.text) << path_name(method, path) << " = " << name;
          EXPECT_EQ(foreign.details, nobodys.details) << path_name(method, path) << " = " << name;
        }
        for (const std::string& secret : shop_->secrets()) {
          EXPECT_EQ(foreign.text.find(secret), std::string::npos) << path_name(method, path) << " = " << name;
        }
        ++tries;
      }
    }
  }
  EXPECT_GT(tries, 500);
  // All of it is still there for whom it belongs to.
  for (const std::string& id : {shop_->body, shop_->garment, shop_->drape, shop_->dead}) {
    EXPECT_TRUE(jobs_->get(id).ok()) << "another tenant deleted it";
  }
  EXPECT_TRUE(jobs_->get_batch(shop_->batch).ok());
}

TEST_F(TwoTenants, TheOwnerSeesADifferenceInEveryFieldThatNamesSomething) {
  shop_->fill("warp and weft");
  ASSERT_TRUE(testing::eventually([&] { return done(shop_->drape) && done(shop_->dead); }));
  ASSERT_TRUE(testing::eventually([&] { return is_final(jobs_->get_batch(shop_->batch)->state); }));
  for (const MethodDescriptor* method : every_method()) {
    for (const TextPath& path : text_paths(method->input_type())) {
      if (!names_something(path)) continue;
      bool differs = false;
      for (const std::string& name : shop_->names()) {
        const auto answer_to = [&](const std::string& text) {
          return shop_->call(method, *shop_->request(method, path, text)).without({text, digest_in(text)});
        };
        const Answer own = answer_to(name), nobodys = answer_to(like(name));
        differs = differs || own.code != nobodys.code || own.text.size() != nobodys.text.size();
      }
      const bool unserved =
          shop_->call(method, *shop_->request(method, {}, "")).code == grpc::StatusCode::UNIMPLEMENTED;
      EXPECT_TRUE(differs || unserved) << path_name(method, path) << ": the other test would prove nothing";
    }
  }
}

// What a caller who had no answer does: the same again. Nothing is made twice, done twice or undone by it. Only what
// erases has nothing left to erase the second time, and a dead letter that is queued again is tried again.
TEST_F(TwoTenants, EveryMethodMayComeTwice) {
  shop_->fill("warp and weft");
  const auto settled = [&] { return testing::eventually([&] { return all_done("shop"); }); };
  ASSERT_TRUE(settled());
  // Of a batch that runs: batch_test.cc; of an upload: service_upload_test.cc; frames: service_motion_test.cc;
  // unserved.
  const std::set<std::string> elsewhere = {"PauseBatch",  "CancelBatch",    "Write",
                                           "WatchFrames", "ListOperations", "DeleteOperation"};
  std::map<std::string, int> good;
  for (const MethodDescriptor* method : every_method()) {
    std::vector<TextPath> paths = text_paths(method->input_type());
    paths.push_back({});
    const bool erases = method->name().rfind("Delete", 0) == 0;
    const bool tries_again = method->name() == "RequeueDeadLetter";
    for (const TextPath& path : paths) {
      for (const std::string& name : shop_->names()) {
        const std::string what = cat(path_name(method, path), " = ", name);
        const auto request = shop_->request(method, path, name);
        const Answer first = shop_->call(method, *request);
        ASSERT_TRUE(settled()) << what;
        const auto after_one = holdings("shop");
        const auto done_by_one = jobs_->finished_cursor().value();
        const Answer second = shop_->call(method, *request);
        ASSERT_TRUE(settled()) << what;
        EXPECT_EQ(holdings("shop"), after_one) << what;
        EXPECT_TRUE(tries_again || jobs_->finished_cursor().value() == done_by_one) << what << ": done twice";
        const bool gone = erases && first.code == grpc::StatusCode::OK && second.code == grpc::StatusCode::NOT_FOUND;
        EXPECT_TRUE(gone || second.code == first.code) << what << ": " << first.text << " | " << second.text;
        EXPECT_TRUE(first.code == grpc::StatusCode::OK || second.text == first.text) << what;
        good[method->full_name()] += first.code == grpc::StatusCode::OK;
        if (path.empty()) break;
      }
    }
    EXPECT_TRUE(good[method->full_name()] > 0 || elsewhere.count(method->name()) > 0)
        << method->full_name() << " was never answered well: it proves nothing";
  }
}

TEST_F(TwoTenants, OneConnectionWithTwoTokensShowsToEachItsOwn) {
  shop_->fill("warp and weft");
  const auto stub = v1::BodyService::NewStub(
      grpc::CreateChannel(address_, grpc::SslCredentials({testing::read_file(papers_.ca), "", ""})));
  for (const auto& [token, count] : {std::pair{"shop's", 1}, {"other's", 0}, {"shop's", 1}}) {
    grpc::ClientContext context;
    context.AddMetadata("authorization", cat("Bearer ", token));
    v1::ListBodiesResponse response;
    const auto status = stub->ListBodies(&context, {}, &response);
    ASSERT_TRUE(status.ok()) << status.error_message();
    EXPECT_EQ(response.bodies_size(), count);
  }
}

}  // namespace
}  // namespace tryon
