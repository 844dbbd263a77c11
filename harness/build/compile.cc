// SPDX-License-Identifier: Apache-2.0
#include "build/compile.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace assay {
namespace {

namespace fs = std::filesystem;

// Each input of a link is shown under a number: names of objects come from the submission.
std::string ShowInput(ToolStep& tool, SandboxLevel level, const fs::path& file) {
  return Show(tool, level,
              {.outside = file,
               .inside = fmt::format("/inputs/{}{}", tool.mounts.size(), file.extension().string()),
               .access = Access::kReadOnly});
}

void Append(std::vector<std::string>& to, const std::vector<std::string>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

}  // namespace

ToolStep ToCompileTool(const CompileStep& step, BuildFlavor flavor, SandboxLevel level) {
  const bool by_nvcc = IsCudaSource(step.source);
  ToolStep tool{.what = "compiling " + step.source,
                .argv = {(by_nvcc ? step.cuda.value().nvcc : step.compiler).string(), "-x",
                         by_nvcc ? "cu" : "c++", "-c"},
                .mounts = {},
                .output_directory = step.output_directory};
  const std::string root = Show(tool, level, step.root);
  Append(tool.argv, {root + "/" + step.source, "-o", ShowOutput(tool, level, "object.o")});
  for (const Mount& folder : step.headers) {
    tool.argv.push_back("-I" + Show(tool, level, folder));
  }
  tool.argv.push_back("-I" + root);
  // No colours, and no flood of one mistake's echoes.
  std::vector<std::string> of_gcc = {"-fdiagnostics-color=never", "-fmax-errors=20", "-Wall",
                                     "-Wextra"};
  // __FILE__ and debug information name files as level full shows them.
  for (const Mount& mount : tool.mounts) {
    of_gcc.push_back(fmt::format("-ffile-prefix-map={}={}", SeenPath(level, mount).string(),
                                 mount.inside.string()));
  }
  Append(of_gcc, step.options);
  for (const std::string& define : step.defines) {
    tool.argv.push_back("-D" + define);
  }
  if (step.cuda) {
    Append(tool.argv, HeaderFlags(*step.cuda));
    std::ranges::copy(CudaMounts(*step.cuda), std::back_inserter(tool.mounts));
  }
  if (by_nvcc) {
    for (const std::string& flag : of_gcc) {
      tool.argv.push_back(ForHostCompiler(flag));
    }
    Append(tool.argv, NvccFlags(flavor));
  } else {
    Append(tool.argv, of_gcc);
    tool.argv.emplace_back("-pipe");  // No temporary files between the passes.
    Append(tool.argv, CompilerFlags(flavor));
  }
  return tool;
}

fs::path ObjectOf(const CompileStep& step) { return step.output_directory / "object.o"; }

ToolStep ToLinkTool(const LinkStep& step, BuildFlavor flavor, SandboxLevel level,
                    std::string what) {
  ToolStep tool{.what = std::move(what),
                .argv = {step.compiler.string()},
                .mounts = {},
                .output_directory = step.output_directory};
  Append(tool.argv, {"-o", ShowOutput(tool, level, "program")});
  for (const fs::path& object : step.objects) {
    tool.argv.push_back(ShowInput(tool, level, object));
  }
  if (!step.whole_libraries.empty()) {
    tool.argv.emplace_back("-Wl,--whole-archive");
    for (const fs::path& library : step.whole_libraries) {
      tool.argv.push_back(ShowInput(tool, level, library));
    }
    tool.argv.emplace_back("-Wl,--no-whole-archive");
  }
  tool.argv.emplace_back("-Wl,--as-needed");
  for (const fs::path& library : step.libraries) {
    tool.argv.push_back(ShowInput(tool, level, library));
  }
  Append(tool.argv, {"-pthread", "-Wl,-z,relro,-z,now"});
  Append(tool.argv, step.options);
  Append(tool.argv, CompilerFlags(flavor));
  return tool;
}

fs::path ProgramOf(const LinkStep& step) { return step.output_directory / "program"; }

}  // namespace assay
