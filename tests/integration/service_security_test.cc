// Who gets in: TLS with the right and the wrong authority, certificates of clients, tokens before every method.
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include "client/lib/channel.h"
#include "server/base/hash.h"
#include "server/base/status.h"
#include "server/base/text.h"
#include "tests/integration/support/hosted_service.h"
#include "tests/integration/support/live_server.h"
#include "tests/integration/support/papers.h"
#include "tests/support/shared_data.h"
#include "tryon/v1/body.grpc.pb.h"
#include "tryon/v1/server.grpc.pb.h"

namespace tryon {
namespace {

using testing::make_papers;
using testing::Papers;
using testing::run_command;

std::string token_file(const std::string& reader, const std::string& writer) {
  const std::string path = testing::make_temp_dir() + "/tokens.json";
  testing::write_file(path, cat("{\"tokens\": [{\"name\": \"reader\", \"sha256\": \"", sha256_hex(reader),
                                "\", \"scopes\": [\"read\"]}, {\"name\": \"writer\", \"sha256\": \"",
                                sha256_hex(writer), "\", \"scopes\": [\"read\", \"write\"]}]}"));
  return path;
}

// A server with stores of its own; the address holds a name that its certificate has.
class Guarded {
 public:
  explicit Guarded(const SecurityOptions& security) : host_(jobs_.get(), blobs_.get(), nullptr) {
    HostOptions options;
    options.listen = "127.0.0.1:0";
    options.security = security;
    const auto port = host_.start(options);
    if (!port.ok()) throw std::runtime_error(port.status().ToString());
    address_ = cat("localhost:", *port);
  }
  ~Guarded() { host_.stop(absl::Seconds(1)); }
  const std::string& address() const { return address_; }

 private:
  std::unique_ptr<JobStore> jobs_ = make_memory_job_store();
  std::unique_ptr<BlobStore> blobs_ = make_memory_blob_store();
  ServiceHost host_;
  std::string address_;
};

grpc::Status server_info(const client::ChannelOptions& way) {
  const auto channel = client::open_channel(way);
  EXPECT_TRUE(channel.ok()) << channel.status();
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(5));
  v1::GetServerInfoResponse response;
  return v1::ServerService::NewStub(*channel)->GetServerInfo(&context, {}, &response);
}

grpc::Status delete_a_body(const client::ChannelOptions& way) {
  const auto channel = client::open_channel(way);
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(5));
  v1::DeleteBodyRequest request;
  request.set_name("bodies/" + std::string(64, 'a'));
  google::protobuf::Empty response;
  return v1::BodyService::NewStub(*channel)->DeleteBody(&context, request, &response);
}

