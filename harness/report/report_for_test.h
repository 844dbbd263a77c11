// SPDX-License-Identifier: Apache-2.0
// What the tests of reports share.
#ifndef ASSAY_REPORT_REPORT_FOR_TEST_H_
#define ASSAY_REPORT_REPORT_FOR_TEST_H_

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "report/report.h"
#include "score/synthetic.h"

namespace assay {

inline constexpr std::string_view kHostile =
    "x|y`z`</summary><img src=a>\n\n# H [l](u) @you *b* \x1b[2J";

/// Every text that could come from a submission.
inline Evidence HostileCell(Evidence cell) {
  const std::string text(kHostile);
  cell.model_name = text;
  cell.verdict_detail = text;
  cell.environment.compiler = text;
  cell.environment.machine.cpu_model = text;
  cell.environment.sandbox_level = text;
  cell.release.verdict = Verdict::kAccepted;
  cell.sanitized.verdict = Verdict::kCompileError;
  cell.sanitized.diagnostics = "```\n" + text + "\n```";
  cell.repair = Repair{.patch = text, .reason = text, .diagnostics = "~~~\n```\n" + text};
  cell.verdict = Verdict::kWrongAnswer;
  for (CaseEvidence& one : cell.suite.cases) {
    one.name += text;
    one.detail = text;
    one.tags.push_back(text);
    one.verdict = Verdict::kWrongAnswer;
  }
  cell.suite.curves[text] = {{1, 2}};
  cell.sanitizer_findings = {text};
  cell.suite.launches = {synthetic::MakeLaunch(text, text)};
  cell.suite.launches[0].gpu = text;
  cell.suite.device_findings = {{.checker = text, .text = text}};
  cell.suite.device_lacks = {text};
  cell.bench.workloads[0].name = text;
  cell.bench.workloads[1].detail = text;
  cell.own_tests.mutants_killed = {text};
  cell.own_tests.detail = text;
  cell.answers[0].answered = text;
  cell.answers[0].right = false;
  cell.claims[0].claim = text;
  return cell;
}

/// Two challenges of one row, `others` and `sums`, in which two models score 90 and 10.
struct TwoChallenges {
  Challenges challenges;
  std::vector<Evidence> cells;  ///< Those of `a`, then those of `b`.

  TwoChallenges() {
    for (const char* const id : {"others", "sums"}) {
      challenges[id] = synthetic::MakeChallenge({synthetic::MakeCriterion("x", "d", "metric(x)")});
      challenges[id].spec.id = id;
    }
    for (const char* const model : {"a", "b"}) {
      for (const char* const id : {"others", "sums"}) {
        Evidence& cell = cells.emplace_back(synthetic::MakeCell(model));
        cell.challenge = id;
        cell.suite.metrics["x"] = *model == 'a' ? 0.9 : 0.1;
      }
    }
  }
};

struct ReportTest : testing::Test {
  Challenges challenges = {{"layernorm_backward", synthetic::LayerNormChallenge()}};
  std::vector<Evidence> cells = synthetic::LayerNormCells();
};

}  // namespace assay

#endif  // ASSAY_REPORT_REPORT_FOR_TEST_H_
