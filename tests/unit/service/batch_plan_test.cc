#include "server/service/batch_plan.h"

#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "server/base/hash.h"
#include "server/base/status.h"
#include "server/base/text.h"
#include "server/service/batch_manifest.h"
#include "server/service/batch_table.h"

namespace tryon {
namespace {

std::string id(const std::string& word) { return sha256_hex(word); }
std::string name(const std::string& collection, const std::string& word) { return cat(collection, "/", id(word)); }
std::string reason_of(const absl::Status& status) { return error_detail(status).value_or(ErrorDetail{}).reason; }
std::string field_of(const absl::Status& status) { return error_detail(status).value_or(ErrorDetail{}).field; }

class BatchPlanTest : public testing::Test {
 protected:
  std::string put(const std::string& text) { return blobs_->put(text).value(); }
  static std::string line(const std::string& body, const std::string& rest = "") {
    return cat("{\"body\":\"", name("bodies", body), "\",\"garment\":\"", name("garments", "g"), "\"", rest, "}\n");
  }
  BatchSpec spec_with(const std::vector<std::string>& manifests, bool csv = false) {
    BatchSpec spec;
    for (const std::string& text : manifests) spec.manifests.push_back(put(text));
    spec.csv = csv;
    return spec;
  }
  static BatchSpec selector() {
    BatchSpec spec;
    spec.bodies = {id("anna"), id("berta"), id("clara")};
    spec.garments = {id("shirt"), id("skirt")};
    spec.sizes = {"S", "M"};
    spec.fabrics = {"denim_11oz", "cotton_jersey"};
    return spec;
  }
  static std::vector<PlannedDrape> all_of(BatchPlan* plan) {
    std::vector<PlannedDrape> out;
    while (auto next = plan->next().value()) out.push_back(*next);
    return out;
  }
  static std::string text_of(const PlannedDrape& d) {
    return cat(d.index, d.label, d.body, d.garment, d.size, d.settings.fabric, d.settings.resolution_mm);
  }

