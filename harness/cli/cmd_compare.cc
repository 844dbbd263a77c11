// SPDX-License-Identifier: Apache-2.0
#include "cli/commands.h"
#include "cli/compare_text.h"
#include "cli/exit_code.h"
#include "cli/reports.h"
#include "report/report.h"

namespace assay {

int RunCompare(const CompareOptions& options, Console& console) {
  const OutputFormat format = options.common.format;
  const auto place = WorkplaceOf(options.common);
  if (!place) {
    return Fail(console, format, {}, {place.error()});
  }
  const auto inputs = ReadReportInputs(*place);
  if (!inputs) {
    return Fail(console, format, place->root, inputs.error());
  }
  const auto render = format == OutputFormat::kJson              ? &CompareJson
                      : options.style == CompareStyle::kMarkdown ? &RenderCompare
                                                                 : &CompareText;
  const auto text = render(inputs->cells, inputs->challenges, options.model_a, options.model_b);
  if (!text) {
    return Fail(console, format, place->root, {text.error()});
  }
  console.out << *text;
  return static_cast<int>(ExitCode::kDone);
}

}  // namespace assay
