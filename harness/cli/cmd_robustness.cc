// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/reports.h"
#include "cli/robustness_text.h"
#include "report/report.h"
#include "spec/nearest.h"

namespace assay {
namespace {

/// The cells of the challenges that `words` name; all when there are none.
Result<std::vector<Evidence>> SelectEvidence(ReportInputs inputs,
                                             const std::vector<std::string>& words) {
  for (const std::string& word : words) {
    if (!inputs.challenges.contains(word)) {
      return std::unexpected(Error{
          .kind = ErrorKind::kConfiguration,
          .where = {},
          .cause = fmt::format("there is no challenge \"{}\"", word),
          .remedy = SuggestOneOf(word, NamesOf(inputs.repository.challenges, &ChallengeSpec::id))});
    }
  }
  if (!words.empty()) {
    std::erase_if(inputs.cells, [&](const Evidence& cell) {
      return std::ranges::find(words, cell.challenge) == words.end();
    });
  }
  return std::move(inputs.cells);
}

}  // namespace

int RunRobustness(const RobustnessOptions& options, Console& console) {
  const OutputFormat format = options.common.format;
  const auto place = WorkplaceOf(options.common);
  if (!place) {
    return Fail(console, format, {}, {place.error()});
  }
  auto inputs = ReadReportInputs(*place);
  if (!inputs) {
    return Fail(console, format, place->root, inputs.error());
  }
  const Challenges challenges = inputs->challenges;
  const auto cells = SelectEvidence(*std::move(inputs), options.challenges);
  if (!cells) {
    return Fail(console, format, place->root, {cells.error()});
  }
  const auto render = format == OutputFormat::kJson ? &RobustnessJson : &RobustnessText;
  console.out << render(*cells, challenges, options.weight_draws);
  return static_cast<int>(ExitCode::kDone);
}

}  // namespace assay
