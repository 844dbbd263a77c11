// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_EVIDENCE_VERDICT_H_
#define ASSAY_EVIDENCE_VERDICT_H_

#include <optional>
#include <string_view>

namespace assay {

/// What became of a case, or of a whole cell. Order is gravity: of several, the gravest names a
/// cell (Gravest). Written to evidence by name, never by number.
enum class Verdict {
  kSkipped,       ///< Not run: a capability is missing, or earlier failures made it pointless.
  kAccepted,      ///< Right.
  kWrongAnswer,   ///< Ran, and an output is outside its error bound or not written.
  kOutputLimit,   ///< Wrote more text than a host may.
  kTimeLimit,     ///< Did not answer in time.
  kMemoryLimit,   ///< Took more memory than a host may.
  kRuntimeError,  ///< Died: signal, exit, sanitizer finding.
  kCompileError,  ///< Does not compile or link.
  kRejected,      ///< Tried to cheat: forbidden system call, bad frames, work left running.
  kJudgeError,    ///< Our fault. Never a score.
};

/// `wrong_answer` and so on: the words of evidence, reports and control directories.
[[nodiscard]] std::string_view ToString(Verdict verdict);
[[nodiscard]] std::optional<Verdict> VerdictFromString(std::string_view text);

/// Why a suite gave a case up: it did not run it, or did not let it ask a host again. Written to
/// evidence by name.
enum class GiveUpCause {
  kJudge,      ///< `judge`: the run had failed, which is our fault.
  kDeadHosts,  ///< `dead_hosts`: too many in a row died before their first message.
  kLimits,     ///< `limits`: too many cases in a row went over a limit of time or memory.
  kRunLimit,   ///< `run_limit`: hosts had taken the time of a whole run. By itself it may be right.
};
[[nodiscard]] std::string_view ToString(GiveUpCause cause);
[[nodiscard]] std::optional<GiveUpCause> GiveUpCauseFromString(std::string_view text);

/// Why a case that was reached was skipped: which of "not implemented", "refused" and neither it is
/// stands in evidence as a word of its own, and in no detail that would have to be read. Written to
/// evidence by name.
enum class SkipCause {
  kNotOffered,   ///< `not_offered`: the submission has no such operation. Not implemented.
  kNotReported,  ///< `not_reported`: it does not report the capability. Not implemented.
  kRefused,      ///< `refused`: it has the operation and declined the call by its status.
  kDeviceLacks,  ///< `device_lacks`: the emulated GPU lacks what it needs. Our lack, not its.
  kNotAsked,     ///< `not_asked`: the suite asks it of no such build or device. Says nothing of it.
};
[[nodiscard]] std::string_view ToString(SkipCause cause);
[[nodiscard]] std::optional<SkipCause> SkipCauseFromString(std::string_view text);

[[nodiscard]] inline Verdict Gravest(Verdict a, Verdict b) { return a > b ? a : b; }

}  // namespace assay

#endif  // ASSAY_EVIDENCE_VERDICT_H_
