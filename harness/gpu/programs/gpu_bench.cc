// SPDX-License-Identifier: Apache-2.0
// Runs the programs of bench/ with checks on and off, on one core and on two, and prints how many
// thread-instructions a second the emulator ran, as a markdown table.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "gpu/programs/program_run.h"

namespace assay::gpu {
namespace {

constexpr int kRepeats = 3;

struct Workload {
  const char* program;
  const char* title;
};
constexpr std::array<Workload, 6> kWorkloads = {
    {{"layer_norm_backward", "layer-norm backward 8192x768"},
     {"softmax_topk", "online softmax + top-8 128x50257"},
     {"paged_decode", "paged decode B8 H32 L1024 D128"},
     {"softmax_float4", "softmax float4 1024x4096"},
     {"gemm_mma", "f16 mma GEMM 512"},
     {"divergent_sort", "divergent sort 16384x64"}}};

struct Speed {
  std::uint64_t thread_instructions = 0;
  double instructions_per_s = 0;
};

/// The fastest launch of a few runs: what disturbs one only makes it slower.
Result<Speed> Measure(const Workload& workload, Checking checking, unsigned workers) {
  DeviceSettings settings;
  settings.checking = checking;
  settings.workers = workers;
  const auto executable = std::filesystem::path(ASSAY_GPU_BENCH_FOLDER) / workload.program;
  Speed best;
  for (int repeat = 0; repeat < kRepeats; ++repeat) {
    ASSAY_ASSIGN_OR_RETURN(const ProgramRun run, RunProgram(executable, settings));
    if (run.exit.kind != ProcessExit::Kind::kExited || run.exit.code_or_signal != 0 ||
        run.launches.empty()) {
      return std::unexpected(Error{.where = executable.string(),
                                   .cause = "the program failed: " + run.output + run.errors,
                                   .remedy = "run it with `assay cuda run` to see why"});
    }
    for (const LaunchReport& launch : run.launches) {
      best.thread_instructions = launch.counters.thread_instructions;
      best.instructions_per_s = std::max(
          best.instructions_per_s, static_cast<double>(launch.counters.thread_instructions) * 1e9 /
                                       static_cast<double>(launch.emulation_time_ns + 1));
    }
  }
  return best;
}

Result<std::string> Row(const Workload& workload) {
  ASSAY_ASSIGN_OR_RETURN(const Speed one, Measure(workload, Checking::kOn, 1));
  ASSAY_ASSIGN_OR_RETURN(const Speed one_off, Measure(workload, Checking::kOff, 1));
  ASSAY_ASSIGN_OR_RETURN(const Speed two, Measure(workload, Checking::kOn, 2));
  ASSAY_ASSIGN_OR_RETURN(const Speed two_off, Measure(workload, Checking::kOff, 2));
  return fmt::format("| {} | {:.1f} M | {:.2f} | {:.2f} | {:.0f} % | {:.2f} | {:.2f} |\n",
                     workload.title, static_cast<double>(one.thread_instructions) * 1e-6,
                     one.instructions_per_s * 1e-9, one_off.instructions_per_s * 1e-9,
                     100 * (one_off.instructions_per_s / one.instructions_per_s - 1),
                     two.instructions_per_s * 1e-9, two_off.instructions_per_s * 1e-9);
}

int PrintTable() {
  std::fputs(
      "G thread-instructions a second:\n\n"
      "| workload | thread-instructions | 1 core, checks | 1 core, no checks | checks cost | "
      "2 cores, checks | 2 cores, no checks |\n|---|---|---|---|---|---|---|\n",
      stdout);
  for (const Workload& workload : kWorkloads) {
    const auto row = Row(workload);
    if (!row) {
      std::fprintf(stderr, "gpu_bench: %s\n", ToString(row.error()).c_str());
      return EXIT_FAILURE;
    }
    std::fputs(row->c_str(), stdout);
    std::fflush(stdout);
  }
  return EXIT_SUCCESS;
}

}  // namespace
}  // namespace assay::gpu

int main() { return assay::gpu::PrintTable(); }
