// SPDX-License-Identifier: Apache-2.0
#include "gpu/programs/program_run.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <sstream>
#include <string_view>
#include <utility>

#include "base/unique_fd.h"
#include "emulator/report/json.h"

namespace assay::gpu {
namespace {

constexpr auto kTimeLimit = std::chrono::seconds(60);
constexpr int kReportDescriptor = 3;

Result<UniqueFd> AnonymousFile(const char* name) {
  UniqueFd file(memfd_create(name, MFD_CLOEXEC));
  if (file.get() < 0) {
    return std::unexpected(SystemError("memfd_create", errno));
  }
  return file;
}

Result<std::string> Contents(const UniqueFd& file) {
  std::string contents;
  std::array<char, 65536> piece{};
  for (off_t offset = 0;;) {
    const ssize_t count = pread(file.get(), piece.data(), piece.size(), offset);
    if (count < 0) {
      return std::unexpected(SystemError("read of a program's output", errno));
    }
    if (count == 0) {
      return contents;
    }
    contents.append(piece.data(), static_cast<std::size_t>(count));
    offset += count;
  }
}

}  // namespace

std::vector<Finding> ProgramRun::Findings() const {
  std::vector<Finding> findings;
  for (const LaunchReport& launch : launches) {
    findings.insert(findings.end(), launch.findings.begin(), launch.findings.end());
  }
  return findings;
}

Result<ProgramRun> RunProgram(const std::filesystem::path& executable,
                              const DeviceSettings& settings) {
  ASSAY_ASSIGN_OR_RETURN(const UniqueFd output, AnonymousFile("output"));
  ASSAY_ASSIGN_OR_RETURN(const UniqueFd errors, AnonymousFile("errors"));
  ASSAY_ASSIGN_OR_RETURN(const UniqueFd reports, AnonymousFile("reports"));
  SubprocessOptions options;
  options.argv = {executable.string()};
  options.environment = {
      {fmt::format("{}={}", kSettingsVariable, ToJson(settings, kReportDescriptor))}};
  options.descriptors = {{.ours = output.get(), .child = STDOUT_FILENO},
                         {.ours = errors.get(), .child = STDERR_FILENO},
                         {.ours = reports.get(), .child = kReportDescriptor}};
  ASSAY_ASSIGN_OR_RETURN(Subprocess process, Subprocess::Start(options));
  ProgramRun run;
  auto exit = process.WaitUntil(std::chrono::steady_clock::now() + kTimeLimit);
  if (!exit) {
    run.timed_out = true;
    process.Kill();
    exit = process.WaitUntil(std::chrono::steady_clock::now() + kTimeLimit);
  }
  run.exit = exit.value_or(ProcessExit{.kind = ProcessExit::Kind::kSignaled});
  ASSAY_ASSIGN_OR_RETURN(run.output, Contents(output));
  ASSAY_ASSIGN_OR_RETURN(run.errors, Contents(errors));
  ASSAY_ASSIGN_OR_RETURN(const std::string lines, Contents(reports));
  std::istringstream stream(lines);
  for (std::string line; std::getline(stream, line);) {
    ASSAY_ASSIGN_OR_RETURN(LaunchReport report, ReportFromJson(line));
    run.launches.push_back(std::move(report));
  }
  return run;
}

}  // namespace assay::gpu
