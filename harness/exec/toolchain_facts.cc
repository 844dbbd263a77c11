// SPDX-License-Identifier: Apache-2.0
#include "exec/toolchain_facts.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <chrono>
#include <fstream>
#include <set>
#include <string>
#include <system_error>
#include <vector>

#include "base/digest.h"
#include "base/text.h"
#include "build/compile.h"
#include "build/toolchain.h"
#include "machine/machine.h"
#include "process/run.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

// What `<compiler> <question>` answers, one line. Not an absolute path: it has no such file.
std::string Ask(const fs::path& compiler, const std::string& question) {
  Command command;
  command.argv = {compiler.string(), question};
  command.environment = {"LC_ALL=C", "PATH=/usr/bin:/bin"};
  command.time_limit = std::chrono::seconds(10);
  const auto ran = RunToCompletion(command);
  const std::vector<std::string> lines = ran ? SplitLines(ran->output) : std::vector<std::string>();
  return lines.empty() ? "" : lines.front();
}

// Names are sought in PATH by the compiler where they are not its own.
fs::path ProgramOf(const fs::path& compiler, const std::string& name) {
  const fs::path answer = Ask(compiler, "-print-prog-name=" + name);
  return answer.is_absolute() ? answer : fs::path("/usr/bin") / name;
}

std::set<fs::path> FilesOfCompiler(const fs::path& compiler) {
  std::set<fs::path> files = {compiler, "/usr/include/math.h", "/usr/include/features.h"};
  for (const std::string name : {"cc1plus", "collect2", "as", "ld"}) {
    files.insert(ProgramOf(compiler, name));
  }
  for (const std::string name :
       {"crt1.o", "libc.so", "libc.a", "libm.so", "libstdc++.so", "libgcc.a", "libasan.so",
        "libubsan.so", "libfmt.so", "libzstd.so", "liblz4.so"}) {
    files.insert(Ask(compiler, "-print-file-name=" + name));
  }
  return files;
}

// Next to nvcc in NVIDIA's layout and in Debian's.
std::set<fs::path> FilesOfCuda(const CudaToolkit& cuda) {
  std::set<fs::path> files = {cuda.nvcc, cuda.include / "cuda_runtime_api.h", "/etc/nvcc.profile"};
  const fs::path programs = cuda.nvcc.parent_path();
  for (const char* const name :
       {"cudafe++", "ptxas", "fatbinary", "cicc", "../nvvm/bin/cicc", "nvcc.profile"}) {
    files.insert((programs / name).lexically_normal());
  }
  return files;
}

// `<path> <bytes> <nanoseconds>` of each that is there; a package's new version changes them.
nlohmann::json Stamps(const std::set<fs::path>& files) {
  nlohmann::json stamps = nlohmann::json::array();
  for (const fs::path& file : files) {
    struct stat status{};
    if (::stat(file.c_str(), &status) == 0) {
      stamps.push_back(fmt::format("{} {} {}.{:09}", file.string(), status.st_size,
                                   status.st_mtim.tv_sec, status.st_mtim.tv_nsec));
    }
  }
  return stamps;
}

// The instruction sets, on which -march=native depends: a hypervisor may hide some of a model's.
std::string ProcessorFlags() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("flags")) {
      return Sha256(line);
    }
  }
  return "";
}

CompileStep Step(const fs::path& compiler, const std::optional<CudaToolkit>& cuda,
                 std::string source) {
  return {.compiler = compiler,
          .root = {.outside = "/submission", .inside = "/submission"},
          .source = std::move(source),
          .headers = {{.outside = "/challenge", .inside = "/challenge"}},
          .defines = {},
          .options = {},
          .cuda = cuda,
          .output_directory = "/out"};
}

// The compositor's own words, so that a change of how flags are put together counts as one.
nlohmann::json CommandLines(const fs::path& compiler, const std::optional<CudaToolkit>& cuda) {
  nlohmann::json lines = nlohmann::json::array();
  for (const BuildFlavor flavor : {BuildFlavor::kRelease, BuildFlavor::kSanitized}) {
    const auto add = [&](const ToolStep& tool) { lines.push_back(Join(tool.argv, " ")); };
    add(ToCompileTool(Step(compiler, cuda, "baseline.cc"), flavor, SandboxLevel::kFull));
    if (cuda) {
      add(ToCompileTool(Step(compiler, cuda, "baseline.cu"), flavor, SandboxLevel::kFull));
    }
    add(ToLinkTool({.compiler = compiler,
                    .objects = {"/object.o"},
                    .whole_libraries = {"/libassay_host.a"},
                    .libraries = {},
                    .options = {},
                    .output_directory = "/out"},
                   flavor, SandboxLevel::kFull, "linking"));
  }
  return lines;
}

}  // namespace

Result<nlohmann::json> DescribeToolchain(const fs::path& compiler,
                                         const std::optional<CudaToolkit>& cuda) {
  ASSAY_ASSIGN_OR_RETURN(const std::string version, CompilerVersion(compiler));
  nlohmann::json facts = {{"processor", DescribeMachine().cpu_model},
                          {"processor_flags", ProcessorFlags()},
                          {"compiler", version},
                          {"command_lines", CommandLines(compiler, cuda)}};
  std::set<fs::path> files = FilesOfCompiler(compiler);
  if (cuda) {
    ASSAY_ASSIGN_OR_RETURN(facts["nvcc"], NvccVersion(*cuda));
    files.merge(FilesOfCuda(*cuda));
  }
  facts["files"] = Stamps(files);
  return facts;
}

}  // namespace assay