TEST(Security, OverTlsTheServerIsKnownByItsAuthorityAndByNoOther) {
  const Papers papers = make_papers(), others = make_papers();
  Guarded server({papers.certificate, papers.key, "", ""});
  EXPECT_TRUE(server_info({server.address(), papers.ca, "", "", ""}).ok());
  EXPECT_EQ(server_info({server.address(), others.ca, "", "", ""}).error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_EQ(server_info({server.address(), "", "", "", ""}).error_code(), grpc::StatusCode::UNAVAILABLE) << "plain";
}

TEST(Security, AnExpiredCertificateIsRefused) {
  const Papers papers = make_papers("-1");
  Guarded server({papers.certificate, papers.key, "", ""});
  EXPECT_EQ(server_info({server.address(), papers.ca, "", "", ""}).error_code(), grpc::StatusCode::UNAVAILABLE);
}

TEST(Security, OlderTlsThan12IsRefused) {
  const Papers papers = make_papers();
  Guarded server({papers.certificate, papers.key, "", ""});
  const auto shake = [&](const char* version) {
    return run_command({"/usr/bin/timeout", "5", "/usr/bin/openssl", "s_client", "-connect", server.address(),
                        "-CAfile", papers.ca, "-cipher", "ALL:@SECLEVEL=0", version, "-brief", "-no_ign_eof"})
        .output;
  };
  EXPECT_NE(shake("-tls1_2").find("CONNECTION ESTABLISHED"), std::string::npos) << shake("-tls1_2");
  EXPECT_EQ(shake("-tls1_1").find("CONNECTION ESTABLISHED"), std::string::npos);
}

TEST(Security, AServerThatWantsClientCertificatesTakesThoseOfItsAuthorityOnly) {
  const Papers papers = make_papers(), others = make_papers();
  Guarded server({papers.certificate, papers.key, papers.ca, ""});
  EXPECT_TRUE(server_info({server.address(), papers.ca, papers.certificate, papers.key, ""}).ok());
  EXPECT_FALSE(server_info({server.address(), papers.ca, "", "", ""}).ok());
  EXPECT_FALSE(server_info({server.address(), papers.ca, others.certificate, others.key, ""}).ok());
}

TEST(Security, TokensOpenWhatTheirScopesSay) {
  const Papers papers = make_papers();
  Guarded server({papers.certificate, papers.key, "", token_file("r", "w")});
  const auto with = [&](const std::string& token) {
    return client::ChannelOptions{server.address(), papers.ca, "", "", token};
  };
  EXPECT_EQ(server_info(with("")).error_code(), grpc::StatusCode::UNAUTHENTICATED);
  EXPECT_EQ(server_info(with("x")).error_code(), grpc::StatusCode::UNAUTHENTICATED);
  EXPECT_TRUE(server_info(with("r")).ok());
  EXPECT_TRUE(server_info(with("w")).ok());
  EXPECT_EQ(delete_a_body(with("r")).error_code(), grpc::StatusCode::PERMISSION_DENIED);
  EXPECT_EQ(delete_a_body(with("w")).error_code(), grpc::StatusCode::NOT_FOUND) << "admitted; there is no such body";
  EXPECT_EQ(delete_a_body(with("r")).error_message().rfind("SCOPE_MISSING", 0), 0u);
}

TEST(Security, WithoutGuardsOnlyLoopbackIsListenedOn) {
  const auto jobs = make_memory_job_store();
  const auto blobs = make_memory_blob_store();
  const Papers papers = make_papers();
  const auto start = [&](HostOptions options) {
    options.listen = "0.0.0.0:0";
    ServiceHost host(jobs.get(), blobs.get(), nullptr);
    const auto port = host.start(options);
    return port.ok() ? std::string() : error_detail(port.status())->reason;
  };
  EXPECT_EQ(start({}), "LISTEN_NOT_LOOPBACK");
  HostOptions tls_alone, tokens_alone, guarded;
  tls_alone.security = {papers.certificate, papers.key, "", ""};
  EXPECT_EQ(start(tls_alone), "LISTEN_NOT_LOOPBACK") << "nobody knows who calls";
  tokens_alone.security.token_file = token_file("r", "w");
  EXPECT_EQ(start(tokens_alone), "LISTEN_NOT_LOOPBACK") << "tokens would travel in the clear";
  tokens_alone.insecure_listen = true;
  EXPECT_EQ(start(tokens_alone), "TOKENS_NEED_TLS");
  guarded.security = {papers.certificate, papers.key, "", token_file("r", "w")};
  EXPECT_EQ(start(guarded), "");
}

TEST(Security, FilesThatAreNoCertificatesAreNamed) {
  const Papers papers = make_papers();
  const auto reason = [](const SecurityOptions& options) {
    const auto credentials = open_guards(options);
    return credentials.ok() ? std::string() : cat(error_detail(credentials.status())->field);
  };
  EXPECT_EQ(reason({papers.certificate, "", "", ""}), "--tls-key");
  EXPECT_EQ(reason({"/nonexistent", papers.key, "", ""}), "--tls-certificate");
  EXPECT_EQ(reason({papers.certificate, papers.certificate, "", ""}), "--tls-key");
  EXPECT_EQ(reason({papers.certificate, papers.key, papers.key, ""}), "--tls-client-ca");
}

}  // namespace
}  // namespace tryon
