// SPDX-License-Identifier: Apache-2.0
// Runs programs on the emulator and prints their counters for `assay cuda check` to compare with
// Nsight Compute's: a line of JSON a launch, which exec/gpu_check_plan.h reads.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <span>
#include <string_view>

#include "gpu/programs/program_run.h"

namespace assay::gpu {
namespace {

std::uint64_t BankConflicts(const AccessCounters& counters) {
  return counters.wavefronts > counters.ideal_wavefronts
             ? counters.wavefronts - counters.ideal_wavefronts
             : 0;
}

void PrintLaunch(std::string_view program, const LaunchReport& report) {
  const LaunchCounters& c = report.counters;
  const nlohmann::json line = {
      {"program", program},
      {"launch", report.launch},
      {"kernel", report.kernel},
      {"counters",
       {{"global_load_requests", c.global_load.requests},
        {"global_load_sectors", c.global_load.sectors},
        {"global_store_requests", c.global_store.requests},
        {"global_store_sectors", c.global_store.sectors},
        {"global_atomic_requests", c.global_atomic.requests + c.global_reduction.requests},
        {"shared_load_conflicts", BankConflicts(c.shared_load)},
        {"shared_store_conflicts", BankConflicts(c.shared_store)},
        {"warp_instructions", c.warp_instructions}}}};
  std::puts(line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace).c_str());
}

int PrintCounters(std::span<char* const> executables) {
  for (const char* executable : executables) {
    const auto run = RunProgram(executable, DeviceSettings{});
    if (!run) {
      std::fprintf(stderr, "gpu_counters: %s\n", ToString(run.error()).c_str());
      return EXIT_FAILURE;
    }
    for (const LaunchReport& launch : run->launches) {
      // A kernel that was refused, such as one that calls itself, has no counters.
      if (!launch.kernel.empty() && launch.counters.warp_instructions != 0) {
        PrintLaunch(std::filesystem::path(executable).filename().string(), launch);
      }
    }
  }
  return EXIT_SUCCESS;
}

}  // namespace
}  // namespace assay::gpu

int main(int argc, char** argv) {
  try {
    return assay::gpu::PrintCounters(std::span(argv, static_cast<std::size_t>(argc)).subspan(1));
  } catch (const std::exception& exception) {
    std::fprintf(stderr, "gpu_counters: %s\n", exception.what());
    return EXIT_FAILURE;
  }
}
