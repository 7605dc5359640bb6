#include "server/base/program.h"

#include <filesystem>
#include <system_error>

namespace tryon {

std::string beside_this_program(std::string_view name) {
  std::error_code error;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
  return error ? std::string(name) : (self.parent_path() / name).string();
}

}  // namespace tryon
