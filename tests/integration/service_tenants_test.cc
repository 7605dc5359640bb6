// Nothing of one tenant is there for another: every method of the services, with every text field of its request set to
// every name that another tenant has, answers as for a name that nobody has. Methods and fields are read from the proto
// files, so that a new one is tried too.
#include <google/protobuf/descriptor.h>
#include <google/protobuf/dynamic_message.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <set>
#include <thread>

#include "client/lib/channel.h"
#include "google/bytestream/bytestream.grpc.pb.h"
#include "google/longrunning/operations.pb.h"
#include "server/base/hash.h"
#include "server/base/text.h"
#include "server/ops/log.h"
#include "server/service/host.h"
#include "server/service/tasks/runner.h"
#include "server/store/sealed_blob_store.h"
#include "tests/integration/support/hosted_service.h"
#include "tests/integration/support/papers.h"
#include "tests/support/shared_data.h"
#include "tryon/v1/batch.grpc.pb.h"
#include "tryon/v1/blob.pb.h"
#include "tryon/v1/body.grpc.pb.h"
#include "tryon/v1/drape.grpc.pb.h"
#include "tryon/v1/garment.grpc.pb.h"
#include "tryon/v1/queue.pb.h"
#include "tryon/v1/server.pb.h"
#include "tests/support/memory_object_store.h"

