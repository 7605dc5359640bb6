// What it is: where the other programs of this installation lie: beside the running one.
// How it fails: a name alone (to be found on the PATH) where the system does not say. Thread rules: pure function.
#pragma once

#include <string>
#include <string_view>

namespace tryon {

std::string beside_this_program(std::string_view name);

}  // namespace tryon
