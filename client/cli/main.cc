// tryon: the command. With --server it talks to a tryon-server; without, the same service runs inside.
#include <optional>
#include <string>

#include "client/cli/commands.h"
#include "client/cli/files.h"
#include "client/cli/local_service.h"
#include "client/cli/options.h"
#include "client/cli/replay_command.h"
#include "client/lib/channel.h"
#include "client/lib/client.h"

namespace {

// The way to the server that the options name; a token ends with its file's first line.
absl::StatusOr<std::shared_ptr<grpc::Channel>> channel_to(const std::string& address,
                                                          const tryon::cli::Options& options) {
  tryon::client::ChannelOptions way{address, options.ca, options.certificate, options.key, ""};
  if (!options.token_file.empty()) {
    const auto token = tryon::cli::read_file(options.token_file);
    if (!token.ok()) return token.status();
    way.token = token->substr(0, token->find_first_of("\r\n"));
  }
  return tryon::client::open_channel(way);
}

}  // namespace

int main(int argc, char** argv) {
  using namespace tryon;
  cli::Options options;
  if (const int code = cli::parse_options(argc, argv, &options); code >= 0) return code;
  if (options.command == "replay") return cli::replay(options);
  std::optional<cli::LocalService> local;
  std::string address = options.server;
  if (address.empty()) {
    const bool catalog = options.command == "catalog run";  // it is to go on where it was stopped
    const auto started = local.emplace().start(catalog ? options.out + "/.tryon" : "", catalog ? options.workers : 1);
    if (!started.ok()) return cli::report_error(started.status(), options.json);
    address = *started;
  }
  const auto channel = local ? client::open_channel({address, "", "", "", ""}) : channel_to(address, options);
  if (!channel.ok()) return cli::report_error(channel.status(), options.json);
  client::Client client(*channel);
  if (const absl::Status reached = client.reach(absl::Seconds(5)); !reached.ok()) {
    return cli::report_error(reached, options.json);
  }
  return cli::run_command(options, &client);
}
