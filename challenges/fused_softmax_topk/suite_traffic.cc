// SPDX-License-Identifier: Apache-2.0
// What the entry points cost, counted on the emulated GPU. A long row alone, which must be split to
// keep a GPU busy, tag `traffic`; a batch, and a batch whose logits no L2 holds, tag
// `combinations`. Each number is a point of a curve over the number of logits, so that submissions
// are compared at a shape that both answer right; the metric of the same name is that of the
// largest. Winners are in one warp: what is counted does not hang on how threads' finds are merged.
// The baseline, and its unfused form, run on the same logits.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "interface.h"
#include "suite_counters.h"
#include "suite_support.h"

namespace assay::softmax_topk {
namespace {

using gpu::LaunchCounters;
using gpu::LaunchReport;

/// FLOP a byte at which an A100-80 is as long busy with float arithmetic as with memory: 19.5
/// TFLOP/s over 2.04 TB/s.
constexpr double kRidge = 9.6;
/// Of logits, up to which a call is compared with the baseline and its unfused form: beyond, these
/// would take seconds on the emulated GPU in every run.
constexpr std::uint64_t kMostComparedBytes = std::uint64_t{16} << 20;
/// The baseline's alone; it allocates what it materialises.
constexpr std::string_view kUnfused = "softmax_topk_unfused_f32";

/// Of launches, and of copies beside them.
double DramBytes(const LaunchCounters& counters, const gpu::remote::CopiedBytes& copied) {
  return static_cast<double>(counters.dram_read_bytes + counters.dram_write_bytes + copied.Read() +
                             copied.Written());
}

/// Whose numbers they are: those of a right answer are metrics that rows of rubric.yaml score.
/// Those of any call that did the work are `counted_…`, for readers, whatever became of the call.
enum class Prefix { kNone, kCounted };

class Traffic : public SoftmaxTopkTest {
 protected:
  /// One call of Variant under the ascending schedule: its numbers, and whether it is right.
  template <class Variant>
  void Measure(Shape shape) {
    if (OnRealGpu()) {
      Skip("a real GPU has no counters here");
    }
    BeginCheck(Variant::kName);
    Need<Variant>();
    auto problem = RandomProblem<float>(random(), shape, {.scale = 2});
    WinnersInOneWarp(random(), problem);
    const std::string where = Describe<Variant>(shape, {}, kAscending);
    measured_ = Measured{.suffix = Suffix<Variant>(), .shape = shape};
    const Outputs got = Run<Variant>(kAscending, problem, {});
    measured_.reset();
    if (got.status == SOFTMAX_TOPK_UNSUPPORTED) {
      NoteRefusal<Variant>(shape, {}, got, where);
      Skip(fmt::format("{} is refused as unsupported", where));
    }
    if (got.status != SOFTMAX_TOPK_OK || got.launches.empty()) {
      FailCase(fmt::format("{} returned status {} after {} launches", where, got.status,
                           got.launches.size()));
    }
    RecordLaunches(
        fmt::format("{} {}x{} k={}", Variant::kOperation, shape.rows, shape.vocabulary, shape.k),
        got.launches);
    if (!Judge<Variant>(problem, Solve(problem), got, where)) {
      return;  // Noted as a wrong answer; its numbers are of another problem.
    }
    EndCheckRight(Variant::kName);
    Note(Suffix<Variant>(), shape, got.launches, got.copied, Prefix::kNone);
    // The better of both versions.
    MetricMax("vector_load_share", VectorLoadShare(got.launches, LogitBytes(shape)));
    MetricMax("materialises", Materialises(shape, got.launches, got.copied) ? 1 : 0);
    if constexpr (std::is_same_v<Variant, F32>) {
      NoteResources(shape, got.launches);
      if (BytesOfLogits(shape, sizeof(float)) <= kMostComparedBytes) {
        CompareWithBaseline(shape, problem, got);
      }
    }
  }

