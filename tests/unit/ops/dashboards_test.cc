// Dashboards and alerts rot when a metric is renamed: every name and label that they ask for is one that we serve.
#include <gtest/gtest.h>

#include <map>
#include <regex>
#include <set>
#include <string>

#include "server/ops/metrics.h"
#include "tests/support/shared_data.h"

namespace tryon {
namespace {

using Labels = std::map<std::string, std::set<std::string>>;  // of each metric

std::vector<std::smatch> all(const std::string& text, const std::regex& pattern) {
  return {std::sregex_iterator(text.begin(), text.end(), pattern), std::sregex_iterator()};
}

// What /metrics says once one of everything has happened.
std::string exposition() {
  Metrics metrics;
  metrics.count_rpc("DrapeService.CreateDrape", "OK", 0.1);
  metrics.count_task("drape", "failed", "INTERNAL", 1.0);
  metrics.observe_stage("drape", 1.0);
  return metrics.text();
}

Labels served() {
  Labels out;
  const std::string text = exposition();
  for (const auto& line : all(text, std::regex("(?:^|\n)(tryon_[a-z_]+)\\{([^}]*)\\}"))) {
    const std::string labels = line[2];
    for (const auto& label : all(labels, std::regex("([a-z_]+)=\""))) out[line[1]].insert(label[1]);
  }
  return out;
}

// Every PromQL expression of a file, JSON escapes undone.
std::vector<std::string> queries(const std::string& file, const std::regex& pattern) {
  const std::string text = testing::read_file(testing::source_dir() + file);
  std::vector<std::string> out;
  for (const auto& match : all(text, pattern)) {
    out.push_back(std::regex_replace(match[1].str(), std::regex("\\\\\""), "\""));
  }
  return out;
}

void expect_served(const std::string& query) {
  static const Labels metrics = served();
  std::set<std::string> here;  // labels of the metrics in this query
  int seen = 0;
  for (const auto& name : all(query, std::regex("\\b(tryon_[a-z_]+)\\b"))) {
    ++seen;
    ASSERT_TRUE(metrics.count(name[1])) << name[1] << " in: " << query;
    here.insert(metrics.at(name[1]).begin(), metrics.at(name[1]).end());
  }
  EXPECT_TRUE(seen > 0 || query.rfind("up{", 0) == 0) << query;
  for (const auto& group : all(query, std::regex("\\bby \\(([^)]*)\\)"))) {
    const std::string list = group[1];
    for (const auto& label : all(list, std::regex("[a-z_]+"))) EXPECT_TRUE(here.count(label[0])) << query;
  }
  for (const auto& selector : all(query, std::regex("tryon_[a-z_]+\\{([^}]*)\\}"))) {
    const std::string list = selector[1];
    for (const auto& label : all(list, std::regex("([a-z_]+)\\s*(?:=|!=)"))) EXPECT_TRUE(here.count(label[1])) << query;
  }
}

TEST(Dashboards, EveryQueryOfTheDashboardIsOfMetricsThatAreServed) {
  const auto found =
      queries("/docker/grafana/dashboards/tryon.json", std::regex("\"expr\": \"((?:[^\"\\\\]|\\\\.)*)\""));
  EXPECT_GE(found.size(), 10u);
  for (const std::string& query : found) expect_served(query);
}

TEST(Dashboards, SixAlertsAskForMetricsThatAreServed) {
  const auto found =
      queries("/docker/prometheus/alerts.yml", std::regex("expr: (?:>-\\n)?((?:.+\\n)(?:          .+\\n)*)"));
  EXPECT_EQ(found.size(), 6u);
  for (const std::string& query : found) expect_served(query);
}

}  // namespace
}  // namespace tryon
