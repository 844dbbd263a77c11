// SPDX-License-Identifier: Apache-2.0
#include "gpu/tool/run_cuda.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fstream>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/file.h"
#include "base/temporary.h"
#include "base/text.h"
#include "base/unique_fd.h"
#include "cudart/runtime/lacking_libraries.h"
#include "emulator/report/cuda_error.h"
#include "emulator/report/json.h"
#include "gpu/tool/nvcc.h"
#include "gpu/tool/program_libraries.h"
#include "process/interrupt.h"
#include "process/retry.h"
#include "process/subprocess.h"

namespace assay::gpu {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr int kReport_fd = 97;  // Out of the way of what programs open, which start at 3.
constexpr auto kGrace = std::chrono::seconds(2);
constexpr const char* kRuntimeLibrary = "libassay_cudart.so";

Error Fault(std::string where, std::string cause, std::string remedy) {
  return {.kind = ErrorKind::kConfiguration,
          .where = std::move(where),
          .cause = std::move(cause),
          .remedy = std::move(remedy)};
}

std::vector<std::string> EnvironmentWith(std::string_view name, std::string_view value) {
  std::vector<std::string> environment;
  const std::string start = fmt::format("{}=", name);
  for (char** entry = environ; *entry != nullptr; ++entry) {
    if (!std::string_view(*entry).starts_with(start)) {
      environment.emplace_back(*entry);
    }
  }
  environment.push_back(fmt::format("{}{}", start, value));
  return environment;
}

Status CheckFiles(const std::vector<std::string>& files) {
  if (files.empty()) {
    return std::unexpected(
        Fault("", "there is no file to run", "name one: assay cuda run prog.cu"));
  }
  for (const std::string& file : files) {
    std::error_code failure;
    if (!fs::is_regular_file(file, failure)) {
      return std::unexpected(Fault(file, "does not exist or is no file",
                                   "name a CUDA source; arguments of the program go behind --"));
    }
  }
  return {};
}

/// Whether `file` is a program and not something to link: an ELF file that may be executed.
bool IsProgram(const fs::path& file) {
  std::array<char, 4> start{};
  std::ifstream(file, std::ios::binary).read(start.data(), start.size());
  return std::memcmp(start.data(), "\177ELF", start.size()) == 0 &&
         ::access(file.c_str(), X_OK) == 0 && file.extension() != ".so" && file.extension() != ".o";
}

int ExitCodeOf(const ProcessExit& exit) {
  return exit.kind == ProcessExit::Kind::kSignaled ? 128 + exit.code_or_signal
                                                   : exit.code_or_signal;
}

bool WasRefused(const RunSummary& summary) {
  return std::ranges::any_of(summary.errors(), [](const RunError& error) {
    return error.error == cuda_error::kNotSupported;
  });
}

SubprocessOptions OnOurStreams(std::vector<std::string> argv) {
  SubprocessOptions options;
  options.argv = std::move(argv);
  options.descriptors = {{.ours = 0, .child = 0}, {.ours = 1, .child = 1}, {.ours = 2, .child = 2}};
  options.group = ProcessGroup::kOurs;
  return options;
}

/// What a failure of nvcc may come from: a toolkit need not have the libraries that the emulated
/// GPU lacks, and a program that does link with them still does not run.
std::string RemedyAfterNvcc(const std::vector<std::string>& flags) {
  std::string remedy = "it says why above";
  for (std::string_view flag : flags) {
    flag.remove_prefix(flag.starts_with("-l") ? 2 : flag.find('=') + 1);
    if (const auto* const library = runtime::FindLackingLibrary(fmt::format("lib{}", flag))) {
      remedy += fmt::format("; the emulated GPU has no {}: a program that calls it will not run",
                            library->name);
    }
  }
  return remedy;
}

Status Compile(const CudaRunRequest& request, const fs::path& folder, const fs::path& program) {
  ASSAY_RETURN_IF_ERROR(CheckNvccFlags(request.nvcc_flags));
  fs::path nvcc = request.nvcc;
  if (nvcc.empty()) {
    ASSAY_ASSIGN_OR_RETURN(nvcc, FindNvcc());
  }
  std::error_code failure;
  if (!fs::exists(request.library_folder / kRuntimeLibrary, failure)) {
    return std::unexpected(Fault((request.library_folder / kRuntimeLibrary).string(),
                                 "the CUDA runtime of the emulated GPU is not built",
                                 "build all of Assay (scripts/build), or install the package "
                                 "again"));
  }
  // A fat binary says which CUDA a program was compiled for (runtime/program_version.h), and nvcc
  // writes none for C++ alone: an empty source of CUDA beside it has one.
  std::vector<std::string> files = request.files;
  if (std::ranges::none_of(files, [](const fs::path& file) { return file.extension() == ".cu"; })) {
    files.push_back((folder / "says_version.cu").string());
    ASSAY_RETURN_IF_ERROR(WriteFileAtomically(files.back(), ""));
  }
  SubprocessOptions options = OnOurStreams(NvccCommand({.nvcc = nvcc,
                                                        .model = request.settings.model,
                                                        .flags = request.nvcc_flags,
                                                        .files = files,
                                                        .library_folder = request.library_folder,
                                                        .output = program}));
  // Standard output is the program's alone, and nvcc's own files go with our folder.
  options.descriptors = {{.ours = 2, .child = 1}, {.ours = 2, .child = 2}};
  options.environment = EnvironmentWith("TMPDIR", folder.string());
  ASSAY_ASSIGN_OR_RETURN(Subprocess child, Subprocess::Start(options));
  std::optional<ProcessExit> exit;
  while (!exit) {
    exit = child.WaitUntil(Clock::now() + std::chrono::milliseconds(100));
    ASSAY_RETURN_IF_ERROR(CheckInterrupt());
  }
  if (exit->kind != ProcessExit::Kind::kExited || exit->code_or_signal != 0) {
    return std::unexpected(Fault(Join(request.files, " "),
                                 fmt::format("nvcc ended with {}", ExitCodeOf(*exit)),
                                 RemedyAfterNvcc(request.nvcc_flags)));
  }
  if (!fs::exists(program, failure)) {
    return std::unexpected(Fault(Join(request.files, " "), "nvcc made no program of it",
                                 "leave out the flag that stops nvcc before the end"));
  }
  return {};
}

/// Reads what there is, up to more than a pipe holds: a writer that is never done holds nothing up.
/// False at the end of the pipe.
bool Drain(int fd, ReportReader& reader) {
  constexpr int kMostReads = 32;
  std::array<char, 65536> buffer;
  for (int reads = 0; reads < kMostReads; ++reads) {
    const ssize_t got = RetryOnEintr([&] { return ::read(fd, buffer.data(), buffer.size()); });
    if (got <= 0) {
      return got < 0 && errno == EAGAIN;
    }
    reader.Feed({buffer.data(), static_cast<std::size_t>(got)});
  }
  return true;
}

int PollTimeout_ms(const std::optional<Clock::time_point>& deadline) {
  if (!deadline) {
    return -1;
  }
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(*deadline - Clock::now()).count();
  return static_cast<int>(std::max<decltype(left)>(left, 0));
}

/// Reads reports until the program has ended. What it started may hold the pipe on: that is not
/// waited for.
Result<ProcessExit> Attend(Subprocess& child, UniqueFd pipe, ReportReader& reader) {
  std::optional<Clock::time_point> kill_at;
  for (;;) {
    std::array<pollfd, 3> events = {
        {{.fd = pipe.get(), .events = POLLIN, .revents = 0},
         {.fd = child.exit_event_fd(), .events = POLLIN, .revents = 0},
         {.fd = kill_at ? -1 : InterruptEventFd(), .events = POLLIN, .revents = 0}}};
    const int ready = ::poll(events.data(), events.size(), PollTimeout_ms(kill_at));
    if (ready < 0 && errno != EINTR) {
      return std::unexpected(SystemError("poll", errno));
    }
    if (pipe && !Drain(pipe.get(), reader)) {
      pipe.Reset();
    }
    if (const auto exit = child.TryWait()) {
      if (pipe) {
        (void)Drain(pipe.get(), reader);
      }
      reader.Finish();
      return *exit;
    }
    if (!kill_at && InterruptSignal() != 0) {
      ::kill(child.pid(), InterruptSignal());
      kill_at = Clock::now() + kGrace;
    } else if (kill_at && Clock::now() >= *kill_at) {
      child.Kill();
      kill_at = Clock::now() + kGrace;
    }
  }
}

CudaRun RunOf(const ReportReader& reader, int code, int signal) {
  return {.exit_code = code == 0 && WasRefused(reader.summary()) ? kExitAfterRefusal : code,
          .signal = signal,
          .summary = reader.summary(),
          .launches = reader.lines(),
          .launches_left_out = reader.lines_left_out(),
          .faults = reader.faults()};
}

/// A run of a program that is not started, for these reasons.
CudaRun NotStarted(const std::vector<std::string>& reasons, KeepLaunches keep) {
  ReportReader reader(keep);
  for (const std::string& reason : reasons) {
    LaunchReport report;  // Of no kernel: as a call's error.
    report.error = cuda_error::kNotSupported;
    report.error_detail = reason;
    reader.Feed(ToJsonLine(report));
  }
  return RunOf(reader, 0, 0);
}

Result<CudaRun> Run(const CudaRunRequest& request, const fs::path& program) {
  if (const auto reasons = LackingLibrariesOf(program); !reasons.empty()) {
    return NotStarted(reasons, request.keep);
  }
  std::array<int, 2> ends = {-1, -1};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
    return std::unexpected(SystemError("make a pipe for reports", errno));
  }
  UniqueFd read_end(ends[0]);
  UniqueFd write_end(ends[1]);
  ::fcntl(read_end.get(), F_SETFL, O_NONBLOCK);
  SubprocessOptions options = OnOurStreams({program.string()});
  options.argv.insert(options.argv.end(), request.program_arguments.begin(),
                      request.program_arguments.end());
  options.descriptors.push_back({.ours = write_end.get(), .child = kReport_fd});
  options.environment = EnvironmentWith(kSettingsVariable, ToJson(request.settings, kReport_fd));
  ASSAY_ASSIGN_OR_RETURN(Subprocess child, Subprocess::Start(options));
  write_end.Reset();
  ReportReader reader(request.keep);
  ASSAY_ASSIGN_OR_RETURN(const ProcessExit exit, Attend(child, std::move(read_end), reader));
  return RunOf(reader, ExitCodeOf(exit),
               exit.kind == ProcessExit::Kind::kSignaled ? exit.code_or_signal : 0);
}

}  // namespace

Result<CudaRun> RunCuda(const CudaRunRequest& request) {
  ASSAY_RETURN_IF_ERROR(CheckFiles(request.files));
  if (request.files.size() == 1 && IsProgram(request.files.front())) {
    return Run(request, fs::absolute(request.files.front()));
  }
  std::error_code failure;
  const fs::path root = fs::temp_directory_path(failure);
  if (failure) {
    return std::unexpected(
        Fault("", "the folder for temporary files does not exist", "set TMPDIR to one that does"));
  }
  ASSAY_ASSIGN_OR_RETURN(const TemporaryDirectory folder,
                         TemporaryDirectory::Create(root, "assay-cuda"));
  const fs::path program = folder.path() / fs::path(request.files.front()).stem();
  ASSAY_RETURN_IF_ERROR(Compile(request, folder.path(), program));
  return Run(request, program);
}

}  // namespace assay::gpu
