// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_CHALLENGES_FUSED_SOFTMAX_TOPK_SUITE_SUPPORT_H_
#define ASSAY_CHALLENGES_FUSED_SOFTMAX_TOPK_SUITE_SUPPORT_H_

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "gpu/suite/gpu_case.h"
#include "oracle.h"
#include "row_errors.h"

namespace assay::softmax_topk {

/// What the cases of this suite share: how logits are drawn, how the entry points are called on the
/// emulated GPU and on the CPU, and what it takes for their outputs to be right.

/// The entry points, as types: cases written once run for each of them as `Merge/f32.Rows`,
/// `Merge/f16.Rows` and so on.
struct F32 {
  using Logit = float;
  static constexpr std::string_view kName = "f32";
  static constexpr std::string_view kOperation = "softmax_topk_f32";
};
struct AlternativeF32 {
  using Logit = float;
  static constexpr std::string_view kName = "alternative_f32";
  static constexpr std::string_view kOperation = "softmax_topk_alternative_f32";
};
struct F16 {
  using Logit = Half;
  static constexpr std::string_view kName = "f16";
  static constexpr std::string_view kOperation = "softmax_topk_f16";
};
struct Bf16 {
  using Logit = BFloat16;
  static constexpr std::string_view kName = "bf16";
  static constexpr std::string_view kOperation = "softmax_topk_bf16";
};
struct CpuF32 {
  using Logit = float;
  static constexpr std::string_view kName = "cpu_f32";
  static constexpr std::string_view kOperation = "softmax_topk_cpu_f32";
};

template <class Variant>
inline constexpr bool kOnCpu = std::is_same_v<Variant, CpuF32>;
template <class Variant>
inline constexpr bool kOfHalves = sizeof(typename Variant::Logit) == 2;

using Variants = testing::Types<F32, AlternativeF32, F16, Bf16, CpuF32>;
using DeviceVariants = testing::Types<F32, AlternativeF32, F16, Bf16>;
struct VariantNames {
  template <class Variant>
  static std::string GetName(int /*index*/) {
    return std::string(Variant::kName);
  }
};

/// Cases are about one thing, and plain in all else: one dense and aligned row of this many logits
/// at most, three for each lane of a warp, on the default stream. A longer row, where the one thing
/// needs it, has its winners where one warp finds them (WinnersInOneWarp). What needs several
/// things at once has the tag `combinations`.
inline constexpr std::size_t kPlainVocabulary = 96;

struct Shape {
  std::size_t rows = 1;
  std::size_t vocabulary = 1;
  std::size_t k = 1;
};

/// Normally distributed logits.
struct Distribution {
  double offset = 0;
  double scale = 1;
};

template <class T>
[[nodiscard]] Problem<T> RandomProblem(std::mt19937_64& random, Shape shape,
                                       Distribution distribution = {});

/// All logits equal to `value`, or to what is nearest to it.
template <class T>
[[nodiscard]] Problem<T> ConstantProblem(Shape shape, double value);

/// One row with these logits.
template <class T>
[[nodiscard]] Problem<T> RowProblem(const std::vector<double>& logits, std::size_t k);

/// Exchanges logits so that the k first of each row lie at places i with i % 1024 < 32, which the
/// first warp reads in blocks of all sizes, anywhere in the row. So a row may be long without a
/// case being about how the finds of its threads are merged. Where so few places do not hold k, as
/// many more behind them as do. Logits without NaN.
template <class T>
void WinnersInOneWarp(std::mt19937_64& random, Problem<T>& problem);

/// A number from 1 to `most`: half of them small, else evenly on a logarithmic scale.
[[nodiscard]] std::size_t RandomExtent(std::mt19937_64& random, std::size_t most);

/// What interface.h leaves open about a call.
struct Layout {
  std::size_t gap = 0;             ///< Logits between rows: row_stride - vocabulary.
  std::size_t logits_offset = 0;   ///< In logits, from an address aligned to 256 bytes.
  std::size_t outputs_offset = 0;  ///< Of probabilities and indices, in elements.
  std::uint32_t stream_kind = 0;
};
/// One of these in two is dense and aligned.
[[nodiscard]] Layout RandomLayout(std::mt19937_64& random);

/// What one call gave.
struct Outputs {
  int status = 0;
  std::vector<float> probabilities = {};
  std::vector<std::int32_t> indices = {};
  std::vector<gpu::LaunchReport> launches = {};
  gpu::remote::CopiedBytes copied = {};
};

/// Bytes of all of a call's logits, `logit_bytes` each, and of its outputs.
[[nodiscard]] std::uint64_t BytesOfLogits(Shape shape, std::size_t logit_bytes);
[[nodiscard]] std::uint64_t BytesOfOutputs(Shape shape);

/// Bytes that launches stored to global memory, atomically or not, and that copies wrote there.
[[nodiscard]] std::uint64_t BytesWritten(std::span<const gpu::LaunchReport> launches,
                                         const gpu::remote::CopiedBytes& copied);
/// What interface.h lets a call write beside its outputs.
[[nodiscard]] double MostScratchBytes(Shape shape, std::size_t logit_bytes);

class SoftmaxTopkTest : public gpu::GpuCaseTest {
 protected:
  void TearDown() override;

