// SPDX-License-Identifier: Apache-2.0
#include <sys/ioctl.h>
#include <unistd.h>

#include <iostream>
#include <string>
#include <variant>
#include <vector>

#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/exit_code.h"
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

int Run(const CommandOptions& command, Console& console) {
  return std::visit(
      Overloaded{[&](const GradeOptions& o) { return RunGrade(o, RealGradeServices(), console); },
                 [&](const ReportOptions& o) { return RunReport(o, console); },
                 [&](const CompareOptions& o) { return RunCompare(o, console); },
                 [&](const ExplainOptions& o) { return RunExplain(o, console); },
                 [&](const CheckOptions& o) { return RunCheck(o, console); },
                 [&](const DoctorOptions& o) { return RunDoctor(o, console); },
                 [&](const ListOptions& o) { return RunList(o, console); }},
      command);
}

}  // namespace
}  // namespace assay

int main(int argc, char** argv) {
  const auto command = assay::ParseCommandLine(std::vector<std::string>(argv + 1, argv + argc));
  if (!command) {
    std::cout << command.error().out;
    std::cerr << command.error().err;
    return command.error().exit_code;
  }
  const assay::InterruptScope interrupt;  // Before any thread.
  assay::Console console = assay::StandardConsole();
  const int exit_code = assay::Run(*command, console);
  if (!std::cout.flush()) {
    std::cerr << "assay: standard output cannot be written; free disk space or redirect it\n";
    return exit_code == 0 ? static_cast<int>(assay::ExitCode::kConfiguration) : exit_code;
  }
  return exit_code;
}
