// SPDX-License-Identifier: Apache-2.0
#include "gpu/tool/nvcc.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <optional>
#include <ranges>

#include "process/executable.h"

namespace assay::gpu {
namespace {

namespace fs = std::filesystem;

// From `nvcc --help` of 13.0: options with a value that may stand apart, long and short.
constexpr std::array<std::string_view, 124> kWithValue = {"--output-file",
                                                          "-o",
                                                          "--pre-include",
                                                          "-include",
                                                          "--library",
                                                          "-l",
                                                          "--define-macro",
                                                          "-D",
                                                          "--undefine-macro",
                                                          "-U",
                                                          "--include-path",
                                                          "-I",
                                                          "--system-include",
                                                          "-isystem",
                                                          "--library-path",
                                                          "-L",
                                                          "--output-directory",
                                                          "-odir",
                                                          "--compiler-bindir",
                                                          "-ccbin",
                                                          "--archiver-binary",
                                                          "-arbin",
                                                          "--libdevice-directory",
                                                          "-ldir",
                                                          "--target-directory",
                                                          "-target-dir",
                                                          "--optimization-info",
                                                          "-opt-info",
                                                          "--optimize",
                                                          "-O",
                                                          "--Ofast-compile",
                                                          "-Ofc",
                                                          "--dopt",
                                                          "-dopt",
                                                          "--ftemplate-backtrace-limit",
                                                          "-ftemplate-backtrace-limit",
                                                          "--ftemplate-depth",
                                                          "-ftemplate-depth",
                                                          "--compiler-options",
                                                          "-Xcompiler",
                                                          "--linker-options",
                                                          "-Xlinker",
                                                          "--archive-options",
                                                          "-Xarchive",
                                                          "--ptxas-options",
                                                          "-Xptxas",
                                                          "--nvlink-options",
                                                          "-Xnvlink",
                                                          "--threads",
                                                          "-t",
                                                          "--split-compile",
                                                          "-split-compile",
                                                          "--split-compile-extended",
                                                          "-split-compile-extended",
                                                          "--fdevice-time-trace",
                                                          "-fdevice-time-trace",
                                                          "--keep-dir",
                                                          "-keep-dir",
                                                          "--time",
                                                          "-time",
                                                          "--run-args",
                                                          "-run-args",
                                                          "--input-drive-prefix",
                                                          "-idp",
                                                          "--dependency-drive-prefix",
                                                          "-ddp",
                                                          "--drive-prefix",
                                                          "-dp",
                                                          "--dependency-target-name",
                                                          "-MT",
                                                          "--dependency-output",
                                                          "-MF",
                                                          "--gpu-architecture",
                                                          "-arch",
                                                          "--gpu-code",
                                                          "-code",
                                                          "--generate-code",
                                                          "-gencode",
                                                          "--maxrregcount",
                                                          "-maxrregcount",
                                                          "--Werror",
                                                          "-Werror",
                                                          "--diag-error",
                                                          "-diag-error",
                                                          "--diag-suppress",
                                                          "-diag-suppress",
                                                          "--diag-warn",
                                                          "-diag-warn",
                                                          "--jump-table-density",
                                                          "-jtd",
                                                          "--frandom-seed",
                                                          "-frandom-seed",
                                                          "--sanitize",
                                                          "-sanitize",
                                                          "--options-file",
                                                          "-optf",
                                                          "--cudart",
                                                          "-cudart",
                                                          "--cudadevrt",
                                                          "-cudadevrt",
                                                          "--x",
                                                          "-x",
                                                          "--std",
                                                          "-std",
                                                          "--machine",
                                                          "-m",
                                                          "--relocatable-device-code",
                                                          "-rdc",
                                                          "--entries",
                                                          "-e",
                                                          "--ftz",
                                                          "-ftz",
                                                          "--prec-div",
                                                          "-prec-div",
                                                          "--prec-sqrt",
                                                          "-prec-sqrt",
                                                          "--fmad",
                                                          "-fmad",
                                                          "--default-stream",
                                                          "-default-stream",
                                                          "--host-linker-script",
                                                          "-hls",
                                                          "--compress-mode",
                                                          "-compress-mode"};

/// What stands before the first `=`.
std::string_view NameOf(std::string_view flag) { return flag.substr(0, flag.find('=')); }

template <std::size_t N>
bool Has(std::span<const std::string> flags, const std::array<std::string_view, N>& names) {
  return std::ranges::any_of(flags, [&](const std::string& flag) {
    return std::ranges::find(names, NameOf(flag)) != names.end();
  });
}

Error Refused(std::string_view flag, std::string_view why, std::string_view remedy) {
  return {.kind = ErrorKind::kConfiguration,
          .where = {},
          .cause = fmt::format("nvcc flag {} {}", flag, why),
          .remedy = std::string(remedy)};
}

}  // namespace

std::vector<fs::path> NvccFolders() {
  std::vector<fs::path> folders;
  for (const char* const variable : {"CUDA_HOME", "CUDA_PATH"}) {
    if (const char* const home = std::getenv(variable); home != nullptr && *home != '\0') {
      folders.push_back(fs::path(home) / "bin");
    }
  }
  if (const char* const path = std::getenv("PATH"); path != nullptr) {
    for (const auto part : std::views::split(std::string_view(path), ':')) {
      folders.emplace_back(std::string_view(part));
    }
  }
  folders.emplace_back("/usr/local/cuda/bin");
  folders.emplace_back("/opt/cuda/bin");
  return folders;
}

Result<fs::path> FindNvcc(const std::vector<fs::path>& folders) {
  for (const fs::path& folder : folders) {
    if (const auto found = FindExecutable((folder.empty() ? "." : folder) / "nvcc")) {
      return *found;
    }
  }
  return std::unexpected(Error{
      .kind = ErrorKind::kConfiguration,
      .where = {},
      .cause = "nvcc was found neither in $CUDA_HOME/bin nor in PATH nor in "
               "/usr/local/cuda/bin nor in /opt/cuda/bin",
      .remedy = "install nvidia-cuda-toolkit (in a checkout scripts/setup --cuda does); no GPU "
                "and no driver are needed"});
}

bool NvccTakesNextArgument(std::string_view flag) {
  return std::ranges::find(kWithValue, flag) != kWithValue.end();
}

Status CheckNvccFlags(std::span<const std::string> flags) {
  constexpr std::array<std::string_view, 35> kNoProgram = {
      "-c",        "--compile",
      "-dc",       "--device-c",
      "-dw",       "--device-w",
      "-dlink",    "--device-link",
      "-lib",      "--lib",
      "-ptx",      "--ptx",
      "-cubin",    "--cubin",
      "-fatbin",   "--fatbin",
      "-cuda",     "--cuda",
      "-E",        "--preprocess",
      "-M",        "--generate-dependencies",
      "-MM",       "--generate-nonsystem-dependencies",
      "-shared",   "--shared",
      "-optix-ir", "--optix-ir",
      "-ltoir",    "--ltoir",
      "-dryrun",   "--dryrun",
      "-clean",    "-r",
      "-run"};
  constexpr std::array<std::string_view, 5> kOurs = {"-o", "--output-file", "-cudart", "--cudart",
                                                     "--run"};
  bool separate = false;
  for (std::size_t i = 0; i < flags.size(); ++i) {
    const std::string_view name = NameOf(flags[i]);
    if (std::ranges::find(kNoProgram, name) != kNoProgram.end()) {
      return std::unexpected(Refused(name, "leaves no program to run", "leave it out"));
    }
    if (std::ranges::find(kOurs, name) != kOurs.end()) {
      return std::unexpected(Refused(name, "is for assay cuda run to set", "leave it out"));
    }
    if (name == "-rdc" || name == "--relocatable-device-code") {
      const std::string value = flags[i].size() > name.size() ? flags[i].substr(name.size() + 1)
                                : i + 1 < flags.size()        ? flags[i + 1]
                                                              : "";
      separate = value == "true";
    }
  }
  if (separate) {
    return std::unexpected(
        Refused("-rdc=true", "links device code as machine code, and the emulated GPU runs PTX",
                "leave it out and put device code that is called across files in one file"));
  }
  return {};
}

std::vector<std::string> NvccCommand(const NvccProgram& program) {
  constexpr std::array<std::string_view, 6> kArchitecture = {
      "-arch", "--gpu-architecture", "-gencode", "--generate-code", "-code", "--gpu-code"};
  constexpr std::array<std::string_view, 4> kLines = {"-lineinfo", "--generate-line-info", "-G",
                                                      "--device-debug"};
  std::vector<std::string> command = {program.nvcc.string(), "-cudart", "none"};
  if (!Has(program.flags, kLines)) {
    command.emplace_back("-lineinfo");
  }
  if (!Has(program.flags, kArchitecture)) {
    const int architecture = program.model.compute_major * 10 + program.model.compute_minor;
    command.emplace_back("-gencode");
    command.push_back(fmt::format("arch=compute_{0},code=[sm_{0},compute_{0}]", architecture));
  }
  command.insert(command.end(), program.flags.begin(), program.flags.end());
  command.insert(command.end(), program.files.begin(), program.files.end());
  const std::string folder = program.library_folder.string();
  command.insert(command.end(), {"-L" + folder, "-lassay_cudart", "-Xlinker", "-rpath", "-Xlinker",
                                 folder, "-o", program.output.string()});
  return command;
}

}  // namespace assay::gpu
