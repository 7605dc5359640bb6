#include "server/io/mesh_file.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "absl/time/clock.h"
#include "server/base/program.h"
#include "server/base/status.h"
#include "server/base/text.h"
#include "server/io/cloud_wire.h"
#include "server/io/mesh_preflight.h"
#include "server/io/mesh_wire.h"

namespace tryon {
namespace {

// A descriptor that closes itself, is never inherited and never one of 0, 1, 2.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int fd) : fd_(fd) {
    if (fd_ < 0 || fd_ > 2) return;
    fd_ = fcntl(fd, F_DUPFD_CLOEXEC, 3);
    ::close(fd);
  }
  ~Descriptor() { close(); }
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    close();
    fd_ = std::exchange(other.fd_, -1);
    return *this;
  }
  void close() {
    if (fd_ >= 0) ::close(fd_);
    fd_ = -1;
  }
  int get() const { return fd_; }
  bool ok() const { return fd_ >= 0; }

 private:
  int fd_ = -1;
};

absl::Status world_fault(std::string_view what) {
  return make_error(absl::StatusCode::kUnavailable, "MESH_PARSER_UNAVAILABLE", "tryon-meshparse",
                    cat("the mesh reader could not be started: ", what, ": ", std::strerror(errno)),
                    "Try again; if it stays so, the installation is incomplete.");
}

