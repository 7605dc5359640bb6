// What it is: the fabric library's files as they stand in server/fabric/library, built into the program.
// Units: see each file. How it fails: it does not. Thread rules: const after first use.
#pragma once

#include <string>
#include <vector>

namespace tryon {

struct FabricFile {
  std::string name, json;
};
const std::vector<FabricFile>& fabric_library();  // sorted by name

}  // namespace tryon