  std::unique_ptr<BlobStore> blobs_ = make_memory_blob_store();
};

TEST_F(BatchPlanTest, ASelectorIsAllCombinationsEachOnceAndByGarmentFirst) {
  BatchPlan plan(selector(), blobs_.get());
  EXPECT_EQ(plan.count().value(), 24);
  const auto all = all_of(&plan);
  ASSERT_EQ(all.size(), 24u);
  std::set<std::string> different;
  int changes = 0;
  for (size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(all[i].index, static_cast<int64_t>(i));
    different.insert(all[i].garment + all[i].size + all[i].body + all[i].settings.fabric);
    if (i > 0 && (all[i].garment != all[i - 1].garment || all[i].size != all[i - 1].size)) ++changes;
  }
  EXPECT_EQ(different.size(), 24u);
  EXPECT_EQ(changes, 3) << "a worker parses each garment and size once";
}

TEST_F(BatchPlanTest, AMillionItemsAreCountedWithoutBeingMade) {
  BatchSpec spec;
  for (int i = 0; i < 1000; ++i) spec.bodies.push_back(id(cat("b", i)));
  for (int i = 0; i < 1000; ++i) spec.garments.push_back(id(cat("g", i)));
  EXPECT_EQ(BatchPlan(spec, blobs_.get()).count().value(), kMaxBatchItems);
  BatchPlan plan(spec, blobs_.get());
  ASSERT_TRUE(plan.skip_to(999'999).ok());
  EXPECT_EQ(plan.next().value()->body, id("b999"));
  EXPECT_FALSE(plan.next().value().has_value());
  spec.fabrics = {"denim_11oz", "cotton_jersey"};
  EXPECT_EQ(reason_of(BatchPlan(spec, blobs_.get()).count().status()), "BATCH_TOO_LARGE");
  for (std::vector<std::string>* list : {&spec.sizes, &spec.fabrics}) list->assign(1000, "denim_11oz");
  EXPECT_EQ(reason_of(BatchPlan(spec, blobs_.get()).count().status()), "BATCH_TOO_LARGE") << "no overflow";
}

// The slow and plain judge of cursors: from everywhere, what is left is the same.
TEST_F(BatchPlanTest, AReaderGoesOnFromAnyCursor) {
  const std::string many =
      cat("{\"bodies\":[\"", name("bodies", "x"), "\",\"", name("bodies", "y"), "\"],\"garment\":\"",
          name("garments", "g"), "\",\"fabrics\":[\"denim_11oz\",\"cotton_jersey\"]}\n");
  for (const bool csv : {false, true}) {
    BatchSpec spec =
        csv ? spec_with({cat("body,garment,label\n", name("bodies", "a"), ",", name("garments", "g"), ",one\n",
                             name("bodies", "b"), ",", name("garments", "g"), ",\"two, too\"\n")},
                        true)
            : spec_with({cat("\n", line("a"), "\r\n", many, line("b")), "", line("c", ",\"label\":\"z\"")});
    if (!csv) {
      spec.bodies = {id("anna"), id("berta")};
      spec.garments = {id("shirt")};
    }
    BatchPlan whole(spec, blobs_.get());
    const auto all = all_of(&whole);
    ASSERT_EQ(all.size(), csv ? 2u : 9u);
    EXPECT_EQ(BatchPlan(spec, blobs_.get()).count().value(), static_cast<int64_t>(all.size()));
    BatchPlan walker(spec, blobs_.get());
    for (size_t i = 0; i <= all.size(); ++i) {
      BatchPlan sought(spec, blobs_.get()), skipped(spec, blobs_.get());
      ASSERT_TRUE(sought.seek(walker.cursor()).ok());
      if (i < all.size()) {
        ASSERT_TRUE(skipped.skip_to(static_cast<int64_t>(i)).ok());
      }
      for (size_t k = i; k < all.size(); ++k) {
        EXPECT_EQ(text_of(sought.next().value().value()), text_of(all[k])) << i << " " << k;
        EXPECT_EQ(text_of(skipped.next().value().value()), text_of(all[k])) << i << " " << k;
      }
      EXPECT_FALSE(sought.next().value().has_value());
      walker.next().IgnoreError();
    }
  }
}

TEST_F(BatchPlanTest, ALineMaySayAnythingThatADrapeMaySay) {
  BatchSpec spec = spec_with({line("a", ",\"resolution_mm\":20,\"wind_mps\":{\"z\":-5},\"self_contact\":true")});
  spec.settings.set_fabric("denim_11oz");
  spec.settings.set_resolution_mm(30);
  BatchPlan plan(spec, blobs_.get());
  const PlannedDrape item = plan.next().value().value();
  EXPECT_EQ(item.settings.fabric, "denim_11oz");
  EXPECT_EQ(item.settings.resolution_mm, 20.0);
  EXPECT_EQ(item.settings.wind_mps.z(), -5.0);
  EXPECT_EQ(item.settings.layer_contact, LayerContact::kAlways);
  EXPECT_EQ(item.over, "");
}

TEST_F(BatchPlanTest, ALineMayStartFromADrape) {
  BatchPlan plan(spec_with({line("a", cat(",\"starts_from\":\"", name("drapes", "first"), "\"")) + line("b")}),
                 blobs_.get());
  EXPECT_EQ(plan.next()->value().starts_from, id("first"));
  EXPECT_EQ(plan.next()->value().starts_from, "");
  BatchPlan wrong(spec_with({line("a", ",\"starts_from\":\"bodies/x\"")}), blobs_.get());
  EXPECT_FALSE(wrong.count().ok());
}

TEST_F(BatchPlanTest, WhatALineIsWornOverIsItsOwnOrThatOfAllLines) {
  BatchSpec spec = spec_with({line("a", cat(",\"over\":\"", name("drapes", "mine"), "\"")) + line("b")});
  spec.settings.set_over(name("drapes", "all"));
  BatchPlan plan(spec, blobs_.get());
  EXPECT_EQ(plan.next()->value().over, id("mine"));
  EXPECT_EQ(plan.next()->value().over, id("all"));
}

TEST_F(BatchPlanTest, WhatIsWrongIsNamedWithItsLine) {
  const struct {
    std::string bad, reason;
  } rows[] = {{"[1]", "MANIFEST_MALFORMED"},
              {"{\"body\":", "MANIFEST_MALFORMED"},
              {"{\"garment\":\"x\"}", "MANIFEST_MALFORMED"},
              {"{\"body\":7,\"garment\":\"x\"}", "MANIFEST_MALFORMED"},
              {"{\"body\":\"anna.obj\",\"garment\":\"x\"}", "RESOURCE_NAME"},
              {line("a", ",\"colour\":\"red\""), "MANIFEST_MALFORMED"},
              {line("a", ",\"fabric\":\"kevlar\""), "FABRIC_UNKNOWN"},
              {line("a", ",\"resolution_mm\":1"), "SETTING_OUT_OF_RANGE"},
              {line("a", ",\"over\":\"the shirt\""), "RESOURCE_NAME"},
              {std::string(70'000, '['), "MANIFEST_MALFORMED"},
              {std::string(400'000, ' '), "MANIFEST_MALFORMED"}};
  for (const auto& row : rows) {
    const auto count = BatchPlan(spec_with({line("a") + line("b") + row.bad + "\n"}), blobs_.get()).count();
    EXPECT_EQ(reason_of(count.status()), row.reason) << row.bad.substr(0, 80);
    EXPECT_EQ(field_of(count.status()).rfind("manifest 0 line 3", 0), 0u) << field_of(count.status());
  }
  EXPECT_EQ(reason_of(BatchPlan(spec_with({"\n \n"}), blobs_.get()).count().status()), "BATCH_EMPTY");
  const auto cells = BatchPlan(spec_with({"body,garment\na,b,c\n"}, true), blobs_.get()).count();
  EXPECT_EQ(reason_of(cells.status()), "MANIFEST_MALFORMED");
}

TEST_F(BatchPlanTest, ASpecComesBackAsItWas) {
  BatchSpec spec = selector();
  spec.manifests = {id("m")};
  spec.csv = true;
  spec.settings.set_fabric("denim_11oz");
  spec.settings.mutable_wind_mps()->set_x(1.25);
  EXPECT_EQ(to_json(batch_spec_from_json(to_json(spec)).value()), to_json(spec));
  for (const char* bad : {"", "[]", "{}", "{\"bodies\":7}"}) EXPECT_FALSE(batch_spec_from_json(bad).ok());
}

TEST(BatchTable, ACellIsReadBackAsItWasAndNeverAFormula) {
  for (const std::string text : {"plain", "a,b", "say \"hi\"", "", "x y"}) {
    EXPECT_EQ(csv_cells(csv_text(text)).value(), std::vector<std::string>{text});
  }
  EXPECT_EQ(csv_cells(csv_text("=1+1")).value()[0], "'=1+1");
  EXPECT_EQ(csv_text("two\nlines"), "\"two lines\"");
}

}  // namespace
}  // namespace tryon
