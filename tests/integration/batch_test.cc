// Batches through gRPC, with a worker whose physics the test plays.
#include <grpcpp/grpcpp.h>

#include <sstream>

#include "client/lib/batch_client.h"
#include "gtest/gtest.h"
#include "server/base/hash.h"
#include "server/base/status.h"
#include "server/base/text.h"
#include "tests/integration/support/hosted_service.h"
#include "tests/integration/support/live_server.h"
#include "tests/support/shared_data.h"

namespace tryon {
namespace {

using testing::eventually;
using testing::HostedService;
using testing::reason_of;

class BatchTest : public ::testing::Test {
 protected:
  BatchTest() : drape_(service_.drape_request()), batches_(service_.channel()) {}

  v1::CreateBatchRequest selector(int fabrics) {
    static const char* const kNames[] = {"cotton_jersey", "denim_11oz"};
    v1::CreateBatchRequest request;
    request.mutable_selector()->add_bodies(drape_.body());
    request.mutable_selector()->add_garments(drape_.garment());
    for (const char* size : {"S", "M", "L"}) request.mutable_selector()->add_sizes(size);
    for (int i = 0; i < fabrics; ++i) request.mutable_selector()->add_fabrics(kNames[i]);
    return request;
  }
  v1::Batch end_of(const std::string& name) {
    return batches_.watch(name, [](const v1::Batch&) { return true; }).value();
  }
  std::vector<std::string> table(const std::string& name) {
    std::string text;
    EXPECT_TRUE(batches_
                    .export_table(
                        name, [&] { text.clear(); }, [&](std::string_view more) { text += more; })
                    .ok());
    std::vector<std::string> lines = split(text, '\n');
    lines.pop_back();
    return lines;
  }

