// What it is: one list of fields for writing and for reading back: numbers to the last bit, texts, lists, and a frame
// round them all (magic, version, size of the payload, payload, SHA-256 in hex of all before it; little-endian, counts
// before arrays). Shapes: a function template over the archive names the fields of a value, in order. How it fails: a
// FieldReader stops at the first thing that cannot be and says what; counts are checked against the bytes that are left
// before memory is asked for. Thread rules: plain values.
#pragma once

#include <bit>
#include <cmath>
#include <cstring>
#include <map>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "server/base/hash.h"
#include "server/base/text.h"
#include "server/mesh/triangle_mesh.h"

namespace tryon {

static_assert(std::endian::native == std::endian::little);

// One list of fields serves writing and reading: `Archive` is FieldWriter or FieldReader.
class FieldWriter {
 public:
  explicit FieldWriter(uint32_t of_version) : version(of_version) {}
  const uint32_t version;  // of the list of fields
  template <typename T>
  void number(const T& value) {
    static_assert(std::is_arithmetic_v<T>);
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof(T));
  }
  template <typename E>
  void choice(const E& value, int) {
    number(static_cast<uint8_t>(value));
  }
  void text(const std::string& value) {
    size(value.size(), 1);
    bytes_.append(value);
  }
  uint64_t size(size_t count, size_t) {
    number(static_cast<uint64_t>(count));
    return count;
  }
  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

class FieldReader {
 public:
  FieldReader(std::string_view bytes, uint32_t of_version) : version(of_version), bytes_(bytes) {}
  const uint32_t version;
  template <typename T>
  void number(T& value) {
    if (!has(sizeof(T))) return;
    std::memcpy(&value, bytes_.data(), sizeof(T));
    bytes_.remove_prefix(sizeof(T));
    if constexpr (std::is_floating_point_v<T>) {
      if (!std::isfinite(value)) fail("a number is not finite");
    }
  }
  template <typename E>
  void choice(E& value, int count) {
    uint8_t code = 0;
    number(code);
    if (code >= count) return fail("a name is unknown");
    value = static_cast<E>(code);
  }
  void text(std::string& value) {
    const uint64_t length = size(0, 1);
    if (!has(length)) return;
    value.assign(bytes_.substr(0, length));
    bytes_.remove_prefix(length);
  }
  // A count of elements of at least `least_bytes` each, so that a hostile one cannot ask for memory.
  uint64_t size(size_t, size_t least_bytes) {
    uint64_t count = 0;
    number(count);
    if (count > bytes_.size() / least_bytes) fail("a count is larger than the file"), count = 0;
    return count;
  }
  // Why it could not be read whole; empty if it was.
  std::string_view finish() {
    if (error_.empty() && !bytes_.empty()) fail("there is more in it than belongs there");
    return error_;
  }

 private:
  bool has(uint64_t count) {
    if (bytes_.size() < count) fail("it ends too early");
    return error_.empty();
  }
  void fail(std::string_view why) {
    if (error_.empty()) error_ = why;
    bytes_ = {};
  }
  std::string_view bytes_;
  std::string error_;
};

template <typename Archive>
void flag(Archive& a, std::conditional_t<std::is_same_v<Archive, FieldReader>, bool&, const bool&> value) {
  a.choice(value, 2);
}

template <typename Archive, typename Vector>
void vector_of_numbers(Archive& a, Vector& v) {
  for (int k = 0; k < v.size(); ++k) a.number(v[k]);
}

template <typename Archive, typename List, typename Each>
void list(Archive& a, List& values, size_t least_bytes, Each each) {
  const uint64_t count = a.size(values.size(), least_bytes);
  if constexpr (std::is_same_v<Archive, FieldReader>) values.resize(count);
  for (auto& value : values) each(value);
}

template <typename Archive, typename Value, typename Each>
void named(Archive& a, std::map<std::string, Value>& values, Each each) {
  const uint64_t count = a.size(values.size(), 8);
  if constexpr (std::is_same_v<Archive, FieldReader>) {
    for (uint64_t i = 0; i < count; ++i) {
      std::string name;
      a.text(name);
      each(values[name]);
    }
  } else {
    for (auto& [name, value] : values) {
      a.text(name);
      each(value);
    }
  }
}

template <typename Archive>
void texts(Archive& a, std::vector<std::string>& values) {
  list(a, values, 8, [&](std::string& text) { a.text(text); });
}

template <typename Archive>
void points(Archive& a, std::vector<Vec3>& values) {
  list(a, values, 24, [&](Vec3& p) { vector_of_numbers(a, p); });
}

template <typename Archive>
void fields(Archive& a, TriangleMesh& mesh) {
  points(a, mesh.positions);
  list(a, mesh.triangles, 12, [&](Triangle& t) { vector_of_numbers(a, t); });
}

// A file of its own: the fields that `write(archive)` names, in a frame.
template <typename Write>
std::string write_fields(std::string_view magic, uint32_t version, Write write) {
  FieldWriter payload(version), numbers(version);
  write(payload);
  const std::string body = payload.take();
  numbers.number(version);
  numbers.number(static_cast<uint64_t>(body.size()));
  const std::string out = cat(magic, numbers.take(), body);
  return out + sha256_hex(out);
}

// The same back, as `read(archive)` names them. Says why it is no such file, or nothing if it is.
template <typename Read>
std::string read_fields(std::string_view magic, uint32_t newest, std::string_view bytes, Read read) {
  constexpr size_t kDigest = 64, kNumbers = 4 + 8;
  const size_t header = magic.size() + kNumbers;
  if (bytes.size() < header + kDigest || bytes.substr(0, magic.size()) != magic) return "it is no such file";
  FieldReader numbers(bytes.substr(magic.size(), kNumbers), newest);
  uint32_t version = 0;
  uint64_t size = 0;
  numbers.number(version), numbers.number(size);
  if (version < 1 || version > newest) {
    return cat("its version is ", version, ", this program knows 1 to ", newest);
  }
  if (size != bytes.size() - header - kDigest) return "its length is not what it says";
  if (sha256_hex(bytes.substr(0, bytes.size() - kDigest)) != bytes.substr(bytes.size() - kDigest)) {
    return "its checksum is wrong";
  }
  FieldReader payload(bytes.substr(header, size), version);
  read(payload);
  return std::string(payload.finish());
}

}  // namespace tryon
