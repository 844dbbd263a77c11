// SPDX-License-Identifier: Apache-2.0
#include "build/cuda_toolkit.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <system_error>

#include "process/run.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

#ifdef ASSAY_PORTABLE
constexpr std::string_view kNoNvcc = "there is none in /usr/local/cuda/bin or /usr/bin";
constexpr std::string_view kHowToGetNvcc =
    "install nvidia-cuda-toolkit and nvidia-cuda-toolkit-gcc (Debian's contrib and non-free), or "
    "NVIDIA's toolkit in /usr/local/cuda";
#else
constexpr std::string_view kNoNvcc = "there was none when Assay was built";
constexpr std::string_view kHowToGetNvcc =
    "run scripts/setup --cuda, then scripts/grade, which builds with it";
#endif

CudaToolkit Configured() {
#ifdef ASSAY_PORTABLE
  CudaToolkit toolkit = FindCuda({"/usr/local/cuda", "/usr"});
#else
  CudaToolkit toolkit{.nvcc = ASSAY_NVCC, .include = ASSAY_CUDA_INCLUDE};
#endif
  // Where they really are: the sandbox need not know how links lead there.
  for (fs::path* const path : {&toolkit.nvcc, &toolkit.include}) {
    std::error_code failure;
    const fs::path real = path->empty() ? fs::path() : fs::canonical(*path, failure);
    *path = failure ? *path : real;
  }
  return toolkit;
}

// CUDART_VERSION (11080) as the headers say; 0 where there are none.
int VersionOf(const CudaToolkit& toolkit) {
  constexpr std::string_view kBefore = "#define CUDART_VERSION";
  std::ifstream header(toolkit.include / "cuda_runtime_api.h");
  for (std::string line; std::getline(header, line);) {
    if (line.starts_with(kBefore)) {
      return std::atoi(line.c_str() + kBefore.size());
    }
  }
  return 0;
}

bool LiesBelow(const fs::path& path, const fs::path& folder) {
  const auto [of_folder, of_path] = std::ranges::mismatch(folder, path);
  return of_folder == folder.end();
}

/// Whether ToolchainMounts shows it already.
bool IsShown(const fs::path& path) {
  constexpr std::array<std::string_view, 4> kShown = {"/usr/bin", "/usr/include", "/usr/lib",
                                                      "/usr/libexec"};
  return path.string().starts_with("/usr/local/cuda") ||
         std::ranges::any_of(kShown,
                             [&](std::string_view shown) { return LiesBelow(path, shown); });
}

}  // namespace

const CudaToolkit& InstalledCuda() {
  static const CudaToolkit toolkit = Configured();
  return toolkit;
}

std::string_view HowToGetNvcc() { return kHowToGetNvcc; }

CudaToolkit FindCuda(const std::vector<fs::path>& prefixes) {
  for (const fs::path& prefix : prefixes) {
    const CudaToolkit toolkit{.nvcc = prefix / "bin/nvcc", .include = prefix / "include"};
    if (RequireTool(toolkit.nvcc) && VersionOf(toolkit) != 0) {
      return toolkit;
    }
  }
  return {};
}

std::vector<std::string> NvccFlagsFor(const CudaToolkit& toolkit, std::vector<std::string> flags) {
  const int version = VersionOf(toolkit);
  const auto compiler = std::ranges::find(flags, "-ccbin");
  if (version != 0 && version < 12000 && compiler != flags.end()) {
    flags.erase(compiler, compiler + 2);
  }
  return flags;
}

bool IsCudaSource(std::string_view source) { return source.ends_with(".cu"); }

bool UsesCuda(const SubmissionSpec& submission) {
  return std::ranges::any_of(submission.sources, IsCudaSource);
}

bool NeedsNvcc(const SubmissionSpec& submission) {
  return UsesCuda(submission) || std::ranges::any_of(submission.tests, IsCudaSource) ||
         std::ranges::any_of(submission.benchmarks, IsCudaSource, &BenchmarkSpec::source);
}

