// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_CLIENT_CASE_H_
#define ASSAY_CLIENT_CASE_H_

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <expected>
#include <initializer_list>
#include <iterator>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/error.h"
#include "client/compare.h"
#include "client/host.h"
#include "client/invocation.h"
#include "evidence/json.h"
#include "evidence/verdict.h"

namespace assay {

/// An output that a case compares: `{"dx", " of 7x61"}`. Evidence keeps the name by itself, so that
/// failures of one output are told from those of another; a reader sees both.
struct Output {
  std::string name;
  std::string of = {};

  [[nodiscard]] std::string InWords() const { return name + of; }
};

/// The fixture of every case of a suite: `class Gradient : public CaseTest {};` and then
/// `TEST_F(Gradient, RowOfOne) { Tag({"gradient"}); … }`.
///
/// A case ends at the first thing that makes the rest of it pointless: a host that died, a missing
/// entry point, a wrong status. The calls below then do not return (they throw an exception that
/// GoogleTest knows as already reported), so that a suite needs no checks after them. What a case
/// saw decides its verdict: the gravest of a HostFailure's, wrong_answer for a comparison or an
/// EXPECT_… that failed, accepted otherwise. Any other exception is a fault of the suite:
/// judge_error.
///
/// Never the submission's fault, so never its verdict: a host that cannot be started because of
/// this machine. That ends the run as judge_error.
class CaseTest : public testing::Test {
 public:
  /// The two hosts of a challenge with saved state: a host named `backward` has never seen a call
  /// to a forward operation. Any other name is one more host.
  static constexpr std::string_view kForward = "forward";
  static constexpr std::string_view kBackward = "backward";

 protected:
  CaseTest();

  /// Tags by which CRITERIA's rows and rubric.yaml select cases. Adds to the tags already there.
  /// Before the case has a first word with a host: however it ends then, or if it is not run any
  /// more, it counts in its rows. Later is a fault of the suite.
  void Tag(std::initializer_list<std::string_view> tags);
  /// The case is measured but takes no part in the cell's verdict. As early as Tag.
  void DoesNotGate();

  /// To be called before anything is asked of a host, as all below do by themselves. Ends a case
  /// that is not run any more (GiveUpRule) as skipped: here and no earlier, so that it has its
  /// tags. One whose hosts took all that a run may ends at its time limit.
  static void BeforeHosts();

  /// Calls an operation in the host of that role, starting it, or a fresh one after a death, as
  /// needed. A HostFailure becomes the verdict of the case, and ends it. Outputs are filled with
  /// fresh random bytes first, which is how ExpectWithin knows an element that was never written.
  Reply Call(std::string_view role, const Invocation& invocation);
  /// As Call, and a status other than `status` is a wrong answer and ends the case.
  Reply CallExpecting(int status, std::string_view role, const Invocation& invocation);
  /// As Call, but a HostFailure is given to the caller and is no fault of the host. For calls whose
  /// failure is a right answer.
  std::expected<Reply, HostFailure> TryCall(std::string_view role, const Invocation& invocation);
  /// Ends the life of that role's host, so that its next call is in a fresh one.
  void RestartHost(std::string_view role);
  /// Asks all of `calls` in a fresh host of each of `roles`, and again in fresh ones from the last
  /// to the first: what the first call of a process decides, of whatever size, must not hold for
  /// those behind it.
  template <class Calls, class Ask>
  void InBothOrders(std::initializer_list<std::string_view> roles, const Calls& calls, Ask ask) {
    for (const bool from_last : {false, true}) {
      for (const std::string_view role : roles) {
        RestartHost(role);
      }
      for (std::size_t i = 0; i < std::size(calls); ++i) {
        ask(calls[from_last ? std::size(calls) - 1 - i : i]);
      }
    }
  }
  /// Until the case ends that role's host, in a process of its own, may use every processor that
  /// the suite may: threads of a submission then meet as they do where nothing is timed.
  void UseAllProcessors(std::string_view role);
  /// What that role's host keeps in memory of its own now (Host::PrivateBytes), starting it if need
  /// be. What it freed is given back first: else memory that a long call freed would hide what
  /// thousands of short ones keep. Means little in a sanitized host, whose allocator keeps what was
  /// freed.
  std::int64_t PrivateBytes(std::string_view role);

  /// Whether the host offers the operation.
  [[nodiscard]] bool HasOperation(std::string_view operation);
  /// A missing operation is a wrong answer (`entry point … is missing`) and ends the case.
  void RequireOperation(std::string_view operation);
  /// A missing operation skips the case (`entry point … is not implemented`), and ends it.
  void NeedOptionalOperation(std::string_view operation);
  /// Ends the case as skipped. Why stands in evidence as a word (SkipCause): the last that the
  /// graded host said in the case, so a suite skips right behind the answer that is its reason.
  [[noreturn]] static void Skip(std::string_view reason);
  /// Ends the case with a wrong answer.
  [[noreturn]] void FailCase(std::string_view reason);
  /// Ends the case with that verdict and detail: for what TryCall gave, or what was made of it.
  [[noreturn]] void FailCase(const HostFailure& failure);