  /// What kernels did is counted whatever becomes of the call: when a checker found an error, which
  /// ends the case, when the answer is wrong, and when it is right. Of all that only what speaks
  /// against the submission is scored.
  void OnCall(std::string_view role, const gpu::DeviceReply& reply) override {
    if (role != kAscending || !measured_) {
      return;
    }
    if (Materialises(measured_->shape, reply.launches, reply.copied)) {
      MetricMax("materialises", 1);
    }
    if (const gpu::KernelWork work = gpu::WorkOf(reply.launches);
        static_cast<double>(std::min(work.loaded, work.distinct)) >= LogitBytes(measured_->shape)) {
      Note(measured_->suffix, measured_->shape, reply.launches, reply.copied, Prefix::kCounted);
    }
  }

 private:
  /// The call that is being measured.
  struct Measured {
    std::string suffix;
    Shape shape;
  };

  static double LogitBytes(Shape shape) {
    return static_cast<double>(BytesOfLogits(shape, sizeof(float)));
  }
  static bool Materialises(Shape shape, std::span<const LaunchReport> launches,
                           const gpu::remote::CopiedBytes& copied) {
    return static_cast<double>(BytesWritten(launches, copied)) -
               2 * static_cast<double>(BytesOfOutputs(shape)) >
           MostScratchBytes(shape, sizeof(float));
  }

  /// Names of the alternative's metrics end with it.
  template <class Variant>
  static std::string Suffix() {
    return std::is_same_v<Variant, AlternativeF32> ? "_alternative" : "";
  }

  /// A number of a right call of F32 with `shape`. The cases run in the order of their sizes.
  void NoteOf(Shape shape, const std::string& name, double value) {
    Metric(name, value);
    CurveMax(name, static_cast<double>(shape.rows * shape.vocabulary), value);
  }

  void Note(const std::string& suffix, Shape shape, std::span<const LaunchReport> launches,
            const gpu::remote::CopiedBytes& copied, Prefix prefix) {
    const LaunchCounters counters = gpu::Total(launches);
    const auto note = [&](std::string_view metric, double value) {
      if (prefix == Prefix::kNone && suffix.empty()) {
        NoteOf(shape, std::string(metric), value);
      } else {
        Metric(fmt::format("{}{}{}", prefix == Prefix::kCounted ? "counted_" : "", metric, suffix),
               value);
      }
    };
    const auto rows = static_cast<double>(shape.rows);
    const double logit_bytes = LogitBytes(shape);
    const auto output_bytes = static_cast<double>(BytesOfOutputs(shape));
    const double floor = logit_bytes + output_bytes;
    const auto read = static_cast<double>(counters.global_load.bytes + copied.Read());
    const auto written = static_cast<double>(BytesWritten(launches, copied));
    const auto of_copies = static_cast<double>(copied.Read() + copied.Written());
    const double compulsory =
        static_cast<double>(counters.compulsory_read_bytes + counters.compulsory_write_bytes) +
        of_copies;
    note("reads_per_logit", read / logit_bytes);
    note("compulsory_over_floor", compulsory / floor);
    note("requested_over_floor", (read + written) / floor);
    note("dram_over_floor", DramBytes(counters, copied) / floor);
    note("writes_over_least", written / output_bytes);
    note("scratch_over_output", std::max(0.0, written - output_bytes) / output_bytes);
    note("sectors_per_request",
         static_cast<double>(counters.global_load.sectors) /
             static_cast<double>(std::max<std::uint64_t>(1, counters.global_load.requests)));
    note("shuffles_per_row", static_cast<double>(counters.shuffles) / rows);
    note("barriers_per_row", BlockBarriers(launches) / rows);
    double flops = static_cast<double>(counters.special_function_ops);
    for (const std::uint64_t count : counters.flops) {
      flops += static_cast<double>(count);
    }
    note("arithmetic_intensity", flops / compulsory);
    note("compute_bound", flops / compulsory > kRidge ? 1 : 0);
  }

  void NoteResources(Shape shape, std::span<const LaunchReport> launches) {
    const LaunchReport& main = *MainLaunch(launches, LogitBytes(shape));  // A right call has one.
    if (const auto registers = main.resources.registers_per_thread) {
      NoteOf(shape, "registers_per_thread", *registers);
    }
    NoteOf(shape, "shared_bytes_per_block",
           static_cast<double>(main.resources.static_shared_bytes + main.dynamic_shared_bytes));
    NoteOf(shape, "local_bytes_per_thread",
           static_cast<double>(LocalBytes(launches, LogitBytes(shape))));
    NoteOf(shape, "theoretical_occupancy", main.theoretical_occupancy);
  }

