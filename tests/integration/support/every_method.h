// What it is: every method of the services as the proto files tell them, so that a new one is tried too; the text
// fields of its request; and a caller who sends a request to any of them and has one of everything made through the
// service. Frame: none. How it fails: as gtest's expectations. Thread rules: one test at a time.
#pragma once

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>
#include <grpcpp/channel.h>
#include <grpcpp/support/status_code_enum.h>

#include <memory>
#include <string>
#include <vector>

namespace tryon::testing {

// What ends things comes last.
std::vector<const google::protobuf::MethodDescriptor*> every_method();

// A text field of a request, by the way to it through messages.
using TextPath = std::vector<const google::protobuf::FieldDescriptor*>;
std::vector<TextPath> text_paths(const google::protobuf::Descriptor* type);
void set_text(google::protobuf::Message* message, const TextPath& path, const std::string& text);
std::string path_name(const google::protobuf::MethodDescriptor* method, const TextPath& path);
// The first 64 hex digits in a row, or nothing.
std::string digest_in(const std::string& text);

struct Answer {
  grpc::StatusCode code = grpc::StatusCode::OK;
  std::string text;     // all answers, or the message of an error
  std::string details;  // of an error

  // With those names taken out, and the details' bytes in order, for a map's entries have none.
  Answer without(const std::vector<std::string>& names) const;
};

// A tenant of the server.
class Tenant {
 public:
  Tenant(const std::string& address, const std::string& ca, const std::string& token);

  // Sends one message, takes all answers.
  Answer call(const google::protobuf::MethodDescriptor* method, const google::protobuf::Message& request) const;
  // That request with its own body and garment where one is named, and `text` at the path.
  std::unique_ptr<google::protobuf::Message> request(const google::protobuf::MethodDescriptor* method,
                                                     const TextPath& path, const std::string& text) const;

  // What it has, made through the service; `dead` is the drape of 31 mm.
  void fill(const std::string& cloth, const std::string& half = "half");
  // Every name of what it has.
  std::vector<std::string> names() const;
  std::vector<std::string> secrets() const;

  std::string body, garment, drape, dead, batch, blob, upload_name;  // ids, and names of the last two

 private:
  std::string begin_drape(double resolution_mm);
  void begin_batch();
  std::string upload(const std::string& id, const std::string& bytes, size_t send);

  std::shared_ptr<grpc::Channel> channel_;
};

}  // namespace tryon::testing
