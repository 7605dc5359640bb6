#include "tests/integration/support/every_method.h"

#include <google/protobuf/dynamic_message.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "client/lib/channel.h"
#include "google/bytestream/bytestream.grpc.pb.h"
#include "google/longrunning/operations.pb.h"
#include "server/base/hash.h"
#include "server/base/text.h"
#include "tests/integration/support/hosted_service.h"
#include "tryon/v1/batch.grpc.pb.h"
#include "tryon/v1/blob.pb.h"
#include "tryon/v1/body.grpc.pb.h"
#include "tryon/v1/drape.grpc.pb.h"
#include "tryon/v1/garment.grpc.pb.h"
#include "tryon/v1/queue.pb.h"
#include "tryon/v1/server.pb.h"

namespace tryon::testing {

using google::longrunning::Operation;
using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::FileDescriptor;
using google::protobuf::Message;
using google::protobuf::MessageFactory;
using google::protobuf::MethodDescriptor;

namespace {

void add_paths(const Descriptor* type, const TextPath& way, std::vector<TextPath>* out) {
  if (way.size() > 4) return;
  for (int i = 0; i < type->field_count(); ++i) {
    const FieldDescriptor* field = type->field(i);
    TextPath path = way;
    path.push_back(field);
    if (field->is_map()) continue;
    if (field->type() == FieldDescriptor::TYPE_STRING) out->push_back(path);
    if (field->type() == FieldDescriptor::TYPE_MESSAGE && !field->is_repeated()) {
      add_paths(field->message_type(), path, out);
    }
  }
}

// A template is drafted for a body only where the template is named.
void name_template(Message* message, const TextPath& path, const std::vector<TextPath>& paths) {
  for (const TextPath& other : paths) {
    const bool beside = other.size() == path.size() && std::equal(path.begin(), path.end() - 1, other.begin());
    if (beside && other.back()->name() == "template" && path.back() != other.back()) {
      set_text(message, other, "t_shirt");
    }
  }
}

// The operation that a create method answers with, by its id.
template <typename Service, typename Method, typename Request>
std::string made(const std::shared_ptr<grpc::Channel>& channel, Method method, const Request& request) {
  const auto stub = Service::NewStub(channel);
  grpc::ClientContext context;
  Operation operation;
  const grpc::Status status = (stub.get()->*method)(&context, request, &operation);
  EXPECT_TRUE(status.ok()) << request.GetTypeName() << ": " << status.error_message();
  return id_of(operation.name());
}

}  // namespace

std::vector<const MethodDescriptor*> every_method() {
  std::vector<const MethodDescriptor*> out;
  for (const FileDescriptor* file :
       {google::bytestream::ReadRequest::descriptor()->file(), v1::Batch::descriptor()->file(),
        v1::DeadLetter::descriptor()->file(), v1::Body::descriptor()->file(), v1::Drape::descriptor()->file(),
        v1::Garment::descriptor()->file(), v1::GetServerInfoRequest::descriptor()->file(),
        v1::FindMissingBlobsRequest::descriptor()->file(), google::longrunning::Operation::descriptor()->file()}) {
    for (int s = 0; s < file->service_count(); ++s) {
      for (int m = 0; m < file->service(s)->method_count(); ++m) out.push_back(file->service(s)->method(m));
    }
  }
  // What ends things comes last, so that the owner's tries find them.
  const auto ends = [](const MethodDescriptor* method) {
    return method->name().rfind("Delete", 0) == 0 ? 2 : method->name().rfind("Cancel", 0) == 0 ? 1 : 0;
  };
  std::stable_sort(out.begin(), out.end(), [&](auto* a, auto* b) { return ends(a) < ends(b); });
  return out;
}

std::vector<TextPath> text_paths(const Descriptor* type) {
  std::vector<TextPath> out;
  add_paths(type, {}, &out);
  return out;
}

void set_text(Message* message, const TextPath& path, const std::string& text) {
  for (size_t i = 0; i + 1 < path.size(); ++i) {
    message = message->GetReflection()->MutableMessage(message, path[i]);
  }
  const FieldDescriptor* field = path.back();
  if (!field->is_repeated()) return message->GetReflection()->SetString(message, field, text);
  message->GetReflection()->ClearField(message, field);
  message->GetReflection()->AddString(message, field, text);
}

std::string path_name(const MethodDescriptor* method, const TextPath& path) {
  std::string out = method->full_name();
  for (const FieldDescriptor* field : path) out += "." + field->name();
  return out;
}

std::string digest_in(const std::string& text) {
  const auto is_hex = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
  size_t run = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    run = is_hex(text[i]) ? run + 1 : 0;
    if (run == 64) return text.substr(i - 63, 64);
  }
  return "";
}

Answer Answer::without(const std::vector<std::string>& names) const {
  Answer out = *this;
  for (std::string* part : {&out.text, &out.details}) {
    for (const std::string& name : names) {
      for (size_t at; !name.empty() && (at = part->find(name)) != std::string::npos;) {
        part->replace(at, name.size(), "*");
      }
    }
  }
  std::sort(out.details.begin(), out.details.end());
  return out;
}