// The file in memory, sealed: neither side can change it while the other reads.
absl::StatusOr<Descriptor> sealed_copy(std::string_view bytes) {
  Descriptor file(memfd_create("tryon-mesh", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!file.ok()) return world_fault("memory file");
  while (!bytes.empty()) {
    const ssize_t written = write(file.get(), bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return world_fault("memory file");
    bytes.remove_prefix(static_cast<size_t>(written));
  }
  const int seals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL;
  if (lseek(file.get(), 0, SEEK_SET) != 0 || fcntl(file.get(), F_ADD_SEALS, seals) != 0) return world_fault("seal");
  return file;
}

// One running child in its own process group. Whatever happens, the destructor leaves no process behind.
class Child {
 public:
  Child() = default;
  ~Child() { end(); }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  absl::Status start(const std::string& program, std::vector<std::string> arguments, int input, int output);
  bool has_exited() const {  // leaves the child to be reaped by end(), so that its group id stays ours
    siginfo_t info{};
    return waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == pid_;
  }
  // Kills what still runs, reaps, and gives the wait status; -1 where somebody else took it.
  int end() {
    if (pid_ <= 0) return status_;
    kill(-pid_, SIGKILL);
    while (waitpid(pid_, &status_, 0) < 0) {
      if (errno == EINTR) continue;
      status_ = -1;
      break;
    }
    pid_ = -1;
    return status_;
  }

 private:
  pid_t pid_ = -1;
  int status_ = -1;
};

absl::Status Child::start(const std::string& program, std::vector<std::string> arguments, int input, int output) {
  std::vector<char*> argv;
  for (std::string& a : arguments) argv.push_back(a.data());
  argv.push_back(nullptr);
  std::array<std::string, 6> settings = {"PATH=/usr/bin:/bin",     "LANG=C",
                                         "OMP_NUM_THREADS=1",      "OMP_WAIT_POLICY=passive",
                                         "OPENBLAS_NUM_THREADS=1", "MALLOC_ARENA_MAX=1"};
  std::vector<char*> environment;
  for (std::string& s : settings) environment.push_back(s.data());
  environment.push_back(nullptr);

  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&files);
  posix_spawnattr_init(&attributes);
  posix_spawn_file_actions_adddup2(&files, input, 0);
  posix_spawn_file_actions_adddup2(&files, output, 1);
  posix_spawn_file_actions_addopen(&files, 2, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addclosefrom_np(&files, 3);
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
  const int error = posix_spawn(&pid_, program.c_str(), &files, &attributes, argv.data(), environment.data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  if (error == 0) return absl::OkStatus();
  pid_ = -1;
  errno = error;
  return world_fault(program);
}

constexpr int kPollMs = 20;

absl::Status check_clocks(const RunContext& run, absl::Time give_up, const std::string& name,
                          const ParseLimits& limits) {
  RETURN_IF_ERROR(run.check());
  if (absl::Now() < give_up) return absl::OkStatus();
  return make_error(absl::StatusCode::kUnavailable, "MESH_PARSER_TIMEOUT", name,
                    cat(name, " was still being read after ", absl::FormatDuration(limits.wall_clock)),
                    "Try again when the server is less busy, or decimate the mesh.");
}

// Everything that the child says, until it closes its end; no longer and no more than allowed.
absl::StatusOr<std::string> collect(const RunContext& run, int pipe, absl::Time give_up, const std::string& name,
                                    const ParseLimits& limits) {
  const size_t most = 1'000'000 + size_t{48} * limits.max_vertices + size_t{12} * limits.max_triangles;
  std::string out;
  std::vector<char> buffer(1 << 16);
  for (;;) {
    RETURN_IF_ERROR(check_clocks(run, give_up, name, limits));
    pollfd ready{pipe, POLLIN, 0};
    const int n = poll(&ready, 1, kPollMs);
    if (n < 0 && errno != EINTR) return internal_fault("poll failed");
    if (n <= 0) continue;
    const ssize_t got = read(pipe, buffer.data(), buffer.size());
    if (got == 0) return out;
    if (got < 0 && errno != EINTR && errno != EAGAIN) return internal_fault("reading from the mesh reader failed");
    if (got > 0) out.append(buffer.data(), static_cast<size_t>(got));
    if (out.size() > most) {
      return invalid_input("MESH_PARSER_CRASHED", name, cat(name, " made the reader write without end"),
                           "The file upsets the reader; export it again with another program.");
    }
  }
}

absl::Status wait_for_exit(const RunContext& run, const Child& child, absl::Time give_up, const std::string& name,
                           const ParseLimits& limits) {
  while (!child.has_exited()) {
    RETURN_IF_ERROR(check_clocks(run, give_up, name, limits));
    absl::SleepFor(absl::Milliseconds(1));
  }
  return absl::OkStatus();
}

// How the child ended, in words; OK if it ended by itself and content.
absl::Status judge_exit(int status, const std::string& name, const ParseLimits& limits) {
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return absl::OkStatus();
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU) {
    return invalid_input("MESH_PARSER_TIMEOUT", name,
                         cat(name, " took more than ", limits.cpu_seconds, " s of computing to read"),
                         "Decimate the mesh, or export it again with another program.");
  }
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) {
    return make_error(absl::StatusCode::kUnavailable, "MESH_PARSER_MEMORY", name,
                      cat("the reader of ", name, " was killed by the system, most likely for want of memory"),
                      "Try again later, or decimate the mesh.");
  }
  const std::string how = WIFSIGNALED(status) ? cat("signal ", WTERMSIG(status), " (", strsignal(WTERMSIG(status)), ")")
                                              : cat("exit code ", WIFEXITED(status) ? WEXITSTATUS(status) : -1);
  return invalid_input("MESH_PARSER_CRASHED", name, cat(name, " made the reader stop with ", how),
                       "The file upsets the reader; export it again with another program.");
}

// One child, one question, one answer: starts it in `mode` with `bytes` as its input and takes what it says.
absl::StatusOr<std::string> ask_child(const RunContext& run, const std::string& parser, std::string_view mode,
                                      std::string_view bytes, const std::string& name, const ParseLimits& limits) {
  RETURN_IF_ERROR(run.check());
  ASSIGN_OR_RETURN(Descriptor input, sealed_copy(bytes));
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return world_fault("pipe");
  Descriptor from_child(ends[0]), to_parent(ends[1]);
  if (!from_child.ok() || !to_parent.ok()) return world_fault("pipe");

  Child child;
  RETURN_IF_ERROR(
      child.start(parser,
                  {"tryon-meshparse", std::string(mode), name, cat(limits.max_file_bytes), cat(limits.max_vertices),
                   cat(limits.max_triangles), cat(limits.address_space_bytes), cat(limits.cpu_seconds)},
                  input.get(), to_parent.get()));
  to_parent.close();
  input.close();
  const absl::Time give_up = absl::Now() + limits.wall_clock;
  ASSIGN_OR_RETURN(std::string answer, collect(run, from_child.get(), give_up, name, limits));
  RETURN_IF_ERROR(wait_for_exit(run, child, give_up, name, limits));
  RETURN_IF_ERROR(judge_exit(child.end(), name, limits));
  return answer;
}

}  // namespace

