// SPDX-License-Identifier: Apache-2.0
#include "build/testing/tiny_challenge.h"

#include <chrono>
#include <stdexcept>
#include <utility>

#include "base/file.h"
#include "process/run.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

template <class T>
T OrThrow(Result<T> result) {
  if (!result) {
    throw std::runtime_error(ToString(result.error()));
  }
  return std::move(*result);
}

void Execute(std::vector<std::string> argv) {
  Command command;
  command.argv = std::move(argv);
  const CommandResult result = OrThrow(RunToCompletion(command));
  if (result.exit.code_or_signal != 0) {
    throw std::runtime_error(result.errors);
  }
}

}  // namespace

TinyChallenge::TinyChallenge()
    : directory_(OrThrow(TemporaryDirectory::Create(fs::temp_directory_path(), "tiny"))) {
  Write("challenge/interface.h", "extern \"C\" int twice(int);\n");
  Write("challenge/adapter.cc",
        "#include \"host/adapter.h\"\n#include \"interface.h\"\n"
        "int Operation(int x) { return twice(x); }\n");
  Write("harness/host/adapter.h", "#include \"wire/types.h\"\nint Operation(int);\n");
  Write("harness/wire/types.h", "#include <cstddef>\n");
  // Two members: an archive's member that nothing asks for is left out of a plain link.
  (void)MakeLibrary("host", {"int Operation(int);\nextern \"C\" int host_runtime();\n"
                             "int main() { return Operation(host_runtime()); }\n",
                             "extern \"C\" int host_runtime() { return 21; }\n"});
  fs::create_directories(Path("out"));
  submission.directory = Path("submission");
  submission.sources = {"a.cc"};
  fs::create_directories(submission.directory);
  tools.time_limit = std::chrono::seconds(60);
}

fs::path TinyChallenge::Path(const std::string& name) const { return directory_.path() / name; }

void TinyChallenge::Write(const std::string& name, std::string_view content) const {
  if (const Status written = WriteFileAtomically(Path(name), content); !written) {
    throw std::runtime_error(ToString(written.error()));
  }
}

void TinyChallenge::WriteSource(std::string_view content) const {
  Write("submission/a.cc", content);
}

fs::path TinyChallenge::MakeLibrary(const std::string& name,
                                    const std::vector<std::string_view>& members) const {
  const fs::path library = Path("lib" + name + ".a");
  std::vector<std::string> archive = {"ar", "rc", library};
  for (const std::string_view member : members) {
    const std::string stem = name + std::to_string(archive.size());
    Write(stem + ".cc", member);
    Execute({"g++", "-c", "-I", Path("challenge"), Path(stem + ".cc"), "-o", Path(stem + ".o")});
    archive.push_back(Path(stem + ".o"));
  }
  Execute(archive);
  return library;
}

BuildInputs TinyChallenge::Inputs() const {
  return {.submission = submission,
          .challenge_directory = Path("challenge"),
          .harness_directory = Path("harness"),
          .host_library = Path("libhost.a"),
          .output_directory = Path("out"),
          .tools = tools};
}

Result<SandboxedRun> TinyChallenge::Run(const BuildOutcome& outcome) const {
  const Mount host{.outside = outcome.host_executable, .inside = "/host"};
  SandboxRequest request;
  request.argv = {SeenPath(tools.level, host).string()};
  request.environment = {"ASAN_OPTIONS=detect_leaks=0"};  // Leak checking needs ptrace.
  request.mounts = RuntimeMounts();
  request.mounts.push_back(host);
  ASSAY_ASSIGN_OR_RETURN(auto runs, RunSandboxed(tools.level, {request}, 1));
  return std::move(runs.front());
}

}  // namespace assay
