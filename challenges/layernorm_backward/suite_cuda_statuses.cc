// SPDX-License-Identifier: Apache-2.0
// What the CUDA operations refuse leaves all outputs as they were: tag `cuda`, and that of the
// operation.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "interface.h"
#include "suite_cuda.h"

namespace assay::layernorm {
namespace {

class CudaStatuses : public LayerNormCudaTest {};

/// Wider than need be supported: right, or refused before anything is written.
TEST_F(CudaStatuses, WideRowsOfForward) {
  Tag({"cuda", "cuda_forward"});
  NeedForward();
  ExpectForwardRight(Random(2, 24));  // Whoever refuses all writes nothing.
  for (const std::size_t features : {65'537U, 100'003U, 262'144U}) {
    const auto problem = Random(2, features);
    if (StatusOfForward(problem, {LN_OK, LN_UNSUPPORTED}) == LN_OK) {
      ExpectForwardRight(problem);
    }
  }
}

TEST_F(CudaStatuses, WideRowsOfBackward) {
  Tag({"cuda", "cuda_backward"});
  NeedBackward();
  ExpectBackwardRight(Random(2, 24));
  for (const std::size_t features : {65'537U, 100'003U, 262'144U}) {
    const auto problem = Random(2, features);
    const RowStatistics statistics = StatisticsOf(problem);
    const std::size_t bytes = WorkspaceBytes(Schedules().front(), problem);
    if (StatusOfBackward(problem, statistics, bytes, {LN_OK, LN_UNSUPPORTED}) == LN_OK) {
      ExpectBackwardRight(problem, statistics);
    }
  }
}

TEST_F(CudaStatuses, WrongWorkspaceOfBackward) {
  Tag({"cuda", "cuda_backward"});
  NeedBackward();
  ExpectBackwardRight(Random(2, 24));
  for (const std::size_t features : {1U, 64U, 1000U, 9001U}) {
    for (const std::size_t rows : {1U, 40U}) {
      const auto problem = Random(rows, features);
      const RowStatistics statistics = StatisticsOf(problem);
      const std::size_t bytes = WorkspaceBytes(Schedules().front(), problem);
      for (const std::size_t wrong_bytes :
           {std::size_t{0}, bytes / 2, bytes + 4, 2 * bytes, std::size_t{12'345'677}}) {
        if (wrong_bytes != bytes) {
          StatusOfBackward(problem, statistics, wrong_bytes, {LN_INVALID_ARGUMENT});
        }
      }
    }
  }
}

/// What is empty may be null.
TEST_F(CudaStatuses, NoRowsOfNullPointersInForward) {
  Tag({"cuda", "cuda_forward"});
  NeedForward();
  ExpectForwardRight(Random(2, 24));
  const auto problem = Random(0, 24);
  std::vector<float> none;
  gpu::DeviceInvocation call{std::string(kForwardCuda)};
  call.Scalar(problem.rows).Scalar(problem.features).Input(problem.x).Input(problem.gamma);
  call.Input(problem.beta).Scalar(problem.eps).Output(none).Output(none).Output(none);
  call.EmptyIsNull().Scalar(std::uint32_t{0});
  CallOnDeviceExpecting(LN_OK, Schedules().front(), call);
}

TEST_F(CudaStatuses, NoRowsOfNullPointersInBackward) {
  Tag({"cuda", "cuda_backward"});
  NeedBackward();
  ExpectBackwardRight(Random(2, 24));
  const auto problem = Random(0, 24);
  const std::size_t bytes = WorkspaceBytes(Schedules().front(), problem);
  std::vector<float> none;
  std::vector<float> dgamma(problem.features);
  std::vector<float> dbeta(problem.features);
  gpu::DeviceInvocation call{std::string(kBackwardCuda)};
  call.Scalar(problem.rows).Scalar(problem.features).Input(problem.dy).Input(problem.x);
  call.Input(problem.gamma).Input(none).Input(none).Output(none).Output(dgamma).Output(dbeta);
  call.EmptyIsNull().Scratch(bytes).Scalar(bytes).Scalar(std::uint32_t{0});
  CallOnDeviceExpecting(LN_OK, Schedules().front(), call);
  const std::vector<float> zeros(problem.features, 0.0F);
  if (dgamma != zeros || dbeta != zeros) {
    FailCase("dgamma or dbeta of no rows is not 0");
  }
}

}  // namespace
}  // namespace assay::layernorm
