// SPDX-License-Identifier: Apache-2.0
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/manual_page.h"
#include "process/interrupt.h"

namespace assay {
namespace {

template <class... Functions>
struct Overloaded : Functions... {
  using Functions::operator()...;
};

Console StandardConsole() {
  Console console{.out = std::cout, .err = std::cerr};
  if (::isatty(STDERR_FILENO) == 1) {
    console.error_stream = ErrorStream::kTerminal;
    winsize size{};
    if (::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
      console.columns = size.ws_col;
    }
  }
  return console;
}

std::optional<std::string> FromEnvironment(const char* name) {
  const char* const value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): no thread yet.
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

Colour ColourFor(const CommandOptions& command, int descriptor) {
  const WhenColour when = std::visit(
      [](const auto& options) {
        if constexpr (requires { options.common; }) {
          return options.common.colour;
        } else {
          return WhenColour::kNever;
        }
      },
      command);
  return ChooseColour(when, {.is_terminal = ::isatty(descriptor) == 1,
                             .no_color = FromEnvironment("NO_COLOR"),
                             .term = FromEnvironment("TERM")});
}

int Run(const CommandOptions& command, Console& console) {
  return std::visit(
      Overloaded{[&](const GradeOptions& o) { return RunGrade(o, RealGradeServices(), console); },
                 [&](const ReportOptions& o) { return RunReport(o, console); },
                 [&](const MergeOptions& o) { return RunMerge(o, RealGradeServices(), console); },
                 [&](const CompareOptions& o) { return RunCompare(o, console); },
                 [&](const DiffOptions& o) { return RunDiff(o, console); },
                 [&](const ExplainOptions& o) { return RunExplain(o, console); },
                 [&](const RobustnessOptions& o) { return RunRobustness(o, console); },
                 [&](const SiteOptions& o) { return RunSite(o, console); },
                 [&](const CheckOptions& o) { return RunCheck(o, console); },
                 [&](const DoctorOptions& o) { return RunDoctor(o, console); },
                 [&](const ListOptions& o) { return RunList(o, RealGradeServices(), console); },
                 [&](const InitOptions& o) { return RunInit(o, console); },
                 [&](const NewOptions& o) { return RunNew(o, console); },
                 [&](const CollectOptions& o) { return RunCollect(o, console); },
                 [&](const RemoveOptions& o) { return RunRemove(o, TerminalAnswer(), console); },
                 [&](const DeployOptions& o) { return RunDeploy(o, console); },
                 [&](const ReviewNewOptions& o) { return RunReviewNew(o, console); },
                 [&](const ReviewCheckOptions& o) { return RunReviewCheck(o, console); },
                 [&](const ReviewCollectOptions& o) { return RunReviewCollect(o, console); },
                 [&](const PrOptions& o) { return RunPr(o, RealGradeServices(), console); },
                 [&](const TryOptions& o) { return RunTry(o, RealTryServices(), console); },
                 [&](const CompletionOptions& o) {
                   std::cout << CompletionScript(o.shell, DescribeCommandLine());
                   return 0;
                 },
                 [&](const ManualOptions&) {
                   std::cout << ManualPage(DescribeCommandLine(), ASSAY_VERSION);
                   return 0;
                 },
                 [&](const CudaRunOptions& o) { return RunCuda(o, RealCudaServices(), console); },
                 [&](const CudaCheckOptions& o) {
                   return RunCudaCheck(o, RealCudaCheckServices(), console);
                 },
                 [&](const SignaturesOptions& o) {
                   return RunSignatures(o, RealSignatureServices(), console);
                 }},
      command);
}

int Main(std::vector<std::string> arguments) {
  const auto command = ParseCommandLine(std::move(arguments));
  if (!command) {
    std::cout << command.error().out;
    std::cerr << command.error().err;
    return command.error().exit_code;
  }
  const InterruptScope interrupt;  // Before any thread.
  Console console = StandardConsole();
  console.colour = ColourFor(*command, STDOUT_FILENO);
  console.error_colour = ColourFor(*command, STDERR_FILENO);
  const int exit_code = Run(*command, console);
  if (!std::cout.flush()) {
    std::cerr << "assay: standard output cannot be written; free disk space or redirect it\n";
    return exit_code == 0 ? static_cast<int>(ExitCode::kConfiguration) : exit_code;
  }
  return exit_code;
}

}  // namespace
}  // namespace assay

int main(int argc, char** argv) {
  try {
    return assay::Main(std::vector<std::string>(argv + 1, argv + argc));
  } catch (const std::exception& exception) {
    // Nothing of Assay throws; the standard library does when memory is out.
    std::fprintf(stderr, "assay: failed by our fault: %s\n", exception.what());
    return static_cast<int>(assay::ExitCode::kJudgeError);
  }
}
