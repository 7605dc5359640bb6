// What it is: what the command line asks for, as plain values, and the exit codes that scripts rely on.
// Units: as the flags say. How it fails: CLI11 prints the usage; exit code 2. Thread rules: plain values.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tryon::cli {

enum ExitCode { kOk = 0, kUsage = 2, kBadInput = 3, kNotSettled = 4, kUnreachable = 5, kFault = 1 };

struct Options {
  std::string server;                            // empty: in-process
  std::string ca, certificate, key, token_file;  // of a server over TLS
  bool json = false;
  std::string command;  // "drape", "fit", "garment check", ...
  std::string body = "sample", garment = "sample:tshirt", fabric, solver, shape = "elliptic", contact = "scan", out,
              name, file;
  std::string wind, wind_model = "vertex", membrane = "threads", bending = "usual";
  double gust_ratio = 0.0, gust_period_s = 3.0, turbulence_ratio = 0.0, turbulence_length_m = 0.4;
  uint64_t turbulence_seed = 1;
  std::string seams, grading, pattern_unit, size;  // of a pattern file (size also of a template)
  std::vector<std::string> parameters;             // of a template: "length=650"
  std::vector<std::string> sizes;                  // to choose from; empty: all
  bool suggest_seams = false;
  std::string unit, up, facing, pose, figure;  // of a scan; whose statistics complete a table of measurements
  std::vector<std::string> measures;           // "waist_girth=720"
  double height_mm = 0.0, arm_angle_deg = 45.0;
  bool keep_head_and_hands = false, keep_scan = false;
  double resolution_mm = 15.0, deadline_s = 0.0, preview_every_s = 0.0;
  double motion_s = 0.0, frame_rate = 0.0, wind_for_s = 0.0;  // 0: as the server has it
  bool let_go = false;
  int threads = 1;
  std::string fetch = "garment.glb,metrics.json,preview_front.png";  // of a catalog's drapes
  int workers = 0;                                                   // of the service inside this process
  bool validate_only = false;
  std::string layers = "where-needed";
  std::string over;                  // drapes/{id} that the garment goes over
  std::string starts_from;           // drapes/{id} that it begins from
  std::vector<std::string> under;    // GARMENT or GARMENT@FABRIC, innermost first: draped before it
  std::vector<std::string> exports;  // "web", "ply", ...
  bool draco = false;
  std::string pictures = "four", grade = "final";
  std::string perf_call = "drape", intervals;  // of a load: what is called; a file with gaps
  int concurrency = 1, most_at_once = 64, most_windows = 12, upload_mib = 64;
  int64_t window_calls = 0;
  double rate = 0.0, window_s = 5.0, agree_percent = 10.0;
};

// Fills `options`; returns an exit code if the program should end now, else -1.
int parse_options(int argc, char** argv, Options* options);

}  // namespace tryon::cli
