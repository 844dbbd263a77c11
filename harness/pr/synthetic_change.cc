// SPDX-License-Identifier: Apache-2.0
#include "pr/synthetic_change.h"

#include <fmt/format.h>

#include <utility>

#include "score/synthetic.h"

namespace assay {
namespace {

ChallengeView SumsChallenge(const std::string& id) {
  ChallengeView view =
      synthetic::MakeChallenge({synthetic::MakeCriterion("sums", "correct", "pass_rate(sum)")});
  view.spec.id = view.rubric.challenge = id;
  return view;
}

/// A change without cells, of a branch to main.
SyntheticChange NoCells() {
  SyntheticChange none;
  none.change.base = "main";
  none.change.head = "faster-layernorm";
  none.change.base_commit = "7dfd2fa1b2c3d4e5f60718293a4b5c6d7e8f9012";
  none.change.head_commit = "2e921d2aa1b2c3d4e5f60718293a4b5c6d7e8f90";
  none.change.assay_version = "0.2.0";
  none.change.sandbox_level = "full";
  none.change.seed = 7'204'318'118'221;
  return none;
}

// The three published shapes of LayerNorm, of which the change touches the last.
SyntheticChange OneLayerNormCell() {
  SyntheticChange one = NoCells();
  one.challenges["layernorm_backward"] = synthetic::LayerNormChallenge();
  std::vector<Evidence> cells = synthetic::LayerNormCells();
  ChangedCell changed;
  changed.cell = {cells.back().model, cells.back().challenge};
  const std::string folder = fmt::format("submissions/{}/", ToString(changed.cell));
  changed.changes = {folder + "layernorm.cc changed", folder + "layernorm_cuda.cu is new"};
  changed.files = {"layernorm.cc", "layernorm_cuda.cu"};
  changed.before = cells.back();
  changed.after = cells.back();
  changed.after->environment.seed = one.change.seed;
  one.change.models = {changed.cell.model};
  one.change.cells = {std::move(changed)};
  cells.pop_back();
  one.others = std::move(cells);
  return one;
}

void Fail(Evidence& cell, std::string_view name, std::string detail) {
  for (CaseEvidence& one : cell.suite.cases) {
    if (one.name == name) {
      one.verdict = Verdict::kWrongAnswer;
      one.detail = detail;
      one.error_over_bound = 1234.5;
    }
  }
  cell.verdict = Verdict::kWrongAnswer;
  cell.verdict_detail = fmt::format("{}: {}", name, detail);
}

void FailToCompile(Evidence& cell) {
  cell.verdict = cell.release.verdict = cell.sanitized.verdict = Verdict::kCompileError;
  cell.verdict_detail = "layernorm.cc:41:23: error: 'rsdt' was not declared in this scope";
  cell.release.diagnostics = cell.sanitized.diagnostics =
      "layernorm.cc: In function 'int ln_backward_f32(const float*, const ln_shape*, float*)':\n"
      "layernorm.cc:41:23: error: 'rsdt' was not declared in this scope; did you mean 'rstd'?\n"
      "   41 |   const float scale = rsdt[row] * gamma[i];\n"
      "      |                       ^~~~\n"
      "      |                       rstd\n";
  cell.suite = {};
  cell.sanitized_suite = {};
  cell.bench = {};
}

SyntheticChange Better() {
  SyntheticChange one = OneLayerNormCell();
  Evidence& before = *one.change.cells[0].before;
  Fail(before, "Edge.HugeOffset", "dx[3] is nan, expected 0.25");
  before.suite.metrics["worst_error_dx_f64"] = 3e-13;
  before.suite.metrics["tensors_saved"] = 12;
  before.statics.code_lines = 1'230;
  return one;
}

SyntheticChange Worse() {
  SyntheticChange one = OneLayerNormCell();
  Evidence& after = *one.change.cells[0].after;
  Fail(after, "Edge.HugeOffset", "dx[3] of ln_backward_f64(1 row of 768) is nan instead of 0.25");
  Fail(after, "Edge.RowOfOne", "dx[0] of ln_backward_f32(4 rows of 1) is 0.5 instead of 0");
  for (CaseEvidence& failing : after.suite.cases) {
    if (failing.verdict == Verdict::kWrongAnswer) {
      failing.reproduction = "forward(1 row of 768, f64) backward(dy = 1)";
    }
  }
  after.suite.metrics["tensors_saved"] = 12;
  after.suite.device_findings = {
      {.checker = "racecheck",
       .text = "read after write at layernorm_cuda.cu:71 in Backward<4>(float*)"}};
  after.sanitizer_findings = {"heap-buffer-overflow layernorm.cc:40"};
  after.bench.workloads[0] =
      synthetic::MakeWorkload("backward_f32/1024x768", {.ratio = 2.9, .low = 2.8, .high = 3.1});
  return one;
}

SyntheticChange CompileError() {
  SyntheticChange one = OneLayerNormCell();
  FailToCompile(*one.change.cells[0].after);
  return one;
}

SyntheticChange JudgeError() {
  SyntheticChange one = OneLayerNormCell();
  Evidence& after = *one.change.cells[0].after;
  after.verdict = Verdict::kJudgeError;
  after.verdict_detail =
      "the suite of layernorm_backward: ended by signal 9 before its first case; run `assay "
      "doctor`, and grade again";
  after.suite = {};
  return one;
}

SyntheticChange Removed() {
  SyntheticChange one = OneLayerNormCell();
  ChangedCell& cell = one.change.cells[0];
  cell.change = CellChange::kRemoved;
  cell.after.reset();
  cell.files.clear();
  for (std::string& change : cell.changes) {
    change = change.substr(0, change.find(' ')) + " is gone";
  }
  return one;
}

SyntheticChange AtFault() {
  SyntheticChange one = OneLayerNormCell();
  ChangedCell& cell = one.change.cells[0];
  cell.after.reset();
  cell.faults = {{.kind = ErrorKind::kConfiguration,
                  .where = "submissions/qwen3.6-27b/layernorm_backward/submission.yaml:7",
                  .cause = "sources[0] \"layernrom.cc\" does not exist",
                  .remedy = "list files relative to this folder; did you mean \"layernorm.cc\"?"}};
  return one;
}

SyntheticChange Refused() {
  SyntheticChange one = OneLayerNormCell();
  one.change.cells.clear();
  one.change.sandbox_level.clear();
  one.change.outside = {"harness/score/tie.cc", "reference/layernorm_backward/oracle.cc"};
  one.change.refusals = {
      "it changes harness/score/tie.cc, which is in no model's folder: who contributes from "
      "outside may change submissions/<model>/ alone"};
  return one;
}

SyntheticChange WithTheJudge() {
  SyntheticChange one = Better();
  one.change.outside = {"challenges/layernorm_backward/suite.cc", "README.md"};
  one.change.evidence = {"reports/evidence/layernorm_backward/qwen3.6-27b.json"};
  one.change.reached = {{.cell = {"glm-5", "layernorm_backward"},
                         .why = "challenges/layernorm_backward/suite.cc changed"},
                        {.cell = {"minimax-m2.7", "layernorm_backward"},
                         .why = "challenges/layernorm_backward/suite.cc changed"}};
  one.change.notes = {
      "the clone is shallow: the base is the newest commit that it has of main, 7dfd2fa1b2"};
  one.change.cells[0].before_is_stale = "reference/layernorm_backward/oracle.cc changed";
  one.change.cells[0].before->environment.machine.cpu_model = "Another CPU";
  return one;
}

// Of ten cells one each is compiled no more, wrong, new and not graded by our fault; others move
// a little or not at all.
ChangedCell OneOfMany(const std::string& model, const std::string& challenge, int number) {
  SyntheticChange one = number % 3 == 0 ? Better() : OneLayerNormCell();
  if (number % 10 == 7) {
    one = Worse();
  } else if (number % 10 == 3) {
    one = CompileError();
  } else if (number % 100 == 42) {
    one = JudgeError();
  }
  ChangedCell cell = std::move(one.change.cells[0]);
  for (std::string& change : cell.changes) {
    change = fmt::format("submissions/{}/{}{}", model, challenge, change.substr(change.rfind('/')));
  }
  cell.cell = {model, challenge};
  for (std::optional<Evidence>* const evidence : {&cell.before, &cell.after}) {
    (*evidence)->model = (*evidence)->model_name = model;
    (*evidence)->challenge = challenge;
  }
  if (number % 10 == 5) {
    cell.change = CellChange::kNew;
    cell.before.reset();
  }
  return cell;
}

SyntheticChange Many(int models, int challenges) {
  SyntheticChange many = NoCells();
  for (int i = 0; i < challenges; ++i) {
    const std::string challenge = fmt::format("challenge_{}", i);
    ChallengeView view = synthetic::LayerNormChallenge();
    view.spec.id = view.rubric.challenge = challenge;
    view.spec.title = fmt::format("Challenge {}", i);
    many.challenges.emplace(challenge, std::move(view));
  }
  for (int i = 0; i < models; ++i) {
    const std::string model = fmt::format("model-{:02}", i);
    many.change.models.push_back(model);
    for (int j = 0; j < challenges; ++j) {
      many.change.cells.push_back(
          OneOfMany(model, fmt::format("challenge_{}", j), i * challenges + j));
    }
  }
  return many;
}

}  // namespace

Assessment SyntheticChange::AssessIt(ChangeGate gate) const {
  std::vector<Evidence> before = others;
  std::vector<Evidence> after = others;
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

ChangedCell SyntheticCell(const std::string& model, const std::string& challenge) {
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

SyntheticChange OneFailingCell() {
  SyntheticChange one;
  one.challenges["sums"] = SumsChallenge("sums");
  one.change.base = "main";
  one.change.head = "HEAD";
  one.change.assay_version = "1.0";
  one.change.sandbox_level = "full";
  one.change.cells = {SyntheticCell("m", "sums")};
  return one;
}

SyntheticChange LargestChange(int models, int challenges) {
  SyntheticChange large = OneFailingCell();
  large.change.cells.clear();
  for (int i = 0; i < models; ++i) {
    for (int j = 0; j < challenges; ++j) {
      const std::string challenge = fmt::format("challenge_{}", j);
      large.challenges[challenge] = SumsChallenge(challenge);
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

SyntheticChange ChangeThatSays(const std::string& text) {
  SyntheticChange one = OneFailingCell();
  one.change.base = one.change.head = one.change.base_commit = text;
  one.change.outside = one.change.evidence = one.change.notes = {text, text};
  one.change.reached = {{.cell = {"n", "sums"}, .why = text}};
  ChangedCell& failing = one.change.cells[0];
  failing.changes = {text};
  failing.before_is_stale = text;
  Evidence& after = *failing.after;
  after.model_name = text;
  after.verdict_detail = text;
  after.suite.cases[1].detail = text;
  after.suite.cases[1].reproduction = text;
  after.sanitizer_findings = {text};
  after.suite.device_findings = {{.checker = text, .text = text}};
  after.sanitized.verdict = Verdict::kCompileError;
  after.sanitized.diagnostics = "add.cc:1:1: error: " + text;
  ChangedCell faulty;
  faulty.cell = {"m", "other"};
  faulty.change = CellChange::kNew;
  faulty.faults = {
      {.kind = ErrorKind::kConfiguration, .where = text, .cause = text, .remedy = text}};
  one.change.cells.push_back(std::move(faulty));
  return one;
}

SyntheticChange HostileChange() {
  return ChangeThatSays(
      "@everyone <img src=x onerror=alert(1)> ![i](https://evil.example/i.png) [l](http://e) "
      "www.evil.example HTTPS://evil.example </details>\n```\n# x\n\"]]>&<!-- \x1b[31m \xff\xfe "
      "\xE2\x80\xAE \xEF\xBF\xBF | `code` $x$ %0A::error::x\r\n::set-output name=x::y\n"
      "| a | b |\n|---|---|\n~~~\n> [!WARNING]\n[^1]: note [^1] - [ ] task :tada: GH-1 o/r#1\n"
      "a@b.example mailto:a@b.example xmpp:a@b.example ftp://evil.example <https://evil.example>\n"
      "h\xE2\x80\x8Bttps://e.example @\xE2\x80\x8Dname \xE2\x80\xA8next \xC2\x9B"
      "31m "
      "\xF3\xA0\x81\x81 \xEF\xBB\xBF <details><summary>x</summary>");
}

std::vector<NamedChange> ChangesToLookAt() {
  return {{"better", Better()},
          {"worse", Worse()},
          {"compile_error", CompileError()},
          {"judge_error", JudgeError()},
          {"removed", Removed()},
          {"at_fault", AtFault()},
          {"refused", Refused()},
          {"with_the_judge", WithTheJudge()},
          {"hostile", HostileChange()},
          {"largest", LargestChange(64, 8)},
          {"many", Many(64, 8)}};
}

}  // namespace assay
