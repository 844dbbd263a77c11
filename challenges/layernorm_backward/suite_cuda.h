// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_CHALLENGES_LAYERNORM_BACKWARD_SUITE_CUDA_H_
#define ASSAY_CHALLENGES_LAYERNORM_BACKWARD_SUITE_CUDA_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/adapter/device_stream.h"
#include "gpu/suite/gpu_case.h"
#include "oracle.h"
#include "suite_support.h"

namespace assay::layernorm {

inline constexpr std::string_view kForwardCuda = "ln_forward_cuda_f32";
inline constexpr std::string_view kBackwardCuda = "ln_backward_cuda_f32";
inline constexpr std::string_view kBackwardCudaWorkspace = "ln_backward_cuda_workspace_bytes";

/// The statistics of each row as forward saves them, and backward is handed them.
struct RowStatistics {
  std::vector<float> mean;
  std::vector<float> rstd;
};

/// Those of the problem's x, rounded.
[[nodiscard]] RowStatistics StatisticsOf(const Problem<float>& problem);

/// How a call is made, beside what it computes.
struct CallPlace {
  std::size_t offset_bytes = 0;  ///< Of each buffer, from an address aligned to 256.
  gpu::StreamKind stream = gpu::StreamKind::kDefault;
  /// The one buffer, counted in the order of the parameters, that has the offset; -1: all have it.
  int alone = -1;

  [[nodiscard]] std::size_t OffsetOf(int buffer) const {
    return alone == -1 || alone == buffer ? offset_bytes : 0;
  }
};
/// Buffers of a call, the workspace apart.
inline constexpr int kForwardBuffers = 6;
inline constexpr int kBackwardBuffers = 8;

/// What one call gave.
struct CudaForward {
  std::vector<float> y;
  RowStatistics statistics;
  gpu::DeviceReply reply;
};
struct CudaBackward {
  BackwardOutputs<float> gradients;
  gpu::DeviceReply reply;
};

/// What the cases of the CUDA operations share. LN_UNSUPPORTED skips a case, any other status but
/// LN_OK is a wrong answer.
class LayerNormCudaTest : public gpu::GpuCaseTest {
 protected:
  /// What is asked beside the shape, where a case asks many things: messages of failures say it.
  std::string asked;

  /// Ends the case as skipped where the function is not there. Calls below do so by themselves.
  void NeedForward() { NeedOptionalOperation(kForwardCuda); }
  void NeedBackward();

  CudaForward RunForward(std::string_view role, const Problem<float>& problem, CallPlace place);
  CudaBackward RunBackward(std::string_view role, const Problem<float>& problem,
                           const RowStatistics& statistics, CallPlace place);

  /// Whether it is; if not, the case is a wrong answer. One whose work kernels cannot have done
  /// ends it.
  bool ExpectRight(const Answer& answer, const CudaForward& got);
  bool ExpectRight(const Answer& answer, const CudaBackward& got);
  /// The same, and the root mean squares of its errors.
  bool ExpectPrecise(const Problem<float>& problem, const Answer& answer, const CudaForward& got);
  bool ExpectPrecise(const Problem<float>& problem, const Answer& answer, const CudaBackward& got);

  /// On all schedules, each on another kind of stream than the one before.
  void ExpectForwardRight(const Problem<float>& problem, std::size_t offset_bytes = 0);
  void ExpectBackwardRight(const Problem<float>& problem, const RowStatistics& statistics,
                           std::size_t offset_bytes = 0);
  void ExpectBackwardRight(const Problem<float>& problem, std::size_t offset_bytes = 0) {
    ExpectBackwardRight(problem, StatisticsOf(problem), offset_bytes);
  }

  /// On one schedule, and each output as a whole too (random_rounding.h): for drawn rows.
  void ExpectForwardPrecise(const Problem<float>& problem);
  void ExpectBackwardPrecise(const Problem<float>& problem);

  /// Sets <pass>_bytes_over_floor and <pass>_launches from a call that was right, and the modelled
  /// time against the baseline's.
  void MeasureForward(const Problem<float>& problem);
  void MeasureBackward(const Problem<float>& problem);

  /// A shape of up to 30,000 elements, whose buffers begin at any four bytes.
  struct RandomShape {
    std::size_t rows;
    std::size_t features;
    std::size_t offset_bytes;
  };
  RandomShape DrawShape();

  /// In which it is seen that no narrower type is used on the way, at any size: where the bound of
  /// an element would hold it, the outputs as a whole are outside.
  std::vector<Problem<float>> ProblemsOfFullPrecision();

  /// What the graded host asks for.
  std::uint64_t WorkspaceBytes(std::string_view role, const Problem<float>& problem);

  Problem<float> Random(std::size_t rows, std::size_t features, Distribution distribution = {}) {
    return RandomProblem<float>(random(), rows, features, distribution);
  }

 private:
  [[nodiscard]] std::string ShapeOf(const Answer& answer) const;
  void SkipWhatIsUnsupported(std::string_view function, const Reply& reply);
  bool ExpectOutput(const Output& output, const std::vector<float>& got,
                    const std::vector<long double>& want, const std::vector<double>& bound);
  bool ExpectRmsWithin(const Output& output, const std::vector<float>& got,
                       const std::vector<long double>& want, const std::vector<double>& bound);
  /// The worse time of both passes, once all that are offered are known to be right.
  void RecordWorseTime();
  void RecordTraffic(const std::string& pass, double floor_bytes,
                     const std::vector<gpu::LaunchReport>& launches,
                     const std::vector<gpu::LaunchReport>& of_baseline);
};

}  // namespace assay::layernorm

#endif  // ASSAY_CHALLENGES_LAYERNORM_BACKWARD_SUITE_CUDA_H_
