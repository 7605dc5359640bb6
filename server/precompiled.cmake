# What nearly every source includes, parsed once for the whole build: reading headers was 40-50 % of the compile time.
# A source still names what it uses: -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON builds without these headers.
set(precompiled_common <algorithm> <array> <cmath> <cstdint> <filesystem> <functional> <limits> <map> <memory> <numeric>
  <optional> <set> <string> <string_view> <utility> <vector> <Eigen/Dense> <absl/status/statusor.h> <absl/time/time.h>)

# tryon_precompile(NAME HEADERS... [LIBS libraries...]): the precompiled header tryon_precompiled_NAME.
function(tryon_precompile name)
  cmake_parse_arguments(ARG "" "" "LIBS" ${ARGN})
  set(empty ${CMAKE_BINARY_DIR}/precompiled_${name}.cc)
  file(CONFIGURE OUTPUT ${empty} CONTENT "// Holds the precompiled header ${name}.\n")
  add_library(tryon_precompiled_${name} OBJECT ${empty})
  target_link_libraries(tryon_precompiled_${name} PRIVATE absl::statusor absl::time Eigen3::Eigen Threads::Threads ${ARG_LIBS})
  target_compile_options(tryon_precompiled_${name} PRIVATE -Wpedantic)  # as its users: it changes what is predefined
  target_precompile_headers(tryon_precompiled_${name} PRIVATE ${precompiled_common} ${ARG_UNPARSED_ARGUMENTS})
endfunction()

tryon_precompile(engine)
tryon_precompile(service <grpcpp/grpcpp.h> <nlohmann/json.hpp> LIBS gRPC::grpc++ nlohmann_json::nlohmann_json)
if(TRYON_BUILD_TESTS)
  tryon_precompile(tests <gtest/gtest.h> <gmock/gmock.h> <nlohmann/json.hpp>
    LIBS GTest::gtest GTest::gmock nlohmann_json::nlohmann_json)
  tryon_precompile(service_tests <gtest/gtest.h> <gmock/gmock.h> <nlohmann/json.hpp> <grpcpp/grpcpp.h>
    LIBS GTest::gtest GTest::gmock nlohmann_json::nlohmann_json gRPC::grpc++)
endif()
