// SPDX-License-Identifier: Apache-2.0
#include "cli/console.h"

#include <nlohmann/json.hpp>
#include <string>

#include "cli/exit_code.h"
#include "cli/json_output.h"
#include "report/plain_text.h"

namespace assay {

int Fail(Console& console, OutputFormat format, const std::filesystem::path& root,
         const Errors& errors) {
  const Errors shown = RelativeTo(root, errors);
  if (format == OutputFormat::kJson) {
    console.out << Dump({{"errors", ErrorsToJson(shown)}});
  } else {
    for (const Error& error : shown) {
      // Names and diagnostics in it may come from a submission and must not drive the terminal.
      console.err << "assay: " << PlainLines(ToString(error)) << "\n";
    }
  }
  return static_cast<int>(errors.empty() ? ExitCode::kDone : ExitCodeOf(errors.front().kind));
}

}  // namespace assay
