// SPDX-License-Identifier: Apache-2.0
#include "suite_cuda.h"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "interface.h"
#include "random_rounding.h"

namespace assay::layernorm {
namespace {

using gpu::DeviceInvocation;
using gpu::LaunchReport;

gpu::StreamKind Other(gpu::StreamKind kind) {
  return kind == gpu::StreamKind::kDefault ? gpu::StreamKind::kNonBlocking
                                           : gpu::StreamKind::kDefault;
}

/// By the beginning of its metrics' names: each pass, and the function that has it.
constexpr std::array<std::pair<std::string_view, std::string_view>, 2> kPasses = {
    {{"cuda_forward", kForwardCuda}, {"cuda_backward", kBackwardCuda}}};

/// Modelled times over the baseline's of the passes that were right where they are measured.
std::map<std::string, double, std::less<>>& RatiosOfPasses() {
  static std::map<std::string, double, std::less<>> ratios;
  return ratios;
}

double ModelledTime(const std::vector<LaunchReport>& launches) {
  double time_ns = 0;
  for (const LaunchReport& launch : launches) {
    time_ns += launch.modelled_time_ns;
  }
  return time_ns;
}

}  // namespace

RowStatistics StatisticsOf(const Problem<float>& problem) {
  const Normalised forward = Forward(problem);
  return {.mean = std::vector<float>(forward.mean.begin(), forward.mean.end()),
          .rstd = std::vector<float>(forward.rstd.begin(), forward.rstd.end())};
}

std::string LayerNormCudaTest::ShapeOf(const Answer& answer) const {
  return " of " + std::to_string(answer.forward.mean.size()) + "x" +
         std::to_string(answer.bounds.dgamma.size()) + (asked.empty() ? "" : " (" + asked + ")");
}

void LayerNormCudaTest::NeedBackward() {
  NeedOptionalOperation(kBackwardCuda);
  NeedOptionalOperation(kBackwardCudaWorkspace);
}

void LayerNormCudaTest::SkipWhatIsUnsupported(std::string_view function, const Reply& reply) {
  if (reply.status == LN_UNSUPPORTED) {
    Skip(std::string(function) + " says LN_UNSUPPORTED");
  }
}

CudaForward LayerNormCudaTest::RunForward(std::string_view role, const Problem<float>& problem,
                                          CallPlace place) {
  NeedForward();
  CudaForward got{.y = std::vector<float>(problem.x.size()),
                  .statistics = {.mean = std::vector<float>(problem.rows),
                                 .rstd = std::vector<float>(problem.rows)},
                  .reply = {}};
  DeviceInvocation call{std::string(kForwardCuda)};
  call.Scalar(problem.rows)
      .Scalar(problem.features)
      .Input(problem.x, place.OffsetOf(0))
      .Input(problem.gamma, place.OffsetOf(1))
      .Input(problem.beta, place.OffsetOf(2))
      .Scalar(problem.eps)
      .Output(got.y, place.OffsetOf(3))
      .Output(got.statistics.mean, place.OffsetOf(4))
      .Output(got.statistics.rstd, place.OffsetOf(5))
      .Scalar(static_cast<std::uint32_t>(place.stream));
  got.reply = CallOnDeviceExpectingOneOf({LN_OK, LN_UNSUPPORTED}, role, call);
  SkipWhatIsUnsupported(kForwardCuda, got.reply.reply);
  return got;
}

std::uint64_t LayerNormCudaTest::WorkspaceBytes(std::string_view role,
                                                const Problem<float>& problem) {
  NeedBackward();
  std::vector<std::uint64_t> bytes(1);
  Invocation call{std::string(kBackwardCudaWorkspace)};
  call.Scalar(problem.rows).Scalar(problem.features).Output(bytes);
  CallExpecting(LN_OK, role, call);
  return bytes[0];
}

CudaBackward LayerNormCudaTest::RunBackward(std::string_view role, const Problem<float>& problem,
                                            const RowStatistics& statistics, CallPlace place) {
  NeedBackward();
  CudaBackward got{.gradients = {.dx = std::vector<float>(problem.x.size()),
                                 .dgamma = std::vector<float>(problem.features),
                                 .dbeta = std::vector<float>(problem.features)},
                   .reply = {}};
  const std::uint64_t workspace_bytes = WorkspaceBytes(role, problem);
  DeviceInvocation call{std::string(kBackwardCuda)};
  call.Scalar(problem.rows)
      .Scalar(problem.features)
      .Input(problem.dy, place.OffsetOf(0))
      .Input(problem.x, place.OffsetOf(1))
      .Input(problem.gamma, place.OffsetOf(2))
      .Input(statistics.mean, place.OffsetOf(3))
      .Input(statistics.rstd, place.OffsetOf(4))
      .Output(got.gradients.dx, place.OffsetOf(5))
      .Output(got.gradients.dgamma, place.OffsetOf(6))
      .Output(got.gradients.dbeta, place.OffsetOf(7))
      .Scratch(workspace_bytes)
      .Scalar(static_cast<std::size_t>(workspace_bytes))
      .Scalar(static_cast<std::uint32_t>(place.stream));
  got.reply = CallOnDeviceExpectingOneOf({LN_OK, LN_UNSUPPORTED}, role, call);
  SkipWhatIsUnsupported(kBackwardCuda, got.reply.reply);
  return got;
}

bool LayerNormCudaTest::ExpectOutput(const Output& output, const std::vector<float>& got,
                                     const std::vector<long double>& want,
                                     const std::vector<double>& bound) {
  const Admitted admitted = AdmitWhatIsNotFinite(got, want, bound);
  return ExpectWithin(output, got, admitted.want, admitted.bound) <= 1;
}

bool LayerNormCudaTest::ExpectRight(const Answer& answer, const CudaForward& got) {
  ExpectWorkOfKernels({.operation = kForwardCuda,
                       .input = "x",
                       .input_bytes = got.y.size() * sizeof(float),
                       .output_bytes = got.y.size() * sizeof(float)},
                      got.reply);
  const std::string shape = ShapeOf(answer);
  const bool y = ExpectOutput({"y", shape}, got.y, answer.forward.y, answer.bounds.y);
  const bool mean =
      ExpectOutput({"mean", shape}, got.statistics.mean, answer.forward.mean, answer.bounds.mean);
  const bool rstd =
      ExpectOutput({"rstd", shape}, got.statistics.rstd, answer.forward.rstd, answer.bounds.rstd);
  return y && mean && rstd;
}

bool LayerNormCudaTest::ExpectRight(const Answer& answer, const CudaBackward& got) {
  const BackwardOutputs<float>& gradients = got.gradients;
  ExpectWorkOfKernels({.operation = kBackwardCuda,
                       .input = "dy",
                       .input_bytes = gradients.dx.size() * sizeof(float),
                       .output_bytes = gradients.dx.size() * sizeof(float)},
                      got.reply);
  const std::string shape = ShapeOf(answer);
  const bool dx = ExpectOutput({"dx", shape}, gradients.dx, answer.gradients.dx, answer.bounds.dx);
  const bool dgamma = ExpectOutput({"dgamma", shape}, gradients.dgamma, answer.gradients.dgamma,
                                   answer.bounds.dgamma);
  const bool dbeta =
      ExpectOutput({"dbeta", shape}, gradients.dbeta, answer.gradients.dbeta, answer.bounds.dbeta);
  return dx && dgamma && dbeta;
}

bool LayerNormCudaTest::ExpectRmsWithin(const Output& output, const std::vector<float>& got,
                                        const std::vector<long double>& want,
                                        const std::vector<double>& bound) {
  const std::vector<double> rms = {RmsOverBound<float>(got, want, bound)};
  return ExpectWithin(Output{output.name, output.of + ", root mean square of error over bound"},
                      rms, std::vector<long double>{0}, std::vector<double>{1}) <= 1;
}

bool LayerNormCudaTest::ExpectPrecise(const Problem<float>& problem, const Answer& answer,
                                      const CudaForward& got) {
  const bool right = ExpectRight(answer, got);
  const Bounds bounds = RandomRoundingBounds(problem, answer);
  const std::string shape = ShapeOf(answer);
  const bool y = ExpectRmsWithin({"y", shape}, got.y, answer.forward.y, bounds.y);
  const bool mean =
      ExpectRmsWithin({"mean", shape}, got.statistics.mean, answer.forward.mean, bounds.mean);
  const bool rstd =
      ExpectRmsWithin({"rstd", shape}, got.statistics.rstd, answer.forward.rstd, bounds.rstd);
  return right && y && mean && rstd;
}

bool LayerNormCudaTest::ExpectPrecise(const Problem<float>& problem, const Answer& answer,
                                      const CudaBackward& got) {
  const bool right = ExpectRight(answer, got);
  const Bounds bounds = RandomRoundingBounds(problem, answer, Statistics::kGiven);
  const std::string shape = ShapeOf(answer);
  const BackwardOutputs<float>& gradients = got.gradients;
  const bool dx = ExpectRmsWithin({"dx", shape}, gradients.dx, answer.gradients.dx, bounds.dx);
  const bool dgamma =
      ExpectRmsWithin({"dgamma", shape}, gradients.dgamma, answer.gradients.dgamma, bounds.dgamma);
  const bool dbeta =
      ExpectRmsWithin({"dbeta", shape}, gradients.dbeta, answer.gradients.dbeta, bounds.dbeta);
  return right && dx && dgamma && dbeta;
}

LayerNormCudaTest::RandomShape LayerNormCudaTest::DrawShape() {
  const std::size_t features = RandomExtent(random(), 3000);
  const std::size_t rows = RandomExtent(random(), 30'000 / features + 1);
  return {.rows = rows, .features = features, .offset_bytes = 4 * (random()() % 4)};
}

std::vector<Problem<float>> LayerNormCudaTest::ProblemsOfFullPrecision() {
  std::vector<Problem<float>> problems;
  for (const std::size_t features :
       {512 + random()() % 589, 2'000 + random()() % 8'000, 20'000 + random()() % 40'000}) {
    problems.push_back(Random(std::max<std::size_t>(4, 60'000 / features), features));
    MakeMiddleRowsHostile(random(), problems.back());
  }
  return problems;
}

void LayerNormCudaTest::ExpectForwardPrecise(const Problem<float>& problem) {
  NeedForward();
  ExpectPrecise(problem, Solve(problem), RunForward(Schedules().front(), problem, {}));
}

void LayerNormCudaTest::ExpectBackwardPrecise(const Problem<float>& problem) {
  NeedBackward();
  const RowStatistics statistics = StatisticsOf(problem);
  ExpectPrecise(problem, SolveWith(problem, statistics.mean, statistics.rstd),
                RunBackward(Schedules().front(), problem, statistics, {}));
}

void LayerNormCudaTest::ExpectForwardRight(const Problem<float>& problem,
                                           std::size_t offset_bytes) {
  NeedForward();
  const Answer answer = Solve(problem);
  CallPlace place{.offset_bytes = offset_bytes};
  for (const std::string_view role : Schedules()) {
    ExpectRight(answer, RunForward(role, problem, place));
    place.stream = Other(place.stream);
  }
}

void LayerNormCudaTest::ExpectBackwardRight(const Problem<float>& problem,
                                            const RowStatistics& statistics,
                                            std::size_t offset_bytes) {
  NeedBackward();
  const Answer answer = SolveWith(problem, statistics.mean, statistics.rstd);
  CallPlace place{.offset_bytes = offset_bytes};
  for (const std::string_view role : Schedules()) {
    ExpectRight(answer, RunBackward(role, problem, statistics, place));
    place.stream = Other(place.stream);
  }
}

void LayerNormCudaTest::RecordTraffic(const std::string& pass, double floor_bytes,
                                      const std::vector<LaunchReport>& launches,
                                      const std::vector<LaunchReport>& of_baseline) {
  if (launches.empty()) {
    return;  // A real GPU counts nothing.
  }
  const gpu::LaunchCounters total = gpu::Total(launches);
  const auto bytes =
      static_cast<double>(total.compulsory_read_bytes + total.compulsory_write_bytes);
  Metric(pass + "_bytes_over_floor", bytes / floor_bytes);
  Metric(pass + "_launches", static_cast<double>(launches.size()));
  if (!of_baseline.empty()) {
    RatiosOfPasses()[pass] = ModelledTime(launches) / ModelledTime(of_baseline);
    RecordWorseTime();
  }
}

void LayerNormCudaTest::RecordWorseTime() {
  double worst = 0;
  for (const auto& [pass, operation] : kPasses) {
    const auto ratio = RatiosOfPasses().find(pass);
    if (ratio != RatiosOfPasses().end()) {
      worst = std::max(worst, ratio->second);
    } else if (HasOperation(operation)) {
      return;  // Not right, not yet, or refused at the shape where it is measured.
    }
  }
  Metric("cuda_modelled_time_over_baseline", worst);
}

void LayerNormCudaTest::MeasureForward(const Problem<float>& problem) {
  NeedForward();
  const std::string_view role = Schedules().front();
  const CudaForward got = RunForward(role, problem, {});
  if (!ExpectPrecise(problem, Solve(problem), got)) {
    return;
  }
  RecordLaunches(std::string(kForwardCuda) + " " + std::to_string(problem.rows) + "x" +
                     std::to_string(problem.features),
                 got.reply.launches);
  const auto elements = static_cast<double>(problem.x.size());
  const auto vectors = static_cast<double>(2 * problem.features + 2 * problem.rows);
  const bool compare = HasBaseline() && !OnRealGpu();
  RecordTraffic(
      "cuda_forward", 4 * (2 * elements + vectors), got.reply.launches,
      compare ? RunForward(kBaseline, problem, {}).reply.launches : std::vector<LaunchReport>());
}

void LayerNormCudaTest::MeasureBackward(const Problem<float>& problem) {
  NeedBackward();
  const std::string_view role = Schedules().front();
  const RowStatistics statistics = StatisticsOf(problem);
  const CudaBackward got = RunBackward(role, problem, statistics, {});
  if (!ExpectPrecise(problem, SolveWith(problem, statistics.mean, statistics.rstd), got)) {
    return;
  }
  RecordLaunches(std::string(kBackwardCuda) + " " + std::to_string(problem.rows) + "x" +
                     std::to_string(problem.features),
                 got.reply.launches);
  const auto elements = static_cast<double>(problem.x.size());
  const auto vectors = static_cast<double>(3 * problem.features + 2 * problem.rows);
  const bool compare = HasBaseline() && !OnRealGpu();
  RecordTraffic("cuda_backward", 4 * (3 * elements + vectors), got.reply.launches,
                compare ? RunBackward(kBaseline, problem, statistics, {}).reply.launches
                        : std::vector<LaunchReport>());
}

}  // namespace assay::layernorm
