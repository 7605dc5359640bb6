// What it is: options of a program from a file, the environment and flags, each stronger than the one before: an option
// --drain-timeout is also TRYON_DRAIN_TIMEOUT, and drain-timeout in the TOML file that --config or TRYON_CONFIG names.
// How it fails: read() prints what is wrong (a key nobody knows, a value out of range) and gives an exit code.
// Thread rules: one thread.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace tryon {

class LayeredSettings {
 public:
  explicit LayeredSettings(const std::string& description);
  CLI::App& app() { return app_; }  // add options before read()
  // The exit code if the program should end now, else -1. Also takes --print-config, which prints every option with its
  // meaning and value as a file for --config, and --check-config, told by checks_only().
  int read(int argc, char** argv);
  bool checks_only() const { return check_; }

 private:
  CLI::App app_;
  bool check_ = false, print_ = false;
};

}  // namespace tryon
