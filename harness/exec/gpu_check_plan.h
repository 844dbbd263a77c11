// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_EXEC_GPU_CHECK_PLAN_H_
#define ASSAY_EXEC_GPU_CHECK_PLAN_H_

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "evidence/verdict.h"

namespace assay {

/// What the emulated GPU counted in one launch, by names of ComparedCounters (gpu_check_compare.h).
struct EmulatedLaunch {
  std::uint64_t launch = 0;  ///< From 0, as ncu numbers them.
  std::string kernel;
  std::map<std::string, std::uint64_t> counters;
  bool operator==(const EmulatedLaunch&) const = default;
};

/// A program of harness/gpu/programs, and what it must do on a GPU.
struct CheckedProgram {
  std::string name;
  std::string expected;  ///< What it prints.
  /// Why its counters are not compared with ncu's (`// HARDWARE:`); empty: they are.
  std::string hardware_differs;
  std::vector<EmulatedLaunch> launches;  ///< None: nothing to compare counters with.
  bool operator==(const CheckedProgram&) const = default;
};

/// A baseline or mutant that is linked with NVIDIA's runtime.
struct CheckedHost {
  std::string name;
  std::map<std::string, Verdict> emulated;  ///< By case; none: the suite broke there.
  bool operator==(const CheckedHost&) const = default;
};

struct CheckedChallenge {
  std::string id;
  std::string filter;  ///< GoogleTest's, of its CUDA cases.
  std::vector<CheckedHost> hosts;
  bool operator==(const CheckedChallenge&) const = default;
};

/// What a folder holds that BuildGpuCheck made, beside the executables.
struct GpuCheckPlan {
  std::vector<CheckedProgram> programs;
  std::vector<CheckedChallenge> challenges;
  std::string no_counters;    ///< Why no program has launches; empty: some may.
  std::string no_challenges;  ///< Why there are none.
  bool operator==(const GpuCheckPlan&) const = default;
};

[[nodiscard]] std::string ToJson(const GpuCheckPlan& plan);
/// `file` is for the error, of kind kConfiguration.
[[nodiscard]] Result<GpuCheckPlan> GpuCheckPlanFromJson(std::string_view text,
                                                        const std::string& file);

/// Where the parts of a folder are, which may lie on another machine than the one that made it.
struct GpuCheckFolder {
  std::filesystem::path root;
  [[nodiscard]] std::filesystem::path Plan() const { return root / "plan.json"; }
  [[nodiscard]] std::filesystem::path Program(const std::string& name) const {
    return root / "bin" / name;
  }
  [[nodiscard]] std::filesystem::path Libraries() const { return root / "lib"; }
  [[nodiscard]] std::filesystem::path Temporary() const { return root / "tmp"; }
  [[nodiscard]] std::filesystem::path RealBench() const { return root / "real_bench"; }
  [[nodiscard]] std::filesystem::path Challenge(const std::string& id) const {
    return root / "challenges" / id;
  }
  [[nodiscard]] std::filesystem::path Suite(const std::string& id) const {
    return Challenge(id) / "suite";
  }
  [[nodiscard]] std::filesystem::path Host(const std::string& id, const std::string& name) const {
    return Challenge(id) / "hosts" / name;
  }
};

/// What the comments of a program's source say of building and comparing it.
struct ProgramNotes {
  std::vector<std::string> flags;  ///< `// FLAGS: -G`, for nvcc.
  std::string hardware_differs;    ///< `// HARDWARE: …`
  bool counters_vary = false;      ///< `// COUNTERS: vary`
  bool operator==(const ProgramNotes&) const = default;
};
[[nodiscard]] ProgramNotes ReadProgramNotes(std::string_view source);

/// The launches of each program that gpu_counters printed, a JSON document a line.
[[nodiscard]] Result<std::map<std::string, std::vector<EmulatedLaunch>>> ReadEmulatedCounters(
    std::string_view lines);

/// The cases of a suite that run on a device, as GoogleTest's filter: those that are named so, or
/// all where none is.
[[nodiscard]] std::string FilterOfCudaCases(const std::vector<std::string>& cases);

/// The shared libraries in what ldd(1) printed that a bare machine may lack: all but the C and C++
/// runtimes.
[[nodiscard]] std::vector<std::filesystem::path> LibrariesToCarry(std::string_view ldd_output);

}  // namespace assay

#endif  // ASSAY_EXEC_GPU_CHECK_PLAN_H_
