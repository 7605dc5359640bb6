// Blobs go when nobody needs them, and not before.
#include "server/store/release.h"

#include <gtest/gtest.h>

#include "server/base/hash.h"

namespace tryon {
namespace {

class Release : public testing::Test {
 protected:
  TaskRecord submit(const std::string& id, const std::string& scan, bool keep) {
    TaskRecord task;
    task.id = id;
    task.kind = "body";
    task.inputs = {scan};
    task.keep_inputs = keep;
    return jobs_->submit(task).value();
  }
  void finish(const std::string& made) {
    const TaskRecord task = jobs_->lease("w", absl::Seconds(9))->value();
    const std::string digest = blobs_->put(made).value();
    ASSERT_TRUE(jobs_->apply(task.id, Completed{task.attempt, true, "{}", {{"body.glb", {digest, 1, "x"}}}}).ok());
  }
  bool is_there(const std::string& digest) { return blobs_->blob_size(digest).ok(); }

  std::unique_ptr<JobStore> jobs_ = make_memory_job_store();
  std::unique_ptr<BlobStore> blobs_ = make_memory_blob_store();
  const std::string scan_ = blobs_->put("raw scan").value();
};

TEST_F(Release, AScanGoesWithTheLastBodyThatReadsIt) {
  submit("first", scan_, false);
  submit("second", scan_, false);
  finish("one");
  ASSERT_TRUE(erase_spent_blobs(jobs_.get(), blobs_.get()).ok());
  EXPECT_TRUE(is_there(scan_)) << "the second still reads it";
  finish("two");
  ASSERT_TRUE(erase_spent_blobs(jobs_.get(), blobs_.get()).ok());
  EXPECT_FALSE(is_there(scan_));
  EXPECT_TRUE(is_there(sha256_hex("one")));
}

TEST_F(Release, AScanThatOneBodyKeepsStaysForAll) {
  submit("keeps", scan_, true);
  submit("lets", scan_, false);
  finish("one");
  finish("two");
  ASSERT_TRUE(erase_spent_blobs(jobs_.get(), blobs_.get()).ok());
  EXPECT_TRUE(is_there(scan_));
  ASSERT_TRUE(erase_task(jobs_.get(), blobs_.get(), "keeps").ok());
  EXPECT_FALSE(is_there(scan_)) << "until that body is erased";
}

TEST_F(Release, AFileThatAnotherTaskMadeToTheByteStaysForThatOne) {
  submit("a", scan_, false);
  submit("b", scan_, false);
  finish("the same picture");
  finish("the same picture");
  ASSERT_TRUE(erase_task(jobs_.get(), blobs_.get(), "a").ok());
  EXPECT_TRUE(is_there(sha256_hex("the same picture")));
  ASSERT_TRUE(erase_task(jobs_.get(), blobs_.get(), "b").ok());
  EXPECT_FALSE(is_there(sha256_hex("the same picture")));
}

}  // namespace
}  // namespace tryon
