// SPDX-License-Identifier: Apache-2.0
// What the entry points cost, counted on the emulated GPU: tag `traffic`. Two shapes, a long row
// alone, which must be split to keep a GPU busy, and a batch; the last that was answered right
// decides. The baseline, and its unfused form, run on the same logits.

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
  void SetUp() override {
    SoftmaxTopkTest::SetUp();
    Tag({"traffic"});
    if (OnRealGpu()) {
      Skip("a real GPU has no counters here");
    }
  }

  /// One call of Variant under the ascending schedule: its numbers, and whether it is right.
  template <class Variant>
  void Measure(Shape shape) {
    BeginCheck(Variant::kName);
    Need<Variant>();
    const auto problem = RandomProblem<float>(random(), shape, {.scale = 2});
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
      CompareWithBaseline(problem, got);
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

  void Note(const std::string& suffix, Shape shape, std::span<const LaunchReport> launches,
            const gpu::remote::CopiedBytes& copied, Prefix prefix) {
    const LaunchCounters counters = gpu::Total(launches);
    const auto name = [&](std::string_view metric) {
      return fmt::format("{}{}{}", prefix == Prefix::kCounted ? "counted_" : "", metric, suffix);
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
    Metric(name("reads_per_logit"), read / logit_bytes);
    Metric(name("compulsory_over_floor"), compulsory / floor);
    Metric(name("requested_over_floor"), (read + written) / floor);
    Metric(name("dram_over_floor"), DramBytes(counters, copied) / floor);
    Metric(name("writes_over_least"), written / output_bytes);
    Metric(name("scratch_over_output"), std::max(0.0, written - output_bytes) / output_bytes);
    Metric(name("sectors_per_request"),
           static_cast<double>(counters.global_load.sectors) /
               static_cast<double>(std::max<std::uint64_t>(1, counters.global_load.requests)));
    Metric(name("shuffles_per_row"), static_cast<double>(counters.shuffles) / rows);
    Metric(name("barriers_per_row"), BlockBarriers(launches) / rows);
    double flops = static_cast<double>(counters.special_function_ops);
    for (const std::uint64_t count : counters.flops) {
      flops += static_cast<double>(count);
    }
    Metric(name("arithmetic_intensity"), flops / compulsory);
    Metric(name("compute_bound"), flops / compulsory > kRidge ? 1 : 0);
  }

  void NoteResources(Shape shape, std::span<const LaunchReport> launches) {
    const LaunchReport& main = *MainLaunch(launches, LogitBytes(shape));  // A right call has one.
    if (const auto registers = main.resources.registers_per_thread) {
      Metric("registers_per_thread", *registers);
    }
    Metric("shared_bytes_per_block",
           static_cast<double>(main.resources.static_shared_bytes + main.dynamic_shared_bytes));
    Metric("local_bytes_per_thread", static_cast<double>(LocalBytes(launches, LogitBytes(shape))));
    Metric("theoretical_occupancy", main.theoretical_occupancy);
  }

  /// The baseline and its unfused form on the same logits.
  void CompareWithBaseline(const Problem<float>& problem, const Outputs& got) {
    const gpu::DeviceReply baseline = RunBaseline(std::string(F32::kOperation), problem);
    const gpu::DeviceReply unfused = RunBaseline(std::string(kUnfused), problem);
    Metric("modelled_time_over_baseline",
           ModelledTime(got.launches) / ModelledTime(baseline.launches));
    Metric("modelled_speedup_over_unfused",
           ModelledTime(unfused.launches) / ModelledTime(got.launches));
    Metric("traffic_cut_over_unfused", DramBytes(gpu::Total(unfused.launches), unfused.copied) /
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

// In the order of their sizes: the last that is right sets the metrics.
TEST_F(Traffic, LongRow) { Measure<F32>({1, 131'072, 8}); }
TEST_F(Traffic, Batch) { Measure<F32>({64, 32'768, 8}); }
TEST_F(Traffic, LongRowAlternative) { Measure<AlternativeF32>({1, 131'072, 8}); }
TEST_F(Traffic, BatchAlternative) { Measure<AlternativeF32>({64, 32'768, 8}); }

}  // namespace
}  // namespace assay::softmax_topk