  /// Compares an output with the oracle's (compare.h). Outside its bound: wrong_answer, and the
  /// case goes on. Either way the case's error_over_bound takes the worst. Returns error over
  /// bound.
  template <class T, class Want>
  double ExpectWithin(const Output& output, std::span<const T> got, std::span<const Want> want,
                      std::span<const double> bound) {
    return Record(output, Compare<T, Want>(got, want, bound));
  }
  /// The same for vectors, so that a call needs no template arguments.
  template <class T, class Want>
  double ExpectWithin(const Output& output, const std::vector<T>& got,
                      const std::vector<Want>& want, const std::vector<double>& bound) {
    return ExpectWithin<T, Want>(output, std::span<const T>(got), std::span<const Want>(want),
                                 bound);
  }
  /// Records a comparison made elsewhere, as ExpectWithin does.
  double Record(const Output& output, const Comparison& comparison);
  /// The comparison that ExpectWithin makes, without its consequences. It knows which elements of a
  /// whole output were never written.
  template <class T, class Want>
  [[nodiscard]] static Comparison Compare(std::span<const T> got, std::span<const Want> want,
                                          std::span<const double> bound) {
    const std::span<const std::byte> poison = PoisonOf(std::as_bytes(got));
    return CompareWithin<T, Want>(
        got, want, bound, {reinterpret_cast<const T*>(poison.data()), poison.size() / sizeof(T)});
  }
  /// `actual` must equal `wanted` bit for bit: an input that must not be changed, a restored array.
  template <class T>
  void ExpectUnchanged(std::string_view array, std::span<const T> actual,
                       std::span<const T> wanted) {
    ExpectSameBytes(array, std::as_bytes(actual), std::as_bytes(wanted), sizeof(T));
  }

  /// The shortest calls found that make the host fail in this case, for a reader: what a random
  /// sequence was shrunk to (client/shrink.h). Reports show it beside the detail.
  void NoteReproduction(std::string_view calls);

  /// The case's error_over_bound takes the worst of these.
  void NoteErrorOverBound(double error_over_bound);

  /// A number for criteria (`metric(name)` in rubric.yaml). Metric sets it, the last one counts;
  /// the others keep the largest, the smallest, or add up over all cases. Some cases of a suite may
  /// run in a process beside the others (`second_process` in challenge.yaml): what the others give
  /// Metric counts, and the rest is of both. A static variable is of one process.
  void Metric(const std::string& name, double value);
  void MetricMax(const std::string& name, double value);
  void MetricMin(const std::string& name, double value);
  void MetricAdd(const std::string& name, double value);
  /// One point of a curve. Points are kept in the order of their calls.
  void CurvePoint(const std::string& curve, double x, double y);
  /// The largest y of all calls with the same curve and x. Neither is NaN. A curve of which both
  /// processes of a suite have points is of both, in the order of x, with the larger y of an x.
  void CurveMax(const std::string& curve, double x, double y);

  /// Depends on the run's seed and the case's full name alone: filters and order change no input.
  [[nodiscard]] std::mt19937_64& random() { return random_; }
  [[nodiscard]] std::uint64_t seed() const { return seed_; }
  /// For a fixture that poisons outputs itself: apart from random(), so that calls do not shift
  /// what the case draws.
  [[nodiscard]] std::mt19937_64& random_poison() { return random_poison_; }
  /// The role whose host is asked which operations there are.
  [[nodiscard]] virtual std::string_view RoleOfOperations() const { return kForward; }
  /// The host is the sanitized build: slower, same answers. Shrink the largest shapes by it.
  [[nodiscard]] bool sanitized() const;

 private:
  static void RequireNoHostYet(std::string_view what);
  [[noreturn]] static void EndCase();
  [[noreturn]] static void EndCase(Verdict verdict, std::string_view detail);
  [[nodiscard]] static Host& HostOf(std::string_view role);
  [[nodiscard]] static std::span<const std::byte> PoisonOf(std::span<const std::byte> output);
  void ExpectSameBytes(std::string_view array, std::span<const std::byte> actual,
                       std::span<const std::byte> wanted, std::size_t element_bytes);

  std::uint64_t seed_ = 0;
  std::mt19937_64 random_;
  std::mt19937_64 random_poison_;
};

/// Adds a question of the challenge and its right answer, from the oracle's calculators, to the
/// results. For namespace scope: `const bool flops = RegisterQuestion("flops", 1e9, 0.05);`.
/// A name given twice is a fault of the suite: the run ends as judge_error.
bool RegisterQuestion(std::string id, RunResults::Question question);

/// One whose answer is a number.
template <class Number>
  requires std::is_arithmetic_v<Number>
bool RegisterQuestion(std::string id, Number value, double relative_tolerance) {
  return RegisterQuestion(std::move(id),
                          RunResults::Question{.value = static_cast<double>(value),
                                               .relative_tolerance = relative_tolerance,
                                               .text = {}});
}

/// One whose answer is a word.
inline bool RegisterQuestion(std::string id, std::string_view word) {
  return RegisterQuestion(
      std::move(id),
      RunResults::Question{.value = 0, .relative_tolerance = 0, .text = std::string(word)});
}

/// Puts all registered questions into `run`.
[[nodiscard]] Status AddQuestions(RunResults& run);

}  // namespace assay

#endif  // ASSAY_CLIENT_CASE_H_
