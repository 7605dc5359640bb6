// Damage that a careless program or person does to files of every format: lines lost, doubled, swapped, members taken
// out of JSON, values of other types put in. What comes of it can be validated and meshed, or is refused with a reason.
#include <algorithm>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "server/base/status.h"
#include "server/garment/garment.h"
#include "server/garment/lint.h"
#include "server/garment/suggest_seams.h"
#include "server/io/pattern_import.h"
#include "tests/support/shared_data.h"

namespace tryon {
namespace {
using Json = nlohmann::json;

struct Outcome {
  int taken = 0, refused = 0;
};

void judge(const std::string& bytes, const ImportOptions& options, Outcome* outcome) {
  const auto p = import_pattern(bytes, "broken", options);
  if (!p.ok()) {
    ++outcome->refused;
    const auto detail = error_detail(p.status());
    ASSERT_TRUE(detail.has_value()) << p.status();
    EXPECT_FALSE(detail->reason.empty() || detail->remedy.empty()) << p.status();
    return;
  }
  ++outcome->taken;
  if (p->mesh) return;
  ASSERT_TRUE(validate(p->pattern).ok()) << validate(p->pattern);
  lint(p->pattern);
  if (outcome->taken % 8 != 0) return;
  const auto mesh = mesh_garment(RunContext{}, p->pattern, 0.05);
  EXPECT_TRUE(mesh.ok() || error_detail(mesh.status()).has_value()) << mesh.status();
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> out;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size() - 1);
    out.push_back(text.substr(at, end + 1 - at));
    at = end + 1;
  }
  return out;
}

std::string joined(const std::vector<std::string>& lines) {
  std::string out;
  for (const std::string& line : lines) out += line;
  return out;
}

// A run of lines lost, doubled, turned round, or put elsewhere.
std::string disordered(const std::string& text, std::mt19937* random) {
  std::vector<std::string> lines = lines_of(text);
  const size_t from = (*random)() % lines.size(), length = 1 + (*random)() % std::min<size_t>(12, lines.size() - from);
  const auto begin = lines.begin() + static_cast<long>(from), end = begin + static_cast<long>(length);
  const std::vector<std::string> run(begin, end);
  const unsigned what = (*random)() % 4;
  if (what == 2) {
    std::reverse(begin, end);
    return joined(lines);
  }
  if (what != 1) lines.erase(begin, end);
  if (what == 0) return joined(lines);
  const auto place = lines.begin() + static_cast<long>((*random)() % (lines.size() + 1));
  lines.insert(place, run.begin(), run.end());
  return joined(lines);
}

void collect(Json* value, std::vector<Json*>* out) {
  out->push_back(value);
  if (value->is_structured()) {
    for (Json& child : *value) collect(&child, out);
  }
}

// One value somewhere taken out, doubled, or exchanged for one of another kind or size.
std::string damaged_json(const std::string& text, std::mt19937* random) {
  Json root = Json::parse(text);
  std::vector<Json*> all;
  collect(&root, &all);
  Json& victim = *all[(*random)() % all.size()];
  const Json others[] = {Json(),       Json(-1),           Json(0),        Json(1e300), Json(-0.0),
                         Json("left"), Json::array(),      Json::object(), Json(true),  Json(2147483648.0),
                         Json(1e-300), Json({1, 2, 3, 4}), Json(0.5),      Json(""),    Json(4294967295u)};
  const unsigned what = (*random)() % 3;
  if (what == 0 && victim.is_object() && !victim.empty()) {
    victim.erase(std::next(victim.begin(), static_cast<long>((*random)() % victim.size())));
  } else if (what == 0 && victim.is_array() && !victim.empty()) {
    victim.erase((*random)() % victim.size());
  } else if (what == 1 && victim.is_array() && !victim.empty()) {
    victim.push_back(Json(victim[(*random)() % victim.size()]));
  } else {
    victim = others[(*random)() % std::size(others)];
  }
  return root.dump();
}

std::string shared(const std::string& file) { return testing::read_file(testing::shared_data_path(file)); }

TEST(DamageToRealFiles, LinesOfDxfAndObjFilesLostDoubledAndMoved) {
  TRYON_NEEDS_SHARED_DATA("patterns/valentina/tshirt_astm.dxf");
  std::mt19937 random(11);
  for (const char* file : {"patterns/valentina/tshirt_aama.dxf", "patterns/valentina/tshirt_astm.dxf",
                           "patterns/berkeley_meshes/tshirt.obj"}) {
    SCOPED_TRACE(file);
    const std::string bytes = shared(file);
    Outcome outcome;
    for (int i = 0; i < 150; ++i) judge(disordered(bytes, &random), {}, &outcome);
    EXPECT_EQ(outcome.taken + outcome.refused, 150);
    EXPECT_GT(outcome.refused, 0);
  }
}

TEST(DamageToRealFiles, ValuesOfEveryJsonFormatLostAndExchanged) {
  TRYON_NEEDS_SHARED_DATA("patterns/garmentcode/shirt_mean_specification.json");
  std::mt19937 random(12);
  const std::string own =
      write_pattern(import_pattern(shared("patterns/valentina/tshirt_astm.dxf"), "tshirt.dxf").value().pattern);
  const std::string files[] = {shared("patterns/garmentcode/shirt_mean_specification.json"),
                               shared("patterns/garment_pattern_generator/tee.json"),
                               shared("patterns/freesewing/bella_cisFemaleAdult36.paths.json"), own};
  for (size_t f = 0; f < std::size(files); ++f) {
    SCOPED_TRACE(f);
    Outcome outcome;
    for (int i = 0; i < 120; ++i) judge(damaged_json(files[f], &random), {}, &outcome);
    EXPECT_GT(outcome.refused, 10);
  }
}

TEST(DamageToRealFiles, SidecarsWithValuesLostAndExchanged) {
  TRYON_NEEDS_SHARED_DATA("patterns/valentina/tshirt_astm.dxf");
  std::mt19937 random(13);
  const std::string dxf = shared("patterns/valentina/tshirt_astm.dxf");
  const std::string seams = testing::read_file(testing::source_dir() + "/tests/fixtures/patterns/tshirt.seams.json");
  Outcome outcome;
  for (int i = 0; i < 300; ++i) {
    const std::string broken = damaged_json(seams, &random);
    ImportOptions options;
    options.sidecar = broken;
    judge(dxf, options, &outcome);
  }
  EXPECT_GT(outcome.taken, 10);
  EXPECT_GT(outcome.refused, 50);
}

}  // namespace
}  // namespace tryon
