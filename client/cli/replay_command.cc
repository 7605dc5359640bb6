#include "client/cli/replay_command.h"

#include <cstdio>

#include "client/cli/commands.h"
#include "client/cli/files.h"
#include "nlohmann/json.hpp"
#include "server/base/status.h"
#include "server/base/text.h"
#include "server/sim/replay.h"

namespace tryon::cli {
namespace {

using Json = nlohmann::json;

Json words_of(const absl::Status& status) {
  const ErrorDetail detail = error_detail(status).value_or(ErrorDetail{});
  return {{"reason", detail.reason}, {"field", detail.field}, {"message", std::string(status.message())}};
}

void print_line(const char* label, const absl::Status& status) {
  const ErrorDetail detail = error_detail(status).value_or(ErrorDetail{});
  std::printf("%-22s %s\n", label, status.ok() ? "nothing" : std::string(status.message()).c_str());
  if (!detail.field.empty()) std::printf("%-22s %s, reason %s\n", "", detail.field.c_str(), detail.reason.c_str());
}

}  // namespace

int replay(const Options& options) {
  const auto bytes = read_file(options.file);
  if (!bytes.ok()) return report_error(bytes.status(), options.json);
  const auto bundle = sim::decode_replay(*bytes);
  if (!bundle.ok()) return report_error(prefix_field(bundle.status(), cat(options.file, ": ")), options.json);
  const absl::Status then = decode_status(bundle->failure), now = sim::replay_steps(*bundle, {}).status();
  const bool same = encode_status(now) == bundle->failure;
  if (options.json) {
    const Json out = {{"solver", bundle->solver},
                      {"particles", bundle->model.particle_count},
                      {"step", bundle->states.back().step},
                      {"steps_run", bundle->states.size()},
                      {"failed_then", words_of(then)},
                      {"failed_now", words_of(now)},
                      {"seen_again", same}};
    std::printf("%s\n", out.dump(2, ' ', false, Json::error_handler_t::replace).c_str());
  } else {
    std::printf("%-22s %s, %d particles, step %d, %zu step(s) run\n", "bundle", bundle->solver.c_str(),
                bundle->model.particle_count, bundle->states.back().step, bundle->states.size());
    print_line("failed then by", then);
    print_line("fails now by", now);
    std::printf("%-22s %s\n", "seen again", same ? "yes" : "no");
  }
  return same ? kOk : kNotSettled;
}

}  // namespace tryon::cli
