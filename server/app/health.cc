// tryon-health: asks a tryon server's standard health service whether it serves; for container and Kubernetes probes.
// Exit code: 0 serving, 1 wrong usage, 2 no connection, 3 no answer in time or an error, 4 not serving.
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <string>

namespace {

enum ExitCode : int { kServing = 0, kUsage = 1, kNoConnection = 2, kNoAnswer = 3, kNotServing = 4 };

struct Question {
  std::string address = "127.0.0.1:8001", service;
  std::string ca_file, certificate_file, key_file;  // with a CA: TLS, with the other two: mutual
  double timeout_s = 2.0;
};

std::string content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream out;
  out << file.rdbuf();
  return out.str();
}

std::shared_ptr<grpc::ChannelCredentials> credentials(const Question& question) {
  if (question.ca_file.empty()) return grpc::InsecureChannelCredentials();
  grpc::SslCredentialsOptions options;
  options.pem_root_certs = content_of(question.ca_file);
  if (!question.certificate_file.empty()) {
    options.pem_cert_chain = content_of(question.certificate_file);
    options.pem_private_key = content_of(question.key_file);
  }
  return grpc::SslCredentials(options);
}

// HealthCheckRequest {string service = 1}, short enough for a length of one byte.
grpc::ByteBuffer request_of(const Question& question) {
  std::string bytes;
  if (!question.service.empty()) {
    bytes = "\x0a";
    bytes += static_cast<char>(question.service.size());
    bytes += question.service;
  }
  const grpc::Slice slice(bytes);
  return grpc::ByteBuffer(&slice, 1);
}

// HealthCheckResponse {enum status = 1}: 1 is SERVING.
bool says_serving(const grpc::ByteBuffer& answer) {
  grpc::Slice slice;
  return answer.DumpToSingleSlice(&slice).ok() && slice.size() == 2 && slice.begin()[0] == 0x08 &&
         slice.begin()[1] == 0x01;
}

int ask(const Question& question) {
  const auto deadline =
      std::chrono::system_clock::now() + std::chrono::milliseconds(static_cast<int64_t>(question.timeout_s * 1000));
  const auto channel = grpc::CreateChannel(question.address, credentials(question));
  if (!channel->WaitForConnected(deadline)) {
    std::fprintf(stderr, "no connection to %s\n", question.address.c_str());
    return kNoConnection;
  }
  grpc::ClientContext context;
  context.set_deadline(deadline);
  grpc::CompletionQueue queue;
  grpc::GenericStub stub(channel);
  const grpc::ByteBuffer request = request_of(question);
  const auto call = stub.PrepareUnaryCall(&context, "/grpc.health.v1.Health/Check", request, &queue);
  call->StartCall();
  grpc::ByteBuffer answer;
  grpc::Status status;
  call->Finish(&answer, &status, nullptr);
  void* tag = nullptr;
  bool ok = false;
  queue.Next(&tag, &ok);
  if (!status.ok()) {
    std::fprintf(stderr, "%s: %s\n", question.address.c_str(), status.error_message().c_str());
    return kNoAnswer;
  }
  if (says_serving(answer)) return kServing;
  std::fprintf(stderr, "%s: not serving\n", question.address.c_str());
  return kNotServing;
}

}  // namespace

int main(int argc, char** argv) {
  Question question;
  CLI::App app("Asks a tryon server whether it serves. Exit code: 0 yes, 2 no connection, 3 no answer, 4 not serving.");
  app.add_option("--address", question.address, "HOST:PORT of the API")->envname("TRYON_SERVER")->capture_default_str();
  app.add_option("--service", question.service, "a service's full name; the whole server if absent")
      ->check([](const std::string& name) { return std::string(name.size() < 128 ? "" : "is longer than 127"); });
  app.add_option("--timeout", question.timeout_s, "seconds")->check(CLI::Range(0.01, 60.0))->capture_default_str();
  CLI::Option* ca = app.add_option("--ca", question.ca_file, "PEM file; then over TLS")->check(CLI::ExistingFile);
  CLI::Option* certificate = app.add_option("--certificate", question.certificate_file, "our own, for mutual TLS");
  CLI::Option* key = app.add_option("--key", question.key_file, "its key");
  certificate->check(CLI::ExistingFile)->needs(ca)->needs(key);
  key->check(CLI::ExistingFile)->needs(certificate);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kServing : kUsage;
  }
  return ask(question);
}
