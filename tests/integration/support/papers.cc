#include "tests/integration/support/papers.h"

#include <stdexcept>
#include <vector>

#include "tests/integration/support/live_server.h"
#include "tests/support/shared_data.h"

namespace tryon::testing {
namespace {

void openssl(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "/usr/bin/openssl");
  const CommandResult made = run_command(arguments);
  if (made.exit_code != 0) throw std::runtime_error(made.output);
}

}  // namespace

Papers make_papers(const std::string& days) {
  const std::string folder = make_temp_dir();
  const Papers papers{folder + "/ca.pem", folder + "/own.pem", folder + "/own.key"};
  openssl({"req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj",
           "/CN=test authority", "-keyout", folder + "/ca.key", "-out", papers.ca});
  openssl({"req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-subj", "/CN=localhost",
           "-keyout", papers.key, "-out", folder + "/own.csr"});
  write_file(folder + "/names", "subjectAltName=DNS:localhost,IP:127.0.0.1\n");
  openssl({"x509", "-req", "-in", folder + "/own.csr", "-CA", papers.ca, "-CAkey", folder + "/ca.key",
           "-CAcreateserial", "-days", days, "-extfile", folder + "/names", "-out", papers.certificate});
  return papers;
}

}  // namespace tryon::testing