std::vector<std::string> NvccFlags(BuildFlavor flavor) {
#ifdef ASSAY_PORTABLE
  static const std::vector<std::string> words =
      NvccFlagsFor(InstalledCuda(), Words(ASSAY_NVCC_FLAGS));
#else
  static const std::vector<std::string> words = Words(ASSAY_NVCC_FLAGS);
#endif
  std::vector<std::string> flags = words;
  if (flavor == BuildFlavor::kSanitized) {
    for (const std::string& flag : CompilerFlags(flavor)) {
      // The standard is nvcc's to say, and it cannot read the headers of every instruction set.
      if (!flag.starts_with("-std=") && !flag.starts_with("-march=")) {
        flags.push_back(ForHostCompiler(flag));
      }
    }
  }
  return flags;
}

std::string ForHostCompiler(std::string_view flag) {
  std::string argument = "-Xcompiler=";
  for (const char c : flag) {
    argument += c == ',' ? "\\," : std::string(1, c);  // A comma alone parts two flags.
  }
  return argument;
}

std::vector<std::string> HeaderFlags(const CudaToolkit& toolkit) {
  const std::vector<std::string> searched = Words(ASSAY_COMPILER_SEARCHES);
  const bool is_searched = std::ranges::any_of(searched, [&](const std::string& folder) {
    std::error_code different;
    return fs::equivalent(folder, toolkit.include, different);
  });
  if (toolkit.include.empty() || is_searched) {
    return {};
  }
  return {"-isystem", toolkit.include.string()};
}

std::vector<Mount> CudaMounts(const CudaToolkit& toolkit) {
  std::vector<Mount> mounts;
  const auto show = [&](const fs::path& path) {
    mounts.push_back({.outside = path, .inside = path, .access = Access::kReadOnly});
  };
  const fs::path root = toolkit.nvcc.parent_path().parent_path();
  if (!IsShown(toolkit.nvcc)) {
    show(root);
  }
  if (!toolkit.include.empty() && !IsShown(toolkit.include) && !LiesBelow(toolkit.include, root)) {
    show(toolkit.include);
  }
  std::error_code ignored;
  if (const fs::path profile = "/etc/nvcc.profile"; fs::exists(profile, ignored)) {
    show(profile);
  }
  return mounts;
}

Status RequireCuda(const CudaToolkit& toolkit) {
  if (!toolkit.nvcc.empty() && RequireTool(toolkit.nvcc)) {
    return {};
  }
  return std::unexpected(
      Error{.kind = ErrorKind::kConfiguration,
            .where = toolkit.nvcc.empty() ? "nvcc" : toolkit.nvcc.string(),
            .cause = std::string(toolkit.nvcc.empty() ? kNoNvcc : "there is no such program") +
                     ", and .cu sources need it",
            .remedy = std::string(kHowToGetNvcc) + "; no GPU and no driver are needed"});
}

Result<std::string> NvccVersion(const CudaToolkit& toolkit) {
  ASSAY_RETURN_IF_ERROR(RequireCuda(toolkit));
  Command command;
  command.argv = {toolkit.nvcc.string(), "--version"};
  command.environment = {"LC_ALL=C", "PATH=/usr/bin:/bin"};
  command.time_limit = std::chrono::seconds(10);
  ASSAY_ASSIGN_OR_RETURN(const CommandResult ran, RunToCompletion(command));
  // `Cuda compilation tools, release 13.0, V13.0.88`
  constexpr std::string_view kBefore = ", V";
  const std::size_t at = ran.output.find(kBefore);
  if (at == std::string::npos) {
    return std::unexpected(
        Error{.kind = ErrorKind::kConfiguration,
              .where = toolkit.nvcc.string(),
              .cause = "it does not say its version: " + ran.errors,
              .remedy = "install the toolkit again, or set CUDA_HOME to another"});
  }
  const std::size_t from = at + kBefore.size();
  return "nvcc " + ran.output.substr(from, ran.output.find('\n', from) - from);
}

}  // namespace assay
