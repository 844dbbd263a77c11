// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_CLIENT_RESULTS_H_
#define ASSAY_CLIENT_RESULTS_H_

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "evidence/json.h"
#include "evidence/verdict.h"

namespace assay {

/// The longest detail of a case: room for the operations that a failing sequence was shrunk to.
inline constexpr std::size_t kLongestDetail_bytes = 2400;

/// Gathers what the cases of a run say, and turns it into RunResults. Not thread-safe.
class Results {
 public:
  /// Starts a case. What was noted for the case before it, if not ended, is lost.
  void BeginCase(std::string name);
  void Tag(std::string_view tag);
  void DoesNotGate() { case_.gates = false; }
  /// Adds something that happened in the case. The gravest decides its verdict, and of equals the
  /// first gives the detail. A case without any is accepted. `output` is the array that was wrong,
  /// if that is what happened.
  void Note(Verdict verdict, std::string_view detail, std::string_view output = {});
  /// An operation of the submission is asked: what is noted next failed in it.
  void NoteAsked(std::string_view operation) { asked_last_ = operation; }
  /// The case is not run, or not to its end, for what was before it.
  void NoteGivenUp(GiveUpCause cause) { case_.given_up = cause; }
  /// Why the case is skipped, if it is; of several, the first.
  void NoteSkipCause(SkipCause cause);
  void NoteReproduction(std::string_view calls);
  /// An operation of the submission returned 0.
  void NoteAnswered(std::string_view operation);
  /// Keeps the case's worst.
  void NoteErrorOverBound(double error_over_bound);
  /// Nothing has been noted of the case: it would be accepted if it ended now.
  [[nodiscard]] bool IsRightSoFar() const { return !noted_; }
  /// Ends the case and returns it as recorded.
  const CaseEvidence& EndCase(double seconds);

  /// The run itself failed; the first reason is kept.
  void NoteJudgeError(std::string_view reason);

  /// The parts that no case owns: metrics, curves, questions, entry points, bench.
  RunResults& run() { return run_; }
  [[nodiscard]] const RunResults& run() const { return run_; }

 private:
  RunResults run_;
  CaseEvidence case_;
  std::optional<Verdict> noted_;
  std::string asked_last_;
};

/// Replaces `path` by the results in one step (base/file.h).
[[nodiscard]] Status WriteResults(const RunResults& results, const std::filesystem::path& path);

/// That the rest is not run: why, in a word and for a reader.
struct GiveUp {
  GiveUpCause cause;
  std::string reason;
};

/// When to stop trying: a submission that hangs would otherwise take its time limit a case. Three
/// cases in a row that end by a limit of time or memory, three starts in a row that fail, or hosts
/// that took longer than a whole run may, and the rest is not run.
class GiveUpRule {
 public:
  static constexpr int kLimit = 3;
  explicit GiveUpRule(std::chrono::nanoseconds run_limit = std::chrono::nanoseconds::max())
      : run_limit_(run_limit) {}
  /// A start or a call of a graded host took that long.
  void SawHostTime(std::chrono::nanoseconds taken) { host_time_ += taken; }
  void SawStart(std::optional<Verdict> failure);
  void SawCase(Verdict verdict);
  /// Why the rest is not run; nothing while it is.
  [[nodiscard]] std::optional<GiveUp> Reason() const;
  /// Why the case that runs now must not ask a host again, which is its time limit.
  [[nodiscard]] std::optional<GiveUp> ReasonToStop() const;

 private:
  std::chrono::nanoseconds run_limit_;
  std::chrono::nanoseconds host_time_{0};
  int limits_ = 0;
  int failed_starts_ = 0;
};

/// What address and undefined-behaviour sanitizers found, one line each with kind and place, from
/// the text of a host that died of it. Untrusted text, cut to a sane length and number.
[[nodiscard]] std::vector<std::string> SanitizerFindings(std::string_view output);

/// `text` as one line without control characters, at most kLongestDetail_bytes: fit for one.
[[nodiscard]] std::string OneLine(std::string_view text);

}  // namespace assay

#endif  // ASSAY_CLIENT_RESULTS_H_
