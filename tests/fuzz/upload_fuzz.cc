// Uploads as a state machine: the bytes are a script of begin, append, ask, finish and read by two tenants, and the
// sealed store must do what a plain map does.
#include <map>
#include <optional>
#include <string>

#include "server/base/hash.h"
#include "server/store/sealed_blob_store.h"
#include "server/store/tenant_view.h"
#include "tests/fuzz/fuzz.h"
#include "tests/support/memory_object_store.h"

namespace {

using namespace tryon;

const std::string kFiles[] = {"", "warp", "warp and weft", std::string(70'000, 'x')};

// What ought to be.
struct Upload {
  size_t file = 0;
  std::string bytes;
};
struct Tenant {
  std::map<std::string, Upload> uploads;
  std::map<size_t, bool> blobs;
};

class Script {
 public:
  Script(const uint8_t* data, size_t size) : data_(data), size_(size) {}
  bool more() const { return at_ < size_; }
  size_t next(size_t below) { return at_ < size_ ? data_[at_++] % below : 0; }

 private:
  const uint8_t* data_;
  size_t size_, at_ = 0;
};

void step(Script* script, TenantBlobStore* store, Tenant* ought) {
  const std::string upload = std::string(1, static_cast<char>('a' + script->next(3)));
  const auto known = ought->uploads.find(upload);
  const size_t* file = known == ought->uploads.end() ? nullptr : &known->second.file;
  const bool there = file && ought->blobs[*file];
  switch (script->next(5)) {
    case 0: {
      const size_t wanted = script->next(4);
      const auto begun =
          store->begin_upload(upload, sha256_hex(kFiles[wanted]), static_cast<int64_t>(kFiles[wanted].size()));
      if (file && *file != wanted) return fuzz::must(!begun.ok(), "a name is used once");
      fuzz::must(begun.ok(), "an upload begins");
      if (!file) ought->uploads[upload] = {wanted, ""};
      const size_t have = ought->blobs[wanted] ? kFiles[wanted].size() : ought->uploads[upload].bytes.size();
      return fuzz::must(*begun == static_cast<int64_t>(have), "the committed size is told");
    }
    case 1: {
      const size_t offset = script->next(16), count = script->next(16) * (script->next(2) == 0 ? 1 : 7000);
      const auto appended = store->append_upload(upload, static_cast<int64_t>(offset), std::string(count, 'x'));
      if (!file) return fuzz::must(!appended.ok(), "nothing is appended to nothing");
      const size_t size = kFiles[*file].size(), have = there ? size : known->second.bytes.size();
      fuzz::must(appended.ok() == (offset == have && have + count <= size), "only what fits is appended");
      if (appended.ok() && !there) known->second.bytes += std::string(count, 'x');
      return;
    }
    case 2: {
      const auto size = store->upload_size(upload);
      fuzz::must(size.ok() == (file != nullptr), "an upload is there from its beginning to its end");
      const size_t have = !file ? 0 : there ? kFiles[*file].size() : known->second.bytes.size();
      return fuzz::must(!size.ok() || *size == static_cast<int64_t>(have), "the committed size is right");
    }
    case 3: {
      const bool right = file && (there || known->second.bytes == kFiles[*file]);
      fuzz::must(store->finish_upload(upload).ok() == right, "only the right bytes become a blob");
      if (right) ought->blobs[*file] = true;
      if (file) ought->uploads.erase(upload);
      return;
    }
    default: {
      const size_t wanted = script->next(4);
      const auto read = store->read(sha256_hex(kFiles[wanted]), 0, 0);
      fuzz::must(read.ok() == ought->blobs[wanted], "a blob is there once it was finished, and for its tenant alone");
      return fuzz::must(!read.ok() || *read == kFiles[wanted], "a blob is what was sent");
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto jobs = make_memory_job_store();
  const auto blobs = make_sealed_blob_store(jobs.get(), std::make_unique<testing::MemoryObjectStore>());
  TenantBlobStore stores[] = {{blobs.get(), ""}, {blobs.get(), "shop"}};
  Tenant ought[2];
  Script script(data, size);
  for (int i = 0; i < 200 && script.more(); ++i) {
    const size_t who = script.next(2);
    step(&script, &stores[who], &ought[who]);
  }
  return 0;
}