  /// The baseline and its unfused form on the same logits.
  void CompareWithBaseline(Shape shape, const Problem<float>& problem, const Outputs& got) {
    const gpu::DeviceReply baseline = RunBaseline(std::string(F32::kOperation), problem);
    const gpu::DeviceReply unfused = RunBaseline(std::string(kUnfused), problem);
    const double time_ns = ModelledTime(got.launches);
    const double over_baseline = time_ns / ModelledTime(baseline.launches);
    const double speedup = ModelledTime(unfused.launches) / time_ns;
    NoteOf(shape, "modelled_time_over_baseline", over_baseline);
    NoteOf(shape, "modelled_speedup_over_unfused", speedup);
    if (shape.rows == 1) {
      Metric("modelled_time_of_a_row_over_baseline", over_baseline);
      Metric("modelled_speedup_of_a_row_over_unfused", speedup);
    }
    NoteOf(shape, "traffic_cut_over_unfused",
           DramBytes(gpu::Total(unfused.launches), unfused.copied) /
               DramBytes(gpu::Total(got.launches), got.copied));
  }

  gpu::DeviceReply RunBaseline(const std::string& operation, const Problem<float>& problem) {
    std::vector<float> probabilities(problem.rows * problem.k);
    std::vector<std::int32_t> indices(problem.rows * problem.k);
    const std::uint64_t bytes =
        operation == kUnfused ? 0 : WorkspaceBytes(kBaseline, ShapeOf(problem));
    gpu::DeviceInvocation call(operation);
    call.Scalar(problem.rows).Scalar(problem.vocabulary).Scalar(problem.k).Input(problem.logits);
    call.Scalar(problem.vocabulary).Output(probabilities).Output(indices);
    call.Scratch(bytes).Scalar(bytes).Scalar(std::uint32_t{0});
    return CallOnDeviceExpecting(SOFTMAX_TOPK_OK, kBaseline, call);
  }

  std::optional<Measured> measured_;
};

constexpr Shape kLongRow{.rows = 1, .vocabulary = 131'072, .k = 8};
constexpr Shape kBatch{.rows = 64, .vocabulary = 32'768, .k = 8};

// In the order of their sizes: the last that is right sets the metrics.
TEST_F(Traffic, LongRow) {
  Tag({"traffic"});
  Measure<F32>(kLongRow);
}
TEST_F(Traffic, Batch) {
  Tag({"combinations"});
  Measure<F32>(kBatch);
}
// 80 MiB, more than the L2 of any GPU that is emulated; of a size that nobody may refuse, or
// refusing it would spare a kernel with several passes its traffic.
TEST_F(Traffic, BatchBeyondL2) {
  Tag({"combinations"});
  Measure<F32>({5120, 4096, 8});
}
TEST_F(Traffic, LongRowAlternative) {
  Tag({"traffic"});
  Measure<AlternativeF32>(kLongRow);
}
TEST_F(Traffic, BatchAlternative) {
  Tag({"combinations"});
  Measure<AlternativeF32>(kBatch);
}

/// Winners anywhere, at the sizes that are measured: a form for these sizes alone that relies on
/// where the measured winners lie answers wrongly here.
TEST_F(Traffic, WinnersAnywhereAtTheseSizes) {
  TagFor<F32>({"combinations"});
  UseOneSchedule();
  for (const Shape shape : {kLongRow, kBatch, Shape{.rows = 5120, .vocabulary = 4096, .k = 8}}) {
    ExpectRight<F32>(RandomProblem<float>(random(), shape, {.scale = 2}), {});
  }
}
TEST_F(Traffic, WinnersAnywhereAtTheseSizesAlternative) {
  TagFor<AlternativeF32>({"combinations"});
  UseOneSchedule();
  for (const Shape shape : {kLongRow, kBatch}) {
    ExpectRight<AlternativeF32>(RandomProblem<float>(random(), shape, {.scale = 2}), {});
  }
}

}  // namespace
}  // namespace assay::softmax_topk
