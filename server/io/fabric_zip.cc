#include "server/io/fabric_zip.h"

#include <minizip/ioapi.h>
#include <minizip/unzip.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>

#include "server/base/status.h"
#include "server/base/text.h"

namespace tryon {
namespace {

constexpr size_t kSlack = 64 << 10;  // what any entry may unpack to, however small it is packed

struct Memory {
  std::string_view bytes;
  uint64_t at = 0;
};

void* open_memory(void* opaque, const void*, int) {
  static_cast<Memory*>(opaque)->at = 0;
  return opaque;
}

unsigned long read_memory(void*, void* stream, void* out, unsigned long size) {
  Memory* m = static_cast<Memory*>(stream);
  const uint64_t left = m->at < m->bytes.size() ? m->bytes.size() - m->at : 0;
  const uint64_t take = std::min<uint64_t>(size, left);
  if (take > 0) std::memcpy(out, m->bytes.data() + m->at, take);
  m->at += take;
  return static_cast<unsigned long>(take);
}

unsigned long write_nothing(void*, void*, const void*, unsigned long) { return 0; }
ZPOS64_T tell_memory(void*, void* stream) { return static_cast<Memory*>(stream)->at; }

long seek_memory(void*, void* stream, ZPOS64_T offset, int origin) {
  Memory* m = static_cast<Memory*>(stream);
  const uint64_t base = origin == ZLIB_FILEFUNC_SEEK_CUR   ? m->at
                        : origin == ZLIB_FILEFUNC_SEEK_END ? m->bytes.size()
                                                           : 0;
  if (base + offset > m->bytes.size()) return -1;
  m->at = base + offset;
  return 0;
}

int no_error(void*, void*) { return 0; }

absl::Status unreadable(std::string_view file, std::string_view what) {
  return invalid_input("FABRIC_ZIP_UNREADABLE", file, cat("the zip archive ", what),
                       "Export the fabric again; the archive must be a plain zip without a password.");
}

absl::Status too_large(std::string_view file, std::string_view entry, std::string_view what) {
  return invalid_input("FABRIC_ZIP_TOO_LARGE", cat(file, entry.empty() ? "" : ": ", entry),
                       cat("the zip archive ", what),
                       "Send a fabric's own archive: at most 256 files, 32 MiB unpacked, packed at most 200-fold.");
}

absl::StatusOr<std::string> unpack(unzFile zip, const unz_file_info64& info, std::string_view file,
                                   std::string_view entry, size_t left) {
  if (info.flag & 1) return unreadable(file, "is locked by a password");
  if (unzOpenCurrentFile(zip) != UNZ_OK) return unreadable(file, cat("has an entry that cannot be read: ", entry));
  const size_t most = std::min<size_t>(left, kSlack + kMaxZipRatio * info.compressed_size);
  std::string out;
  std::array<char, 16384> block;
  int got = 0;
  while ((got = unzReadCurrentFile(zip, block.data(), block.size())) > 0) {
    out.append(block.data(), static_cast<size_t>(got));
    if (out.size() > most) {
      unzCloseCurrentFile(zip);
      return too_large(file, entry, "unpacks to more than it may");
    }
  }
  const bool whole = unzCloseCurrentFile(zip) == UNZ_OK && got == 0;  // closing checks the sum
  if (!whole) return unreadable(file, cat("is damaged at ", entry));
  return out;
}

}  // namespace

bool is_zip(std::string_view bytes) { return bytes.rfind("PK\x03\x04", 0) == 0; }

absl::StatusOr<std::map<std::string, std::string>> read_zip(std::string_view bytes, std::string_view file_name,
                                                            const std::function<bool(std::string_view)>& wanted) {
  Memory memory{bytes};
  zlib_filefunc64_def calls = {open_memory, read_memory, write_nothing, tell_memory,
                               seek_memory, no_error,    no_error,      &memory};
  const std::unique_ptr<void, int (*)(unzFile)> zip(unzOpen2_64(nullptr, &calls), unzClose);
  unz_global_info64 global;
  if (!zip || unzGetGlobalInfo64(zip.get(), &global) != UNZ_OK) return unreadable(file_name, "cannot be read");
  if (global.number_entry > kMaxZipEntries) return too_large(file_name, "", cat("has ", global.number_entry, " files"));
  std::map<std::string, std::string> out;
  size_t total = 0;
  for (int at = unzGoToFirstFile(zip.get()); at == UNZ_OK; at = unzGoToNextFile(zip.get())) {
    std::array<char, 256> name{};
    unz_file_info64 info;
    if (unzGetCurrentFileInfo64(zip.get(), &info, name.data(), name.size(), nullptr, 0, nullptr, 0) != UNZ_OK ||
        info.size_filename >= name.size())
      return unreadable(file_name, "has an entry without a sane name");
    if (!wanted(name.data())) continue;
    ASSIGN_OR_RETURN(out[name.data()], unpack(zip.get(), info, file_name, name.data(), kMaxZipBytes - total));
    total += out[name.data()].size();
  }
  return out;
}

}  // namespace tryon