  /// Tag, for cases that run for all variants: `cpu` alone for the CPU form, and `half` beside the
  /// others for the forms with 16 bits.
  template <class Variant>
  void TagFor(std::initializer_list<std::string_view> tags);

  /// Ends the case as skipped when the entry point is not there, and as a wrong answer when it is
  /// one that must be.
  template <class Variant>
  void Need();

  /// One call in the host of that role. SOFTMAX_TOPK_OK, _INVALID_ARGUMENT and _UNSUPPORTED are
  /// given to the caller; another status of a call on a device ends the case.
  template <class Variant>
  Outputs Run(std::string_view role, const Problem<typename Variant::Logit>& problem,
              Layout layout);

  /// The workspace that the host of that role asks for.
  std::uint64_t WorkspaceBytes(std::string_view role, Shape shape);

  /// What came of a call.
  enum class Outcome { kRight, kWrong, kRefused };

  /// Calls under every schedule and judges each answer by the oracle's. A refusal of f32, of a
  /// shape that every submission must support, is a wrong answer, as is one after something was
  /// written.
  template <class Variant>
  Outcome Try(const Problem<typename Variant::Logit>& problem, Layout layout);

  /// From here on the case calls under that schedule alone, `at` of Schedules().
  void UseSchedule(std::size_t at) { schedule_ = at; }
  /// The same with the last: for calls that take seconds.
  void UseOneSchedule() { schedule_ = Schedules().size() - 1; }

  /// Those under which a call is made, and judged: all, unless one was chosen.
  [[nodiscard]] std::span<const std::string_view> SchedulesUsed() const;

  /// What a fault is told with, from here on, beside the shape.
  void Asking(std::string_view what) { asking_ = what; }

  /// From here on all logits of a row are drawn independently: the case also holds the errors of
  /// rows' sums against what chance makes of them (row_errors.h).
  void LogitsAreDrawn() { logits_are_drawn_ = true; }

  /// From here on such rows come in several calls and are held together.
  void RowsComeInSeveralCalls() { errors_of_calls_.emplace(); }

  /// From here on the metric mass_error_ulps is of the answers of this case too. It is of cases
  /// about precision, so that what else is wrong does not show in it.
  void NotesMassErrors() { notes_mass_errors_ = true; }

  /// From here on the metric variants_right hangs on this case: on plain rows, so that one bug
  /// elsewhere does not make a version that works none.
  void JudgesVersions() { judges_versions_ = true; }

  /// As Try, and a refusal skips the case.
  template <class Variant>
  void ExpectRight(const Problem<typename Variant::Logit>& problem, Layout layout);

  /// Judges one answer: wrong indices, work that kernels did not do, more scratch than allowed, or
  /// probabilities that are apart from each other end the case as a wrong answer; probabilities
  /// outside their bound make it one. False in the last case.
  template <class Variant>
  bool Judge(const Problem<typename Variant::Logit>& problem, const Answer& answer,
             const Outputs& got, std::string_view where);

  /// The parts of it that end the case and need no bounds.
  void ExpectIndices(Shape shape, const Answer& answer, const Outputs& got, std::string_view where);
  void ExpectPrecision(Shape shape, const Answer& answer, const Outputs& got,
                       std::string_view where);

