// SPDX-License-Identifier: Apache-2.0
// Changes that nobody made, for the tests of what is written about them.
#ifndef ASSAY_PR_SYNTHETIC_CHANGE_H_
#define ASSAY_PR_SYNTHETIC_CHANGE_H_

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "pr/assess.h"
#include "score/synthetic.h"

namespace assay {

struct SyntheticChange {
  Change change;
  Challenges challenges;

  [[nodiscard]] Assessment AssessIt(ChangeGate gate) const {
    std::vector<Evidence> before;
    std::vector<Evidence> after;
    for (const ChangedCell& cell : change.cells) {
      if (cell.before) {
        before.push_back(*cell.before);
      }
      if (cell.after) {
        after.push_back(*cell.after);
      }
    }
    return Assess(change, challenges, before, after, gate);
  }
};

inline ChangedCell SyntheticCell(const std::string& model, const std::string& challenge) {
  Evidence evidence = synthetic::MakeCell(model);
  evidence.challenge = challenge;
  evidence.environment.seed = 7;
  evidence.suite.cases = {
      synthetic::MakeCase("Sum.One", {"sum"}, Verdict::kAccepted),
      synthetic::MakeCase("Sum.Two", {"sum"}, Verdict::kWrongAnswer, "sum[0] is 3 instead of 4")};
  evidence.verdict = Verdict::kWrongAnswer;
  evidence.verdict_detail = "Sum.Two: sum[0] is 3 instead of 4";
  ChangedCell cell;
  cell.cell = {model, challenge};
  cell.change = CellChange::kNew;
  cell.changes = {"submissions/" + model + "/" + challenge + "/add.cc is new"};
  cell.files = {"add.cc"};
  cell.after = std::move(evidence);
  return cell;
}

inline ChallengeView SyntheticChallenge(const std::string& id) {
  ChallengeView view =
      synthetic::MakeChallenge({synthetic::MakeCriterion("sums", "correct", "pass_rate(sum)")});
  view.spec.id = view.rubric.challenge = id;
  return view;
}

inline SyntheticChange OneFailingCell() {
  SyntheticChange one;
  one.challenges["sums"] = SyntheticChallenge("sums");
  one.change.base = "main";
  one.change.head = "HEAD";
  one.change.assay_version = "1.0";
  one.change.sandbox_level = "full";
  one.change.cells = {SyntheticCell("m", "sums")};
  return one;
}

inline SyntheticChange LargeChange(int models, int challenges) {
  SyntheticChange large = OneFailingCell();
  large.change.cells.clear();
  for (int i = 0; i < models; ++i) {
    for (int j = 0; j < challenges; ++j) {
      const std::string challenge = fmt::format("challenge_{}", j);
      large.challenges[challenge] = SyntheticChallenge(challenge);
      ChangedCell cell = SyntheticCell(fmt::format("model-{:02}", i), challenge);
      cell.before = cell.after;
      cell.before->suite.cases[1].verdict = Verdict::kAccepted;
      cell.before->verdict = Verdict::kAccepted;
      cell.after->release.diagnostics = std::string(4'000, 'd');
      cell.after->sanitized.verdict = Verdict::kCompileError;
      cell.after->sanitized.diagnostics = std::string(4'000, 'd');
      cell.after->suite.cases[1].detail = std::string(2'400, 'x');
      large.change.cells.push_back(std::move(cell));
    }
  }
  return large;
}

/// All that a submission or a branch can say is as bad as can be.
inline SyntheticChange HostileChange() {
  const std::string bad =
      "@everyone <img src=x onerror=alert(1)> ![i](https://evil.example/i.png) [l](http://e) "
      "www.evil.example HTTPS://evil.example </details>\n```\n# x\n\"]]>&<!-- \x1b[31m \xff\xfe "
      "\xE2\x80\xAE \xEF\xBF\xBF | `code` $x$ %0A::error::x\r\n::set-output name=x::y";
  SyntheticChange one = OneFailingCell();
  one.change.base = one.change.head = one.change.base_commit = bad;
  one.change.outside = one.change.evidence = one.change.notes = {bad, bad};
  one.change.reached = {{.cell = {"n", "sums"}, .why = bad}};
  ChangedCell& failing = one.change.cells[0];
  failing.changes = {bad};
  failing.before_is_stale = bad;
  Evidence& after = *failing.after;
  after.model_name = bad;
  after.verdict_detail = bad;
  after.suite.cases[1].detail = bad;
  after.suite.cases[1].reproduction = bad;
  after.sanitizer_findings = {bad};
  after.suite.device_findings = {{.checker = bad, .text = bad}};
  after.sanitized.verdict = Verdict::kCompileError;
  after.sanitized.diagnostics = "add.cc:1:1: error: " + bad;
  ChangedCell faulty;
  faulty.cell = {"m", "other"};
  faulty.change = CellChange::kNew;
  faulty.faults = {{.kind = ErrorKind::kConfiguration, .where = bad, .cause = bad, .remedy = bad}};
  one.change.cells.push_back(std::move(faulty));
  return one;
}

}  // namespace assay

#endif  // ASSAY_PR_SYNTHETIC_CHANGE_H_
