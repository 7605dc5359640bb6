// tryon: the command. With --server it talks to a tryon-server; without, the same service runs inside.
#include <optional>

#include "client/cli/commands.h"
#include "client/cli/local_service.h"
#include "client/cli/options.h"
#include "client/cli/replay_command.h"
#include "client/lib/client.h"

int main(int argc, char** argv) {
  using namespace tryon;
  cli::Options options;
  if (const int code = cli::parse_options(argc, argv, &options); code >= 0) return code;
  if (options.command == "replay") return cli::replay(options);
  std::optional<cli::LocalService> local;
  std::string address = options.server;
  if (address.empty()) {
    const auto started = local.emplace().start();
    if (!started.ok()) return cli::report_error(started.status(), options.json);
    address = *started;
  }
  client::Client client(address);
  if (const absl::Status reached = client.reach(absl::Seconds(5)); !reached.ok()) {
    return cli::report_error(reached, options.json);
  }
  return cli::run_command(options, &client);
}