  /// What Judge says, without consequences.
  template <class Variant>
  [[nodiscard]] static bool IsRight(const Problem<typename Variant::Logit>& problem,
                                    const Answer& answer, const Outputs& got);

  /// For variants_right: a check of that variant begins, and turns out right. One that ends its
  /// case was wrong, unless it is withdrawn before, as a refusal is; so it begins before anything
  /// can end the case. `asks` says whether something had to be computed.
  enum class Asks { kAnswer, kStatus };
  void BeginCheck(std::string_view variant) const;
  void EndCheckRight(std::string_view variant, Asks asks = Asks::kAnswer) const;
  void WithdrawCheck(std::string_view variant) const;

  /// Counts a refusal, or ends the case as a wrong answer where it is one.
  template <class Variant>
  void NoteRefusal(Shape shape, Layout layout, const Outputs& got, std::string_view where);

  /// `softmax_topk_f32 3x257 k=8 stride 260 (reversed)`
  template <class Variant>
  [[nodiscard]] static std::string Describe(Shape shape, Layout layout, std::string_view role);

 private:
  void NoteMass(Shape shape, const Answer& answer, const Outputs& got);
  /// The rows of an answer whose probabilities no one error of their sum explains: what is wrong
  /// with the first of them, or nothing.
  [[nodiscard]] static std::string FaultOfRows(Shape shape, const Answer& answer,
                                               const Outputs& got);
  /// What kernels did not do, or did beside the answer, that ends a case; or nothing.
  [[nodiscard]] static std::string FaultOfWork(Shape shape, std::size_t logit_bytes,
                                               const Outputs& got);

  /// That of the sums of all rows together, where logits are drawn; or nothing.
  [[nodiscard]] std::string FaultOfSums(Shape shape, const Answer& answer, const Outputs& got);

  std::optional<std::size_t> schedule_;
  std::string asking_;
  bool logits_are_drawn_ = false;
  bool notes_mass_errors_ = false;
  bool judges_versions_ = false;
  std::optional<RowErrors> errors_of_calls_;
};

template <class T>
[[nodiscard]] Shape ShapeOf(const Problem<T>& problem) {
  return {.rows = problem.rows, .vocabulary = problem.vocabulary, .k = problem.k};
}

/// The fixture of cases that are written once for all variants.
template <class Variant>
class VariantTest : public SoftmaxTopkTest {
 protected:
  using Logit = typename Variant::Logit;

  [[nodiscard]] Problem<Logit> Random(Shape shape, Distribution distribution = {}) {
    return RandomProblem<Logit>(random(), shape, distribution);
  }
  [[nodiscard]] static Logit Near(double value) { return Nearest<Logit>(value); }
  [[nodiscard]] static Problem<Logit> Constant(Shape shape, double value) {
    return ConstantProblem<Logit>(shape, value);
  }
  [[nodiscard]] static Problem<Logit> Row(const std::vector<double>& logits, std::size_t k) {
    return RowProblem<Logit>(logits, k);
  }
  [[nodiscard]] Problem<Logit> RandomForOneWarp(Shape shape, Distribution distribution = {}) {
    auto problem = Random(shape, distribution);
    WinnersInOneWarp(random(), problem);
    return problem;
  }

  /// Dense and aligned, unless it says otherwise.
  void Expect(const Problem<Logit>& problem, Layout layout = {}) {
    ExpectRight<Variant>(problem, layout);
  }
  void ExpectAnywhere(const Problem<Logit>& problem) { Expect(problem, RandomLayout(random())); }
  void ExpectRandom(Shape shape, Distribution distribution = {}) {
    Expect(Random(shape, distribution));
  }
  void ExpectRandomAnywhere(Shape shape, Distribution distribution = {}) {
    ExpectAnywhere(Random(shape, distribution));
  }
  void ExpectRandomForOneWarp(Shape shape, Distribution distribution = {}) {
    Expect(RandomForOneWarp(shape, distribution));
  }
};

}  // namespace assay::softmax_topk

#endif  // ASSAY_CHALLENGES_FUSED_SOFTMAX_TOPK_SUITE_SUPPORT_H_
