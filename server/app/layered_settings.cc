#include "server/app/layered_settings.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <iostream>
#include <vector>

namespace tryon {
namespace {

std::string variable_of(const std::string& option) {
  std::string name = "TRYON_" + option;
  for (char& c : name) c = c == '-' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return name;
}

}  // namespace

LayeredSettings::LayeredSettings(const std::string& description) : app_(description) {
  app_.option_defaults()->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  app_.set_config("--config", "", "TOML file of options; flags and the environment (TRYON_...) are stronger");
  app_.allow_config_extras(CLI::config_extras_mode::error);
  app_.add_flag("--print-config", print_, "print every option as a file for --config, and end")->configurable(false);
  app_.add_flag("--check-config", check_, "say whether the configuration would do, and end")->configurable(false);
}

// What the environment says goes before the flags, where CLI11 takes the last; what a file says fills what is left.
int LayeredSettings::read(int argc, char** argv) {
  std::vector<std::string> arguments;
  for (const CLI::Option* option : app_.get_options()) {
    if (option->get_lnames().empty() || option == app_.get_help_ptr()) continue;
    const std::string& name = option->get_lnames().front();
    if (name == "print-config" || name == "check-config") continue;
    const char* value = std::getenv(variable_of(name).c_str());
    if (value != nullptr && *value != '\0') arguments.push_back("--" + name + "=" + value);
  }
  arguments.insert(arguments.end(), argv + 1, argv + argc);
  std::reverse(arguments.begin(), arguments.end());  // as CLI11 wants a list
  try {
    app_.parse(arguments);
  } catch (const CLI::ParseError& error) {
    return app_.exit(error);
  }
  if (!print_) return -1;
  std::cout << app_.config_to_str(true, true);
  return EXIT_SUCCESS;
}

}  // namespace tryon