  HostedService service_;
  const v1::CreateDrapeRequest drape_;
  client::BatchClient batches_;
};

TEST_F(BatchTest, ASelectorIsDrapedCountedAndExported) {
  const v1::Batch batch = batches_.create(selector(2)).value();
  EXPECT_EQ(batch.item_count(), 6);
  const v1::Batch end = end_of(batch.name());
  EXPECT_EQ(end.state(), v1::BATCH_STATE_COMPLETED);
  EXPECT_EQ(end.succeeded_count(), 6);
  EXPECT_EQ(end.pending_count() + end.active_count(), 0);
  EXPECT_GT(end.items_per_second(), 0);
  EXPECT_EQ(service_.play().begun, 6);
  const auto lines = table(batch.name());
  ASSERT_EQ(lines.size(), 7u);
  EXPECT_EQ(lines[0].rfind("index,label,body,garment,size,fabric,state,drape,settled", 0), 0u);
  EXPECT_NE(lines[1].find(cat("0,,", drape_.body(), ",", drape_.garment(), ",S,cotton_jersey,SUCCEEDED,drapes/")),
            std::string::npos)
      << lines[1];
  for (const std::string& line : lines) EXPECT_EQ(split(line, ',').size(), split(lines[0], ',').size()) << line;
}

TEST_F(BatchTest, TheSameRequestIsTheSameBatchAndTheSameDrapesAreDoneOnce) {
  const std::string name = batches_.create(selector(2))->name();
  EXPECT_EQ(batches_.create(selector(2))->name(), name);
  end_of(name);
  const v1::Batch subset = batches_.create(selector(1)).value();
  EXPECT_NE(subset.name(), name);
  EXPECT_EQ(end_of(subset.name()).succeeded_count(), 3);
  EXPECT_EQ(service_.play().begun, 6) << "all of them were there already";
  EXPECT_EQ(batches_.list()->size(), 2u);
}

TEST_F(BatchTest, ARequestIdNamesOneRequest) {
  v1::CreateBatchRequest request = selector(1);
  request.set_request_id("6f2a8c0e-0000-4000-8000-000000000001");
  const std::string name = batches_.create(request)->name();
  EXPECT_EQ(batches_.create(request)->name(), name);
  request.mutable_selector()->add_fabrics("denim_11oz");
  EXPECT_EQ(reason_of(batches_.create(request).status()), "REQUEST_ID_REUSED");
}

TEST_F(BatchTest, ValidateOnlyMakesNothingAndSaysWhatIsWrong) {
  v1::CreateBatchRequest request = selector(2);
  request.set_validate_only(true);
  const v1::Batch batch = batches_.create(request).value();
  EXPECT_EQ(batch.name(), "");
  EXPECT_EQ(batch.item_count(), 6);
  EXPECT_TRUE(batches_.list()->empty());
  request.mutable_selector()->add_fabrics("kevlar");
  EXPECT_EQ(reason_of(batches_.create(request).status()), "FABRIC_UNKNOWN");
  request = selector(0);
  request.mutable_selector()->add_bodies(cat("bodies/", sha256_hex("nobody")));
  EXPECT_EQ(reason_of(batches_.create(request).status()), "BODY_NOT_FOUND");
  EXPECT_EQ(reason_of(batches_.create(v1::CreateBatchRequest()).status()), "BATCH_EMPTY");
}

TEST_F(BatchTest, AManifestIsReadLineByLineAndWhatIsMissingFailsAlone) {
  const std::string good = cat("{\"body\":\"", drape_.body(), "\",\"garment\":\"", drape_.garment(), "\"");
  v1::CreateBatchRequest request;
  request.add_manifest_sha256(
      service_.client()
          .upload(cat(good, ",\"label\":\"first\"}\n{\"body\":\"bodies/", sha256_hex("gone"), "\",\"garment\":\"",
                      drape_.garment(), "\"}\n", good, ",\"fabric\":\"denim_11oz\"}\n"))
          .value());
  const v1::Batch batch = batches_.create(request).value();
  const v1::Batch end = end_of(batch.name());
  EXPECT_EQ(end.succeeded_count(), 2);
  EXPECT_EQ(end.failed_count(), 1);
  const auto lines = table(batch.name());
  ASSERT_EQ(lines.size(), 4u);
  EXPECT_EQ(lines[1].rfind("0,first,", 0), 0u);
  EXPECT_NE(lines[2].find("BODY_NOT_FOUND"), std::string::npos) << lines[2];
  request.set_manifest_sha256(0, sha256_hex("never uploaded"));
  EXPECT_EQ(reason_of(batches_.create(request).status()), "BLOB_MISSING");
}

TEST_F(BatchTest, AnOuterLayerGoesOverADrapeThatIsDone) {
  service_.play().wears = true;
  const std::string beneath = service_.client().begin_drape(drape_).value();
  service_.wait_for(beneath, TaskState::kSucceeded);
  const auto over = [&](const std::string& id) {
    return cat("{\"body\":\"", drape_.body(), "\",\"garment\":\"", drape_.garment(),
               "\",\"fabric\":\"denim_11oz\",\"over\":\"drapes/", id, "\"}\n");
  };
  v1::CreateBatchRequest request;
  request.add_manifest_sha256(
      service_.client().upload(over(testing::id_of(beneath)) + over(sha256_hex("nobody"))).value());
  const v1::Batch batch = batches_.create(request).value();
  EXPECT_EQ(end_of(batch.name()).succeeded_count(), 1);
  const auto lines = table(batch.name());
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_NE(lines[2].find("DRAPE_NOT_FOUND"), std::string::npos) << lines[2];
  v1::CreateDrapeRequest outer = drape_;
  outer.set_fabric("denim_11oz");
  outer.set_over("drapes/" + testing::id_of(beneath));
  EXPECT_NE(lines[1].find(testing::id_of(service_.client().begin_drape(outer).value())), std::string::npos) << lines[1];
}

TEST_F(BatchTest, EveryBodyAndEveryGarmentHaveAName) {
  v1::CreateBatchRequest request;
  request.mutable_selector()->add_bodies("bodies/-");
  request.mutable_selector()->add_garments("garments/-");
  EXPECT_EQ(batches_.create(request)->item_count(), 1);
}

TEST_F(BatchTest, APauseLetsWhatRunsEndAndAResumeDoesTheRest) {
  service_.play().hold = true;
  const std::string name = batches_.create(selector(2))->name();
  ASSERT_TRUE(eventually([&] { return service_.play().begun == 1; }));
  const v1::Batch paused = batches_.pause(name).value();
  EXPECT_EQ(paused.state(), v1::BATCH_STATE_PAUSED);
  EXPECT_EQ(paused.active_count(), 1);
  service_.play().hold = false;
  ASSERT_TRUE(eventually([&] { return batches_.get(name)->succeeded_count() == 1; }));
  EXPECT_EQ(service_.play().begun, 1);
  EXPECT_EQ(batches_.resume(name)->state(), v1::BATCH_STATE_RUNNING);
  EXPECT_EQ(end_of(name).succeeded_count(), 6);
}

TEST_F(BatchTest, ACancelledBatchStopsItsWorkerAndAResumeDoesWhatIsLeft) {
  service_.play().hold = true;
  const std::string name = batches_.create(selector(2))->name();
  ASSERT_TRUE(eventually([&] { return service_.play().begun == 1; }));
  EXPECT_EQ(reason_of(batches_.remove(name)), "BATCH_STATE");
  ASSERT_TRUE(batches_.cancel(name).ok());
  const v1::Batch end = end_of(name);
  EXPECT_EQ(end.state(), v1::BATCH_STATE_CANCELLED);
  EXPECT_EQ(end.cancelled_count(), 6);
  EXPECT_EQ(service_.play().cut_short, 1);
  service_.play().hold = false;
  ASSERT_TRUE(batches_.resume(name).ok());
  EXPECT_EQ(end_of(name).succeeded_count(), 6);
  ASSERT_TRUE(batches_.remove(name).ok());
  EXPECT_EQ(reason_of(batches_.get(name).status()), "BATCH_NOT_FOUND");
}

TEST_F(BatchTest, ARestartedServerGoesOnWhereItWas) {
  service_.play().hold = true;
  const std::string name = batches_.create(selector(2))->name();
  ASSERT_TRUE(eventually([&] { return service_.play().begun == 1; }));
  service_.stop_host();
  service_.play().hold = false;
  service_.start_host();
  EXPECT_EQ(end_of(name).succeeded_count(), 6);
  EXPECT_EQ(service_.play().begun, 6) << "nothing twice";
}

TEST_F(BatchTest, EveryCallOfABatchMaySafelyComeTwice) {
  service_.play().hold = true;
  const std::string name = batches_.create(selector(2))->name();
  for (int i = 0; i < 2; ++i) EXPECT_EQ(batches_.pause(name)->state(), v1::BATCH_STATE_PAUSED);
  for (int i = 0; i < 2; ++i) EXPECT_EQ(batches_.resume(name)->state(), v1::BATCH_STATE_RUNNING);
  for (int i = 0; i < 2; ++i) EXPECT_TRUE(batches_.cancel(name).ok());
  const v1::Batch end = end_of(name);
  EXPECT_EQ(end.state(), v1::BATCH_STATE_CANCELLED);
  EXPECT_EQ(end.cancelled_count() + end.pending_count(), 6) << "what was begun, and what never was";
}

TEST_F(BatchTest, WhatATaskTriedTooOftenIsADeadLetterThatCanBeRequeued) {
  service_.play().fault = make_error(absl::StatusCode::kUnavailable, "MESH_PARSER_TIMEOUT", "", "slow", "again");
  v1::CreateBatchRequest request = selector(1);
  request.mutable_selector()->clear_sizes();
  const std::string name = batches_.create(request)->name();
  EXPECT_EQ(end_of(name).failed_count(), 1);
  const auto letters = batches_.dead_letters().value();
  ASSERT_EQ(letters.size(), 1u);
  EXPECT_EQ(letters[0].reason(), "MESH_PARSER_TIMEOUT");
  EXPECT_EQ(letters[0].attempt_count(), 3);
  service_.play().fault = absl::OkStatus();
  ASSERT_TRUE(batches_.requeue(letters[0].name()).ok());
  service_.wait_for(letters[0].name(), TaskState::kSucceeded);
  EXPECT_TRUE(batches_.dead_letters()->empty());
}

// Two small real drapes by the command alone; the second run finds them done.
TEST(CatalogCommand, RunsAManifestAndGoesOnWithIt) {
  const std::string out = testing::make_temp_dir(), manifest = out + "/catalog.csv";
  FILE* file = fopen(manifest.c_str(), "w");
  fputs("label,body,garment,fabric\none,sample,sample:skirt,denim_11oz\ntwo,sample,sample:skirt,cotton_jersey\n", file);
  fclose(file);
  const std::vector<std::string> command = {
      testing::bin_dir() + "/tryon", "catalog", "run", manifest, "--out", out + "/results", "--resolution", "50"};
  for (int run = 0; run < 2; ++run) {
    const auto result = testing::run_command(command);
    EXPECT_TRUE(result.exit_code == 0 || result.exit_code == 4) << result.output;
    EXPECT_NE(result.output.find("COMPLETED  2/2"), std::string::npos) << result.output;
  }
  const std::string table = testing::read_file(out + "/results/results.csv");
  EXPECT_EQ(split(table, '\n').size(), 4u) << table;
  EXPECT_GT(testing::read_file(out + "/results/drapes/000001-two/garment.glb").size(), 1000u);
  const auto wrong = testing::run_command({command[0], "catalog", "run", "/nowhere.jsonl", "--out", out + "/x"});
  EXPECT_EQ(wrong.exit_code, 3) << wrong.output;
}

}  // namespace
}  // namespace tryon
