// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_CLI_CONSOLE_H_
#define ASSAY_CLI_CONSOLE_H_

#include <filesystem>
#include <ostream>

#include "base/error.h"
#include "cli/colour.h"

namespace assay {

enum class OutputFormat { kText, kJson };

/// Whether a line can be drawn over on the error stream.
enum class ErrorStream { kTerminal, kPlain };

/// Where a command writes: results to `out`, progress and messages to `err`.
struct Console {
  std::ostream& out;
  std::ostream& err;
  ErrorStream error_stream = ErrorStream::kPlain;
  int columns = 80;                    ///< Width of the terminal.
  Colour colour = Colour::kOff;        ///< Of `out`.
  Colour error_colour = Colour::kOff;  ///< Of `err`.
};

/// Prints errors for a person (one line each, on `err`) or for a program (`{"errors": […]}` on
/// `out`), with places relative to `root`, and returns the exit code of the first.
[[nodiscard]] int Fail(Console& console, OutputFormat format, const std::filesystem::path& root,
                       const Errors& errors);

}  // namespace assay

#endif  // ASSAY_CLI_CONSOLE_H_