namespace tryon {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::FileDescriptor;
using google::protobuf::Message;
using google::protobuf::MessageFactory;
using google::protobuf::MethodDescriptor;

std::vector<const MethodDescriptor*> every_method() {
  std::vector<const MethodDescriptor*> out;
  for (const FileDescriptor* file :
       {v1::Batch::descriptor()->file(), v1::DeadLetter::descriptor()->file(), v1::Body::descriptor()->file(),
        v1::Drape::descriptor()->file(), v1::Garment::descriptor()->file(),
        v1::GetServerInfoRequest::descriptor()->file(), v1::FindMissingBlobsRequest::descriptor()->file(),
        google::longrunning::Operation::descriptor()->file(), google::bytestream::ReadRequest::descriptor()->file()}) {
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

// A text field of a request, by the way to it through messages.
using Path = std::vector<const FieldDescriptor*>;

void add_paths(const Descriptor* type, const Path& way, std::vector<Path>* out) {
  if (way.size() > 4) return;
  for (int i = 0; i < type->field_count(); ++i) {
    const FieldDescriptor* field = type->field(i);
    Path path = way;
    path.push_back(field);
    if (field->is_map()) continue;
    if (field->type() == FieldDescriptor::TYPE_STRING) out->push_back(path);
    if (field->type() == FieldDescriptor::TYPE_MESSAGE && !field->is_repeated()) {
      add_paths(field->message_type(), path, out);
    }
  }
}

void set_text(Message* message, const Path& path, const std::string& text) {
  for (size_t i = 0; i + 1 < path.size(); ++i) {
    message = message->GetReflection()->MutableMessage(message, path[i]);
  }
  const FieldDescriptor* field = path.back();
  if (!field->is_repeated()) return message->GetReflection()->SetString(message, field, text);
  message->GetReflection()->ClearField(message, field);
  message->GetReflection()->AddString(message, field, text);
}

// A template is drafted for a body only where the template is named.
void name_template(Message* message, const Path& path, const std::vector<Path>& paths) {
  for (const Path& other : paths) {
    const bool beside = other.size() == path.size() && std::equal(path.begin(), path.end() - 1, other.begin());
    if (beside && other.back()->name() == "template" && path.back() != other.back()) {
      set_text(message, other, "t_shirt");
    }
  }
}

std::string path_name(const MethodDescriptor* method, const Path& path) {
  std::string out = method->full_name();
  for (const FieldDescriptor* field : path) out += "." + field->name();
  return out;
}

bool names_something(const Path& path) {
  static const std::set<std::string> kNames = {"name",   "resource_name", "body",   "garment",
                                               "bodies", "garments",      "sha256", "manifest_sha256"};
  return kNames.count(path.back()->name()) > 0;
}

// The first 64 hex digits in a row, or nothing.
std::string digest_in(const std::string& text) {
  const auto is_hex = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
  size_t run = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    run = is_hex(text[i]) ? run + 1 : 0;
    if (run == 64) return text.substr(i - 63, 64);
  }
  return "";
}

struct Answer {
  grpc::StatusCode code = grpc::StatusCode::OK;
  std::string text;     // all answers, or the message of an error
  std::string details;  // of an error

  // With those names taken out, and the details' bytes in order, for a map's entries have none.
  Answer without(const std::vector<std::string>& names) const {
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
};

// A tenant of the server.
class Tenant {
 public:
  Tenant(const std::string& address, const std::string& ca, const std::string& token)
      : channel_(client::open_channel({address, ca, "", "", token}).value()) {}

  std::shared_ptr<grpc::Channel> channel() const { return channel_; }

  // Sends one message, takes all answers.
  Answer call(const MethodDescriptor* method, const Message& request) const {
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

  // What it has, made through the service.
  void fill(const std::string& cloth, const std::string& half = "half") {
    body = made<v1::CreateBodyRequest>("body", [](auto* r) { r->mutable_source()->set_sample(true); });
    garment = made<v1::CreateGarmentRequest>("garment", [](auto* r) { r->mutable_source()->set_sample("tshirt"); });
    drape = begin_drape("");
    dead = begin_drape("linen");
    begin_batch();
    blob = upload("whole", cloth, cloth.size());
    upload_name = upload(half, cloth + "!", 4);
  }
  // Every name of what it has, and the same with names that nobody has.
  std::vector<std::string> names() const {
    return {cat("bodies/", body),
            cat("garments/", garment),
            cat("drapes/", drape),
            cat("operations/", drape),
            cat("operations/", body),
            cat("operations/", dead),
            cat("batches/", batch),
            blob,
            upload_name,
            digest()};
  }
  std::string digest() const { return blob.substr(6, 64); }
  std::vector<std::string> secrets() const { return {body, garment, drape, dead, batch, digest()}; }

  std::string body, garment, drape, dead, batch, blob, upload_name;  // ids, and names of the last two

 private:
  template <typename Request, typename Fill>
  std::string made(const std::string& kind, const Fill& fill) {
    Request request;
    fill(&request);
    grpc::ClientContext context;
    google::longrunning::Operation operation;
    grpc::Status status;
    if constexpr (std::is_same_v<Request, v1::CreateBodyRequest>) {
      status = v1::BodyService::NewStub(channel_)->CreateBody(&context, request, &operation);
    } else if constexpr (std::is_same_v<Request, v1::CreateGarmentRequest>) {
      status = v1::GarmentService::NewStub(channel_)->CreateGarment(&context, request, &operation);
    } else {
      status = v1::DrapeService::NewStub(channel_)->CreateDrape(&context, request, &operation);
    }
    EXPECT_TRUE(status.ok()) << kind << ": " << status.error_message();
    return testing::id_of(operation.name());
  }
  std::string begin_drape(const std::string& fabric) {
    return made<v1::CreateDrapeRequest>("drape", [&](v1::CreateDrapeRequest* r) {
      r->set_body("bodies/" + body);
      r->set_garment("garments/" + garment);
      r->set_resolution_mm(fabric.empty() ? 20 : 31);
    });
  }
  void begin_batch() {
    v1::CreateBatchRequest request;
    request.mutable_selector()->add_bodies("bodies/" + body);
    request.mutable_selector()->add_garments("garments/" + garment);
    grpc::ClientContext context;
    v1::Batch made;
    const auto status = v1::BatchService::NewStub(channel_)->CreateBatch(&context, request, &made);
    EXPECT_TRUE(status.ok()) << status.error_message();
    batch = testing::id_of(made.name());
  }
  std::string upload(const std::string& id, const std::string& bytes, size_t send) {
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

  std::shared_ptr<grpc::Channel> channel_;
};

// The same name with another's digits and words in it: one that nobody has.
std::string like(const std::string& name) {
  std::string out = name;
  const std::string digest = digest_in(name);
  out.replace(out.find(digest), digest.size(), sha256_hex("nobody's " + name));
  if (const size_t half = out.find("/half/"); half != std::string::npos) out.replace(half, 6, "/none/");
  return out;
}

class TwoTenants : public ::testing::Test {
 protected:
  TwoTenants() {
    set_log_quiet(true);
    HostOptions options;
    options.listen = "127.0.0.1:0";
    options.security = {papers_.certificate, papers_.key, "", token_file()};
    const auto port = host_.start(options);
    if (!port.ok()) throw std::runtime_error(port.status().ToString());
    address_ = cat("localhost:", *port);
    shop_.emplace(address_, papers_.ca, "shop's");
    other_.emplace(address_, papers_.ca, "other's");
    worker_ = std::thread([this] { (void)runner_.run(); });
  }
  ~TwoTenants() override {
    runner_.stop();
    worker_.join();
    host_.stop(absl::ZeroDuration());
  }
  static std::string token_file() {
    const std::string path = testing::make_temp_dir() + "/tokens.json";
    const auto entry = [](const char* name) {
      return cat("{\"name\": \"", name, "\", \"scopes\": [\"read\", \"write\"], \"sha256\": \"",
                 sha256_hex(cat(name, "'s")), "\"}");
    };
    testing::write_file(path, cat("{\"tokens\": [", entry("shop"), ", ", entry("other"), "]}"));
    return path;
  }
  static RunnerOptions quick() {
    RunnerOptions options;
    options.heartbeat = absl::Milliseconds(10);
    return options;
  }
  static absl::StatusOr<PipelineResult> perform(const RunContext&, const std::string& kind, const std::string& spec,
                                                const BlobReader&) {
    if (spec.find("31") != std::string::npos && kind == "drape") return absl::UnavailableError("never");
    PipelineResult result;
    result.summary_json = "{}";
    result.artifacts[kind + ".json"] = {cat("of a ", kind), "application/json"};
    return result;
  }
  // A request as that tenant would send it, with its own body and garment where one is named.
  std::unique_ptr<Message> base(const MethodDescriptor* method, const Tenant& caller) {
    std::unique_ptr<Message> message(MessageFactory::generated_factory()->GetPrototype(method->input_type())->New());
    std::vector<Path> paths;
    add_paths(method->input_type(), {}, &paths);
    for (const Path& path : paths) {
      const std::string& field = path.back()->name();
      const bool in_source = path.size() > 1 && path[0]->name() == "source";
      if (in_source) continue;
      if (field == "body" || field == "bodies") set_text(message.get(), path, cat("bodies/", caller.body));
      if (field == "garment" || field == "garments") set_text(message.get(), path, cat("garments/", caller.garment));
    }
    return message;
  }
  bool done(const std::string& id) { return is_final(jobs_->get(id)->state); }

  const testing::Papers papers_ = testing::make_papers();
  const std::unique_ptr<JobStore> jobs_ = make_memory_job_store();
  const std::unique_ptr<BlobStore> blobs_ =
      make_sealed_blob_store(jobs_.get(), std::make_unique<testing::MemoryObjectStore>());
  ServiceHost host_{jobs_.get(), blobs_.get(), nullptr};
  TaskRunner runner_{jobs_.get(), blobs_.get(), quick(), perform, {}};
  std::thread worker_;
  std::string address_;
  std::optional<Tenant> shop_, other_;
};

TEST_F(TwoTenants, EveryMethodAnswersForAForeignNameAsForOneThatNobodyHas) {
  shop_->fill("warp and weft");
  other_->fill("weft and warp", "other-half");
  ASSERT_TRUE(testing::eventually(
      [&] { return done(shop_->drape) && done(shop_->dead) && done(other_->drape) && done(other_->dead); }));
  EXPECT_NE(shop_->body, other_->body) << "equal requests of two tenants are two tasks";
  int tries = 0;
  for (const MethodDescriptor* method : every_method()) {
    std::vector<Path> paths;
    add_paths(method->input_type(), {}, &paths);
    for (const Path& path : paths) {
      for (const std::string& name : shop_->names()) {
        const auto answer_to = [&](const std::string& text) {
          const auto request = base(method, *other_);
          set_text(request.get(), path, text);
          name_template(request.get(), path, paths);
          return other_->call(method, *request).without({text, digest_in(text)});
        };
        const Answer foreign = answer_to(name), nobodys = answer_to(like(name));
        ASSERT_EQ(foreign.code, nobodys.code) << path_name(method, path) << " = " << name;
        if (foreign.code != grpc::StatusCode::OK && names_something(path)) {
          EXPECT_EQ(foreign.text, nobodys.text) << path_name(method, path) << " = " << name;
          EXPECT_EQ(foreign.details, nobodys.details) << path_name(method, path) << " = " << name;
        }
        for (const std::string& secret : shop_->secrets()) {
          EXPECT_EQ(foreign.text.find(secret), std::string::npos) << path_name(method, path) << " = " << name;
        }
        ++tries;
      }
    }
  }
  EXPECT_GT(tries, 500);
  // All of it is still there for whom it belongs to.
  for (const std::string& id : {shop_->body, shop_->garment, shop_->drape, shop_->dead}) {
    EXPECT_TRUE(jobs_->get(id).ok()) << "another tenant deleted it";
  }
  EXPECT_TRUE(jobs_->get_batch(shop_->batch).ok());
}

TEST_F(TwoTenants, TheOwnerSeesADifferenceInEveryFieldThatNamesSomething) {
  shop_->fill("warp and weft");
  ASSERT_TRUE(testing::eventually([&] { return done(shop_->drape) && done(shop_->dead); }));
  ASSERT_TRUE(testing::eventually([&] { return is_final(jobs_->get_batch(shop_->batch)->state); }));
  for (const MethodDescriptor* method : every_method()) {
    std::vector<Path> paths;
    add_paths(method->input_type(), {}, &paths);
    for (const Path& path : paths) {
      if (!names_something(path)) continue;
      bool differs = false;
      for (const std::string& name : shop_->names()) {
        const auto answer_to = [&](const std::string& text) {
          const auto request = base(method, *shop_);
          set_text(request.get(), path, text);
          name_template(request.get(), path, paths);
          return shop_->call(method, *request).without({text, digest_in(text)});
        };
        const Answer own = answer_to(name), nobodys = answer_to(like(name));
        differs = differs || own.code != nobodys.code || own.text.size() != nobodys.text.size();
      }
      const bool unserved = shop_->call(method, *base(method, *shop_)).code == grpc::StatusCode::UNIMPLEMENTED;
      EXPECT_TRUE(differs || unserved) << path_name(method, path) << ": the other test would prove nothing";
    }
  }
}

TEST_F(TwoTenants, OneConnectionWithTwoTokensShowsToEachItsOwn) {
  shop_->fill("warp and weft");
  const auto stub = v1::BodyService::NewStub(
      grpc::CreateChannel(address_, grpc::SslCredentials({testing::read_file(papers_.ca), "", ""})));
  for (const auto& [token, count] : {std::pair{"shop's", 1}, {"other's", 0}, {"shop's", 1}}) {
    grpc::ClientContext context;
    context.AddMetadata("authorization", cat("Bearer ", token));
    v1::ListBodiesResponse response;
    const auto status = stub->ListBodies(&context, {}, &response);
    ASSERT_TRUE(status.ok()) << status.error_message();
    EXPECT_EQ(response.bodies_size(), count);
  }
}

}  // namespace
}  // namespace tryon