std::string_view mesh_format_name(MeshFormat format) {
  switch (format) {
    case MeshFormat::kObj:
      return "obj";
    case MeshFormat::kPly:
      return "ply";
    case MeshFormat::kStl:
      return "stl";
    case MeshFormat::kGlb:
      return "glb";
    case MeshFormat::kPcd:
      return "pcd";
  }
  return "unknown";
}

absl::StatusOr<MeshFormat> mesh_format_from_name(std::string_view file_name) {
  const size_t dot = file_name.find_last_of('.');
  std::string extension(dot == std::string_view::npos ? std::string_view() : file_name.substr(dot + 1));
  for (char& c : extension) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  for (MeshFormat format : {MeshFormat::kObj, MeshFormat::kPly, MeshFormat::kStl, MeshFormat::kGlb, MeshFormat::kPcd}) {
    if (extension == mesh_format_name(format)) return format;
  }
  if (extension == "gltf") return MeshFormat::kGlb;  // the same, as text
  const std::string name = clean_file_name(file_name);
  return invalid_input("MESH_WRONG_TYPE", name, cat(name, " is not named .obj, .ply, .stl, .glb, .gltf or .pcd"),
                       "Send an OBJ, PLY, STL, GLB, glTF or PCD file.");
}

absl::StatusOr<MeshFormat> sniff_mesh_format(std::string_view bytes) {
  if (bytes.starts_with("glTF")) return MeshFormat::kGlb;
  const size_t first = bytes.find_first_not_of(" \t\r\n");
  if (first != bytes.npos && bytes[first] == '{' && bytes.find("\"asset\"") != bytes.npos) return MeshFormat::kGlb;
  if (bytes.starts_with("ply\n") || bytes.starts_with("ply\r")) return MeshFormat::kPly;
  for (std::string_view start : {"# .PCD", "VERSION ", "FIELDS "}) {
    if (bytes.starts_with(start)) return MeshFormat::kPcd;
  }
  if (bytes.size() >= 84) {
    uint32_t triangles = 0;
    std::memcpy(&triangles, bytes.data() + 80, 4);
    if (bytes.size() == 84 + size_t{50} * triangles) return MeshFormat::kStl;
  }
  const std::string_view head = bytes.substr(0, 4096);
  if (head.starts_with("solid") && head.find("facet") != head.npos && head.find('\0') == head.npos)
    return MeshFormat::kStl;
  for (std::string_view word : {"v ", "vn ", "vt ", "f ", "mtllib ", "o ", "g "}) {
    if (head.starts_with(word) || head.find(cat("\n", word)) != head.npos) {
      if (head.find('\0') == head.npos) return MeshFormat::kObj;
    }
  }
  return invalid_input("MESH_WRONG_TYPE", "mesh",
                       "the bytes are no OBJ, PLY, STL, GLB, glTF or PCD that can be told by its look",
                       "Send an OBJ, PLY, STL, GLB, glTF or PCD file.");
}

absl::StatusOr<ParsedMesh> parse_mesh_sandboxed(const RunContext& run, const std::string& parser,
                                                std::string_view bytes, MeshFormat format, std::string_view file_name,
                                                const ParseLimits& limits) {
  const std::string name = clean_file_name(file_name);
  if (static_cast<int64_t>(bytes.size()) > limits.max_file_bytes) {
    return invalid_input("MESH_TOO_LARGE", name,
                         cat(name, " has ", bytes.size(), " bytes; the limit is ", limits.max_file_bytes),
                         "Decimate the mesh; 50,000 vertices describe a body well.");
  }
  ASSIGN_OR_RETURN(const std::string answer, ask_child(run, parser, mesh_format_name(format), bytes, name, limits));
  return decode_mesh(answer, limits);
}

absl::StatusOr<Reconstruction> reconstruct_sandboxed(const RunContext& run, const std::string& parser,
                                                     const PointCloud& cloud, const ReconstructSettings& settings,
                                                     const ParseLimits& limits) {
  RETURN_IF_ERROR(check_cloud_request(cloud, settings, limits));
  const std::string request = encode_cloud_request(cloud, settings);
  ParseLimits child_limits = limits;  // the points were counted above; a file's bytes have nothing to do with them
  child_limits.max_file_bytes = static_cast<int64_t>(request.size());
  ASSIGN_OR_RETURN(const std::string answer, ask_child(run, parser, "reconstruct", request, "cloud", child_limits));
  return decode_reconstruction(answer, limits);
}

std::string default_meshparse_path() { return beside_this_program("tryon-meshparse"); }

}  // namespace tryon
