// SPDX-License-Identifier: Apache-2.0
#include "suite_support.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <span>

#include "interface.h"
#include "suite_counters.h"

namespace assay::softmax_topk {
namespace {

constexpr std::string_view kWorkspaceOperation = "softmax_topk_workspace_bytes";

/// How many checks of an entry point were begun in cases that judge versions, and how many of them
/// were right; how many right answers there were in all cases, and how many were refused.
struct Tally {
  int begun = 0;
  int right = 0;
  int answered = 0;
  int refused = 0;
};

/// Of the whole run: a variant is right when all checks are in the cases that judge versions, and a
/// case cannot see the others.
std::map<std::string_view, Tally>& Tallies() {
  static std::map<std::string_view, Tally> tallies;
  return tallies;
}

/// What every submission must support, so that refusing is no way to pass.
bool MustBeSupported(Shape shape, Layout layout) {
  constexpr std::uint64_t kMostElements = std::uint64_t{1} << 31U;
  return shape.k <= 8 && shape.vocabulary <= 4096 &&
         shape.rows * (shape.vocabulary + layout.gap) < kMostElements;
}

/// Rows of `problem` with gaps of NaN, which spoil a row that takes them in.
std::vector<float> Padded(const Problem<float>& problem, std::size_t stride) {
  if (problem.rows == 0) {
    return {};
  }
  std::vector<float> padded((problem.rows - 1) * stride + problem.vocabulary,
                            std::numeric_limits<float>::quiet_NaN());
  for (std::size_t r = 0; r < problem.rows; ++r) {
    std::copy_n(problem.logits.begin() + static_cast<std::ptrdiff_t>(r * problem.vocabulary),
                problem.vocabulary, padded.begin() + static_cast<std::ptrdiff_t>(r * stride));
  }
  return padded;
}

}  // namespace

template <class T>
Problem<T> RandomProblem(std::mt19937_64& random, Shape shape, Distribution distribution) {
  std::normal_distribution<double> normal(distribution.offset, distribution.scale);
  Problem<T> problem{.rows = shape.rows, .vocabulary = shape.vocabulary, .k = shape.k};
  problem.logits.resize(shape.rows * shape.vocabulary);
  std::ranges::generate(problem.logits, [&] { return Nearest<T>(normal(random)); });
  return problem;
}

template <class T>
Problem<T> ConstantProblem(Shape shape, double value) {
  return {.rows = shape.rows,
          .vocabulary = shape.vocabulary,
          .k = shape.k,
          .logits = std::vector<T>(shape.rows * shape.vocabulary, Nearest<T>(value))};
}

template <class T>
Problem<T> RowProblem(const std::vector<double>& logits, std::size_t k) {
  Problem<T> problem{.rows = 1, .vocabulary = logits.size(), .k = k};
  problem.logits.resize(logits.size());
  std::ranges::transform(logits, problem.logits.begin(), Nearest<T>);
  return problem;
}

template <class T>
void WinnersInOneWarp(std::mt19937_64& random, Problem<T>& problem) {
  constexpr std::size_t kBlock = 1024;
  constexpr std::size_t kWarp = 32;
  // The places: so many of each block's first as hold k.
  std::vector<std::size_t> places;
  for (std::size_t width = kWarp; places.size() < problem.k; ++width) {
    places.clear();
    for (std::size_t i = 0; i < problem.vocabulary; ++i) {
      if (i % kBlock < width) {
        places.push_back(i);
      }
    }
    if (width >= kBlock) {
      break;
    }
  }
  for (std::size_t row = 0; row < problem.rows; ++row) {
    const std::span<T> logits =
        std::span(problem.logits).subspan(row * problem.vocabulary, problem.vocabulary);
    std::vector<std::size_t> order(logits.size());
    std::iota(order.begin(), order.end(), 0);
    const auto winners_end = order.begin() + static_cast<std::ptrdiff_t>(problem.k);
    std::ranges::partial_sort(order, winners_end, [&](std::size_t one, std::size_t other) {
      const float a = ToFloat(logits[one]);
      const float b = ToFloat(logits[other]);
      return a > b || (a == b && one < other);
    });
    std::ranges::shuffle(places, random);
    const auto wins = [&](std::size_t place) {
      return std::find(order.begin(), winners_end, place) != winners_end;
    };
    auto free = places.begin();
    for (auto winner = order.begin(); winner != winners_end; ++winner) {
      if (std::ranges::find(places, *winner) != places.end()) {
        continue;
      }
      free = std::find_if_not(free, places.end(), wins);
      std::swap(logits[*winner], logits[*free++]);
    }
  }
}

std::size_t RandomExtent(std::mt19937_64& random, std::size_t most) {
  constexpr std::size_t kSmall = 20;
  if (random() % 2 == 0) {
    return std::uniform_int_distribution<std::size_t>(1, std::min(kSmall, most))(random);
  }
  std::uniform_real_distribution<double> exponent(0, std::log(static_cast<double>(most) + 1));
  return std::clamp<std::size_t>(static_cast<std::size_t>(std::exp(exponent(random))), 1, most);
}

Layout RandomLayout(std::mt19937_64& random) {
  Layout layout{.stream_kind = static_cast<std::uint32_t>(random() % 2)};
  if (random() % 2 == 0) {
    constexpr std::array<std::size_t, 6> kGaps = {0, 1, 2, 3, 5, 29};
    layout.gap = kGaps[random() % kGaps.size()];
    layout.logits_offset = random() % 9;
    layout.outputs_offset = random() % 5;
  }
  return layout;
}

std::uint64_t BytesWritten(std::span<const gpu::LaunchReport> launches,
                           const gpu::remote::CopiedBytes& copied) {
  const gpu::LaunchCounters counters = gpu::Total(launches);
  return counters.global_store.bytes + counters.global_atomic.bytes +
         counters.global_reduction.bytes + copied.Written();
}

std::uint64_t BytesOfLogits(Shape shape, std::size_t logit_bytes) {
  return std::uint64_t{shape.rows} * shape.vocabulary * logit_bytes;
}

std::uint64_t BytesOfOutputs(Shape shape) {
  return std::uint64_t{shape.rows} * shape.k * (sizeof(float) + sizeof(std::int32_t));
}

double MostScratchBytes(Shape shape, std::size_t logit_bytes) {
  constexpr double kAllowed = 65'536;
  return 0.25 * static_cast<double>(BytesOfLogits(shape, logit_bytes)) + kAllowed;
}

void SoftmaxTopkTest::TearDown() {
  // Refusing is no fault, but what refuses more than it answers is no version to speak of.
  const auto is_right = [](const auto& entry) {
    const Tally& tally = entry.second;
    return tally.right > 0 && tally.right == tally.begun && tally.answered >= tally.refused;
  };
  Metric("variants_right", static_cast<double>(std::ranges::count_if(Tallies(), is_right)));
  GpuCaseTest::TearDown();
}

void SoftmaxTopkTest::BeginCheck(std::string_view variant) const {
  Tallies()[variant].begun += judges_versions_ ? 1 : 0;
}
void SoftmaxTopkTest::EndCheckRight(std::string_view variant, Asks asks) const {
  Tally& tally = Tallies()[variant];
  tally.right += judges_versions_ ? 1 : 0;
  tally.answered += asks == Asks::kAnswer ? 1 : 0;
}
void SoftmaxTopkTest::WithdrawCheck(std::string_view variant) const {
  Tally& tally = Tallies()[variant];
  tally.begun -= judges_versions_ ? 1 : 0;
  ++tally.refused;
}

template <class Variant>
void SoftmaxTopkTest::TagFor(std::initializer_list<std::string_view> tags) {
  if constexpr (kOnCpu<Variant>) {
    Tag({"cpu"});
  } else {
    Tag(tags);
    if constexpr (kOfHalves<Variant>) {
      Tag({"half"});
    }
  }
}

template <class Variant>
void SoftmaxTopkTest::Need() {
  if constexpr (std::is_same_v<Variant, F32>) {
    RequireOperation(std::string(Variant::kOperation));
  } else {
    NeedOptionalOperation(std::string(Variant::kOperation));
  }
  if constexpr (!kOnCpu<Variant>) {
    RequireOperation(kWorkspaceOperation);
  }
}

std::uint64_t SoftmaxTopkTest::WorkspaceBytes(std::string_view role, Shape shape) {
  std::array<std::uint64_t, 1> bytes{};
  Invocation call{std::string(kWorkspaceOperation)};
  call.Scalar(shape.rows).Scalar(shape.vocabulary).Scalar(shape.k).Output(bytes);
  CallExpecting(SOFTMAX_TOPK_OK, role, call);
  return bytes[0];
}

template <class Variant>
Outputs SoftmaxTopkTest::Run(std::string_view role, const Problem<typename Variant::Logit>& problem,
                             Layout layout) {
  const std::size_t stride = problem.vocabulary + layout.gap;
  const std::string operation(Variant::kOperation);
  Outputs got{.probabilities = std::vector<float>(problem.rows * problem.k),
              .indices = std::vector<std::int32_t>(problem.rows * problem.k)};
  if constexpr (kOnCpu<Variant>) {
    const std::vector<float> padded = Padded(problem, stride);
    Invocation call(operation);
    call.Scalar(problem.rows).Scalar(problem.vocabulary).Scalar(problem.k).Input(padded);
    call.Scalar(stride).Output(got.probabilities).Output(got.indices);
    got.status = Call(role, call).status;
  } else {
    constexpr std::size_t kBytes = sizeof(typename Variant::Logit);
    const std::uint64_t workspace_bytes = WorkspaceBytes(role, ShapeOf(problem));
    gpu::DeviceInvocation call(operation);
    call.Scalar(problem.rows).Scalar(problem.vocabulary).Scalar(problem.k);
    call.Rows(problem.logits, problem.vocabulary, stride, layout.logits_offset * kBytes);
    call.Scalar(stride);
    call.Output(got.probabilities, layout.outputs_offset * sizeof(float));
    call.Output(got.indices, layout.outputs_offset * sizeof(std::int32_t));
    call.Scratch(workspace_bytes).Scalar(workspace_bytes).Scalar(layout.stream_kind);
    // A failure of the device ends the case here, where it is known whether its memory was full or
    // the emulated GPU lacks something.
    gpu::DeviceReply reply = CallOnDeviceExpectingOneOf(
        {SOFTMAX_TOPK_OK, SOFTMAX_TOPK_INVALID_ARGUMENT, SOFTMAX_TOPK_UNSUPPORTED}, role, call);
    got.status = reply.reply.status;
    got.launches = std::move(reply.launches);
    got.copied = reply.copied;
  }
  return got;
}

template <class Variant>
std::string SoftmaxTopkTest::Describe(Shape shape, Layout layout, std::string_view role) {
  return fmt::format("{} {}x{} k={} stride {} ({})", Variant::kOperation, shape.rows,
                     shape.vocabulary, shape.k, shape.vocabulary + layout.gap, role);
}

template <class Variant>
void SoftmaxTopkTest::NoteRefusal(Shape shape, Layout layout, const Outputs& got,
                                  std::string_view where) {
  if (std::is_same_v<Variant, F32> && MustBeSupported(shape, layout)) {
    FailCase(
        fmt::format("{} is refused as unsupported; k to 8 and vocabularies to 4096 must be "
                    "supported",
                    where));
  }
  if (const std::uint64_t bytes = BytesWritten(got.launches, got.copied); bytes > 0) {
    FailCase(fmt::format("{} is refused as unsupported after {} bytes were written", where, bytes));
  }
  WithdrawCheck(Variant::kName);
  MetricAdd("calls_refused", 1);
}

/// How far the probabilities of each row of a right answer are off together, in units of the last
/// place of their sum, by the power of two that the row's length has reached: longer sums are less
/// exact.
void SoftmaxTopkTest::NoteMass(Shape shape, const Answer& answer, const Outputs& got) {
  if (!notes_mass_errors_) {
    return;
  }
  const auto length = static_cast<double>(std::bit_floor(shape.vocabulary));
  for (std::size_t r = 0; r < shape.rows; ++r) {
    long double want = 0;
    long double sum = 0;
    for (std::size_t i = r * shape.k; i < (r + 1) * shape.k; ++i) {
      want += answer.probabilities[i];
      sum += got.probabilities[i];
    }
    const auto near = static_cast<float>(want);
    const float ulp = std::nextafter(near, 2 * near + 1) - near;
    const auto error = static_cast<double>(std::abs(sum - want) / ulp);
    if (std::isfinite(error)) {
      CurveMax("mass_error_ulps", length, error);
    }
  }
}

std::string SoftmaxTopkTest::FaultOfWork(Shape shape, std::size_t logit_bytes, const Outputs& got) {
  const auto written = static_cast<double>(BytesWritten(got.launches, got.copied));
  // Outputs may be written twice.
  const double beside = written - 2 * static_cast<double>(BytesOfOutputs(shape));
  if (const double most = MostScratchBytes(shape, logit_bytes); beside > most) {
    return fmt::format(
        "{:.0f} bytes were written to global memory beside its outputs; interface.h allows {:.0f}",
        beside, most);
  }
  return gpu::FaultOfWork({.operation = "this call",
                           .input = "logits",
                           .input_bytes = BytesOfLogits(shape, logit_bytes),
                           .output_bytes = BytesOfOutputs(shape)},
                          got.launches, got.copied, CountersHere());
}

void SoftmaxTopkTest::ExpectIndices(Shape shape, const Answer& answer, const Outputs& got,
                                    std::string_view where) {
  const auto differ = std::ranges::mismatch(got.indices, answer.indices);
  if (differ.in1 != got.indices.end()) {
    const auto at = static_cast<std::size_t>(differ.in1 - got.indices.begin());
    FailCase(fmt::format("{}: indices[{}] (row {}, place {}) is {} instead of {}", where, at,
                         at / shape.k, at % shape.k, *differ.in1, *differ.in2));
  }
}

void SoftmaxTopkTest::ExpectPrecision(Shape shape, const Answer& answer, const Outputs& got,
                                      std::string_view where) {
  std::string fault = FaultOfRows(shape, answer, got);
  if (fault.empty() && logits_are_drawn_) {
    fault = FaultOfSums(shape, answer, got);
  }
  if (!fault.empty()) {
    FailCase(fmt::format("probabilities of {}: {}", where, fault));
  }
  NoteMass(shape, answer, got);
}

std::string SoftmaxTopkTest::FaultOfSums(Shape shape, const Answer& answer, const Outputs& got) {
  RowErrors of_call;
  RowErrors& errors = errors_of_calls_ ? *errors_of_calls_ : of_call;
  for (std::size_t r = 0; r < shape.rows; ++r) {
    const std::size_t first = r * shape.k;
    errors.Add(got.probabilities[first], answer.probabilities[first], answer.drawn_errors[r]);
  }
  return errors.IsRight() ? "" : softmax_topk::Describe(errors);
}

std::string SoftmaxTopkTest::FaultOfRows(Shape shape, const Answer& answer, const Outputs& got) {
  for (std::size_t r = 0; r < shape.rows; ++r) {
    const auto row = [&](const auto& of_all) {
      return std::span(of_all).subspan(r * shape.k, shape.k);
    };
    const RowFit fit =
        FitRow(row(got.probabilities), row(answer.probabilities), row(answer.own_errors));
    if (!fit.IsRight()) {
      return fmt::format("row {}: {}", r, softmax_topk::Describe(fit));
    }
  }
  return "";
}

template <class Variant>
bool SoftmaxTopkTest::Judge(const Problem<typename Variant::Logit>& problem, const Answer& answer,
                            const Outputs& got, std::string_view where) {
  const Shape shape = ShapeOf(problem);
  if constexpr (!kOnCpu<Variant>) {
    const std::string fault = FaultOfWork(shape, sizeof(typename Variant::Logit), got);
    if (!fault.empty()) {
      FailCase(fmt::format("{}: {}", where, fault));
    }
  }
  ExpectIndices(shape, answer, got, where);
  const double worst = ExpectWithin({"probabilities", " of " + std::string(where)},
                                    got.probabilities, answer.probabilities, answer.bounds);
  if (std::isfinite(worst)) {
    MetricMax("worst_error_over_bound", worst);
  }
  if (worst > 1) {
    return false;
  }
  ExpectPrecision(shape, answer, got, where);
  return true;
}

template <class Variant>
bool SoftmaxTopkTest::IsRight(const Problem<typename Variant::Logit>& problem, const Answer& answer,
                              const Outputs& got) {
  const Shape shape = ShapeOf(problem);
  if constexpr (!kOnCpu<Variant>) {
    if (!FaultOfWork(shape, sizeof(typename Variant::Logit), got).empty()) {
      return false;
    }
  }
  return got.indices == answer.indices &&
         Compare<float, long double>(got.probabilities, answer.probabilities, answer.bounds)
             .AllWithin() &&
         FaultOfRows(shape, answer, got).empty();
}

std::span<const std::string_view> SoftmaxTopkTest::SchedulesUsed() const {
  return schedule_ ? Schedules().subspan(*schedule_, 1) : Schedules();
}

template <class Variant>
SoftmaxTopkTest::Outcome SoftmaxTopkTest::Try(const Problem<typename Variant::Logit>& problem,
                                              Layout layout) {
  BeginCheck(Variant::kName);
  Need<Variant>();
  const Answer answer = Solve(problem);
  bool right = true;
  for (const std::string_view role : kOnCpu<Variant> ? Schedules().last(1) : SchedulesUsed()) {
    const std::string where =
        Describe<Variant>(ShapeOf(problem), layout, role) + (asking_.empty() ? "" : ", ") + asking_;
    const Outputs got = Run<Variant>(role, problem, layout);
    if (got.status == SOFTMAX_TOPK_UNSUPPORTED) {
      NoteRefusal<Variant>(ShapeOf(problem), layout, got, where);
      return Outcome::kRefused;
    }
    if (got.status != SOFTMAX_TOPK_OK) {
      FailCase(fmt::format("{} returned status {} instead of SOFTMAX_TOPK_OK", where, got.status));
    }
    right = Judge<Variant>(problem, answer, got, where) && right;
  }
  if (!right) {
    return Outcome::kWrong;
  }
  EndCheckRight(Variant::kName);
  return Outcome::kRight;
}

template <class Variant>
void SoftmaxTopkTest::ExpectRight(const Problem<typename Variant::Logit>& problem, Layout layout) {
  if (Try<Variant>(problem, layout) == Outcome::kRefused) {
    Skip(fmt::format("{} {}x{} k={} is refused as unsupported", Variant::kOperation, problem.rows,
                     problem.vocabulary, problem.k));
  }
}

#define ASSAY_SOFTMAX_TOPK_LOGIT(T)                                         \
  template Problem<T> RandomProblem(std::mt19937_64&, Shape, Distribution); \
  template Problem<T> ConstantProblem(Shape, double);                       \
  template void WinnersInOneWarp(std::mt19937_64&, Problem<T>&);            \
  template Problem<T> RowProblem(const std::vector<double>&, std::size_t)
ASSAY_SOFTMAX_TOPK_LOGIT(float);
ASSAY_SOFTMAX_TOPK_LOGIT(Half);
ASSAY_SOFTMAX_TOPK_LOGIT(BFloat16);
#undef ASSAY_SOFTMAX_TOPK_LOGIT

#define ASSAY_SOFTMAX_TOPK_VARIANT(V)                                                              \
  template void SoftmaxTopkTest::TagFor<V>(std::initializer_list<std::string_view>);               \
  template void SoftmaxTopkTest::Need<V>();                                                        \
  template Outputs SoftmaxTopkTest::Run<V>(std::string_view, const Problem<V::Logit>&, Layout);    \
  template void SoftmaxTopkTest::ExpectRight<V>(const Problem<V::Logit>&, Layout);                 \
  template bool SoftmaxTopkTest::Judge<V>(const Problem<V::Logit>&, const Answer&, const Outputs&, \
                                          std::string_view);                                       \
  template bool SoftmaxTopkTest::IsRight<V>(const Problem<V::Logit>&, const Answer&,               \
                                            const Outputs&);                                       \
  template void SoftmaxTopkTest::NoteRefusal<V>(Shape, Layout, const Outputs&, std::string_view);  \
  template SoftmaxTopkTest::Outcome SoftmaxTopkTest::Try<V>(const Problem<V::Logit>&, Layout);     \
  template std::string SoftmaxTopkTest::Describe<V>(Shape, Layout, std::string_view)
ASSAY_SOFTMAX_TOPK_VARIANT(F32);
ASSAY_SOFTMAX_TOPK_VARIANT(AlternativeF32);
ASSAY_SOFTMAX_TOPK_VARIANT(F16);
ASSAY_SOFTMAX_TOPK_VARIANT(Bf16);
ASSAY_SOFTMAX_TOPK_VARIANT(CpuF32);
#undef ASSAY_SOFTMAX_TOPK_VARIANT

}  // namespace assay::softmax_topk
