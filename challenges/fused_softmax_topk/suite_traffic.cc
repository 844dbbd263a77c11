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
constexpr double kOutputBytes = sizeof(float) + sizeof(std::int32_t);

double ModelledTime(std::span<const LaunchReport> launches) {
  double time_ns = 0;
  for (const LaunchReport& launch : launches) {
    time_ns += launch.modelled_time_ns;
  }
  return time_ns;
}

double DramBytes(const LaunchCounters& counters) {
  return static_cast<double>(counters.dram_read_bytes + counters.dram_write_bytes);
}

/// Loads from global memory of 16 bytes a thread: ld.global of four words or two double words, and
/// the copies to shared memory that there are for 16 bytes alone.
bool IsVectorLoad(std::string_view instruction) {
  const auto has = [&](std::string_view part) { return instruction.contains(part); };
  if (instruction.starts_with("cp.async.cg.shared")) {
    return true;
  }
  return instruction.starts_with("ld.") && has("global") &&
         ((has(".v4.") && has("32")) || (has(".v2.") && has("64")));
}

/// Of the bytes loaded from global memory, those loaded 16 a thread.
double VectorLoadShare(const LaunchCounters& counters) {
  constexpr double kVectorBytes = 16;
  double bytes = 0;
  for (const auto& [instruction, threads] : counters.mix) {
    bytes += IsVectorLoad(instruction) ? kVectorBytes * static_cast<double>(threads) : 0;
  }
  const auto all = static_cast<double>(counters.global_load.bytes);
  return all > 0 ? std::min(1.0, bytes / all) : 0;
}

/// The launch that most of the instructions are in.
const LaunchReport& Largest(std::span<const LaunchReport> launches) {
  return *std::ranges::max_element(
      launches, {}, [](const LaunchReport& launch) { return launch.counters.thread_instructions; });
}

/// Barriers of blocks: the counter has one for each warp that arrives.
double BlockBarriers(std::span<const LaunchReport> launches) {
  constexpr std::uint32_t kLanes = 32;
  double barriers = 0;
  for (const LaunchReport& launch : launches) {
    const std::uint32_t threads = launch.block[0] * launch.block[1] * launch.block[2];
    barriers += static_cast<double>(launch.counters.barriers) /
                static_cast<double>(std::max(1U, (threads + kLanes - 1) / kLanes));
  }
  return barriers;
}

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
    ExpectReadByKernels(shape, got.launches, where);
    if (!Judge<Variant>(problem, Solve(problem), got, where)) {
      return;  // Noted as a wrong answer; its numbers are of another problem.
    }
    EndCheckRight(Variant::kName);
    Note(Suffix<Variant>(), shape, got.launches, got.copied, Prefix::kNone);
    if constexpr (std::is_same_v<Variant, F32>) {
      NoteResources(got.launches);
      CompareWithBaseline(problem, got.launches);
    }
  }

  /// What kernels did is counted whatever becomes of the call: when a checker found an error, which
  /// ends the case, when the answer is wrong, and when it is right.
  void OnCall(std::string_view role, const gpu::DeviceReply& reply) override {
    if (role == kAscending && measured_ && ReadsEnough(measured_->shape, reply.launches)) {
      Note(measured_->suffix, measured_->shape, reply.launches, reply.copied, Prefix::kCounted);
    }
  }

 private:
  enum class Prefix { kNone, kCounted };
  /// The call that is being measured.
  struct Measured {
    std::string suffix;
    Shape shape;
  };

  static std::uint64_t LogitBytes(Shape shape) {
    return shape.rows * shape.vocabulary * sizeof(float);
  }
  /// Each logit counts, so kernels must have loaded as many bytes: launches that load fewer are no
  /// measure of the work, which was done where no counter sees it.
  static bool ReadsEnough(Shape shape, std::span<const LaunchReport> launches) {
    return gpu::Total(launches).global_load.bytes >= LogitBytes(shape);
  }
  void ExpectReadByKernels(Shape shape, std::span<const LaunchReport> launches,
                           std::string_view where) {
    if (!ReadsEnough(shape, launches)) {
      FailCase(fmt::format("the kernels of {} loaded {} bytes of global memory, of {} of logits",
                           where, gpu::Total(launches).global_load.bytes, LogitBytes(shape)));
    }
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
    const auto logit_bytes = static_cast<double>(LogitBytes(shape));
    const double output_bytes = kOutputBytes * rows * static_cast<double>(shape.k);
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
    Metric(name("dram_over_floor"), (DramBytes(counters) + of_copies) / floor);
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
    // These are the better of both versions, right or not: what they load is what they load.
    MetricMax("vector_load_share", VectorLoadShare(counters));
    MetricMax("materialises", written - 2 * output_bytes > MostScratchBytes(shape, sizeof(float)));
  }

  void NoteResources(std::span<const LaunchReport> launches) {
    const LaunchReport& largest = Largest(launches);
    if (const auto registers = largest.resources.registers_per_thread) {
      Metric("registers_per_thread", *registers);
    }
    Metric("shared_bytes_per_block", static_cast<double>(largest.resources.static_shared_bytes +
                                                         largest.dynamic_shared_bytes));
    Metric("local_bytes_per_thread", static_cast<double>(largest.resources.local_bytes));
    Metric("theoretical_occupancy", largest.theoretical_occupancy);
  }

  /// The baseline and its unfused form on the same logits.
  void CompareWithBaseline(const Problem<float>& problem, std::span<const LaunchReport> launches) {
    const std::vector<LaunchReport> baseline = RunBaseline(std::string(F32::kOperation), problem);
    const std::vector<LaunchReport> unfused = RunBaseline(std::string(kUnfused), problem);
    Metric("modelled_time_over_baseline", ModelledTime(launches) / ModelledTime(baseline));
    Metric("modelled_speedup_over_unfused", ModelledTime(unfused) / ModelledTime(launches));
    Metric("traffic_cut_over_unfused",
           DramBytes(gpu::Total(unfused)) / DramBytes(gpu::Total(launches)));
  }

  std::vector<LaunchReport> RunBaseline(const std::string& operation,
                                        const Problem<float>& problem) {
    std::vector<float> probabilities(problem.rows * problem.k);
    std::vector<std::int32_t> indices(problem.rows * problem.k);
    const std::uint64_t bytes =
        operation == kUnfused ? 0 : WorkspaceBytes(kBaseline, ShapeOf(problem));
    gpu::DeviceInvocation call(operation);
    call.Scalar(problem.rows).Scalar(problem.vocabulary).Scalar(problem.k).Input(problem.logits);
    call.Scalar(problem.vocabulary).Output(probabilities).Output(indices);
    call.Scratch(bytes).Scalar(bytes).Scalar(std::uint32_t{0});
    return CallOnDeviceExpecting(SOFTMAX_TOPK_OK, kBaseline, call).launches;
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