Tenant::Tenant(const std::string& address, const std::string& ca, const std::string& token)
    : channel_(client::open_channel({address, ca, "", "", token}).value()) {}

Answer Tenant::call(const MethodDescriptor* method, const Message& request) const {
  grpc::GenericStub stub(channel_);
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(20));
  grpc::CompletionQueue queue;
  const auto path = cat("/", method->service()->full_name(), "/", method->name());
  const auto call = stub.PrepareCall(&context, path, &queue);
  const auto next = [&queue] {
    void* tag = nullptr;
    bool good = false;
    return queue.Next(&tag, &good) && good;
  };
  call->StartCall(nullptr);
  if (next()) {
    const grpc::Slice slice(request.SerializeAsString());
    call->WriteLast(grpc::ByteBuffer(&slice, 1), grpc::WriteOptions(), nullptr);
    (void)next();
  }
  Answer answer;
  for (;;) {
    grpc::ByteBuffer buffer;
    call->Read(&buffer, nullptr);
    if (!next()) break;
    std::vector<grpc::Slice> slices;
    (void)buffer.Dump(&slices);
    for (const auto& slice : slices) answer.text.append(reinterpret_cast<const char*>(slice.begin()), slice.size());
  }
  grpc::Status status;
  call->Finish(&status, nullptr);
  (void)next();
  answer.code = status.error_code();
  if (!status.ok()) {
    answer.text = status.error_message();
    answer.details = status.error_details();
  }
  queue.Shutdown();
  return answer;
}

std::unique_ptr<Message> Tenant::request(const MethodDescriptor* method, const TextPath& path,
                                         const std::string& text) const {
  std::unique_ptr<Message> message(MessageFactory::generated_factory()->GetPrototype(method->input_type())->New());
  const std::vector<TextPath> paths = text_paths(method->input_type());
  for (const TextPath& other : paths) {
    const std::string& field = other.back()->name();
    if (other.size() > 1 && other[0]->name() == "source") continue;
    if (field == "body" || field == "bodies") set_text(message.get(), other, cat("bodies/", body));
    if (field == "garment" || field == "garments") set_text(message.get(), other, cat("garments/", garment));
  }
  if (path.empty()) return message;
  set_text(message.get(), path, text);
  name_template(message.get(), path, paths);
  return message;
}

void Tenant::fill(const std::string& cloth, const std::string& half) {
  v1::CreateBodyRequest person;
  person.mutable_source()->set_sample(true);
  body = made<v1::BodyService>(channel_, &v1::BodyService::Stub::CreateBody, person);
  v1::CreateGarmentRequest shirt;
  shirt.mutable_source()->set_sample("tshirt");
  garment = made<v1::GarmentService>(channel_, &v1::GarmentService::Stub::CreateGarment, shirt);
  drape = begin_drape(20);
  dead = begin_drape(31);
  begin_batch();
  blob = upload("whole", cloth, cloth.size());
  upload_name = upload(half, cloth + "!", 4);
}

std::vector<std::string> Tenant::names() const {
  return {cat("bodies/", body),
          cat("garments/", garment),
          cat("drapes/", drape),
          cat("operations/", drape),
          cat("operations/", body),
          cat("operations/", dead),
          cat("batches/", batch),
          blob,
          upload_name,
          digest_in(blob)};
}

std::vector<std::string> Tenant::secrets() const { return {body, garment, drape, dead, batch, digest_in(blob)}; }

std::string Tenant::begin_drape(double resolution_mm) {
  v1::CreateDrapeRequest request;
  request.set_body("bodies/" + body);
  request.set_garment("garments/" + garment);
  request.set_resolution_mm(resolution_mm);
  return made<v1::DrapeService>(channel_, &v1::DrapeService::Stub::CreateDrape, request);
}

void Tenant::begin_batch() {
  v1::CreateBatchRequest request;
  request.mutable_selector()->add_bodies("bodies/" + body);
  request.mutable_selector()->add_garments("garments/" + garment);
  grpc::ClientContext context;
  v1::Batch made;
  const auto status = v1::BatchService::NewStub(channel_)->CreateBatch(&context, request, &made);
  EXPECT_TRUE(status.ok()) << status.error_message();
  batch = id_of(made.name());
}

std::string Tenant::upload(const std::string& id, const std::string& bytes, size_t send) {
  const std::string tail = cat("blobs/", sha256_hex(bytes), "/", bytes.size());
  grpc::ClientContext context;
  google::bytestream::WriteResponse response;
  const auto writer = google::bytestream::ByteStream::NewStub(channel_)->Write(&context, &response);
  google::bytestream::WriteRequest message;
  message.set_resource_name(cat("uploads/", id, "/", tail));
  message.set_data(bytes.substr(0, send));
  message.set_finish_write(send == bytes.size());
  (void)writer->Write(message);
  writer->WritesDone();
  const auto status = writer->Finish();
  EXPECT_TRUE(status.ok()) << status.error_message();
  return send == bytes.size() ? tail : message.resource_name();
}

}  // namespace tryon::testing
